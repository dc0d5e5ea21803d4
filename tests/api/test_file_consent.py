"""Who in a file may be written to: asked once, over HTTP; a file only takes people out (docs/files.md)."""

import json
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audience import audit_log, clock, file_searches, file_uploads, imports, keys
from schemas.file_records import kept_records
from storage import database
from tests.api.sent_files import CSV, LINES, ask, import_file, people, send
from tests.client import ApiClient, open_client
from tests.depth import examples
from tests.response_assertions import error, error_fields
from workers.child_process import ChildProcess

IN, OUT, NOT_YET = "subscribed", "unsubscribed", "unconfirmed"


def status(client, email):
    return client.find(email)["attributes"]["unsubscribed_at"]


def is_in(client, email):
    return status(client, email) is None


def command(client, name, email):
    client.post("/fetch/commands", {"command": {"command": name, "email": email}})


def left(client, count):
    return {n for n in range(count) if not is_in(client, f"p{n}@example.com")}


def asked(client, text, query=None, content_type=CSV):
    """The answer that asks; nothing of the file is left."""
    for more in ({}, {"dry_run": "1"}):
        response = ask(client, text, content_type, query=dict(query or {}) | more)
        error(response, 422)
        assert client.get("/batch/imports").json == {"data": []}
    return response.json


def by_column(column, **told):
    return {"consent_column": column, **told}


def test_a_file_without_an_answer_is_asked_about(client):
    body = asked(client, people("status", "active", "gone", "active", ""))
    (question,) = body["asks"]
    assert question["about"] == "consent"
    assert question["options"] == [
        "consent=subscribed", "consent=unsubscribed", "consent=unconfirmed", "consent_column=HEADER",
    ]  # fmt: skip
    assert question["message"] in body["errors"][0]["message"]
    assert body["columns"][1] == {
        "place": 2, "name": "status",
        "values": [{"value": "active", "count": 2}, {"value": "gone", "count": 1},
                   {"value": "", "count": 1}],
    }  # fmt: skip
    assert "values" not in body["columns"][0] or not body["columns"][0]["values"]
    assert body["suggestion"] == {"consent_column": "status", IN: ["active"]}


@pytest.mark.parametrize(
    ("answer", "known_in", "new_in"), [(IN, True, True), (OUT, False, False), (NOT_YET, True, False)]
)
def test_an_answer_for_everyone(client, answer, known_in, new_in):
    client.create("p0@example.com")
    client.create("p1@example.com")
    command(client, "unsubscribe", "p1@example.com")
    import_file(client, people("plan", "a", "b", "c"), query={"consent": answer})
    assert [is_in(client, f"p{n}@example.com") for n in range(3)] == [known_in, False, new_in]


@pytest.mark.parametrize(
    ("column", "values", "told", "out"),
    [
        ("status", ["active", "Cancelled", " ACTIVE "], {IN: ["Active"], OUT: ["cancelled"]}, {1}),
        ("Letter", ["C", "U", "S", ""], {IN: ["c"], OUT: ["U"], NOT_YET: ["s", ""]}, {1, 2, 3}),
        ("x", ["１", "0"], {IN: ["1"], OUT: ["0"]}, {1}),
        ("zgoda", ["tak", "nie"], {IN: ["tak"], OUT: ["nie"]}, {1}),
        ("☑", ["☑", "☐", "✗"], {IN: ["☑"], OUT: ["☐", "✗"]}, {1, 2}),
        ("left on", ["", "2024-05-06", "NULL"], {IN: [""], OUT: ["date"]}, {1}),
        ("agreed", ["", "2024-05-06 10:11", "05/06/2024"], {IN: ["date"], NOT_YET: [""]}, {0}),
        ("tags", ["vip", "x"], {IN: ["vip"], OUT: ["x"]}, {1}),
        ("", ["a", "b"], {IN: ["a"], OUT: ["b"]}, {1}),
    ],
)  # fmt: skip
def test_a_column_says_it_by_its_values(client, column, values, told, out):
    import_file(client, people(column, *values), query=by_column("2", **told))
    assert left(client, len(values)) == out


