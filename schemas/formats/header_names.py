"""The meaning of a column's header in files from elsewhere, in seven languages.

Facts only. A row has a meaning, a language, and the headers of that language with that meaning. Headers are
in normalized form (lower case, `_` for a blank or a hyphen), separated by blanks.

The meanings are those of `--map` and `map[COLUMN]`, and three for headers about consent. A column with one of
these three is a custom field, and only suggests an answer. Under `subscribed` a yes means subscribed, and
under `unsubscribing` it means unsubscribed; `status` may mean something else.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product

from schemas.formats.consent_words import MAX_LENGTH, UNSUBSCRIBING, fold

ROWS: tuple[tuple[str, str, str], ...] = (
    ("email", "en", "email email_address mail_address email_id primary_email primary_email_address"),
    (
        "email",
        "en",
        "contact_email subscriber_email member_email user_email customer_email your_email e_mail_1_value",
    ),
    ("email", "de", "e_mail_adresse mailadresse"),
    ("email", "fr", "adresse_e_mail adresse_mail courriel adresse_courriel adresse_de_courriel"),
    ("email", "fr", "adresse_électronique adresse_de_messagerie"),
    ("email", "es", "correo correo_electrónico dirección_de_correo dirección_de_correo_electrónico"),
    ("email", "es", "dirección_de_email dirección_email"),
    ("email", "it", "indirizzo_email indirizzo_mail indirizzo_di_posta_elettronica posta_elettronica"),
    ("email", "nl", "e_mailadres mailadres"),
    ("email", "pt", "endereço_de_email endereço_email correio_eletrônico correio_electrónico"),
    ("email", "pt", "endereço_de_correio_eletrônico"),
    #
    ("first_name", "en", "first_name first given_name forename fname"),
    ("first_name", "de", "vorname rufname"),
    ("first_name", "fr", "prénom"),
    ("first_name", "es", "nombre_de_pila primer_nombre"),
    ("first_name", "it", "nome_di_battesimo primo_nome"),
    ("first_name", "nl", "voornaam roepnaam"),
    ("first_name", "pt", "primeiro_nome nome_próprio"),
    ("last_name", "en", "last_name last surname family_name lname"),
    ("last_name", "de", "nachname familienname zuname"),
    ("last_name", "fr", "nom_de_famille"),
    ("last_name", "es", "apellido apellidos primer_apellido"),
    ("last_name", "it", "cognome"),
    ("last_name", "nl", "achternaam familienaam"),
    ("last_name", "pt", "sobrenome último_nome"),
    ("name", "en", "name full_name contact_name subscriber_name member_name your_name"),
    ("name", "de", "vollständiger_name vor_und_nachname ganzer_name"),
    ("name", "fr", "nom nom_complet prénom_et_nom"),
    ("name", "es", "nombre nombre_completo nombre_y_apellido nombre_y_apellidos"),
    ("name", "it", "nome nome_completo nome_e_cognome"),
    ("name", "nl", "naam volledige_naam voor_en_achternaam"),
    ("name", "pt", "nome nome_completo nome_e_sobrenome"),
    #
    ("tags", "en", "tags tag labels label contact_tags subscriber_tags"),
    ("tags", "de", "schlagwörter schlagworte schlagwort"),
    ("tags", "fr", "étiquettes étiquette libellés"),
    ("tags", "es", "etiquetas etiqueta"),
    ("tags", "it", "etichette etichetta"),
    ("tags", "nl", "trefwoorden"),
    ("tags", "pt", "etiquetas etiqueta marcadores"),
    #
    ("created_at", "en", "created_at created created_on created_date date_created creation_date"),
    ("created_at", "en", "create_date created_time added_time added_at added_on date_added subscribed_at"),
    ("created_at", "en", "subscribed_on subscribed_date date_subscribed subscribe_date subscription_date"),
    ("created_at", "en", "subscription_created_at signup_date date_of_signup signed_up_at signed_up_on"),
    ("created_at", "en", "optin_time optin_date opted_in_at registered_at registered_on user_registered"),
    ("created_at", "en", "registration_date date_registered"),
    ("created_at", "de", "erstellt_am angelegt_am anmeldedatum angemeldet_am eingetragen_am"),
    ("created_at", "de", "erstellungsdatum registriert_am registrierungsdatum abonniert_am hinzugefügt_am"),
    ("created_at", "fr", "créé_le date_de_création date_d_inscription date_inscription inscrit_le"),
    ("created_at", "fr", "date_d_ajout date_d_abonnement abonné_le ajouté_le"),
    ("created_at", "es", "creado_el fecha_de_creación fecha_creación fecha_de_alta fecha_alta"),
    ("created_at", "es", "fecha_de_registro fecha_de_suscripción"),
    ("created_at", "it", "creato_il data_di_creazione data_creazione data_di_iscrizione data_iscrizione"),
    ("created_at", "it", "iscritto_il"),
    ("created_at", "nl", "aangemaakt_op aanmaakdatum inschrijfdatum ingeschreven_op aanmelddatum"),
    ("created_at", "nl", "aangemeld_op"),
    ("created_at", "pt", "criado_em data_de_criação data_de_inscrição data_de_cadastro data_cadastro"),
    ("created_at", "pt", "inscrito_em data_de_registro data_de_registo"),
    ("updated_at", "en", "updated_at updated updated_on last_updated last_changed last_modified"),
    ("updated_at", "en", "last_modified_date modified_at modified_time updated_time date_modified"),
    ("updated_at", "en", "date_updated"),
    ("updated_at", "de", "geändert_am aktualisiert_am änderungsdatum zuletzt_geändert"),
    ("updated_at", "fr", "modifié_le mis_à_jour_le date_de_modification date_de_mise_à_jour"),
    ("updated_at", "es", "actualizado_el modificado_el fecha_de_actualización fecha_de_modificación"),
    ("updated_at", "it", "aggiornato_il modificato_il data_di_aggiornamento data_di_modifica"),
    ("updated_at", "nl", "bijgewerkt_op gewijzigd_op wijzigingsdatum"),
    ("updated_at", "pt", "atualizado_em modificado_em data_de_atualização data_de_modificação"),
    ("last_event_at", "en", "last_event_at last_activity last_activity_at last_activity_date last_active"),
    ("last_event_at", "en", "last_active_at last_seen last_seen_at last_engaged last_engaged_at"),
    ("last_event_at", "de", "letzte_aktivität letzte_aktivitaet zuletzt_aktiv zuletzt_gesehen"),
    ("last_event_at", "fr", "dernière_activité"),
    ("last_event_at", "es", "última_actividad"),
    ("last_event_at", "it", "ultima_attività"),
    ("last_event_at", "nl", "laatste_activiteit laatst_actief"),
    ("last_event_at", "pt", "última_atividade"),
    ("unsubscribing", "en", "unsubscribed is_unsubscribed has_unsubscribed unsubscribe unsub opt_out"),
    ("unsubscribing", "en", "email_unsubscribed unsubscribed_from_emails unsubscribed_from_all_email"),
    (
        "unsubscribing",
        "en",
        "unsubscribed_from_all_emails opted_out is_opted_out has_opted_out email_opt_out",
    ),
    ("unsubscribing", "en", "email_opted_out opt_out_email opted_out_of_email has_opted_out_of_email"),
    ("unsubscribing", "en", "newsletter_opt_out marketing_opt_out email_marketing_opt_out do_not_email"),
    ("unsubscribing", "en", "no_newsletter blacklisted is_blacklisted email_blacklisted blocklisted"),
    ("unsubscribing", "de", "abgemeldet abbestellt abmeldung newsletter_abmeldung newsletter_abgemeldet"),
    ("unsubscribing", "de", "newsletter_abbestellt keine_werbung"),
    ("unsubscribing", "fr", "désabonné désabonnée désinscrit désinscrite désinscription désabonnement"),
    ("unsubscribing", "es", "desuscrito desuscrita desuscripción dado_de_baja dada_de_baja baja"),
    ("unsubscribing", "it", "disiscritto disiscritta disiscrizione"),
    ("unsubscribing", "nl", "uitgeschreven uitschrijving afmelding afgemeld"),
    ("unsubscribing", "pt", "descadastrado descadastrada descadastro desinscrito desinscrita"),
    #
    ("subscribed", "en", "subscribed is_subscribed email_subscribed subscribed_to_emails opt_in opted_in"),
    ("subscribed", "en", "newsletter_subscribed email_opt_in email_opted_in newsletter_opt_in opt_in_email"),
    ("subscribed", "en", "marketing_opt_in email_marketing_opt_in double_opt_in optin_status"),
    ("subscribed", "en", "accepts_marketing accepts_email_marketing marketing_consent email_consent"),
    ("subscribed", "en", "email_marketing_consent newsletter_consent email_marketing email_marketing_status"),
    ("subscribed", "en", "email_permission email_permission_status receives_emails receive_newsletter"),
    ("subscribed", "de", "abonniert newsletter_abonniert newsletter_angemeldet newsletter_anmeldung"),
    ("subscribed", "de", "newsletter_einwilligung werbeeinwilligung"),
    ("subscribed", "fr", "abonné abonnée abonné_newsletter inscrit_newsletter inscrit_à_la_newsletter"),
    ("subscribed", "es", "suscrito suscrita suscripto acepta_marketing acepta_publicidad"),
    ("subscribed", "it", "iscritto_newsletter iscritto_alla_newsletter consenso_marketing"),
    ("subscribed", "nl", "geabonneerd nieuwsbrief_ontvangen"),
    ("subscribed", "pt", "subscrito inscrito_na_newsletter aceita_marketing receber_newsletter"),
    ("status", "en", "status email_status email_state subscription_status subscriber_status contact_status"),
    ("status", "en", "member_status list_status marketing_status newsletter_status subscription newsletter"),
    ("status", "en", "consent gdpr_consent permission marketing subscriber_type subscriber_state"),
    ("status", "de", "anmeldestatus abostatus newsletterstatus einwilligung angemeldet abo abonnement"),
    ("status", "fr", "statut statut_abonnement statut_newsletter inscrit consentement"),
    ("status", "es", "estado_de_suscripción boletín consentimiento suscripción"),
    ("status", "it", "stato_iscrizione iscritto consenso iscrizione"),
    ("status", "nl", "inschrijfstatus nieuwsbrief ingeschreven aangemeld toestemming"),
    ("status", "pt", "status_da_inscrição inscrito boletim consentimento inscrição"),
)
# Headers of consent: they only suggest an answer, and those that may mean something else come last.
OF_CONSENT = (UNSUBSCRIBING, "subscribed", "status")

# Headers under which no says that somebody has not confirmed; alone they suggest nothing.
CONFIRMING: tuple[tuple[str, str], ...] = (
    ("en", "confirmed is_confirmed email_confirmed subscription_confirmed"),
    ("de", "bestätigt newsletter_bestätigt e_mail_bestätigt"),
    ("fr", "confirmé confirmée e_mail_confirmé"),
    ("es", "confirmado confirmada correo_confirmado"),
    ("it", "confermato confermata email_confermata"),
    ("nl", "bevestigd e_mail_bevestigd"),
    ("pt", "confirmado confirmada email_confirmado"),
)

# Headers of a word of time and one of unsubscribing, in either order; the third are what may stand between.
DATED: tuple[tuple[str, str, str, str], ...] = (
    ("en", "date time at on", "of", "unsubscribed unsubscribe unsubscription unsub opt_out opted_out"),
    ("de", "datum zeitpunkt am", "der", "abmeldung abmelde abgemeldet abbestellung abbestell abbestellt"),
    ("de", "datum zeitpunkt am", "der", "austragung austragungs ausgetragen"),
    ("fr", "date le", "de d", "désabonnement désinscription désabonné désabonnée désinscrit désinscrite"),
    ("es", "fecha el", "de de_la", "baja desuscripción desuscrito desuscrita dado_de_baja dada_de_baja"),
    ("es", "fecha", "de de_la", "cancelación"),
    (
        "it",
        "data il",
        "di della",
        "disiscrizione disiscritto disiscritta cancellazione cancellato cancellata",
    ),
    ("nl", "datum op", "van", "uitschrijving uitschrijf uitgeschreven afmelding afmeld afgemeld"),
    ("pt", "data em", "de da do", "descadastro descadastrado descadastrada desinscrição desinscrito"),
    ("pt", "data em", "de da do", "desinscrita cancelamento cancelado cancelada"),
)

# Words for a name that mean a part of it beside another column: the words, its meaning, what they mean.
BESIDE: tuple[tuple[str, str, str], ...] = (
    ("name nom naam", "first_name", "last_name"),  # Vorname, Name; Prénom, Nom; Voornaam, Naam
    ("nombre nome", "last_name", "first_name"),  # Nombre, Apellidos; Nome, Cognome; Nome, Sobrenome
)

# Headers whose letters are those of another (`Fecha de suscripción`): their words tell them apart.
BY_WORDS: dict[tuple[str, ...], str] = {("fecha", "desuscripcion"): UNSUBSCRIBING}
SPACES = str.maketrans("_-", "  ")


@cache
def headers() -> dict[str, str]:
    """The meaning of each folded header."""
    named = {fold(name): meaning for meaning, _, row in ROWS for name in row.split()}
    return dict.fromkeys(map(fold, _date_headers()), UNSUBSCRIBING) | named


def _date_headers() -> Iterator[str]:
    for _, times, between, words in DATED:
        for time, middle, word in product(times.split(), ("", *between.split()), words.split()):
            for header in (f"{time}{middle}{word}", f"{word}{middle}{time}"):
                yield from (header, f"newsletter{header}", f"{header}newsletter")


def meaning_of(header: str) -> str | None:
    """The meaning of a header; None if no table has it."""
    words = tuple(fold(word) for word in header.translate(SPACES).split())
    return BY_WORDS.get(words) or headers().get(fold(header))


def may_deny(header: str) -> bool:
    """Whether a no under this header means that a subscriber did not agree or confirm."""
    return meaning_of(header) == "subscribed" or fold(header) in _confirming()


@cache
def _confirming() -> frozenset[str]:
    return frozenset(fold(name) for _, row in CONFIRMING for name in row.split())


def is_unsubscribing(header: str) -> bool:
    """Whether a date or a yes under this header means unsubscribed."""
    return len(header) <= MAX_LENGTH and _is_unsubscribing(header)


@lru_cache(maxsize=4096)
def _is_unsubscribing(header: str) -> bool:
    return meaning_of(header) == UNSUBSCRIBING
