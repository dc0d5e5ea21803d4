"""`audience subscriber add`, and `subscribe`, which asks for a reason."""

import pytest

from audience.access import audit_log
from audience.cli import file_questions, output
from audience.erasures import erasures
from audience.subscribers import commands, subscribers

ANN = "ann@example.com"


@pytest.fixture
def site(client):
    return client.site


@pytest.fixture
def on_terminal(monkeypatch):
    for module in (file_questions, output):
        monkeypatch.setattr(module, "is_terminal", lambda: True)


def status(site):
    found = subscribers.find(site, ANN)
    return found and subscribers.status(found)


def log(site):
    """(who, what, of Ann, what was typed) of the entries about subscribers."""
    found = subscribers.find(site, ANN)
    return [
        (entry.actor, entry.act, found is not None and entry.subject == found.uuid, entry.typed)
        for entry in audit_log.page(site)
        if entry.act.startswith(("added", "subscribed"))
    ]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("subscribed", "has agreed"),
        ("unsubscribed", "may not be written to"),
        ("unconfirmed", "has not confirmed yet"),
    ],
)
def test_a_person_is_added_as_the_answer_says(run, site, answer, said):
    words = ("subscriber", "add", ANN, "--consent", answer, "--site", site.uuid)
    assert run(*words) == f"Added, {answer}.\n"
    assert status(site) == answer
    assert log(site) == [("command line", f"added: {said}", True, "{}")]
    assert "created       cli" in run("subscriber", "consent", ANN)


def test_names_tags_and_fields(run, client):
    names = ("--first-name", "Ann", "--last-name", "Lee", "--tag", "vip", "--tag", "a, b")
    fields = ("--field", "seats=2", "--field", "note=a=b")
    shown = run("subscriber", "add", ANN, *names, *fields, "--consent", "subscribed", "--json")
    assert shown == client.find(ANN)
    assert shown["attributes"]["fields"] == {
        "first_name": "Ann",
        "last_name": "Lee",
        "seats": 2,
        "note": "a=b",
    }
    assert "tags             vip, a, b\n" in run("subscriber", "show", ANN)


def test_without_an_answer_it_asks_and_adds_nobody(type_, site):
    asked = type_("subscriber", "add", ANN, "--tag", "two words")
    assert (asked.exit_code, asked.stdout) == (2, "")
    assert "May this person be written to?" in asked.stderr
    ready = f"audience subscriber add {ANN} --site {site.uuid} --tag 'two words' --consent"
    for answer in ("subscribed", "unsubscribed", "unconfirmed"):
        assert f"  {ready} {answer}\n" in asked.stderr
    assert status(site) is None
    assert type_("subscriber", "add", ANN, "--consent", "maybe").exit_code == 2


@pytest.mark.usefixtures("on_terminal")
def test_on_a_terminal_the_question_is_put(type_, site):
    assert type_("subscriber", "add", ANN, "--json").exit_code == 2
    asked = type_("subscriber", "add", ANN, input="4\n3\n")
    assert asked.exit_code == 0, asked.output
    assert "  1  Yes: They agreed to get your emails, and have not unsubscribed." in asked.output
    assert status(site) == "unconfirmed"


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ({}, "This person is a subscriber already: nothing was changed."),
        (
            {"command": "unsubscribe"},
            "This person has unsubscribed: nothing was changed. `audience subscriber subscribe` subscribes "
            "them again, with a reason.",
        ),
    ],
)
def test_somebody_who_is_there_stays_as_they_are(type_, site, before, said):
    ann = subscribers.create(site, {"email": ANN} | before)
    refused = type_("subscriber", "add", " Ann@EXAMPLE.com", "--consent", "subscribed", "--tag", "new")
    assert (refused.exit_code, str(refused.exception)) == (1, said)
    assert subscribers.find(site, ANN) == ann
    assert log(site) == []


