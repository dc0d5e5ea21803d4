"""Words of consent in the cells of a file: who left, who is in, who has yet to confirm; in seven languages.

Facts only; what follows is decided where a column is read. A row is a meaning, a language and its words in
normalized form (lower case, `_` for a blank or a hyphen), separated by blanks.
"""

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from functools import cache

MARKS = re.compile(r"(?<=\w)[\W_]+(?=\w)|[\W_]+$")  # not before the first letter: `-1` is no word
LETTERS = re.compile(r"[^\W\d_]+")
HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # listUnsubscribed, MCCleaned
MAX_LENGTH = 100  # characters
MAX_WORDS = 3  # that are one word of a table
MENTIONED = range(7, 61)  # characters of a cell that is looked at for such words; a longer one is prose
WHOLE = {"1.0": "1", "0.0": "0", "1,0": "1", "0,0": "0"}  # as spreadsheets and pandas write 1 and 0
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt")


class ConsentWord(StrEnum):
    """What a cell says. `YES` and `NO` take the sense of their header; the others say it themselves.

    `ENDED` may be about an order or a plan: it says nothing of what a column is about.
    """

    LEFT = "left"
    IN = "in"
    NOT_YET = "not yet"
    YES = "yes"
    NO = "no"
    ENDED = "ended"


LEFT, IN, NOT_YET, YES, NO, ENDED = ConsentWord

# Words that mean that somebody has left, and nothing else, under whatever header.
UNMISTAKABLE: tuple[tuple[str, str], ...] = (
    ("en", "unsubscribed unsubscribe not_subscribed non_subscribed opted_out opt_out opt_outed"),
    ("en", "no_longer_subscribed unsub unsubbed"),
    ("en", "blocklisted blacklisted do_not_contact do_not_email"),
    ("en", "complained spam_complaint marked_as_spam reported_spam reported_as_spam"),
    ("de", "abgemeldet abbestellt ausgetragen nicht_angemeldet nicht_abonniert"),
    ("fr", "désabonné désabonnée désinscrit désinscrite non_abonné non_abonnée non_inscrit"),
    ("fr", "non_inscrite liste_noire"),
    ("es", "desuscrito desuscrita no_suscrito no_suscrita dado_de_baja dada_de_baja lista_negra"),
    ("it", "disiscritto disiscritta non_iscritto non_iscritta lista_nera"),
    ("nl", "uitgeschreven afgemeld niet_ingeschreven niet_aangemeld zwarte_lijst"),
    ("pt", "descadastrado descadastrada desinscrito desinscrita não_inscrito não_inscrita"),
    ("pt", "não_subscrito lista_negra"),
)

# Words for people who never confirmed, within a text.
UNCONFIRMED: tuple[tuple[str, str], ...] = (
    ("en", "unconfirmed not_confirmed unverified not_verified never_confirmed never_subscribed"),
    ("de", "unbestätigt unbestaetigt unbestätigte unbestaetigte nicht_bestätigt nicht_bestaetigt"),
    ("fr", "non_confirmé non_confirmés non_confirmées"),
    ("es", "no_confirmados no_confirmadas sin_confirmar"),
    ("it", "non_confermati non_confermate"),
    ("nl", "onbevestigd niet_bevestigd"),
    ("pt", "não_confirmados não_confirmadas"),
)

