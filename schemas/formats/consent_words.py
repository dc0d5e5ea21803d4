"""Words of consent in seven languages. They suggest an answer in the form, and an answer of the user must not
contradict them.

Facts only. A row has a meaning, a language, and the words of that language with that meaning. The meaning is
a state, `YES` or `NO`; `LIVE` or `GONE` are for words that may as well be about an account. Words are in
normalized form (lower case, `_` for a blank or a hyphen), separated by blanks.
"""

import re
import string
import unicodedata
from functools import cache

from schemas.formats import csv_values

MARKS = re.compile(r"(?<=\w)[\W_]+(?=\w)|[\W_]+$")  # not before the first letter: `-1` is no word
BEFORE = string.punctuation + string.whitespace
MAX_LENGTH = 100  # characters
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt")
OUT, IN, NOT_YET, YES, NO = "unsubscribed", "subscribed", "unconfirmed", "yes", "no"
LIVE, GONE = "live", "gone"
UNSUBSCRIBING = "unsubscribing"  # a header (`header_names`) under which yes means unsubscribed
TICKS = frozenset({"x", "✓", "✔", "☑", "checked"})

# What says literally that somebody has unsubscribed: an answer for everyone must not contradict it.
UNSUBSCRIBED: tuple[tuple[str, str], ...] = (
    ("en", "unsubscribed"),
    ("de", "abgemeldet abbestellt"),
    ("fr", "désabonné désabonnée désinscrit désinscrite"),
    ("es", "desuscrito desuscrita dado_de_baja dada_de_baja"),
    ("it", "disiscritto disiscritta"),
    ("nl", "uitgeschreven afgemeld"),
    ("pt", "descadastrado descadastrada desinscrito desinscrita"),
)

ROWS: tuple[tuple[str, str, str], ...] = (
    *((OUT, language, row) for language, row in UNSUBSCRIBED),
    (OUT, "en", "unsubscribe not_subscribed non_subscribed opted_out opt_out blocklisted blacklisted"),
    (OUT, "en", "do_not_contact do_not_email complained spam_complaint suppressed cleaned"),
    (OUT, "en", "bounced hard_bounced undeliverable"),
    (GONE, "en", "blocked banned invalid inactive disabled archived deleted cancelled"),
    (IN, "en", "subscribed subscribe opted_in opt_in single_opt_in double_opt_in"),
    (LIVE, "en", "active enabled confirmed verified"),
    (NOT_YET, "en", "unconfirmed not_confirmed unverified pending validating never_subscribed soft_bounced"),
    (YES, "en", "yes y true t 1 on"),
    (NO, "en", "no n false f 0 off"),
    (OUT, "de", "ausgetragen widerrufen unzustellbar"),
    (GONE, "de", "gesperrt inaktiv gelöscht geloescht gekündigt"),
    (IN, "de", "angemeldet abonniert eingetragen eingewilligt"),
    (LIVE, "de", "aktiv bestätigt bestaetigt"),
    (NOT_YET, "de", "unbestätigt unbestaetigt nicht_bestätigt nicht_bestaetigt ausstehend"),
    (YES, "de", "ja j wahr"),
    (NO, "de", "nein n falsch"),
    (OUT, "fr", "non_abonné non_abonnée"),
    (GONE, "fr", "bloqué bloquée invalide inactif inactive supprimé"),
    (IN, "fr", "abonné abonnée inscrit inscrite"),
    (LIVE, "fr", "actif active confirmé confirmée"),
    (NOT_YET, "fr", "en_attente non_confirmé non_confirmée à_confirmer"),
    (YES, "fr", "oui o vrai"),
    (NO, "fr", "non n faux"),
    (OUT, "es", "baja no_suscrito no_suscrita"),
    (GONE, "es", "bloqueado bloqueada inactivo inactiva cancelado"),
    (IN, "es", "suscrito suscrita suscripto alta"),
    (LIVE, "es", "activo activa confirmado confirmada"),
    (NOT_YET, "es", "pendiente sin_confirmar no_confirmado no_confirmada"),
    (YES, "es", "sí s verdadero"),
    (NO, "es", "no n falso"),
    (OUT, "it", "non_iscritto non_iscritta"),
    (GONE, "it", "bloccato bloccata inattivo inattiva cancellato"),
    (IN, "it", "iscritto iscritta"),
    (LIVE, "it", "attivo attiva confermato confermata"),
    (NOT_YET, "it", "in_attesa non_confermato non_confermata da_confermare"),
    (YES, "it", "sì s vero"),
    (NO, "it", "no n falso"),
    (OUT, "nl", "niet_ingeschreven onbereikbaar"),
    (GONE, "nl", "geblokkeerd inactief opgezegd"),
    (IN, "nl", "ingeschreven aangemeld geabonneerd"),
    (LIVE, "nl", "actief bevestigd"),
    (NOT_YET, "nl", "in_afwachting onbevestigd niet_bevestigd"),
    (YES, "nl", "ja j waar"),
    (NO, "nl", "nee n onwaar"),
    (OUT, "pt", "não_inscrito não_inscrita"),
    (GONE, "pt", "bloqueado bloqueada inativo inativa cancelado"),
    (IN, "pt", "inscrito inscrita subscrito"),
    (LIVE, "pt", "cadastrado ativo ativa confirmado confirmada"),
    (NOT_YET, "pt", "pendente não_confirmado não_confirmada aguardando_confirmação"),
    (YES, "pt", "sim s verdadeiro"),
    (NO, "pt", "não n falso"),
)


