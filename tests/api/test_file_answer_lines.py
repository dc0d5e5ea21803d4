"""The line of answers for the next file of its kind: by header, and never a guess (docs/files.md)."""

from urllib.parse import parse_qsl

import pytest

from tests.api.sent_files import ask, asked, by_column, import_file, people, send
from tests.api.test_file_tables import TITLED
from tests.response_assertions import error, error_fields

IN, OUT = "subscribed", "unsubscribed"


def line_of(client, text, query):
    return send(client, text, query=query | {"dry_run": "1"}).json["meta"]["answers"]


def test_a_place_becomes_its_header_in_the_line(client):
    text = "Mail list,ok,note,plan\np0@example.com,y,,a\np1@example.com,n,unsubscribed,b\n"
    query = {"map[1]": "email", "map[4]": "field:tier", "consent_column": "2", "subscribed": "y",
             "unsubscribed": "n", "ignore_column": "3"}  # fmt: skip
    line = line_of(client, text, query)
    told = dict(parse_qsl(line))
    assert told["map[Mail list]"] == "email"
    assert told["map[plan]"] == "field:tier"
    assert (told["consent_column"], told["ignore_column"]) == ("ok", "note")
    moved = "ok,plan,Mail list,note\ny,a,p0@example.com,\nn,b,p1@example.com,\n"
    import_file(client, moved, query={"answers": line})
    assert client.find("p1@example.com")["attributes"]["unsubscribed_at"]
    assert client.find("p0@example.com")["attributes"]["fields"] == {"tier": "a"}


@pytest.mark.parametrize("header", [",x", "ok,ok"])
def test_a_header_that_is_no_name_of_one_column_keeps_its_place(client, header):
    text = f"email,{header}\np0@example.com,y,\n"
    query = {"consent_column": "2", "subscribed": "y", "map[3]": "ignore"}
    assert dict(parse_qsl(line_of(client, text, query)))["consent_column"] == "2"


def test_no_row_above_a_header_row_is_lost(client):
    line = line_of(client, TITLED, {"header_row": "3", "consent": IN})
    import_file(client, TITLED, query={"answers": line})
    text = "email;plan\nbob@example.com;a\nemail;plan\ncy@example.com;b\n"
    body = ask(client, text, query={"answers": line}).json
    assert body["errors"][0]["message"].startswith("Row 2 has an address")
    error(ask(client, text.replace("bob@example.com", "Bob <bob@example.com>"), query={"answers": line}), 422)
    titled = "Ask info@example.com;\n;\nemail;plan\nann@example.com;pro\n"
    import_file(client, titled, query={"answers": line})
    assert client.counts() == (1, 1, 0)


def wide(*more):
    names = [f"c{n}" for n in range(250)] + [*more]
    return f"email,{','.join(names)}\np0@example.com,{','.join('x' for _ in names)}\n"


def test_other_headers_than_very_many_are_asked_about(client):
    line = line_of(client, wide(), {"consent": IN})
    assert len(line) < 200
    assert ask(client, wide(), query={"answers": line, "dry_run": "1"}).status_code == 200
    body = ask(client, wide("gone"), query={"answers": line}).json
    (question,) = body["asks"]
    assert question["about"] == "columns"
    (option,) = question["options"]
    name, _, value = option.partition("=")
    import_file(client, wide("gone"), query={"answers": line, name: value})
    error(ask(client, wide("others"), query={"answers": line, name: value}), 422)


def test_a_line_that_names_no_headers_knows_none(client):
    (question,) = ask(client, people("gone", "a"), query={"answers": "consent=subscribed"}).json["asks"]
    assert (question["about"], question["columns"]) == ("columns", ["email", "gone"])


TWICE = "consent=subscribed&consent=unsubscribed&seen=email&seen=x&seen=y"


@pytest.mark.parametrize(
    "query",
    [
        {"consent": [IN, OUT]}, {"consent": [OUT, IN]}, {"consent": IN, "dates": ["dmy", "mdy"]},
        {"consent_column": ["x", "y"], "subscribed": ["a", "b"]}, {"consent": IN, "header": ["1", "0"]},
        {"consent": IN, "header_row": ["1", "2"]}, {"answers": TWICE},
        {"consent": IN, "map[x]": ["ignore", "field:z"]},
    ],
)  # fmt: skip
def test_a_parameter_that_is_repeated_must_not_contradict_itself(client, query):
    body = ask(client, "email,x,y\np0@example.com,a,b\n", query=query)
    error(body, 422)
    assert all(
        each["message"].startswith(("This parameter is in the request several times", "Send in answers"))
        for each in body.json["errors"]
    )
    assert client.counts() == (0, 0, 0)


def test_a_parameter_may_be_sent_twice_alike(client):
    import_file(client, people("x", "a"), query={"consent": [IN, IN]})
    assert client.counts() == (1, 1, 0)


@pytest.mark.parametrize("query", [{"consent": OUT}, {"consent": IN}, {"consent_column": "email"}])
def test_a_line_that_says_who_is_not_answered_over(client, query):
    text = people("ok", "y", "n")
    for said in ({"consent_column": "ok", IN: "y", OUT: "n"}, {"consent": "unconfirmed"}):
        line = line_of(client, text, said)
        answer = ask(client, text, query={"answers": line} | query)
        error(answer, 422)
        assert "`answers`" in answer.json["errors"][0]["message"]
    assert client.counts() == (0, 0, 0)


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


def test_seen_without_answers_is_refused(client):
    for query in ({"consent": IN}, {}, {"answers": ""}):
        body = ask(client, people("x", "a"), query=query | {"seen": "ok"})
        assert error_fields(body) == ["seen"]
