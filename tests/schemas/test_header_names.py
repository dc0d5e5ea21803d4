"""The table of headers: each means one thing, in every language; false friends are no consent."""

import pytest

from schemas.formats.consent_words import LANGUAGES, fold
from schemas.formats.header_names import BESIDE, CONFIRMING, OF_CONSENT, ROWS, may_deny, meaning_of
from tests.rows import each_row
from tests.schemas.tables import normalized, repeated

MEANINGS = {
    "email", "first_name", "last_name", "name", "tags", "created_at", "updated_at", "last_event_at",
    *OF_CONSENT,
}  # fmt: skip

# Headers of ordinary lists that speak of something else: paying, orders, places, text messages, figures.
ORDINARY = (
    "plan", "plan_status", "plan name", "tier", "Free Tier", "Premium Tier", "active_subscription",
    "expiry", "Stripe plan", "paid", "is_paying", "trial", "complimentary_plan", "membership",
    "membership_level", "subscription_plan", "subscription_type", "subscription_period", "subscription_id",
    "customer_status", "payment_status", "order_status", "confirmed_orders", "orders", "total_spent",
    "invoice_state", "city", "country", "state/province", "billing state", "Bundesland", "provincia",
    "region", "address", "company", "job title", "language", "locale", "notes", "note", "source",
    "referrer", "active_campaign", "bounce_rate", "bounces", "open_rate", "clicks", "last_click",
    "emails_sent", "member_rating", "valid", "verified", "confirmed", "email_verified", "disabled",
    "disability", "married", "marital status", "estado civil", "stato civile", "sms_opt_in",
    "SMS_BLACKLISTED", "accepts_sms_marketing", "sms_consent", "phone_opt_out", "push_enabled", "gender",
    "birthday", "age", "interests", "first visit", "last order", "last_purchase", "date joined",
    "created by", "updated_by", "anmeldung_workshop", "status_code", "statut juridique", "Mail",
    "mail_count", "email_count", "email_domain", "Adresse", "Apelido", "nom de l'entreprise",
    "nombre de la empresa", "cancelled_at", "Cancellation date", "Kündigungsdatum", "Data de entrega",
    "Date of birth", "Data di nascita", "Fecha de entrega", "deleted_at",
)  # fmt: skip


def test_no_header_means_two_things():
    assert repeated((meaning, name) for meaning, _, names in ROWS for name in names.split()) == {}


def test_headers_are_normalized_and_each_stands_once_in_a_language():
    assert normalized(name for _, _, names in ROWS for name in names.split())
    for language in LANGUAGES:
        names = [fold(name) for _, of, row in ROWS for name in row.split() if of == language]
        assert len(names) == len(set(names)), language


def test_headers_of_confirming_are_in_every_language_and_mean_nothing_else():
    assert [language for language, _ in CONFIRMING] == [*LANGUAGES]
    names = [name for _, row in CONFIRMING for name in row.split()]
    assert normalized(names)
    assert all(may_deny(name) and meaning_of(name) is None for name in names)
    assert not any(
        map(may_deny, ("verified", "email_verified", "confirmed_orders", "unsubscribed", "status"))
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_meaning(language):
    assert {meaning for meaning, of, _ in ROWS if of == language} == MEANINGS


@each_row("header", ORDINARY)
def test_an_ordinary_header_is_a_custom_field(header):
    assert meaning_of(header) is None


@each_row(
    "header",
    [
        "status",
        "newsletter",
        "Statut",
        "subscriber_type",
        "Marketing",
        "Abo",
        "Abonnement",
        "Suscripción",
        "Iscrizione",
        "Inscrição",
    ],
)
def test_a_header_that_may_mean_something_else_comes_last(header):
    assert meaning_of(header) == "status"


@each_row(
    ("headers", "meaning"),
    [
        (("Email Address", "E-Mail", "mail address", "E-Mail-Adresse", "Adresse e-mail", "Correo electrónico",
          "Indirizzo e-mail", "E-mailadres", "Endereço de e-mail", "EmailAddress"), "email"),
        (("First Name", "FNAME", "Vorname", "Prénom", "prenom", "Voornaam"), "first_name"),
        (("Last Name", "Surname", "Nachname", "Apellidos", "Cognome", "Achternaam", "Sobrenome"),
         "last_name"),
        (("Name", "Full Name", "Nom", "Nombre", "Nome", "Naam"), "name"),
        (("TAGS", "Labels", "Étiquettes", "Schlagwörter"), "tags"),
        (("created at", "OPTIN_TIME", "Date d’inscription", "Fecha de alta", "Anmeldedatum",
          "Fecha de suscripción"), "created_at"),
        (("LAST_CHANGED", "Updated At"), "updated_at"),
        (("Last Activity", "Letzte Aktivität"), "last_event_at"),
        (("Email Marketing Status", "Opt-In", "newsletter_opt_in", "subscribed_to_emails",
          "Abonné", "Suscrito", "Geabonneerd"), "subscribed"),
        (("Opt Out", "Unsubscribed from all email", "Has Opted Out of Email", "Unsub", "UNSUB_TIME",
          "Abgemeldet am", "Fecha desuscripción", "fecha_desuscripcion", "Data cancellazione", "optout_date",
          "Data di disiscrizione newsletter", "Fecha de la baja", "Baja (fecha)", "Newsletter-Abmeldedatum",
          "Zeitpunkt der Abmeldung", "Austragungsdatum", "Date de désabonnement",
          "Désinscrite le", "Datum van uitschrijving", "Afgemeld op", "Data do cancelamento", "unsubDate",
          "Descadastrado em", "Date of unsubscription", "Opted out at", "unsubscribe time"), "unsubscribing"),
    ],
)  # fmt: skip
def test_headers_as_programs_and_people_write_them(headers, meaning):
    assert {header: meaning_of(header) for header in headers} == dict.fromkeys(headers, meaning)


def test_words_for_a_part_of_a_name_beside_another_column():
    for words, beside, meaning in BESIDE:
        assert {meaning_of(word) for word in words.split()} == {"name"}
        assert {beside, meaning} == {"first_name", "last_name"}


def test_no_header_of_consent_is_also_about_paying():
    paying = ("plan", "tier", "paid", "paying", "price", "billing", "order", "sms", "phone")
    names = [name for meaning, _, row in ROWS for name in row.split() if meaning in OF_CONSENT]
    assert [name for name in names for word in paying if word in name.split("_")] == []
