"""Validate, moderate, guess a gender, geolocate, look up blacklists. Nothing is stored."""

from functools import partial
from typing import Any

from flask import Blueprint

from audience.access import address_lists
from audience.access.sites import Site
from audience.answers.validation.validation import Candidate
from audience.api.endpoint import endpoint
from audience.http.services import services
from schemas import answers as wire

blueprint = Blueprint("answers", __name__, url_prefix="/experimental")
question = partial(endpoint, scope="utility", family="experimental", site="unused")


@blueprint.post("/validation")
@question(takes=wire.ValidateEmail, gives=wire.Validation, site="optional")
def validate_email(site: Site | None, form: dict[str, Any]) -> dict[str, Any]:
    """Validate an e-mail address

    Judges the form of the address, its domain, and what you send with it: name, user agent, IP address.
    Trouble with the DNS never makes an address invalid. If you name a site, the site's allow and deny lists
    apply.

    Returns the verdict, its reasons, a score, and the address that was probably meant.
    """
    lists = address_lists.for_address(site, form["email"])
    return wire.validation(services().answers.validate(Candidate(**form), lists))


@blueprint.post("/<letters:name>_ruleset")
@question(takes=wire.ValidateEmailStrictly, gives=wire.StrictValidation, site="optional")
def validate_email_strictly(site: Site | None, form: dict[str, Any], **_path: str) -> dict[str, Any]:
    """Validate an e-mail address strictly

    The path is `strict_ruleset`; other letters may replace `strict`. `block_free_providers` refuses free
    mailboxes. `wiggleroom` relaxes optional rules, such as the one for role addresses.

    Returns the verdict, its reasons, and the address that was probably meant.
    """
    options = {name: form.pop(name, None) for name in ("block_free_providers", "wiggleroom")}
    lists = address_lists.for_address(site, form["email"])
    result = services().answers.validate_strictly(Candidate(**form), lists, **options)
    return wire.strict_validation(result, options["block_free_providers"])


@blueprint.post("/content_moderation")
@blueprint.post("/moderation")
@question(takes=wire.ModerateContent, gives=wire.Moderation)
def moderate(form: dict[str, Any]) -> dict[str, Any]:
    """Moderate and clean a text

    Looks for markup, scripts, links, profanity and threats in names and short messages of strangers.

    Returns the verdict, its reasons, and the text without unsafe markup.
    """
    return wire.moderation(services().answers.moderate(form["content"]))


@blueprint.post("/gender")
@question(takes=wire.GuessGender, gives=wire.GenderGuess)
def guess_gender(form: dict[str, Any]) -> dict[str, Any]:
    """Guess a gender from a name

    Uses US census and Social Security data, and otherwise a list of names of the world. The answer is what a
    name suggests, not a fact.

    Returns the guess; `unknown` has confidence 0.0.
    """
    return wire.gender(services().answers.guess_gender(form["name"]))


@blueprint.get("/geolocation")
@question(takes=wire.GeolocateIp, gives=wire.PlaceSchema)
def locate_ip(form: dict[str, Any]) -> dict[str, Any]:
    """Geolocate an IPv4 address

    Uses the bundled table, or the operator's own.

    Returns the place, or an empty object if the address is private, reserved or not in the table.
    """
    return services().answers.locate(form["ip"])


@blueprint.route("/blacklist", methods=["GET", "POST"])
@blueprint.route("/blacklist.json", methods=["GET", "POST"])
@question(takes=wire.SearchBlacklists, gives=wire.Blacklists)
def search_blacklists(form: dict[str, Any]) -> dict[str, Any]:
    """Look up a domain or an IPv4 address in blacklists

    Send a domain, an IPv4 address, or both. Values that are not public are not looked up.

    Returns an entry for each value, the domain first; the top level repeats the first entry.
    """
    return wire.blacklist(services().answers.look_up(form["domain"], form["ip_address"]))
