"""Columns that may say who left, or never confirmed, are pointed out; nothing is guessed."""

import pytest

from tests.api.sent_files import CSV, LINES, import_file, people, send
from tests.schemas.test_presets import FOLDER as PEERS

ADVICE = "If it says who left, map it to `unsubscribed`, or to `subscribed` if its no means left."


def reason(client, text, content_type=CSV, **query):
    response = send(client, text, content_type, query={"dry_run": "1"} | query)
    assert response.status_code == 200, response.json
    return response.json["meta"]["columns"][1]["reason"]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("foo", ["gold", "bounced"]),
        ("foo", ["inactive"]),
        ("foo", ["archived", ""]),
        ("Validation", ["disabled", "x"]),
        ("membership", ["active", "cancelled"]),
        ("disabled", ["true", "false"]),
        ("confirmed", ["0", "1"]),
        ("verified", ["no", "yes"]),
        ("Cancellato", ["sì", "no"]),
        ("Newsletter bestätigt", ["ja", "nein"]),
        ("Emails on", ["yes", "no"]),
        ("May we email", ["yes", "no"]),
        ("Bekommt unsere E-Mails", ["WAHR", "FALSCH"]),
        ("Abonniert die Rundmails", ["ja", "nein"]),
        ("Veut recevoir les e-mails", ["VRAI", "FAUX"]),
        ("Inscrit à la lettre d'information", ["oui", "non"]),
        ("Quiere recibir correos", ["sí", "no"]),
        ("Vuole ricevere email", ["VERO", "FALSO"]),
        ("Wil e-mails ontvangen", ["WAAR", "ONWAAR"]),
        ("Quer receber e-mails", ["sim", "não"]),
        ("E-mail bloqueado", ["sim", "não"]),
        ("Abmeldegrund", ["zu viel"]),
        ("Info", ["", "Unsubscribed on 2024-02-02"]),
        ("Info", ["Yes; unsubscribed"]),
        ("Info", ["unsubscribed (hard bounce)"]),
        ("Info", ["UNSUBSCRIBED_BY_ADMIN"]),
        ("Info", ["opted-out by admin"]),
        ("Info", ["OptedOutByAdmin"]),
        ("Info", ["never confirmed"]),
        ("Info", ["ok", "not confirmed"]),
        ("Info", ["am 2.2.2024 abgemeldet"]),
        ("Exclude", ["x", ""]),
        ("Stop", ["", "x"]),
        ("Left", ["x", ""]),
        ("Left on", ["2024-05-06", ""]),
        ("removed_at", ["2024-05-06", ""]),
        ("disabled_at", ["2024-05-06", ""]),
        ("Date left", ["2024-05-06", ""]),
        ("Leave date", ["2024-05-06", ""]),
        ("Austrittsdatum", ["", "06.05.2024"]),
        ("Cancelled at", ["", "2024-05-06"]),
        ("Cancelado el", ["", "2024-05-06"]),
        ("Data di cancellazione", ["", "2024-05-06"]),
        ("Eliminato il", ["", "2024-05-06"]),
        ("Opgezegd op", ["", "2024-05-06"]),
        ("Cancelado em", ["", "2024-05-06"]),
        ("Excluído em", ["", "2024-05-06"]),
        ("gelöscht", ["", "06.05.2024"]),
        ("Kündigungsdatum", ["", "06.05.2024"]),
        ("verwijderd", ["", "2024-05-06"]),
        ("Data cancellazione", ["", "2024-05-06"]),
        ("Cancel date", ["", "2024-05-06"]),
        ("archived_at", ["", "2024-05-06"]),
        ("End date", ["", "2024-05-06"]),
        ("Is pending", ["false", "true"]),
        ("IsOptInPending", ["false", "true"]),
        ("IsExcludedFromCampaigns", ["false", "true"]),
        ("Confermato", ["sì", "no"]),
        ("Zugestimmt", ["ja", "nein"]),
        ("Muted", ["no", "yes"]),
    ],
)
def test_a_field_whose_cells_may_say_who_left_is_pointed_out(client, column, values):
    assert ADVICE in reason(client, people(column, *values))


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("Has email", ["yes", "no"]),
        ("Gmail", ["yes", "no"]),
        ("Mail merge 2023", ["yes", "no"]),
        ("Geschenk erhalten", ["ja", "nein"]),
        ("Inscrit au concours", ["oui", "non"]),
        ("Iscritto al corso", ["sì", "no"]),
        ("Ricevuta inviata", ["sì", "no"]),
        ("Ordered at", ["", "2024-05-06"]),
        ("Bekommt unsere E-Mails", ["monthly", "weekly"]),
        ("confirmed", ["2024-05-06", "0"]),
        ("confirmed_orders", ["3", "0"]),
        ("plan", ["gold", "pending"]),
        ("paid", ["yes", "no"]),
        ("city", ["Bern", "Unna"]),
        ("confirmed", [""]),
        ("Info", ["She said that she never unsubscribed from anything in all of her life"]),  # prose
        ("Info", ["unconfirmedness", "Blocked drain"]),
        ("leftover", ["x", ""]),
        ("bus stop", ["Bern", ""]),
        ("Left hand", ["x", ""]),
        ("last_confirmed_order_at", ["2024-05-06", ""]),
    ],
)
def test_an_ordinary_field_is_not(client, column, values):
    assert reason(client, people(column, *values)) == "Its name is not known, so it is a custom field."


