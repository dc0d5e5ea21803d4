"""Who unsubscribed or was erased comes back by `command` alone, whatever is answered of a file."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.sent_files import ask, asked, by_column, command, import_file, is_in, left, people, send
from tests.client import open_client
from tests.depth import examples
from tests.response_assertions import error

IN, OUT, NOT_YET = "subscribed", "unsubscribed", "unconfirmed"


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


def test_the_command_of_a_row_wins_over_its_value(client):
    client.create("p0@example.com")
    command(client, "unsubscribe", "p0@example.com")
    text = "email,ok,command\np0@example.com,no,subscribe\np1@example.com,yes,unsubscribe\n"
    import_file(client, text, query=by_column("ok", subscribed="yes", unsubscribed="no"))
    assert left(client, 2) == {1}


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
