"""What no answer switches off: our own two headers, and rows that say literally that somebody left."""

import json

import pytest

from tests.api.sent_files import CSV, LINES, ask, import_file, left, people, send
from tests.response_assertions import error

IN, OUT, NOT_YET = "subscribed", "unsubscribed", "unconfirmed"


def refused(client, text, query=None, content_type=CSV):
    answer = ask(client, text, content_type, query={"consent": IN} | (query or {}))
    error(answer, 422)
    assert "asks" not in answer.json
    assert client.counts() == (0, 0, 0)
    return answer.json["errors"][0]["message"]


@pytest.mark.parametrize("column", ["2", "unsubscribed_at", "Unsubscribed At"])
@pytest.mark.parametrize("what", ["ignore", "field:x", "created_at", "command", "fields.x"])
def test_map_does_not_switch_off_unsubscribed_at(client, column, what):
    text = people("unsubscribed_at", "2020-01-01", "")
    assert "unsubscribed_at" in refused(client, text, {f"map[{column}]": what})


@pytest.mark.parametrize("word", ["unsubscribe", " Unsubscribe", "subscribe"])
@pytest.mark.parametrize("what", ["ignore", "field:x", "tags"])
def test_map_does_not_switch_off_a_command(client, word, what):
    for column in ("command", "2"):
        assert refused(client, people("Command", "", word), {f"map[{column}]": what}).startswith("Row 3 ")


def test_a_foreign_command_is_left_out_or_kept(client):
    import_file(client, people("command", "Merge"), query={"map[command]": "field:x"})
    assert client.find("p0@example.com")["attributes"]["fields"] == {"x": "Merge"}


@pytest.mark.parametrize("header", ["command", "unsubscribed_at"])
def test_our_own_headers_are_not_ignored_whatever_they_are_mapped_to(client, header):
    message = refused(client, people(header, ""), {"map[command]": "ignore", "ignore_column": header}
                      if header == "command" else {"ignore_column": header})  # fmt: skip
    assert "ignore_column" in message


@pytest.mark.parametrize("word", ["Unsubscribe", " unsubscribe ", "UNSUBSCRIBE"])
def test_a_command_is_read_without_regard_to_case_and_blanks(client, word):
    for answer in (IN, NOT_YET, OUT):
        done = import_file(client, people("command", word, "  "), query={"consent": answer})
        assert done["failed"] == 0
        assert 0 in left(client, 2)


def test_a_command_of_json_is_read_alike(client):
    text = '{"email": "p0@example.com", "command": " Unsubscribe"}\n{"email": "p1@example.com"}\n'
    import_file(client, text, LINES)
    assert left(client, 2) == {0}
    text = '{"email": "p0@example.com", "command": "Subscribe "}\n'
    assert "Row 1 " in ask(client, text, LINES, query={"consent": OUT}).json["errors"][0]["message"]


GHOST = (
    "id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at\n"
)


def ghost(subscribed, deleted, number=0):
    return f"{number},p{number}@example.com,,,{subscribed},false,,2024-01-02T00:00:00.000Z,{deleted}\n"


def test_a_blank_that_a_program_does_not_write_is_asked_about(client):
    known = GHOST + ghost("true", "") + ghost("true", "2024-05-06T00:00:00.000Z", 1) + ghost("false", "", 2)
    text = known + ghost("", "", 3)
    (question,) = ask(client, text).json["asks"]
    assert question["columns"] == ["subscribed_to_emails"]
    assert question["values"] == [{"value": "", "count": 1}]
    assert ask(client, known, query={"dry_run": "1"}).status_code == 200
    import_file(client, text, query={"unsubscribed": "", "from": "ghost"})
    assert left(client, 4) == {1, 2, 3}


@pytest.mark.parametrize("blank", ["list_status", "global_status"])
def test_a_blank_beside_a_word_is_asked_about(client, blank):
    row = {"list_status": "subscribed", "global_status": "subscribed"} | {blank: ""}
    text = (
        "email,first_name,last_name,list_status,global_status,subscription_time\n"
        f"p0@example.com,,,{row['list_status']},{row['global_status']},\n"
    )
    (question,) = ask(client, text).json["asks"]
    assert question["columns"] == [blank]


