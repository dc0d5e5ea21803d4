"""Whatever changes a subscriber is in the record: requests, pages and commands (a story)."""

import json

import pytest
from click.testing import CliRunner

from app import instance
from audience.access.audit_log import Actor
from audience.bulk import actions as bulk_actions
from audience.changes import log as change_log
from audience.changes import pages as change_log_pages
from audience.cli.main import audience
from audience.console.commands import ACTIONS
from audience.operations import site_lane
from audience.undo import undos
from tests.api.endpoints import ENDPOINTS, ask, prepare
from tests.change_mirror import Mirror, normal, state
from tests.console.browser import signed_in
from tests.jobs import run_bulk_actions
from tests.statements import recorded

AGREED = {"consent": "subscribed"}

ANN, ZOE = "ann@example.com", "zoe@example.com"
ADA = {"email": "ada@example.com"}
ACTOR = Actor("meg@example.com")
WRITERS = {
    "POST /fetch/subscribers", "DELETE /fetch/subscribers", "DELETE /fetch/tags/1", "POST /fetch/commands",
    "POST /batch/subscribers", "POST /batch/events",
}  # fmt: skip
FILLED = {"tag": {"tag": "vip"}, "set field": {"key": "plan", "type": "text", "value": "x"},
          "remove field": {"key": "plan"}, "untag": {"tag": "vip"}, "subscribe": {"reason": "asked"},
          "change address": {"email": ZOE}}  # fmt: skip
COMMANDS = (
    ("tag", ANN, "vip"), ("tag", ANN, "vip", "--remove"), ("unsubscribe", ANN), ("erase", ANN, "--yes"),
)  # fmt: skip


@pytest.fixture
def followed(client):
    """The sources of what a function does to the people of the site; fails if it is not recorded."""

    def does(function):
        mirror = Mirror(client.site)
        mirror.copy()
        place, before = mirror.place, normal(mirror.people)
        function()
        site_lane.drain(client.site.id, 30)
        mirror.follow(1000)
        assert normal(mirror.people) == normal(state(client.site))
        changes = change_log_pages.page(client.site, place, 1000).changes
        assert bool(changes) is (normal(mirror.people) != before)
        return {change.source for change in changes}

    return does


def test_every_endpoint(client, followed):
    prepare(client)
    site_lane.drain(client.site.id, 30)
    wrote = set()
    for endpoint in ENDPOINTS:
        if endpoint.method == "POST":  # so that it finds somebody to change
            client.delete("/fetch/subscribers", query=ADA)
            client.post("/fetch/commands", {"command": {"command": "subscribe", **ADA}})
            client.create(**ADA, tags="first")
            client.post("/fetch/commands", {"command": {"command": "unsubscribe", **ADA}})
        if followed(lambda each=endpoint: ask(client, each)):
            wrote.add(str(endpoint))
    new = {"subscribers": [{"email": ZOE}]}
    [(kind, _)] = followed(lambda: client.post("/batch/subscribers", new))
    assert kind == "import"
    assert followed(lambda: client.create(ZOE, tags="x")) == {("api", client.key.publishable_key)}
    assert wrote | {"POST /batch/subscribers", "POST /fetch/subscribers"} == WRITERS


def test_a_file(client, followed):
    def send():
        client.send_file(
            "/batch/imports",
            b"email\nfile@example.com\n",
            content_type="text/csv",
            query=AGREED,
        )

    assert followed(send) == {("import", "1")}
    assert followed(lambda: client.post("/batch/imports/1/undo")) == {("undo", "1")}


def test_every_act_of_the_page_of_a_subscriber(app, client, followed):
    browser = signed_in(app, "meg@example.com", {client.site: "manager"})
    uuid = client.create(ANN)["attributes"]["uuid"]
    path = f"/sites/{client.site.uuid}/subscribers/{uuid}"
    for act in ACTIONS:
        said = {"act": act} | FILLED.get(act, {})
        [(kind, operator)] = followed(lambda said=said: browser.post(path, **said))
        assert (kind, operator.isdigit()) == ("operator", True), act
    [(kind, _)] = followed(lambda: browser.post(f"{path}/erase", confirmed="1"))
    assert kind == "operator"


@pytest.mark.parametrize(
    "kind", [bulk_actions.TAG, bulk_actions.UNTAG, bulk_actions.UNSUBSCRIBE, bulk_actions.ERASE]
)
def test_every_act_on_many(client, settings, followed, kind):
    people = [client.create(f"p{number}@example.com", tags="vip") for number in range(3)]
    ids = [int(each["id"]) for each in people]
    tag = "new" if kind == bulk_actions.TAG else "vip"

    def act():
        new = bulk_actions.NewAction(kind=kind, ids=ids, seen=bulk_actions.fingerprint(ids), tag=tag)
        bulk_actions.begin(client.site, new, ACTOR)
        run_bulk_actions(settings.instance)

    def undo():
        undos.undo_bulk_action(client.site, 1, 30, ACTOR)

    assert followed(act) == {("bulk_act", "1")}
    if kind in undos.UNDOABLE:
        assert followed(undo) == {("undo", "1")}


def test_every_command(client, settings, followed, tmp_path):
    client.create(ANN)

    def run(*words):
        found = CliRunner().invoke(audience, words, obj=instance(settings))
        assert found.exit_code == 0, found.output

    for name, *words in COMMANDS:
        said = ("subscriber", name, *words, "--site", client.site.uuid)
        assert followed(lambda said=said: run(*said)) == {("cli", None)}, name
    file = tmp_path / "people.csv"
    file.write_text(f"email\n{ZOE}\n")
    assert followed(
        lambda: run("import", str(file), "--site", client.site.uuid, "--consent", "subscribed")
    ) == {("import", "1")}


def test_a_write_without_an_entry_is_found_in_whatever_test_it_is_made(client, monkeypatch):
    monkeypatch.setattr(recorded, "wrong", [])
    client.create(ANN)
    assert recorded.wrong == []
    monkeypatch.setattr(change_log, "record", lambda *_: None)
    client.create(ZOE)
    client.post("/fetch/commands", {"command": {"command": "add_tag", "email": ANN, "query": "vip"}})
    assert [statement.split(" ")[0] for statement in recorded.wrong] == ["INSERT", "UPDATE"]


def test_the_record_is_printed_and_followed(client, settings, monkeypatch):
    def run(*words):
        found = CliRunner().invoke(
            audience, ["changes", *words, "--site", client.site.uuid], obj=instance(settings)
        )
        return found.stdout.splitlines()

    client.create(ANN)
    assert run() == ["Numbers 1 to 1."]
    assert json.loads(run("--json")[0]) == {"newest": "1", "oldest": "1"}
    [line] = run("--after", "0")
    assert f"created       api {client.key.publishable_key}  {ANN}  email, first_name" in line
    [printed] = map(json.loads, run("--after", "0", "--json"))
    assert printed == client.get("/fetch/changes", query={"after": 0}).json["data"][0]

    def wait(_):
        if client.find(ZOE):
            raise KeyboardInterrupt
        client.create(ZOE)

    monkeypatch.setattr("audience.cli.change_log.time.sleep", wait)
    [followed_line] = run("--follow")
    assert ZOE in followed_line
    assert run("--after", "99") == []