def test_an_address_that_somebody_unsubscribed_and_left_stays_unsubscribed(run, site):
    subscribers.create(site, {"email": ANN, "command": "unsubscribe"})
    commands.run(site, [{"command": "change_email", "email": ANN, "query": "a.lee@example.com"}])
    printed = run("subscriber", "add", ANN, "--consent", "subscribed")
    assert printed == "Added, unsubscribed. Somebody with this address had unsubscribed before.\n"


@pytest.mark.parametrize(
    ("options", "exit_code"),
    [
        (("--field", "plan"), 2),
        (("--field", "=x"), 1),
        (("--first-name", "\udcff"), 1),
        (("--tag", "x" * 300), 1),
    ],
)
def test_what_cannot_be_read_is_refused(type_, site, options, exit_code):
    refused = type_("subscriber", "add", ANN, "--consent", "subscribed", *options)
    assert (refused.exit_code, type(refused.exception)) == (exit_code, SystemExit)
    assert status(site) is None


def test_a_malformed_address_is_refused_in_a_sentence(type_, site):
    refused = type_("subscriber", "add", "ann", "--consent", "subscribed", "--site", site.uuid)
    assert refused.exit_code == 1
    assert str(refused.exception).startswith("Give an address of the form")


def test_subscribing_again_takes_a_reason_and_is_audited(run, site):
    subscribers.create(site, {"email": ANN, "command": "unsubscribe"})
    reason = " asked by telephone, from bob@b.example "
    answer = run("subscriber", "subscribe", "Ann@example.com", "--reason", reason, "--json")
    assert (answer, status(site)) == ({"subscribed": True, "changed": True}, "subscribed")
    kept = '{"reason":"asked by telephone, from (an address)"}'
    assert log(site) == [("command line", "subscribed", True, kept)]
    again = run("subscriber", "subscribe", ANN, "--reason", "again")
    assert (again, len(log(site))) == ("This person is subscribed already: nothing was changed.\n", 1)
    *_, newest = run("subscriber", "consent", ANN).splitlines()
    assert newest.split()[1:3] == ["subscribed", "cli"]


@pytest.mark.parametrize("options", [(), ("--reason", " "), ("--reason", "x" * 501)])
def test_without_a_reason_nobody_is_subscribed(type_, site, options):
    subscribers.create(site, {"email": ANN, "command": "unsubscribe"})
    refused = type_("subscriber", "subscribe", ANN, *options)
    assert (refused.exit_code, status(site)) == (2, "unsubscribed")
    assert "--reason" in refused.stderr


@pytest.mark.usefixtures("on_terminal")
def test_on_a_terminal_the_reason_is_asked_for(type_, site):
    subscribers.create(site, {"email": ANN, "command": "unsubscribe"})
    assert type_("subscriber", "subscribe", ANN, "--json").exit_code == 2
    asked = type_("subscriber", "subscribe", ANN, input="asked\n")
    assert (asked.exit_code, status(site)) == (0, "subscribed"), asked.output


def test_somebody_who_was_erased_is_added_by_subscribe_alone(run, type_, site, settings):
    subscribers.create(site, {"email": ANN})
    erasures.erase(site, settings.instance, email=ANN)
    refused = type_("subscriber", "add", "ANN@example.com", "--consent", "subscribed")
    assert refused.exit_code == 1
    assert str(refused.exception) == (
        "This address was erased from the site: nothing was saved. The person can sign up again by a form. "
        "`audience subscriber subscribe` subscribes them again, with a reason."
    )
    assert status(site) is None
    assert run("subscriber", "subscribe", ANN, "--reason", "asked by letter") == "Subscribed.\n"
    assert status(site) == "subscribed"
    assert log(site) == [("command line", "subscribed", True, '{"reason":"asked by letter"}')]


def test_nobody_is_made_up_by_subscribe(type_, site):
    refused = type_("subscriber", "subscribe", ANN, "--reason", "typo")
    assert (refused.exit_code, status(site)) == (1, None)
