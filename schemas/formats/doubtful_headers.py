"""Headers of custom fields that may be about consent: who imports such a file is asked. Facts only."""

from collections.abc import Iterable
from functools import cache

from schemas.formats.consent_words import folded

# Parts of folded headers that may say who left, in files of nobody known: who imports them is asked.
LEAVING: tuple[tuple[str, str], ...] = (
    ("en", "unsub optout optedout bounce blacklist blocklist suppress complain donotemail donotcontact"),
    ("de", "abmeld abgemeldet abbestell ausgetragen"),
    ("fr", "desabonn desinscri"),
    ("es", "desuscri"),
    ("it", "disiscri"),
    ("nl", "uitgeschreven uitschrijv afmeld afgemeld"),
    ("pt", "descadastr desinscri"),
)

# Whole headers that may say who left: who imports them is asked.
LEFT: tuple[tuple[str, str], ...] = (
    (
        "en",
        "left left_at left_on date_left leave_date leaving_date exclude excluded excluded_at stop stopped",
    ),
    ("en", "removed removed_at removed_on disabled_at disabled_on cancelled_at canceled_at cancelled_on"),
    ("en", "canceled_on cancelled canceled cancel_date deletion_date deleted_on archived_at archived_on"),
    ("en", "end_date ended ended_at excluded_from_campaigns is_excluded_from_campaigns"),
    ("de", "gelöscht geloescht kündigung kündigungsdatum widerruf widerrufen_am archiviert_am"),
    ("de", "austritt austrittsdatum ausgetreten ausgetreten_am entfernt_am deaktiviert_am gekündigt_am"),
    ("fr", "exclu date_de_départ supprimé supprimé_le date_de_suppression désactivé_le résilié_le"),
    ("es", "excluido fecha_de_salida eliminado eliminado_el cancelado_el fecha_de_cancelación"),
    ("it", "escluso data_di_uscita rimosso rimosso_il eliminato eliminato_il data_cancellazione"),
    ("it", "data_di_cancellazione"),
    ("nl", "uitgesloten uitgestapt_op verwijderd verwijderd_op opgezegd_op"),
    ("pt", "excluído data_de_saída removido_em excluído_em cancelado_em data_de_cancelamento"),
)

# Whole headers of dates that who never confirmed has none of: who imports them is asked where some are blank.
CONFIRMED: tuple[tuple[str, str], ...] = (
    ("en", "confirmed_at confirmed_on confirm_date confirmation_date date_confirmed verified_at verified_on"),
    ("en", "confirmation_time activated activated_at activated_on activation_date"),
    ("en", "email_confirmed_at email_verified_at double_optin_at double_opt_in_at double_opt_in_date"),
    ("de", "bestätigt_am bestaetigt_am bestätigungsdatum verifiziert_am doi_datum aktiviert_am"),
    ("fr", "confirmé_le date_de_confirmation"),
    ("es", "confirmado_el fecha_de_confirmación"),
    ("it", "confermato_il data_di_conferma"),
    ("nl", "bevestigd_op bevestigingsdatum"),
    ("pt", "confirmado_em data_de_confirmação"),
)

# Parts of folded headers that may be about consent where all cells say yes or no: who imports them is asked.
ASKING: tuple[tuple[str, str], ...] = (
    ("en", "disabled deactivated confirm verif marketing cancel removed consent permission gdpr newsletter"),
    ("en", "subscri mailing contactable mailable deliverable pending exclud muted paused"),
    ("de", "bestatigt deaktiviert geloscht gekundigt werbung einwilligung dsgvo zugestimmt mailversand"),
    ("de", "kontakterlaubt"),
    ("fr", "desactiv supprim annul resili rgpd"),
    ("es", "desactivad eliminad boletin rgpd"),
    ("it", "disattivat eliminat rimoss annullat confermat"),
    ("nl", "bevestigd verwijderd opgezegd toestemming nieuwsbrief"),
    ("pt", "desativad removid excluid"),
)

# Parts of folded headers of mail, and such as say beside one that somebody gets it: who imports them is asked
# where all cells say yes or no (`Wants emails`, `E-Mails erlaubt`).
MAIL = ("mail", "correo", "courriel", "lettredinformation", "rundbrief", "postaelettronica")
GETTING: tuple[tuple[str, str], ...] = (
    (
        "en",
        "receiv getmail getsmail getemail getsemail sendmail sendemail weemail emailson wants allow agree",
    ),
    ("en", "enabled block"),
    ("de", "erhalt empfang bekomm abonn erlaub erwunscht gesperrt blockiert"),
    ("fr", "recevoir recoi abonn inscri accept bloqu"),
    ("es", "recib suscri acept bloquead"),
    ("it", "ricev iscri accett bloccat disabilitat"),
    ("nl", "ontvang abonn ingeschreven uitgeschakeld geblokkeerd"),
    ("pt", "receb inscri aceit bloquead"),
)

# Parts of folded headers of what is sent otherwise than by mail.
NO_MAIL = ("sms", "phone", "telefon", "whatsapp", "push")


def may_say_who_left(header: str) -> bool:
    return folded(header) in _names(LEFT) or _has_part(header, _parts(LEAVING))


def may_say_who_confirmed(header: str) -> bool:
    return folded(header) in _names(CONFIRMED)


def may_be_consent(header: str) -> bool:
    """Of a column whose cells say yes or no."""
    return _has_part(header, _parts(ASKING)) or (
        _has_part(header, MAIL) and _has_part(header, _parts(GETTING))
    )


def is_of_no_mail(header: str) -> bool:
    return _has_part(header, NO_MAIL)


@cache
def _names(table: tuple[tuple[str, str], ...]) -> frozenset[str]:
    return frozenset(folded(name) for _, row in table for name in row.split())


def _parts(table: tuple[tuple[str, str], ...]) -> Iterable[str]:
    return (part for _, row in table for part in row.split())


def _has_part(header: str, parts: Iterable[str]) -> bool:
    known = folded(header)
    return any(part in known for part in parts)