def test_a_date_of_unsubscribing_is_its_instant_and_counts_as_such(client):
    client.create("p0@example.com")
    text = people("gone", "2020-01-01", "2020-01-01")
    import_file(client, text, query=by_column("gone", unsubscribed="date", subscribed=""))
    assert not is_in(client, "p0@example.com")
    assert status(client, "p1@example.com") == "2020-01-01T00:00:00.000Z"


def test_each_value_must_be_told(client):
    text = people("status", *["ok"] * 1_500, "maybe", "", "no")
    body = asked(client, text, by_column("status", subscribed="ok", unsubscribed="no"))
    (question,) = body["asks"]
    assert question["columns"] == ["status"]
    assert question["values"] == [{"value": "maybe", "count": 1}, {"value": "", "count": 1}]
    assert "maybe" not in body["errors"][0]["message"]
    told = by_column("status", subscribed="ok", unsubscribed=["no", "maybe"], unconfirmed="")
    assert import_file(client, text, query=told)["created"] == 1_503
    assert client.counts() == (1_503, 1_500, 3)


def test_a_column_of_more_than_fifty_values_is_no_consent_column(client):
    text = people("why", *(f"reason {n}" for n in range(60)))
    (question,) = asked(client, text, by_column("why", subscribed="reason 1"))["asks"]
    assert "no consent column" in question["message"]
    assert question["values"] == []
    assert asked(client, text)["columns"][1] == {"place": 2, "name": "why", "many": True}


def test_a_long_value_is_sent_back_whole(client):
    long = [f"I agree to get the newsletter, and have read the privacy policy: {mark * 400}" for mark in "ab"]
    text = f"email,consent\nx@example.com,{long[0]}\ny@example.com,{long[1]}\n"
    text = text.replace(f",{long[0]}", f',"{long[0]}"').replace(f",{long[1]}", f',"{long[1]}"')
    values = [each["value"] for each in ask(client, text).json["columns"][1]["values"]]
    assert values == long
    query = {"consent_column": "consent", "subscribed": values[0], "unsubscribed": values[1]}
    import_file(client, text, query=query)
    assert client.counts() == (2, 1, 1)
    longer = f'email,consent\nz@example.com,"{long[0] * 2}"\n'
    assert ask(client, longer).json["columns"][1]["many"]
    [question] = ask(client, longer, query={"consent_column": "consent"}).json["asks"]
    assert "over 500 characters" in question["message"]


def test_at_most_a_thousand_values_are_counted(client):
    header = ",".join(f"c{n}" for n in range(40))
    rows = "".join(f"p{r}@example.com," + ",".join(f"v{r}-{n}" for n in range(40)) + "\n" for r in range(50))
    body = asked(client, f"email,{header}\n{rows}")
    assert sum(len(each.get("values", ())) for each in body["columns"]) <= 1_000
    assert any(each.get("many") for each in body["columns"])


@pytest.mark.parametrize(
    ("header", "values", "suggestion"),
    [
        ("Opt-in", ["yes", "no", "perhaps"], {IN: ["yes"], OUT: ["no"]}),
        ("opt_out", ["ja", "nein"], {IN: ["nein"], OUT: ["ja"]}),
        ("Abgemeldet am", ["2024-05-06", ""], {IN: [""], OUT: ["date"]}),
        ("Bemerkung", ["abgemeldet", "x"], {OUT: ["abgemeldet"]}),
        ("status", ["confirmed", "pending"], {IN: ["confirmed"], NOT_YET: ["pending"]}),
        ("plan", ["yes", "active", "inactive"], None),
        ("stop", ["Main Street"], None),
        ("status", ["gold", "silver"], None),
    ],
)
def test_words_only_suggest(client, header, values, suggestion):
    found = asked(client, people(header, *values))["suggestion"]
    assert found == (suggestion and {"consent_column": header, **suggestion})


@pytest.mark.parametrize("column", ["state", "active", "status", "bounced", "inactive", "cancelled", "left"])
@pytest.mark.parametrize("value", ["disabled", "yes", "no", "cancelled", "bounced", "ON"])
def test_who_has_agreed_comes_in_and_the_column_is_a_field(client, column, value):
    client.create("p1@example.com")
    response = send(client, people(column, value, value))
    assert response.status_code == 200
    import_file(client, people(column, value, value))
    assert left(client, 2) == set()
    assert column in client.find("p0@example.com")["attributes"]["fields"]
    assert response.json["meta"]["advice"] is None


