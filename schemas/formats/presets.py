"""The files of other programs: the headers by which a file is recognised, the meanings of its columns and of
their values.

Facts only, a row each, with the page that documents the form and the day it was read. A form without such a
page has no row: the user is asked instead. A header that is in no row of its preset means what `header_names`
says, or is a custom field.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from schemas.formats.consent_words import IN, NOT_YET, OUT, fold

IGNORE = "ignore"
# Mailchimp's files in which nobody is subscribed, by how their names begin.
UNSUBSCRIBED_FILES = ("unsubscribed_", "cleaned_", "nonsubscribed_", "sms_only_", "archived_")
EXPORTED_NAME = "_export_"
STATE_COLUMN = "Mailchimp file"  # of the files of a zip that are put together: how the name of each begins
States = dict[str, str]
SILENT = ""  # of a blank cell beside one of another column that says who


@dataclass(frozen=True, slots=True)
class Preset:
    """The form of a program's file. Headers are in normalized form.

    A file is recognised if it has all headers of one of `signs`, in which blanks separate them. `columns` has
    the meaning of each header, as for `--map`.

    `consent` has the columns that tell who may be written to, with the state of each value: `date` stands for
    any date, the empty text for blank. `also` has such columns that only some files have.

    `headers` are further headers that its files may have. With any other header, the columns of consent do
    not answer by themselves.

    `advice` is shown to the user who imports such a file. `page` documents the form, as read on the date
    `read`.
    """

    name: str
    program: str
    signs: tuple[str, ...]
    columns: Mapping[str, str]
    consent: Mapping[str, States]
    page: str
    read: str
    also: Mapping[str, States] = field(default_factory=dict)
    headers: str = ""
    advice: str = ""

    def consent_of(self, names: Sequence[str], chosen: bool) -> dict[str, States]:
        """The columns of a file that tell who may be written to, by folded header, with the state of each
        value.

        Empty if a column of `consent` is missing. Unless the user chose the preset (`chosen`), also empty if
        the file has a header that the preset does not know.
        """
        headers = {fold(name) for name in names}
        needed = {fold(name): states for name, states in self.consent.items()}
        if not needed.keys() <= headers or not (chosen or headers <= self._known_headers):
            return {}
        also = {fold(name): states for name, states in self.also.items()}
        return needed | {name: states for name, states in also.items() if name in headers}

    def knows(self, name: str) -> bool:
        """Whether the program's files have the header `name`."""
        return fold(name) in self._known_headers

    @property
    def _known_headers(self) -> set[str]:
        listed = " ".join((*self.signs, self.headers)).split()
        return {fold(name) for name in (*listed, *self.columns, *self.consent, *self.also)}


def _meanings(**headers: str) -> dict[str, str]:
    """The meaning by header. Arguments are the headers by meaning, separated by blanks."""
    return {header: meaning for meaning, row in headers.items() for header in row.split()}