ROWS: tuple[tuple[ConsentWord, str, str], ...] = (
    *((LEFT, language, row) for language, row in UNMISTAKABLE),
    (LEFT, "en", "blocked banned suppressed excluded cleaned bounced hard_bounced hard_bounce bounce"),
    (LEFT, "en", "invalid undeliverable unreachable complaint spam inactive disabled deactivated archived"),
    (LEFT, "en", "deleted removed redacted transactional"),
    (IN, "en", "subscribed subscribe opted_in opt_in single_opt_in double_opt_in active enabled activated"),
    (IN, "en", "confirmed verified valid deliverable"),
    (NOT_YET, "en", "unconfirmed not_confirmed unverified not_verified pending validating needs_attention"),
    (NOT_YET, "en", "awaiting_confirmation waiting_for_confirmation pending_confirmation"),
    (NOT_YET, "en", "confirmation_pending opt_in_pending pending_opt_in never_subscribed soft_bounced"),
    (NOT_YET, "en", "soft_bounce"),
    (ENDED, "en", "cancelled canceled"),
    (YES, "en", "yes y true t 1 on"),
    (NO, "en", "no n false f 0 off"),
    #
    (LEFT, "de", "widerrufen widersprochen gesperrt blockiert geblockt bereinigt ungültig ungueltig"),
    (LEFT, "de", "unzustellbar unerreichbar nicht_erreichbar nicht_zustellbar beschwerde inaktiv"),
    (LEFT, "de", "deaktiviert archiviert gelöscht geloescht"),
    (IN, "de", "angemeldet abonniert eingetragen eingewilligt zugestimmt aktiv aktiviert bestätigt"),
    (IN, "de", "bestaetigt gültig gueltig"),
    (NOT_YET, "de", "unbestätigt unbestaetigt nicht_bestätigt nicht_bestaetigt ausstehend wartend"),
    (NOT_YET, "de", "bestätigung_ausstehend"),
    (ENDED, "de", "gekündigt gekuendigt storniert"),
    (YES, "de", "ja j wahr ein an"),
    (NO, "de", "nein n falsch aus"),
    #
    (LEFT, "fr", "bloqué bloquée nettoyé nettoyée rebond invalide injoignable plainte inactif inactive"),
    (LEFT, "fr", "désactivé désactivée archivé archivée supprimé supprimée"),
    (IN, "fr", "abonné abonnée inscrit inscrite actif active activée confirmé confirmée valide"),
    (NOT_YET, "fr", "en_attente non_confirmé non_confirmée à_confirmer en_attente_de_confirmation"),
    (ENDED, "fr", "annulé annulée résilié résiliée"),
    (YES, "fr", "oui o vrai"),
    (NO, "fr", "non n faux"),
    #
    (LEFT, "es", "baja bloqueado bloqueada rebotado rebotada inválido inválida inalcanzable queja inactivo"),
    (LEFT, "es", "inactiva desactivado desactivada deshabilitado deshabilitada archivado archivada"),
    (LEFT, "es", "eliminado eliminada"),
    (IN, "es", "suscrito suscrita suscripto suscripta alta dado_de_alta dada_de_alta activo activa"),
    (IN, "es", "activado activada habilitado habilitada confirmado confirmada válido válida"),
    (NOT_YET, "es", "pendiente sin_confirmar no_confirmado no_confirmada por_confirmar"),
    (ENDED, "es", "cancelado cancelada anulado anulada"),
    (YES, "es", "sí s verdadero"),
    (NO, "es", "no n falso"),
    #
    (LEFT, "it", "bloccato bloccata rimbalzato rimbalzata non_valido non_valida irraggiungibile reclamo"),
    (LEFT, "it", "inattivo inattiva non_attivo non_attiva disattivato disattivata disabilitato disabilitata"),
    (LEFT, "it", "archiviato archiviata eliminato eliminata rimosso rimossa"),
    (IN, "it", "iscritto iscritta attivo attiva attivato attivata abilitato abilitata confermato"),
    (IN, "it", "confermata valido valida"),
    (NOT_YET, "it", "in_attesa non_confermato non_confermata da_confermare in_attesa_di_conferma"),
    (ENDED, "it", "cancellato cancellata annullato annullata"),
    (YES, "it", "sì s vero"),
    (NO, "it", "no n falso"),
    #
    (LEFT, "nl", "geblokkeerd opgeschoond gebounced ongeldig onbereikbaar klacht inactief niet_actief"),
    (LEFT, "nl", "uitgeschakeld gedeactiveerd gearchiveerd verwijderd"),
    (IN, "nl", "ingeschreven aangemeld geabonneerd actief ingeschakeld geactiveerd bevestigd geldig"),
    (NOT_YET, "nl", "in_afwachting onbevestigd niet_bevestigd wachtend"),
    (ENDED, "nl", "opgezegd geannuleerd"),
    (YES, "nl", "ja j waar aan"),
    (NO, "nl", "nee n onwaar uit"),
    #
    (LEFT, "pt", "bloqueado bloqueada inválido inválida inativo inativa desativado desativada desabilitado"),
    (LEFT, "pt", "desabilitada arquivado arquivada removido removida excluído excluída inacessível"),
    (IN, "pt", "inscrito inscrita subscrito subscrita cadastrado cadastrada ativo ativa ativado ativada"),
    (IN, "pt", "habilitado habilitada confirmado confirmada válido válida"),
    (NOT_YET, "pt", "pendente não_confirmado não_confirmada a_confirmar aguardando aguardando_confirmação"),
    (ENDED, "pt", "cancelado cancelada"),
    (YES, "pt", "sim s verdadeiro"),
    (NO, "pt", "não n falso"),
)

SENSES: dict[str, dict[ConsentWord, ConsentWord]] = {  # by the meaning of the header (`header_names`)
    "subscribed": {YES: IN, NO: LEFT, ENDED: LEFT},
    "unsubscribed": {YES: LEFT, NO: IN, ENDED: LEFT},
    "status": {YES: IN, NO: LEFT, ENDED: LEFT},
}


def folded(text: str) -> str:
    """Text without case, accents, blanks and marks: `Opted-Out?` and `opted out` are `optedout`.

    Text that is longer than any word stays as it is.
    """
    if len(text) > MAX_LENGTH:
        return text
    letters = unicodedata.normalize("NFKD", text.strip().casefold())
    return MARKS.sub("", "".join(letter for letter in letters if not unicodedata.combining(letter)))


@cache
def words() -> dict[str, ConsentWord]:
    """The meaning of each folded word."""
    return {folded(word): meaning for meaning, _, row in ROWS for word in row.split()}


def word_of(cell: str) -> ConsentWord | None:
    """What a cell says; None if it is none of the words."""
    return words().get(folded(WHOLE.get(cell.strip(), cell)))


def runs(text: str) -> Iterator[str]:
    """The words of a text, folded: each alone, and with those that follow it."""
    spaced = HUMP.sub(" ", unicodedata.normalize("NFC", text))
    letters = [folded(word) for word in LETTERS.findall(spaced)]
    for start in range(len(letters)):
        for length in range(1, MAX_WORDS + 1):
            yield "".join(letters[start : start + length])


def mentions_leaving(cell: str) -> bool:
    """Whether a cell has a word for having left, or for not having confirmed, beside others."""
    if len(cell) not in MENTIONED:
        return False
    known = folded(cell)
    found = {word for word in _mentioned() if word in known}
    return bool(found) and not found.isdisjoint(runs(cell))


@cache
def _mentioned() -> frozenset[str]:
    """Short ones may be words of something else."""
    words = _unmistakable() | {folded(word) for _, row in UNCONFIRMED for word in row.split()}
    return frozenset(word for word in words if len(word) >= MENTIONED.start)


@cache
def _unmistakable() -> frozenset[str]:
    return frozenset(folded(word) for _, row in UNMISTAKABLE for word in row.split())


def certainly_left(cell: str) -> bool:
    """Whether a cell says that somebody has left, whatever its column is called."""
    return folded(cell) in _unmistakable()