GUARDED = [
    ("note", ["hello", "Unsubscribed"]),
    ("anything", ["x"] * 1_200 + ["désabonné"]),
    ("tags", ['"vip, unsubscribed"']),
    ("unsubscribed", ["no", "yes"]),
    ("Unsubscribe Date", ["", "2024-05-06"]),
    ("opt_out", ["0", "1"]),
    ("Abgemeldet", ["nein", "06.05.2024"]),
]


@pytest.mark.parametrize(("header", "values"), GUARDED)
def test_a_file_of_whom_all_agreed_must_not_say_otherwise(client, header, values):
    body = asked(client, people(header, *values), {"consent": IN})
    message = body["errors"][0]["message"]
    assert f"Row {len(values) + 1} " in message
    assert "ignore_column" in message
    assert body["columns"] == [header]
    import_file(client, people(header, *values), query={"consent": IN, "ignore_column": header})
    assert client.counts() == (len(values), len(values), 0)


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("unsubscribed", ["no", "0", ""]), ("Unsubscribe", ["https://example.org/u/1"]),
        ("note", ["never unsubscribed"]), ("bounced", ["yes"]), ("do_not_email", ["no"]),
    ],
)  # fmt: skip
def test_what_does_not_say_so_literally_is_no_contradiction(client, header, values):
    import_file(client, people(header, *values))
    assert client.counts() == (len(values), len(values), 0)


def test_our_own_headers_take_people_out_whatever_is_answered(client):
    rows = "a@example.com,2020-01-01,\nb@example.com,,unsubscribe\nc@example.com,,\n"
    text = f"email,unsubscribed_at,command\n{rows}"
    for answer in (IN, NOT_YET, OUT):
        import_file(client, text, query={"consent": answer})
        assert not is_in(client, "a@example.com")
        assert not is_in(client, "b@example.com")
    for column in ("unsubscribed_at", "command", "2"):
        error(ask(client, text, query={"consent": IN, "ignore_column": column}), 422)


@pytest.mark.parametrize("answer", [OUT, NOT_YET])
def test_a_command_to_subscribe_contradicts_nobody(client, answer):
    text = "email,command\nann@example.com,\nbob@example.com,subscribe\n"
    body = asked(client, text, {"consent": answer})
    assert body["errors"][0]["message"].startswith("Row 3 ")
    assert "asks" not in body


def test_the_command_of_a_row_wins_over_its_value(client):
    client.create("p0@example.com")
    command(client, "unsubscribe", "p0@example.com")
    text = "email,ok,command\np0@example.com,no,subscribe\np1@example.com,yes,unsubscribe\n"
    import_file(client, text, query=by_column("ok", subscribed="yes", unsubscribed="no"))
    assert left(client, 2) == {1}


@pytest.mark.parametrize("meaning", ["status", "subscribed", "unsubscribed", "consent"])
def test_a_meaning_of_consent_is_asked_for_otherwise(client, meaning):
    body = asked(client, people("x", "yes"), {"consent": IN, "map[x]": meaning})
    assert "consent_column=" in body["errors"][0]["message"]


@pytest.mark.parametrize(
    "query",
    [
        {"consent": "yes"}, {"consent": IN, "consent_column": "x"}, {"consent": IN, "subscribed": "a"},
        {"subscribed": "a"}, {"consent_column": "y"}, {"consent_column": "3"},
        {"consent_column": "x", "subscribed": "a", "unsubscribed": "A "},
        {"consent": IN, "ignore_column": "y"},
    ],
)  # fmt: skip
def test_an_answer_that_fits_no_file_is_refused(client, query):
    body = asked(client, people("x", "a"), query)
    assert "asks" not in body
    assert all(each["message"].endswith(".") for each in body["errors"])


def test_all_questions_are_asked_together_and_the_line_of_answers_is_enough(client):
    text = "email,created_at,Command,ok\nann@example.com,01/02/2023,Merge,y\nbob@example.com,,,n\n"
    body = asked(client, text)
    assert [each["about"] for each in body["asks"]] == ["consent", "dates", "command"]
    query = by_column("ok", subscribed="y", unsubscribed="n") | {"dates": "dmy", "map[3]": "ignore"}
    line = send(client, text, query=query | {"dry_run": "1"}).json["meta"]["answers"]
    import_file(client, text, query={"answers": line})
    assert client.find("ann@example.com")["attributes"]["created_at"][:10] == "2023-02-01"
    assert client.counts() == (2, 1, 1)
    again = send(client, text, query={"answers": line, "dry_run": "1"}).json["meta"]["answers"]
    assert again == line


