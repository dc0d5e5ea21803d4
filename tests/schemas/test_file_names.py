"""Which names of files say that the people in them have left, or have yet to confirm."""

import unicodedata

import pytest

from schemas.formats.consent_words import ConsentWord
from schemas.formats.file_names import said_by_name


@pytest.mark.parametrize(
    "name",
    [
        "unsubscribed", "my unsubscribed 2024", "UNSUBSCRIBES", "cleaned", "list-cleaned(1)",
        "opted-out", "people who opted out", "non-subscribed", "blocklisted", "2024blocklisted",
        "do not contact", "Abgemeldete", "désabonnés", unicodedata.normalize("NFD", "désabonnés"),
        "desuscritos", "disiscritti", "uitgeschreven", "descadastrados", "left.unsubscribed.refused",
        "listUnsubscribed", "ListmonkUnsubscribed", "UnsubscribedMembers", "unsubscribedlist",
        "MailchimpCleaned", "MCCleaned", "nonsubscribers", "mc_nonsub", "hardbounces", "bounce",
        "mail_bounce_2024", "suppression_list", "complaints", "spam complaints", "do-not-mail", "DNC",
        "blocked", "invalid", "inactive", "archived", "gesperrt", "keila-unreachable", "Gekündigt",
        "former members", "deleted_contacts", "Austritte", "cancelled_subscribers", "Gekuendigte",
        "non abonnés", "no suscritos", "Nicht-Abonnenten", "unconfirmed but unsubscribed",
    ],
)  # fmt: skip
def test_a_name_says_that_they_left(name):
    assert said_by_name(name) is ConsentWord.LEFT


@pytest.mark.parametrize(
    "name",
    [
        "unverified",
        "unconfirmed",
        "listmonk_unconfirmed",
        "nicht bestätigt",
        "Nicht_Bestaetigt",
        "pending",
        "pending_subscribers",
        "Ausstehend",
        "en attente",
    ],
)
def test_a_name_says_that_they_have_yet_to_confirm(name):
    assert said_by_name(name) is ConsentWord.NOT_YET


@pytest.mark.parametrize(
    "name",
    [
        "subscribed_members_export", "unsubscribedness", "my-uncleaned", "people", "opted", "do not lose",
        "Baja", "active", "members", "archive of 2024", "stop", "duplicates removed", "Kontakte bereinigt",
        "apres suppression des doublons", "confirmed", "ActiveMembers", "",
    ],
)  # fmt: skip
def test_any_other_name_says_nothing(name):
    assert said_by_name(name) is None