def _states(unsubscribed: str, subscribed: str | None = None, unconfirmed: str | None = None) -> States:
    """The state by value. Arguments are the values of each state, separated by bars; "" is a blank cell."""
    rows = ((OUT, unsubscribed), (IN, subscribed), (NOT_YET, unconfirmed))
    return {value.strip(): state for state, row in rows if row is not None for value in row.split("|")}


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "listmonk",
            "listmonk",
            ("uuid email name attributes status",),
            _meanings(ignore="uuid", name="name", fields="attributes"),
            {"status": _states("blocklisted|disabled")},  # enabled: unsubscribed from a list, or not
            "https://github.com/knadh/listmonk/blob/master/cmd/subscribers.go",
            "2026-11-26",
            headers="created_at updated_at",
            advice="listmonk's `enabled` does not say who unsubscribed from a list: export the list again "
            "with the subscription status Unsubscribed. Import that file with everyone as unsubscribed.",
        ),
        Preset(
            "mailchimp",
            "Mailchimp",
            ("leid euid email_address", "email_address optin_time", "email_address unsub_time"),
            _meanings(
                created_at="optin_time",
                updated_at="last_changed",
                ignore="leid euid gmtoff dstoff latitude longitude unsub_campaign_id clean_campaign_id",
            ),
            {},
            "https://github.com/TryGhost/migrate/tree/main/packages/mg-mailchimp-members/src/test/fixtures",
            "2026-11-26",
            also={
                "unsub_time": _states("date") | {"": SILENT},
                "clean_time": _states("date") | {"": SILENT},
                "mailchimp_file": _states(
                    "unsubscribed|cleaned|nonsubscribed|sms_only|archived", "subscribed"
                ),
            },
            headers="first_name last_name address phone_number birthday member_rating optin_ip confirm_time "
            "confirm_ip cc region timezone notes tags unsub_reason unsub_reason_other unsub_campaign_title "
            "clean_campaign_title",
            advice="Mailchimp exports one file for each state of consent: import the files of the other "
            "states too.",
        ),
        Preset(
            "ghost",
            "Ghost",
            ("email subscribed_to_emails complimentary_plan",),
            _meanings(ignore="id", name="name", tags="labels"),
            {"subscribed_to_emails": _states("false", "true")},
            "https://github.com/TryGhost/Ghost/blob/main/ghost/members-csv/lib/unparse.js",
            "2026-11-26",
            also={"deleted_at": _states("date", "")},
            headers="id name note stripe_customer_id created_at labels products tiers",
        ),
        Preset(
            "keila",
            "Keila",
            ("email first_name last_name data status",),
            _meanings(fields="data"),
            {"status": _states("unsubscribed|unreachable", "active")},
            "https://github.com/pentacent/keila/blob/main/lib/keila_web/helpers/contacts_csv_export.ex",
            "2026-11-26",
            headers="external_id",
            advice="Keila's export has no dates: the import sets the date of creation.",
        ),
        Preset(
            "substack",
            "Substack",
            ("email active_subscription email_disabled",),
            # What a reader pays is no consent.
            {"active_subscription": "field:active_subscription"},
            {"email_disabled": _states("true", "false")},
            "https://github.com/TryGhost/migrate/tree/main/packages/mg-substack-members-csv/test/fixtures",
            "2026-11-26",
            headers="expiry plan created_at first_payment_at",
            advice="Substack's export leaves out people who unsubscribed. Subscribers that are not in the "
            "file stay unchanged.",
        ),
        Preset(
            "beehiiv",
            "beehiiv",
            ("email status tier stripe_customer_id",),
            {},
            {"status": _states("inactive|invalid", "active", "pending|validating")},
            "https://github.com/TryGhost/migrate/tree/main/packages/mg-beehiiv-members/src/test/fixtures",
            "2026-11-26",
            headers="id first_name last_name created_at unsubscribed_at",
            advice="beehiiv's export of all subscribers includes people who unsubscribed; the export of a "
            "segment may leave them out.",
        ),
        Preset(
            "mailpoet",
            "MailPoet",
            ("email list_status global_status subscription_time",),
            _meanings(created_at="subscription_time", tags="list"),
            {
                "list_status": _states("unsubscribed", "subscribed", "unconfirmed"),
                "global_status": _states("unsubscribed|bounced", "subscribed", "unconfirmed"),
            },
            "https://github.com/mailpoet/mailpoet/blob/trunk/mailpoet/lib/Subscribers/ImportExport/"
            "ImportExportFactory.php",
            "2026-11-26",
            headers="first_name last_name subscription_ip confirmation_time confirmation_ip",
            advice="MailPoet has a row for each list: people who left one of their lists are unsubscribed "
            "here.",
        ),
    )
}


def is_file_of_unsubscribed(name: str) -> bool:
    """Whether a file has the name of Mailchimp's file of unsubscribed people."""
    name = name.lower()
    return EXPORTED_NAME in name and any(ending in name for ending in UNSUBSCRIBED_FILES)


def recognise(headers: Iterable[str]) -> Preset | None:
    """The preset whose file has these headers, or None."""
    names = {fold(header) for header in headers}
    for preset in PRESETS.values():
        if any({fold(sign) for sign in signs.split()} <= names for signs in preset.signs):
            return preset
    return None
