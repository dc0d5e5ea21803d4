"""A column `command` with words of another program: asked about, and read as a column that says who."""

import pytest

from tests.api.sent_files import ask, asked, by_column, import_file, left, people

IN, OUT, NOT_YET = "subscribed", "unsubscribed", "unconfirmed"
MIXED = ("UNSUBSCRIBE", "unsub", "remove", "")


def known(client, count):
    for number in range(count):
        client.create(f"p{number}@example.com")


@pytest.mark.parametrize("more", [{}, {"map[command]": "command"}])
def test_every_value_that_is_told_decides(client, more):
    known(client, 4)
    told = by_column("COMMAND", unsubscribed=["unsubscribe", "unsub", "remove"], subscribed="")
    done = import_file(client, people("COMMAND", *MIXED), query=told | more)
    assert (done["failed"], left(client, 4)) == (0, {0, 1, 2})


@pytest.mark.parametrize("told", [{OUT: "unsub"}, {OUT: "unsub", IN: ["", "unsubscribe"]}])
def test_our_own_word_takes_out_whether_or_not_it_is_told(client, told):
    known(client, 3)
    told = {IN: ""} | told
    import_file(client, people("command", "Unsubscribe", "unsub", ""), query=by_column("command", **told))
    assert left(client, 3) == {0, 1}


@pytest.mark.parametrize(("state", "out"), [(IN, set()), (OUT, {0, 1}), (NOT_YET, {0, 1})])
def test_subscribe_brings_back_only_where_it_was_told_to_mean_so(client, state, out):
    known(client, 2)
    import_file(client, people("plan", "a", "b"), query={"consent": OUT})
    told = {state: ["subscribe", "join"]}
    import_file(client, people("command", "subscribe", "join"), query=by_column("command", **told))
    assert left(client, 2) == (out or {1})


@pytest.mark.parametrize("answer", [{}, {"consent": IN}, {"consent": OUT}, {"consent": NOT_YET}])
def test_other_words_beside_ours_are_asked_about(client, answer):
    question = asked(client, people("COMMAND", *MIXED), answer)["asks"][-1]
    assert question["about"] == "command"
    assert question["options"] == ["consent_column=HEADER"]
    assert [each["value"] for each in question["values"]] == ["unsub", "remove", ""]
    assert "map[" not in question["message"]


def test_words_of_another_program_alone_may_say_who(client):
    known(client, 3)
    text = people("command", "abmelden", "remove", "stay")
    (question,) = asked(client, text, {"consent": IN})["asks"]
    assert question["options"] == ["consent_column=HEADER", "map[2]=ignore", "map[2]=field:KEY"]
    assert "`consent_column=2`" in question["message"]
    import_file(client, text, query=by_column("2", unsubscribed=["abmelden", "remove"], subscribed="stay"))
    assert left(client, 3) == {0, 1}


def test_too_many_other_words_beside_ours_are_refused_row_by_row(client):
    words = ["unsubscribe", *(f"order {number}" for number in range(60))]
    done = import_file(client, people("command", *words), query={"consent": IN})
    assert (done["failed"], left(client, 1)) == (60, {0})


def test_a_row_without_an_address_asks_nothing(client):
    text = people("command", "unsubscribe") + ",remove\n"
    assert ask(client, text, query={"consent": IN}).status_code == 200


def test_json_is_read_alike(client):
    known(client, 2)
    text = '{"email": "p0@example.com", "command": false}\n'
    text += '{"email": "p1@example.com", "command": "Unsubscribe"}\n'
    done = import_file(client, text, "application/x-ndjson", query=by_column("command", unsubscribed="false"))
    assert (done["failed"], left(client, 2)) == (0, {0, 1})
