"""The values of a column that says who may be written to: which are told, counted, and suggested."""

import pytest

from tests.api.sent_files import ask, asked, by_column, import_file, left, people

IN, OUT, NOT_YET = "subscribed", "unsubscribed", "unconfirmed"


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
    assert "not a consent column" in question["message"]
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
    assert "more than 500 characters" in question["message"]


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
        ("Status", ["Active", "Inactive", "Cancelled", "Cold"], None),
        ("Anmeldestatus", ["aktiv", "gesperrt", "ausstehend"], None),
        ("status", ["active", "inactive", "bounced"], {IN: ["active"], OUT: ["inactive", "bounced"]}),
        ("Newsletter", ["yes", "no"], {IN: ["yes"], OUT: ["no"]}),
        ("subscribed", ["active", "cancelled"], {IN: ["active"], OUT: ["cancelled"]}),
    ],
)
def test_words_only_suggest(client, header, values, suggestion):
    found = asked(client, people(header, *values))["suggestion"]
    assert found == (suggestion and {"consent_column": header, **suggestion})


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
    assert "not a consent column" in question["message"]
    import_file(client, people("x", *values[1:]), query=query)


def test_numbers_that_are_dates_are_one_value(client):
    numbers = [f"{1_700_000_000 + n}" for n in range(60)]
    query = by_column("gone", unsubscribed="date", subscribed="")
    import_file(client, people("gone", *numbers, ""), query=query)
    assert client.counts() == (61, 1, 60)


def test_of_a_long_text_the_beginning_is_asked_about(client):
    rows = ["a"] * 20_000 + ["late"]
    body = asked(client, people("x", *rows))
    assert sum(each["count"] for each in body["columns"][1]["values"]) < 20_000
    (question,) = asked(client, people("x", *rows), by_column("x", subscribed="a"))["asks"]
    assert question["values"] == [{"value": "late", "count": 1}]


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
