"""Sign-ups that do not come from a form's page: a server's, by its key, on behalf of a visitor, and an
operator's, who asks an unconfirmed subscriber to confirm.
"""

from collections.abc import Mapping
from typing import Any

from audience import addresses, clock
from audience.access import address_lists, audit_log
from audience.access.audit_log import Actor, network_of
from audience.access.sites import Site
from audience.answers.service import Answers
from audience.changes.targets import NOBODY
from audience.config import Settings
from audience.errors import NotFound, Refused, TooMany
from audience.forms import forms
from audience.forms.forms import OPEN, SignUpForm, origin_of
from audience.links.visits import LANGUAGE
from audience.looks import looks, senders
from audience.sign_ups import checks, mailboxes, sign_ups
from audience.sign_ups.sign_ups import TOO_SOON, SignUp, SignUpRequest
from audience.subscribers import custom_fields, subscribers
from schemas.codes import Code, Sentence
from schemas.values import LANGUAGES, NAMES, UNCONFIRMED, FieldError, closest
from storage import database
from storage.sign_ups.sign_ups import OPERATOR
from storage.subscribers import subscribers as stored
from storage.subscribers.subscribers import Subscriber

NO_FORM = Sentence(
    Code.UNKNOWN_RECORD, "Send the id of an open form of the site: GET /v1/fetch/forms lists them."
)
NEEDED = Sentence(Code.REQUIRED, "Send this value: the form requires it.")
NO_FIELD = Sentence(Code.UNKNOWN_KEY, "Send only what the form asks for: the site has no such custom field.")
MAX_AGENT = 500
NOT_UNCONFIRMED = Sentence(
    Code.NOT_UNCONFIRMED,
    "Only subscribers who are unconfirmed, and have not unsubscribed, can be asked.",
)
IS_OPEN = Sentence(
    Code.SIGN_UP_OPEN, "There is already an open sign-up for this address: send its confirmation again."
)
HAS_DECLINED = Sentence(
    Code.SIGN_UP_DECLINED, "Nothing was sent: this person declined within the last 30 days."
)
IS_DENIED = Sentence(Code.ADDRESS_DENIED, "Nothing was sent: the address is on a deny list.")
PROBLEMS = {
    checks.NO_DOMAIN: Sentence(
        Code.UNKNOWN_DOMAIN,
        "The domain of this address does not exist: ask the visitor for another address.",
    ),
    checks.NO_MAIL: Sentence(
        Code.DOMAIN_WITHOUT_MAIL,
        "The domain of this address takes no email: ask the visitor for another address.",
    ),
    checks.NO_USE: Sentence(
        Code.DOMAIN_REFUSED,
        "The site accepts no address of this domain: ask the visitor for another address.",
    ),
}


def check(site: Site, item: Mapping[str, Any], answers: Answers) -> None:
    """Checks the item of a sign-up and its address as a form's page does. Call it outside a transaction,
    since it may query the DNS.

    Raises `Refused`, also for unknown fields, and `TooMany` if the mailbox may get no mail now.
    """
    form = _form(site, item["form_id"])
    email = _normal(item["email"])
    fields = _fields(site, form, item)
    names = " ".join(fields[name] for name in NAMES if name in fields)
    _check(answers, site, item["email"], names, _agent(item))
    if wait := sign_ups.seconds_to_wait(site, email):
        sign_ups.count_capped(site, form)
        raise TooMany(TOO_SOON, wait)


def accept(
    site: Site, item: Mapping[str, Any], publishable_key: str, base_url: str, answers: Answers
) -> SignUp:
    """Accepts a sign-up that `check` has passed. `item` has `email` and `form_id`; names, fields, language,
    page, ip and user_agent are optional.

    Names and fields that the form does not ask for are dropped. Raises as `check` does.
    """
    form = _form(site, item["form_id"])
    email = _normal(item["email"])
    fields = _fields(site, form, item)
    language, ip = item.get("language", ""), item.get("ip", "")
    asked = SignUpRequest(
        email,
        fields=fields,
        language=language if language in forms.languages(form) else form.language,
        origin=_origin(form, item.get("page", "")),
        network=network_of(ip),
        country=checks.country(answers, ip) if ip else "",
        agent=_agent(item),
        asked_by=f"key:{publishable_key}",
        version=form.version,
        base_url=base_url,
    )
    sign_up = sign_ups.accept(site, form, asked)
    if sign_up is None:
        raise TooMany(TOO_SOON, max(1, sign_ups.seconds_to_wait(site, email)))
    return sign_up