def test_what_a_line_of_answers_does_not_know_is_asked_about(client):
    text = people("ok", "y", "n")
    query = by_column("ok", subscribed="y", unsubscribed="n")
    line = send(client, text, query=query | {"dry_run": "1"}).json["meta"]["answers"]
    (question,) = asked(client, people("ok", "y", "later"), {"answers": line})["asks"]
    assert (question["about"], question["values"]) == ("consent", [{"value": "later", "count": 1}])
    wider = "email,ok,gone\np0@example.com,y,yes\n"
    (question,) = asked(client, wider, {"answers": line})["asks"]
    assert (question["about"], question["columns"]) == ("columns", ["gone"])
    error(ask(client, "email,okay\np0@example.com,y\n", query={"answers": line}), 422)
    error(ask(client, text, query={"answers": "nonsense=1"}), 422)
    import_file(client, people("ok", "y", "later"), query={"answers": line, "unconfirmed": "later"})
    import_file(client, wider, query={"answers": line, "seen": "gone"})
    error(ask(client, wider, query={"answers": line, "seen": "gone", "consent": OUT}), 422)
    assert client.counts() == (2, 1, 1)


def test_json_is_asked_and_answered_alike(client):
    text = (
        '{"email": "p0@example.com", "ok": true, "data": {"in": 1}}\n'
        '{"email": "p1@example.com", "ok": false, "data": {"in": 0}}\n{"email": "p2@example.com"}\n'
    )
    body = asked(client, text, content_type=LINES)
    assert [each["value"] for each in body["columns"][1]["values"]] == ["true", "false", ""]
    query = by_column("ok", subscribed="true", unsubscribed="false", unconfirmed="")
    import_file(client, text, LINES, query=query)
    assert left(client, 3) == {1, 2}
    other = open_client(client.http)
    query = by_column("data", subscribed=['{"in":1}', ""], unsubscribed='{"in":0}')
    import_file(other, text, LINES, query=query)
    assert left(other, 3) == {1}
    person = other.find("p0@example.com")
    assert person
    assert person["attributes"]["fields"] == {"ok": True}


def test_of_a_long_text_the_beginning_is_asked_about(client):
    rows = ["a"] * 20_000 + ["late"]
    body = asked(client, people("x", *rows))
    assert sum(each["count"] for each in body["columns"][1]["values"]) < 20_000
    (question,) = asked(client, people("x", *rows), by_column("x", subscribed="a"))["asks"]
    assert question["values"] == [{"value": "late", "count": 1}]


def test_our_own_export_answers_by_itself(client, other_client):
    fields = {"status": "unsubscribed", "subscribed": "no", "leid": "7", "name": "x", "foo": "opted out"}
    client.create("ann@example.com", fields=fields)
    client.create("bob@example.com")
    command(client, "unsubscribe", "bob@example.com")
    response = ask(other_client, client.get("/fetch/export").data)
    assert response.status_code == 200
    import_file(other_client, client.get("/fetch/export").data)
    assert [is_in(other_client, f"{name}@example.com") for name in ("ann", "bob")] == [True, False]
    assert other_client.find("ann@example.com")["attributes"]["fields"] == fields


@pytest.mark.parametrize("value", ["yes", "subscribed"])
def test_an_answer_brings_nobody_back(client, value):
    for name in ("p0", "p1"):
        client.create(f"{name}@example.com")
    command(client, "unsubscribe", "p0@example.com")
    client.delete("/fetch/subscribers", query={"email": "p1@example.com"})
    text = people("x", value, value, value)
    import_file(client, text)
    outcome = import_file(client, text, query=by_column("x", subscribed=value))
    assert not is_in(client, "p0@example.com")
    assert client.find("p1@example.com") is None
    assert is_in(client, "p2@example.com")
    assert outcome["suppressed"] == 1


def test_only_a_command_brings_back(client):
    client.create("ann@example.com")
    command(client, "unsubscribe", "ann@example.com")
    import_file(client, "email,command\nann@example.com,subscribe\n")
    assert is_in(client, "ann@example.com")