@pytest.mark.parametrize(
    "name", ["listmonk.csv", "ghost.csv", "keila.csv", "email_list.example.csv", "beehiiv.csv"]
)
def test_no_column_is_pointed_out_in_the_file_of_a_program(client, name):
    response = send(client, (PEERS / name).read_bytes(), query={"dry_run": "1"})
    assert [column["name"] for column in response.json["meta"]["columns"] if ADVICE in column["reason"]] == []


@pytest.mark.parametrize(
    "column",
    [
        "confirmed_at",
        "Verified at",
        "double_optin_at",
        "email_verified_at",
        "bestätigt am",
        "DOI-Datum",
        "confirmation_time",
        "activated_at",
    ],
)
@pytest.mark.parametrize("nothing", ["", "NULL", "0000-00-00"])
def test_a_date_that_only_some_have_may_say_who_never_confirmed(client, column, nothing):
    told = reason(client, people(column, "2024-05-06", nothing))
    assert "never confirmed, say so in a column `status`" in told
    assert "never confirmed" not in reason(client, people(column, "2024-05-06", "2024-05-07"))
    assert "never confirmed" not in reason(client, people(column, nothing, ""))
    lines = f'{{"email": "ann@example.com", "{column}": "2024-05-06"}}\n{{"email": "bob@example.com"}}\n'
    assert "never confirmed" in reason(client, lines, LINES)


@pytest.mark.parametrize("column", ["tags", "Labels"])
@pytest.mark.parametrize("tags", ["vip;unsubscribed", '"[""vip"",""Unsubscribed""]"', "Opted out"])
def test_a_tag_that_says_who_left_is_pointed_out(client, column, tags):
    cell = tags.replace(";", ",") if tags[0] == '"' else f'"{tags.replace(";", ",")}"'
    told = reason(client, people(column, cell, "vip"))
    assert "tags take nobody out" in told
    assert import_file(client, people(column, cell, "vip"))["created"] == 2
    assert client.counts() == (2, 2, 0)


def test_other_tags_are_not_and_nor_are_those_of_an_export_of_ours(client, other_client):
    for tags in ("vip", "inactive", "people who unsubscribed", "active"):
        assert "tags take nobody out" not in reason(client, people("tags", tags))
    client.create("ann@example.com", tags=["unsubscribed"])
    exported = send(other_client, client.get("/fetch/export").data)
    assert "tags take nobody out" not in str(exported.json["meta"]["columns"])


def test_a_status_that_became_a_field_tells_the_way_out(client):
    assert "map it to `status`" in reason(client, people("status", "Unsubscribed (May)", "Subscribed (May)"))