def fold(text: str) -> str:
    """Text without case, accents, blanks and marks: `Opted-Out?` and `opted out` are `optedout`.

    A text longer than any word stays as it is.
    """
    if len(text) > MAX_LENGTH:
        return text
    letters = unicodedata.normalize("NFKD", csv_values.strip(text).casefold())
    return MARKS.sub("", "".join(letter for letter in letters if not unicodedata.combining(letter)))


@cache
def words() -> dict[str, str]:
    """The meaning of each folded word: a state, `YES`, `NO`, `LIVE` or `GONE`."""
    return {fold(word): state for state, _, row in ROWS for word in row.split()}


def suggested_state(value: str, header: str) -> str | None:
    """The state that a value suggests, or None. `header` is the meaning of its header.

    If `header` is empty, only words that literally mean unsubscribed count.
    """
    word = words().get(fold(value))
    if word in (YES, NO):
        return (OUT if (word == YES) == (header == UNSUBSCRIBING) else IN) if header else None
    if header == UNSUBSCRIBING and value in ("", "date"):
        return OUT if value else IN
    return {LIVE: IN, GONE: OUT}.get(word or "", word) if header or is_unsubscribed(value) else None


def is_of_consent(value: str) -> bool:
    """Whether a word is about consent, and not perhaps about an account."""
    return words().get(fold(value)) in (IN, OUT, YES, NO)


def is_yes(cell: str) -> bool:
    """Whether a cell means yes, or is a tick."""
    return words().get(fold(cell)) == YES or cell.strip().casefold() in TICKS


def is_unsubscribed(cell: str) -> bool:
    """Whether a cell literally means unsubscribed."""
    word = cell.lstrip(BEFORE)
    first = word[:1]
    return (first in _first_letters() or not first.isascii()) and fold(word) in _unsubscribed_words()


@cache
def _first_letters() -> frozenset[str]:
    """The first letters of all words for unsubscribed. Other cells need not be folded, which is slow."""
    return frozenset(letter for word in _unsubscribed_words() for letter in (word[0], word[0].upper()))


@cache
def _unsubscribed_words() -> frozenset[str]:
    return frozenset(fold(word) for _, row in UNSUBSCRIBED for word in row.split())