def test_a_file_that_breaks_off_before_its_consent_is_refused(client):
    query = by_column("ok", subscribed="y", unsubscribed="n")
    body = asked(client, "email,plan,ok\np0@example.com,a,y\np1@example.com,b", query)
    assert "breaks off" in body["errors"][0]["message"]
    asked(client, "email,plan,unsubscribed_at\np0@example.com,a", {"consent": IN})
    import_file(client, "email,plan,ok\np0@example.com,a,y\np1@example.com,b,n", query=query)
    import_file(client, "email,plan,ok\np0@example.com,a")
    assert left(client, 2) == {1}


def test_a_heading_within_a_sheet_is_no_row(client):
    asked(client, "email,x\np0@example.com,1\nUnsubscribed,\np1@example.com,2\n", {"consent": IN})


EMAILS = [f"p{n}@example.com" for n in range(6)]
CELLS = st.sampled_from(["", " ", "yes", "no", "NO", "later"])
DATES = st.sampled_from(["", "2020-01-01", "2999-01-01"])
COMMANDS = st.sampled_from(["", "", "", "unsubscribe", "subscribe"])
ROWS = st.lists(st.tuples(st.sampled_from(EMAILS), CELLS, DATES, COMMANDS), max_size=12)
TOLD = by_column("ok", subscribed=["yes", ""], unsubscribed=["no"], unconfirmed=["later"])
SAID = st.sampled_from([TOLD, {"consent": IN}, {"consent": OUT}, {"consent": NOT_YET}])


def test_no_file_brings_back_who_left(app):
    """Random files on people who are in, left or erased: only the command `subscribe` brings back."""
    http = app.test_client()

    @settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(ROWS, SAID)
    def check(rows, said):
        client = open_client(http)
        for email in EMAILS[:4]:
            client.create(email)
        command(client, "unsubscribe", EMAILS[1])
        command(client, "unsubscribe", EMAILS[2])
        client.delete("/fetch/subscribers", query={"email": EMAILS[3]})
        header = ["email", "ok", "unsubscribed_at", "command"]
        text = "".join(",".join(row) + "\n" for row in [header, *rows])
        may_subscribe = said in (TOLD, {"consent": IN})
        if not may_subscribe and any(row[-1] == "subscribe" for row in rows):
            error(send(client, text, query=said), 422)
            return
        import_file(client, text, query=said)
        for email in EMAILS[1:4]:
            found = client.find(email)
            back = any(row[0] == email and row[-1] == "subscribe" for row in rows)
            assert back or found is None or found["attributes"]["unsubscribed_at"] is not None
        for email, cell, _, asked_for in rows:
            says_left = said == {"consent": OUT} or (said == TOLD and cell.lower() == "no")
            later = [row for row in rows if row[0] == email and row[-1] == "subscribe"]
            if (says_left or asked_for == "unsubscribe") and not later:
                found = client.find(email)
                assert found is None or found["attributes"]["unsubscribed_at"] is not None

    check()


@pytest.mark.parametrize(
    "words", [("unsubscribe",), ("subscribe", "unsubscribe"), ("unsubscribe", "subscribe", "unsubscribe")]
)
def test_the_last_word_of_a_long_file_counts(client, words):
    """Each word is written in a transaction of its own: several thousand rows lie between them."""
    others = [f"p{n}@example.com," for n in range(2_000)]
    rows = [row for word in words for row in (f"ann@example.com,{word}", *others)]
    assert import_file(client, "\n".join(["email,command", *rows]) + "\n")["failed"] == 0
    assert not is_in(client, "ann@example.com")
    assert client.counts() == (2_001, 2_000, 1)


def test_a_file_without_people_is_not_asked_about(client):
    response = ask(client, "email,plan\n", query={"dry_run": "1"})
    assert response.json["meta"]["advice"] == "The file has no people."


def kept(client, text, query=None):
    """The id under which a file is kept that was asked about."""
    response = ask(client, text, query=query)
    error(response, 422)
    return response.json["upload"]


def go_on(client, upload, **query):
    return client.call("POST", "/batch/imports", query={"upload": upload, **query})