@pytest.mark.parametrize(
    "cell", ['"[""vip"",""unsubscribed""]"', "vip;Unsubscribed", '"vip;""unsubscribed"""', "unsubscribed"]
)
def test_a_tag_says_so_however_tags_are_written(client, cell):
    text = people("tags", "vip;x", cell)
    assert refused(client, text, {"tag_separator": ";"}).startswith("Row 3 ")


def test_a_tag_of_json_says_so(client):
    text = json.dumps({"email": "p0@example.com", "tags": ["vip", "Unsubscribed"]}) + "\n"
    assert "ignore_column" in refused(client, text, content_type=LINES)


@pytest.mark.parametrize(
    "header",
    [
        "unsubscribedAt",
        "optOutAt",
        "Opted Out Date",
        "OptedOutDate",
        "opt\u200bout at",
        "\u200bopt_out",
    ],
)
@pytest.mark.parametrize("cell", ["2024-05-06", "2024-13-45", "31/31/2024", "5 janvier 2024", "spring 2024"])
def test_a_header_of_unsubscribing_with_a_date_says_so(client, header, cell):
    assert refused(client, people(header, "", cell), {"dates": "dmy"}).startswith("Row 3 ")


@pytest.mark.parametrize("header", ["unsubscribed_at\u200b", "\ufeff unsubscribed_at", "\u200bCommand\u200b"])
def test_our_own_headers_count_in_spite_of_invisible_characters(client, header):
    cell = "unsubscribe" if "Command" in header else "2020-01-01"
    import_file(client, people(header, cell, ""))
    assert left(client, 2) == {0}


@pytest.mark.parametrize(
    "cell",
    ["https://example.org/u/2024", "0000-00-00", "0", "no", "6f1c2024-11ee-4c1e-9b1d-0242ac120002", "NULL"],
)
def test_what_is_no_date_says_nothing(client, cell):
    import_file(client, people("Unsubscribe", cell), query={"consent": IN})
    assert left(client, 1) == set()


@pytest.mark.parametrize(
    "heading",
    ["--- Unsubscribed ---", "Unsubscribed", "*** abgemeldet", "== Unsubscribed (12) ==", "• Unsubscribed:",
     "Unsubscribed - bounced"],
)  # fmt: skip
def test_a_heading_in_whatever_marks_refuses_the_file(client, heading):
    text = f"email,x\np0@example.com,1\n{heading},\np1@example.com,2\n"
    for query in ({}, {"consent": NOT_YET}):
        assert refused(client, text, query).startswith("Row 3 ")


@pytest.mark.parametrize(
    "cell",
    [
        '"subscribed, Unsubscribed"',
        "active;unsubscribed",
        "abgemeldet|angemeldet",
        "['ok', 'unsubscribed']",
        "Unsubscribed (bounced)",
        "Unsubscribed - bounced",
        "bounced \u2013 unsubscribed",
    ],
)
def test_a_list_in_a_cell_says_so(client, cell):
    cell = cell if cell.startswith('"') else f'"{cell}"'
    assert refused(client, people("states", "active;subscribed", cell)).startswith("Row 3 ")


@pytest.mark.parametrize(
    "cell",
    [
        '"Unsubscribed - then came back"',
        '"Press, unsubscribed, phone only"',
        '"We spoke; unsubscribed; she will renew"',
        '"Active, alto"',
    ],
)
def test_a_note_in_which_the_word_stands_between_commas_is_no_list(client, cell):
    assert send(client, people("note", cell)).status_code == 200


@pytest.mark.parametrize("cell", ["(unsubscribed)", "[Unsubscribed]", "*unsubscribed*"])
def test_marks_around_the_word_do_not_hide_it(client, cell):
    assert refused(client, people("note", cell)).startswith("Row 2 ")


def test_the_headers_of_our_own_export_do_not_switch_the_guards_off(client, other_client):
    client.create("p0@example.com")
    text = client.get("/fetch/export").text.splitlines()
    wider = f"{text[0]},opt_out\n{text[1]},yes\n"
    assert send(other_client, wider).status_code == 422
    assert other_client.counts() == (0, 0, 0)
    assert send(other_client, "\n".join(text) + "\n").status_code == 200


