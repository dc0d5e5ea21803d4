"""What the header of a column means in files from elsewhere, in seven languages.

Facts only. A row is a meaning, a language and its headers in normalized form (lower case, `_` for a blank
or a hyphen), separated by blanks. The meanings are those of `--map` and `map[COLUMN]`:

- `subscribed`: only consent, and yes means in. `unsubscribed`: only consent, and yes means left.
- `status`: consent or something else, which its values decide.

A header of paying, of a plan or of text messages is no consent and stands in no row.
"""

from functools import cache

from schemas.formats.consent_words import folded

ROWS: tuple[tuple[str, str, str], ...] = (
    ("email", "en", "email email_address mail_address email_id primary_email primary_email_address"),
    ("email", "en", "contact_email subscriber_email member_email user_email customer_email your_email"),
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
    ("unsubscribed_at", "en", "unsubscribed_at unsubscribed_on unsubscribed_date date_unsubscribed"),
    ("unsubscribed_at", "en", "unsubscribe_date unsubscribe_time unsubscription_date unsub_time unsub_date"),
    ("unsubscribed_at", "en", "unsubscribed_time optout_time optout_date opted_out_at opted_out_on"),
    ("unsubscribed_at", "en", "clean_time cleaned_at bounced_at bounced_date email_bounced_date"),
    ("unsubscribed_at", "en", "complained_at blocklisted_at blacklisted_at suppressed_at deleted_at"),
    ("unsubscribed_at", "en", "blocked_at banned_at deactivated_at spam_reported_at reported_spam_at"),
    ("unsubscribed_at", "de", "abgemeldet_am abmeldedatum abbestellt_am ausgetragen_am austragungsdatum"),
    ("unsubscribed_at", "de", "datum_abmeldung datum_der_abmeldung abmeldung_am gelöscht_am geloescht_am"),
    ("unsubscribed_at", "de", "gesperrt_am"),
    ("unsubscribed_at", "fr", "désabonné_le désinscrit_le date_de_désabonnement date_de_désinscription"),
    ("unsubscribed_at", "fr", "date_désabonnement date_désinscription"),
    ("unsubscribed_at", "es", "fecha_de_baja fecha_baja fecha_de_desuscripción"),
    ("unsubscribed_at", "it", "disiscritto_il data_di_disiscrizione data_disiscrizione"),
    ("unsubscribed_at", "nl", "uitgeschreven_op uitschrijfdatum afgemeld_op afmelddatum"),
    ("unsubscribed_at", "nl", "datum_uitschrijving datum_afmelding"),
    (
        "unsubscribed_at",
        "pt",
        "descadastrado_em data_de_descadastro data_de_descadastramento data_descadastro",
    ),
    #
    ("subscribed", "en", "subscribed is_subscribed email_subscribed subscribed_to_emails"),
    ("subscribed", "en", "subscribed_to_email subscribed_to_newsletter newsletter_subscribed"),
    ("subscribed", "en", "newsletter_subscription opt_in opted_in is_opted_in email_opt_in email_opted_in"),
    ("subscribed", "en", "optin_status opt_in_email newsletter_opt_in marketing_opt_in"),
    ("subscribed", "en", "email_marketing_opt_in double_opt_in double_opt_in_confirmed accepts_marketing"),
    ("subscribed", "en", "accepts_email_marketing accepts_emails accepts_newsletter marketing_consent"),
    ("subscribed", "en", "email_consent email_marketing_consent newsletter_consent email_marketing"),
    ("subscribed", "en", "email_marketing_status email_marketing_state email_permission"),
    ("subscribed", "en", "email_permission_status email_enabled emails_enabled receives_emails"),
    ("subscribed", "en", "receive_emails receive_newsletter receives_newsletter wants_newsletter"),
    (
        "subscribed",
        "en",
        "send_newsletter receives_email receive_email allow_email allow_emails allows_email",
    ),
    ("subscribed", "en", "send_email send_emails email_ok can_email ok_to_email"),
    ("subscribed", "de", "abonniert newsletter_abonniert newsletter_angemeldet newsletter_erwünscht"),
    ("subscribed", "de", "newsletter_anmeldung newsletter_einwilligung werbeeinwilligung werbung_erlaubt"),
    ("subscribed", "de", "erhält_e_mails"),
    ("subscribed", "fr", "abonné abonnée abonné_newsletter abonné_à_la_newsletter inscrit_newsletter"),
    ("subscribed", "fr", "inscrit_à_la_newsletter inscription_newsletter accepte_les_emails"),
    ("subscribed", "fr", "accepte_la_newsletter abonné_aux_e_mails reçoit_les_e_mails"),
    ("subscribed", "es", "suscrito suscrita suscripto suscrito_al_boletín acepta_marketing"),
    ("subscribed", "es", "acepta_publicidad acepta_emails acepta_boletín suscrito_a_correos recibe_correos"),
    ("subscribed", "it", "iscritto_newsletter iscritto_alla_newsletter iscrizione_newsletter"),
    ("subscribed", "it", "consenso_marketing consenso_newsletter accetta_marketing iscritto_alle_email"),
    ("subscribed", "it", "riceve_email"),
    ("subscribed", "nl", "geabonneerd nieuwsbrief_ontvangen ingeschreven_voor_nieuwsbrief"),
    ("subscribed", "nl", "nieuwsbrief_ingeschreven accepteert_marketing ontvangt_e_mails"),
    ("subscribed", "pt", "subscrito inscrito_na_newsletter aceita_marketing aceita_emails"),
    ("subscribed", "pt", "aceita_newsletter receber_newsletter recebe_newsletter recebe_e_mails"),
    ("subscribed", "pt", "inscrito_em_e_mails"),
    ("unsubscribed", "en", "unsubscribed is_unsubscribed has_unsubscribed unsubscribe unsub"),
    ("unsubscribed", "en", "unsubscribed_from_emails unsubscribed_from_all_email"),
    ("unsubscribed", "en", "unsubscribed_from_all_emails globally_unsubscribed opt_out opted_out"),
    ("unsubscribed", "en", "is_opted_out has_opted_out email_opt_out email_opted_out opt_out_email"),
    ("unsubscribed", "en", "opted_out_of_email has_opted_out_of_email newsletter_opt_out marketing_opt_out"),
    ("unsubscribed", "en", "email_marketing_opt_out email_unsubscribed email_disabled emails_disabled"),
    ("unsubscribed", "en", "do_not_email do_not_contact no_emails no_newsletter blocklisted blacklisted"),
    ("unsubscribed", "en", "email_blacklisted email_blocklisted is_blocklisted is_blacklisted suppressed"),
    ("unsubscribed", "en", "email_suppressed is_suppressed cleaned inactive is_inactive blocked is_blocked"),
    ("unsubscribed", "en", "account_disabled bounced is_bounced has_bounced email_bounced hard_bounced"),
    ("unsubscribed", "en", "email_hard_bounced complained has_complained spam_complaint marked_as_spam spam"),
    ("unsubscribed", "en", "is_unsub unsubbed is_spam archived is_archived deleted is_deleted deactivated"),
    ("unsubscribed", "en", "dnc dne do_not_mail do_not_send do_not_market no_marketing no_mailing"),
    ("unsubscribed", "en", "no_email no_mail banned is_banned"),
    ("unsubscribed", "de", "abgemeldet abbestellt abmeldung newsletter_abmeldung ausgetragen"),
    ("unsubscribed", "de", "newsletter_abgemeldet newsletter_abbestellt vom_newsletter_abgemeldet"),
    ("unsubscribed", "de", "keine_werbung gesperrt inaktiv werbewiderspruch e_mail_deaktiviert"),
    ("unsubscribed", "fr", "désabonné désabonnée désinscrit désinscrite désinscription désabonnement"),
    ("unsubscribed", "fr", "désabonné_newsletter inactif bloqué e_mail_désactivé"),
    ("unsubscribed", "es", "desuscrito desuscrita desuscripción dado_de_baja dada_de_baja baja inactivo"),
    ("unsubscribed", "es", "bloqueado correo_desactivado"),
    ("unsubscribed", "it", "disiscritto disiscritta disiscrizione disiscritto_newsletter inattivo bloccato"),
    ("unsubscribed", "it", "email_disattivata"),
    ("unsubscribed", "nl", "uitgeschreven uitschrijving afmelding afgemeld nieuwsbrief_uitgeschreven"),
    ("unsubscribed", "nl", "inactief geblokkeerd e_mail_uitgeschakeld"),
    ("unsubscribed", "pt", "descadastrado descadastrada descadastro desinscrito desinscrita inativo"),
    ("unsubscribed", "pt", "bloqueado e_mail_desativado"),
    ("status", "en", "status state email_status email_state subscription_status subscriber_status"),
    ("status", "en", "contact_status member_status list_status marketing_status mailing_status"),
    ("status", "en", "newsletter_status subscription newsletter newsletters mailing_list mailings mailing"),
    ("status", "en", "email_subscription active is_active enabled consent gdpr_consent permission marketing"),
    ("status", "en", "global_status global_state subscriber_state subscriber_type contact_state"),
    ("status", "de", "zustand anmeldestatus abostatus newsletterstatus mailstatus e_mail_status aktiv"),
    ("status", "de", "einwilligung angemeldet abo abonnement"),
    ("status", "fr", "statut état statut_abonnement statut_newsletter actif inscrit consentement abonnement"),
    ("status", "es", "estado estatus estado_de_suscripción activo boletín consentimiento suscripción"),
    ("status", "it", "stato stato_iscrizione attivo iscritto consenso iscrizione"),
    ("status", "nl", "toestand inschrijfstatus actief nieuwsbrief ingeschreven aangemeld toestemming"),
    ("status", "nl", "inschrijving"),
    ("status", "pt", "estado situação status_da_inscrição ativo inscrito boletim consentimento inscrição"),
)

# Words for a name that mean a part of it beside another column: the words, its meaning, what they mean.
BESIDE: tuple[tuple[str, str, str], ...] = (
    ("name nom naam", "first_name", "last_name"),  # Vorname, Name; Prénom, Nom; Voornaam, Naam
    ("nombre nome", "last_name", "first_name"),  # Nombre, Apellidos; Nome, Cognome; Nome, Sobrenome
)

# Headers whose letters are those of another (`Fecha de suscripción`): their words tell them apart.
BY_WORDS: dict[tuple[str, ...], str] = {("fecha", "desuscripcion"): "unsubscribed_at"}
SPACES = str.maketrans("_-", "  ")


@cache
def headers() -> dict[str, str]:
    """The meaning of each folded header."""
    return {folded(name): meaning for meaning, _, row in ROWS for name in row.split()}


def meaning_of(header: str) -> str | None:
    """What a header means; None if no row has it: a custom field."""
    words = tuple(folded(word) for word in header.translate(SPACES).split())
    return BY_WORDS.get(words) or headers().get(folded(header))
