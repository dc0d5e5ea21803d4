"""What the name of a file says of the people in it: that they left, or have yet to confirm."""

import re
import unicodedata
from functools import cache

from schemas.formats.consent_words import UNMISTAKABLE, ConsentWord, folded

LEFT, NOT_YET = ConsentWord.LEFT, ConsentWord.NOT_YET
LETTERS = re.compile(r"[^\W\d_]+")
HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # listUnsubscribed, MCCleaned
MAX_WORDS = 3  # at most, in one word of the table
MAX_LENGTH = 1_000  # characters that are looked at; no file system allows as many

# Words for people who left, beside those that mean nothing else: none that is said of what was done to a list
# (`duplicates removed`), or of something else (`stop`, `archive`, `Baja`).
NAMES: tuple[tuple[ConsentWord, str, str], ...] = (
    (LEFT, "en", "cleaned unsubscribes unsubscribers unsubs opt_outs bounced bounces bounce hard_bounces"),
    (LEFT, "en", "blocklist blacklist nonsub nonsubs nonsubscribers unsubscribed_list unsubscribe_list"),
    (LEFT, "en", "bounce_list suppressed suppressions suppression_list suppression_lists suppression_group"),
    (LEFT, "en", "complaint complaints do_not_mail dnc dne blocked banned invalid inactive undeliverable"),
    (LEFT, "en", "unreachable archived sms_only"),
    (NOT_YET, "en", "unconfirmed not_confirmed unverified not_verified never_confirmed never_subscribed"),
    (LEFT, "de", "abgemeldete abgemeldeten abmeldungen abbestellungen ausgetragene nicht_abonnenten"),
    (
        LEFT,
        "de",
        "gesperrt gesperrte gesperrten gekündigt gekuendigt gekündigte gekuendigte inaktiv inaktive",
    ),
    (LEFT, "de", "inaktiven unzustellbar unzustellbare unerreichbar unerreichbare sperrliste"),
    (NOT_YET, "de", "unbestätigt unbestaetigt unbestätigte unbestaetigte nicht_bestätigt nicht_bestaetigt"),
    (LEFT, "fr", "désabonnés désabonnées désinscrits désinscrites désabonnements désinscriptions"),
    (LEFT, "fr", "non_abonnés non_abonnées non_inscrits bloqués inactifs injoignables"),
    (NOT_YET, "fr", "non_confirmé non_confirmés non_confirmées"),
    (LEFT, "es", "desuscritos desuscritas bajas no_suscritos no_suscritas bloqueados inactivos"),
    (NOT_YET, "es", "no_confirmados no_confirmadas sin_confirmar"),
    (LEFT, "it", "disiscritti disiscritte disiscrizioni non_iscritti bloccati inattivi"),
    (NOT_YET, "it", "non_confermati non_confermate"),
    (LEFT, "nl", "uitgeschrevenen afgemelden afmeldingen uitschrijvingen geblokkeerd onbereikbaar inactief"),
    (NOT_YET, "nl", "onbevestigd niet_bevestigd"),
    (LEFT, "pt", "descadastrados descadastradas desinscritos desinscritas não_inscritos bloqueados inativos"),
    (NOT_YET, "pt", "não_confirmados não_confirmadas"),
)


def said_by_name(name: str) -> ConsentWord | None:
    """What a name has a word for, as a whole word or as several; of both that they left."""
    spaced = HUMP.sub(" ", unicodedata.normalize("NFC", name[:MAX_LENGTH]))
    letters = [folded(word) for word in LETTERS.findall(spaced)]
    found = {
        _names().get("".join(letters[start : start + length]))
        for start in range(len(letters))
        for length in range(1, MAX_WORDS + 1)
    }
    return next((word for word in (LEFT, NOT_YET) if word in found), None)


@cache
def _names() -> dict[str, ConsentWord]:
    rows = (*((LEFT, language, row) for language, row in UNMISTAKABLE), *NAMES)
    return {folded(word): said for said, _, row in rows for word in row.split()}