NESTED = [
    {"status": {"email": "unsubscribed"}}, {"lists": [{"name": "News", "state": ["ok", "Unsubscribed"]}]},
    {"prefs": {"unsubscribed": True}}, {"prefs": [{"optOutDate": "2024-05-06"}]}, {"opt_out": [None, "yes"]},
]  # fmt: skip


@pytest.mark.parametrize("value", NESTED)
def test_a_value_within_another_says_so(client, value):
    row = {"email": "p0@example.com"}
    text = json.dumps(row | {"prefs": {"unsubscribed": False}}) + "\n" + json.dumps(row | value) + "\n"
    assert refused(client, text, content_type=LINES).startswith("Row 2 ")
    [(name, cell)] = value.items()
    quoted = json.dumps(cell).replace('"', '""')
    assert refused(client, f'email,{name}\np0@example.com,"{quoted}"\n').startswith("Row 2 ")
    import_file(client, text, LINES, query={"consent": IN, "ignore_column": name})
    assert left(client, 1) == set()


BESIDE = [
    ("Opted Out", "yes"), ("Data cancellazione", "06/05/2024"), ("Abmeldedatum", "6.5.2024"),
    ("note", "Unsubscribed"), ("optOut", "1"), ("Fecha de la baja", "2024-05-06"),
    ("Désinscrite le", "6 mai 2024"), ("unsub", "true"), ("Unsubscribed", "x"), ("Abgemeldet", " X"),
    ("Unsubscribed", "✓"), ("opted_out", "Checked"), ("Baja", "on"),
]  # fmt: skip


@pytest.mark.parametrize(("header", "cell"), BESIDE)
def test_another_column_says_so_beside_a_column_or_a_program_that_answers(client, header, cell):
    asked = {"consent_column": "state", "subscribed": "in", "unsubscribed": "out"}
    text = f"email,state,{header}\np0@example.com,in,\np1@example.com,out,{cell}\np2@example.com,in,"
    assert refused(client, f"{text}{cell}\n", asked | {"consent": []}).startswith("Row 4 is subscribed by")
    import_file(client, f"{text}\n", query=asked)
    assert left(client, 3) == {1}
    keila = f"Email,First name,Last name,Data,Status,{header}\np0@example.com,,,,active,{cell}\n"
    message = ask(client, keila, query={"from": "keila"}).json["errors"][0]["message"]
    assert message.startswith("Row 2 is subscribed by")
    import_file(client, keila, query={"from": "keila", "ignore_column": "6"})
    assert left(client, 3) == {1}


@pytest.mark.parametrize(("header", "cell"), BESIDE)
def test_a_header_of_unsubscribing_says_so_in_any_language(client, header, cell):
    assert refused(client, people(header, "", cell)).startswith("Row 3 ")


@pytest.mark.parametrize("header", ["BLACKLISTED", "email_blacklisted", "Blocklisted"])
def test_a_column_of_who_is_blacklisted_says_so_by_yes(client, header):
    assert refused(client, people(header, "No", "Yes")).startswith("Row 3 ")
    import_file(client, people(header, "No", "No"), query={"consent": IN})
    assert left(client, 2) == set()


def test_what_contradicts_is_told_with_the_values_of_its_column(client):
    text = people("Etat", "abonné", "désabonné", "abonné", "")
    answer = ask(client, text, query={"consent": IN})
    assert answer.json["columns"] == [
        {"place": 2, "name": "Etat", "values": [{"value": "abonné", "count": 2},
         {"value": "désabonné", "count": 1}, {"value": "", "count": 1}]},
    ]  # fmt: skip
    many = people("note", *(f"{number}" for number in range(60)), "unsubscribed")
    assert ask(client, many, query={"consent": IN}).json["columns"][0]["many"]


def test_what_contradicts_is_told_with_all_else_that_is_open(client):
    text = "email,Statut,created_at\np0@example.com,Unsubscribed,01/02/2023\np1@example.com,été,\n"
    answer = ask(client, text.encode("latin-1"), query={"consent": IN})
    first, *others = error(answer, 422)
    assert "Row 2 " in first[1]
    assert [each["about"] for each in answer.json["asks"]] == ["encoding", "dates"]
    assert [each["message"] for each in answer.json["asks"]] == [message for _, message in others]
