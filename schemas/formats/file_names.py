"""What the name of a file says of the people in it: that they left, or have yet to confirm."""

from functools import cache

from schemas.formats.consent_words import UNCONFIRMED, UNMISTAKABLE, ConsentWord, folded, runs

LEFT, NOT_YET = ConsentWord.LEFT, ConsentWord.NOT_YET
MAX_LENGTH = 1_000  # characters that are looked at; no file system allows as many

# Words for people who left, beside those that mean nothing else: none that is said of what was done to a list
# (`duplicates removed`), or of something else (`stop`, `archive`, `Baja`).
NAMES: tuple[tuple[str, str], ...] = (
    ("en", "cleaned unsubscribes unsubscribers unsubs opt_outs bounced bounces bounce hard_bounces"),
    ("en", "blocklist blacklist nonsub nonsubs nonsubscribers unsubscribed_list unsubscribe_list"),
    ("en", "bounce_list suppressed suppressions suppression_list suppression_lists suppression_group"),
    ("en", "complaint complaints do_not_mail dnc dne blocked banned invalid inactive undeliverable"),
    ("en", "unreachable archived sms_only former_members former_subscribers deleted_contacts"),
    ("en", "deleted_members deleted_subscribers removed_contacts removed_members removed_subscribers"),
    ("en", "cancelled_members cancelled_subscribers canceled_subscribers"),
    ("de", "abgemeldete abgemeldeten abmeldungen abbestellungen ausgetragene nicht_abonnenten"),
    ("de", "austritte ausgetretene"),
    ("de", "gesperrt gesperrte gesperrten gekündigt gekuendigt gekündigte gekuendigte inaktiv inaktive"),
    ("de", "inaktiven unzustellbar unzustellbare unerreichbar unerreichbare sperrliste"),
    ("fr", "désabonnés désabonnées désinscrits désinscrites désabonnements désinscriptions"),
    ("fr", "non_abonnés non_abonnées non_inscrits bloqués inactifs injoignables"),
    ("es", "desuscritos desuscritas bajas no_suscritos no_suscritas bloqueados inactivos"),
    ("it", "disiscritti disiscritte disiscrizioni non_iscritti bloccati inattivi"),
    ("nl", "uitgeschrevenen afgemelden afmeldingen uitschrijvingen geblokkeerd onbereikbaar inactief"),
    ("pt", "descadastrados descadastradas desinscritos desinscritas não_inscritos bloqueados inativos"),
)

# Words for people who have yet to confirm, beside those that say so within any text.
UNCONFIRMED_NAMES: tuple[tuple[str, str], ...] = (
    ("en", "pending"),
    ("de", "ausstehend ausstehende"),
    ("fr", "en_attente"),
    ("es", "pendiente pendientes"),
    ("it", "in_attesa"),
    ("nl", "in_afwachting"),
    ("pt", "pendente pendentes"),
)


def said_by_name(name: str) -> ConsentWord | None:
    """What a name has a word for, as a whole word or as several; of both that they left."""
    found = {_names().get(run) for run in runs(name[:MAX_LENGTH])}
    return next((word for word in (LEFT, NOT_YET) if word in found), None)


@cache
def _names() -> dict[str, ConsentWord]:
    tables = {NOT_YET: (*UNCONFIRMED, *UNCONFIRMED_NAMES), LEFT: (*UNMISTAKABLE, *NAMES)}
    return {folded(word): said for said, rows in tables.items() for _, row in rows for word in row.split()}
