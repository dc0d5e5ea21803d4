"""The files of other programs: how each is known by its headers, what they mean, what to tell who imports it.

Facts only. A header that is in no row of its preset means what `header_names` says, or is a custom field. The
sources of each form are in tests/schemas/data/peers/README.md.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schemas.formats.consent_words import folded

IGNORE = "ignore"
OTHER = "The columns are those of {}, not of {}: is --from right?"
CONSENT = "--consent unsubscribed"
LEFT_FILE = (
    "This is one of {0}'s files of people who left. {0} has a file for each state of consent: import those "
    "of the other states, too."
)
# Mailchimp's files in which nobody is subscribed, by how their names begin.
LEFT_FILES = ("unsubscribed_", "cleaned_", "nonsubscribed_", "sms_only_", "archived_")
# The columns that only its files of people who left have.
MAILCHIMP_LEFT = (
    "unsub_time",
    "clean_time",
    "unsub_reason",
    "unsub_reason_other",
    "unsub_campaign_title",
    "unsub_campaign_id",
    "clean_campaign_title",
    "clean_campaign_id",
)


@dataclass(frozen=True, slots=True)
class Preset:
    """A program's file; headers are in normalized form.

    It is known by all headers of any of `signs`, separated by blanks. `columns` has what they mean, as for
    `--map`. `advice` is told to whoever imports such a file. `left_headers` are only in files of people who
    left, that which says it best first. `consent` is the column that says who left, if all files have one.
    """

    name: str
    program: str
    signs: tuple[str, ...]
    columns: Mapping[str, str]
    advice: str
    left_headers: tuple[str, ...] = ()
    consent: str = ""

    def advice_for(self, headers: Iterable[str], left: bool) -> str:
        """The advice; none to say that everyone has left to somebody who did (`left`)."""
        if not left and {folded(header) for header in headers} & {*map(folded, self.left_headers)}:
            return LEFT_FILE.format(self.program)
        return "" if left and CONSENT in self.advice else self.advice


def http_advice(advice: str) -> str:
    """Advice with parameters in place of the options."""
    return advice.replace(CONSENT, "consent=unsubscribed").replace("--from", "`from`")


def _meanings(**headers: str) -> dict[str, str]:
    """Each header, by the meaning that it has."""
    return {header: meaning for meaning, row in headers.items() for header in row.split()}


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "listmonk",
            "listmonk",
            ("uuid email name attributes status",),
            _meanings(ignore="uuid", name="name", fields="attributes", status="status"),
            "listmonk's export does not say who left a single list: export each list again with the "
            'subscription status "unsubscribed", and import that file with --consent unsubscribed.',
            consent="status",
        ),
        Preset(
            "mailchimp",
            "Mailchimp",
            (
                "leid euid",
                "email_address optin_time",
                *(f"email_address {header}" for header in MAILCHIMP_LEFT),
                *(header for header in MAILCHIMP_LEFT if "campaign" in header),
            ),
            _meanings(
                created_at="optin_time",
                updated_at="last_changed",
                unsubscribed_at="unsub_time clean_time",
                ignore="leid euid gmtoff dstoff latitude longitude unsub_campaign_id clean_campaign_id",
            ),
            "Mailchimp puts people who left, were cleaned or never subscribed into files of their own: "
            "import these too, with --consent unsubscribed.",
            MAILCHIMP_LEFT,
        ),
        Preset(
            "ghost",
            "Ghost",
            ("email subscribed_to_emails complimentary_plan",),
            _meanings(
                ignore="id",
                name="name",
                subscribed="subscribed_to_emails",
                unsubscribed_at="deleted_at",
                tags="labels",
            ),
            "Ghost's export only says whether members get any newsletter: who gets none is unsubscribed.",
            consent="subscribed_to_emails",
        ),
        Preset(
            "keila",
            "Keila",
            ("email first_name last_name data status",),
            _meanings(fields="data", status="status"),
            "Keila's export has no dates: the people it brings are created as of now.",
            consent="status",
        ),
        Preset(
            "substack",
            "Substack",
            ("email active_subscription email_disabled",),
            # What a reader pays is no consent.
            _meanings(unsubscribed="email_disabled") | {"active_subscription": "field:active_subscription"},
            "Substack's export leaves out readers who unsubscribed; being absent unsubscribes nobody.",
            consent="email_disabled",
        ),
        Preset(
            "beehiiv",
            "beehiiv",
            ("email status tier stripe_customer_id",),
            _meanings(status="status", unsubscribed_at="unsubscribed_at"),
            "beehiiv's export of all subscribers has those who left, as inactive; that of a segment may not.",
            consent="status",
        ),
    )
}


def is_named_as_left(name: str) -> bool:
    """Whether a file has the name of one in which nobody is subscribed; a copy may have a word before it."""
    name = name.lower()
    return name.startswith(LEFT_FILES) or ("_export_" in name and any(each in name for each in LEFT_FILES))


def recognised(headers: Iterable[str]) -> Preset | None:
    """The program whose file has these headers."""
    found = {folded(header) for header in headers}
    for preset in PRESETS.values():
        if any(signs <= found for signs in _signs(preset)):
            return preset
    return None


def resembled(headers: Iterable[str]) -> Preset | None:
    """The program whose file has these headers, but for the column that says who left."""
    found = {folded(header) for header in headers}
    for preset in PRESETS.values():
        if preset.consent and any(signs - {folded(preset.consent)} <= found for signs in _signs(preset)):
            return preset
    return None


def doubts(headers: Iterable[str], preset: Preset) -> list[str]:
    """What to say where the headers show another program than was said."""
    seen = recognised(headers)
    return [] if seen in (None, preset) else [OTHER.format(seen.program, preset.program)]


def _signs(preset: Preset) -> list[set[str]]:
    return [{folded(sign) for sign in signs.split()} for signs in preset.signs]