def test_a_file_is_kept_until_its_questions_are_answered(client):
    upload = kept(client, people("x", "a", "b"))
    response = go_on(client, upload, consent_column="x", subscribed="a")
    error(response, 422)
    assert response.json["upload"] == upload
    told = {"consent_column": "x", "subscribed": "a", "unsubscribed": "b"}
    assert go_on(client, upload, dry_run="1", **told).json["dry_run"]["created"] == 2
    assert go_on(client, upload, **told).status_code == 200
    imports.drain(client.site.id, 30)
    assert left(client, 2) == {1}
    error(go_on(client, upload, **told), 404)


def test_of_a_file_of_which_only_the_beginning_was_read_nothing_is_kept(client):
    response = ask(client, people("x", *["a"] * 20_000))
    assert "upload" not in response.json
    assert kept(client, people("x", *["a"] * 20_000, "b"), query={"consent_column": "x", "subscribed": "a"})


def test_a_kept_file_is_only_for_who_sent_it_and_for_an_hour(client, other_client, monkeypatch, settings):
    upload = kept(client, people("x", "a"))
    error(go_on(other_client, upload, consent=IN), 404)
    other_key = ApiClient(client.http, client.site, keys.create([client.site], name="Other"))
    error(go_on(other_key, upload, consent=IN), 404)
    later = clock.now_ms() + file_uploads.ASKED_MS + 1
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    error(go_on(client, upload, consent=IN), 404)
    file_uploads.sweep(settings.instance)
    assert list((settings.instance / file_uploads.FOLDER).glob("*")) == []
    with database.session():
        assert database.row("SELECT count(*) FROM file_pieces") == (0,)
    assert file_uploads.waiting(client.site) == []


def test_the_answer_is_kept_with_the_import_and_in_the_audit_log(client):
    import_file(client, people("x", "a"))
    file = file_uploads.files(client.site, [1])[1]
    assert file.consent == "everyone has agreed"
    assert file.answers == "consent=subscribed&seen=email&seen=x"
    [entry] = [each for each in audit_log.page(client.site) if each.act == "file imported"]
    assert json.loads(entry.typed) == {"consent": "everyone has agreed"}
    assert entry.actor == file.actor


def test_an_erasure_reaches_a_file_that_waits_for_its_answers(client, settings):
    client.create("p0@example.com")
    upload = kept(client, people("x", "a", "b"))
    client.delete("/fetch/subscribers", query={"email": "p0@example.com"})
    file_searches.work(settings.instance, partial(kept_records, ChildProcess()))
    dry = go_on(client, upload, consent=IN, dry_run="1").json["dry_run"]
    assert [row["email"] for row in dry["rows"]] == ["p1@example.com"]


@pytest.mark.parametrize(
    "row", [",cold", "ann,cold", "@example.com,cold", "ann@,cold", "a@example.com b@example.com,cold",
            "ann@example.com,cold,more", "a\0nn@example.com,cold"],
)  # fmt: skip
def test_a_value_that_only_refused_rows_have_is_not_asked_about(client, row):
    text = people("status", "ok", "no") + row + "\n"
    assert {each["value"] for each in asked(client, text)["columns"][1]["values"]} == {"ok", "no"}
    progress = import_file(client, text, query=by_column("status", subscribed="ok", unsubscribed="no"))
    assert (progress["created"], progress["failed"]) == (2, 1)


@pytest.mark.parametrize("extra", [{}, {"ignore_column": "x"}])
def test_a_column_of_too_many_values_is_none_though_all_are_told(client, extra):
    values = [f"v{n}" for n in range(51)]
    query = by_column("x", subscribed=values, **extra)
    (question,) = asked(client, people("x", *values), query)["asks"]
    assert "no consent column" in question["message"]
    import_file(client, people("x", *values[1:]), query=query)


def test_numbers_that_are_dates_are_one_value(client):
    numbers = [f"{1_700_000_000 + n}" for n in range(60)]
    query = by_column("gone", unsubscribed="date", subscribed="")
    import_file(client, people("gone", *numbers, ""), query=query)
    assert client.counts() == (61, 1, 60)


def test_seen_without_answers_is_refused(client):
    for query in ({"consent": IN}, {}, {"answers": ""}):
        body = ask(client, people("x", "a"), query=query | {"seen": "ok"})
        assert error_fields(body) == ["seen"]