@database.writes_site
def ask_to_confirm(site: Site, uuid: str, actor: Actor, settings: Settings) -> SignUp:
    """Asks a subscriber to confirm: makes a sign-up without a form, and queues its email.

    Raises `NotFound`; `Refused` if the subscriber must not be asked or the site cannot send; `TooMany` if the
    mailbox may get no mail now.
    """
    subscriber = stored.get_by_uuid(site.id, uuid)
    if subscriber is None:
        raise NotFound(NOBODY)
    if obstacle := _obstacle(site, subscriber, settings):
        raise Refused(obstacle)
    if wait := sign_ups.seconds_to_wait(site, subscriber.email_key):
        raise TooMany(TOO_SOON, wait)
    asked = SignUpRequest(
        subscriber.email_key,
        language=_language(site, subscriber),
        asked_by=OPERATOR,
        version=0,
        base_url=settings.base_url,
    )
    sign_up = sign_ups.add(site, None, asked)
    audit_log.record(actor, "asked to confirm", site, uuid)
    return sign_up


def may_ask(subscriber: Subscriber) -> bool:
    """Whether a subscriber is unconfirmed, see `subscribers.status`."""
    return subscribers.status(subscriber) == UNCONFIRMED


def is_unconfirmed_now(site: Site, email: str) -> bool:
    """Whether an address has an unconfirmed subscriber, in the caller's session."""
    subscriber = stored.get_by_key(site.id, email)
    return subscriber is not None and may_ask(subscriber)


def _fields(site: Site, form: SignUpForm, item: Mapping[str, Any]) -> dict[str, str]:
    """The values that the form asks for, from an item. Raises `Refused`."""
    sent = item.get("fields", {}) | {name: item[name] for name in NAMES if item.get(name)}
    asked = [field.key for field in form.fields]
    errors = [
        FieldError(f"sign_up.{'' if field.key in NAMES else 'fields.'}{field.key}", NEEDED)
        for field in form.fields
        if field.required and not sent.get(field.key)
    ]
    if other := [key for key in sent if key not in (*asked, *NAMES)]:
        existing = {field.key for field in custom_fields.list_all(site)}
        errors += [
            FieldError(f"sign_up.fields.{key}", NO_FIELD, (key,), closest([key], asked))
            for key in other
            if key not in existing
        ]
    if errors:
        raise Refused(errors[0].message, errors)
    return {key: sent[key] for key in asked if sent.get(key)}


def _form(site: Site, form_id: int) -> SignUpForm:
    try:
        form = forms.get(site, form_id)
    except NotFound:
        form = None
    if form is None or form.state != OPEN:
        raise Refused(NO_FORM, [FieldError("sign_up.form_id", NO_FORM)])
    return form


def _normal(email: str) -> str:
    try:
        return addresses.identity_of_new(email)
    except addresses.MalformedAddress as error:
        raise Refused(str(error), [FieldError("sign_up.email", str(error))]) from error


def _agent(item: Mapping[str, Any]) -> str:
    agent: str = item.get("user_agent", "")
    return agent[:MAX_AGENT]


def _check(answers: Answers, site: Site, email: str, name: str, agent: str) -> None:
    """Raises `Refused` for an address that a form would refuse."""
    checked = checks.check(answers, site, email, is_kept=True, name=name, agent=agent)
    if message := PROBLEMS.get(checked.problem):
        nearest = (checked.suggestion,) if checked.suggestion else ()
        raise Refused(message, [FieldError("sign_up.email", message, did_you_mean=nearest)])


def _origin(form: SignUpForm, page: str) -> str:
    """The origin of a page if it is one of the form's; else ""."""
    origin = origin_of(page)
    return origin if origin in form.origins else ""


def _obstacle(site: Site, subscriber: Subscriber, settings: Settings) -> str:
    """A sentence that says why a subscriber cannot be asked to confirm; "" if nothing prevents it."""
    newest = sign_ups.newest(site, subscriber.email_key)
    reasons = {
        NOT_UNCONFIRMED: not may_ask(subscriber),
        IS_OPEN: newest is not None and newest.is_open and newest.expires_at > clock.now_ms(),
        IS_DENIED: bool(address_lists.for_address(site, subscriber.email).deny),
        HAS_DECLINED: mailboxes.has_declined(site, subscriber.email_key),
    }
    obstacle = senders.obstacle(site, settings)
    no_mail = obstacle and Sentence(Code.MAIL_NOT_READY, obstacle)
    return next((reason for reason, is_so in reasons.items() if is_so), no_mail)


def _language(site: Site, subscriber: Subscriber) -> str:
    language = subscriber.fields.get(LANGUAGE)
    return language if language in LANGUAGES else looks.get(site).language or LANGUAGES[0]
