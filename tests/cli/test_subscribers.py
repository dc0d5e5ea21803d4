"""`audience subscriber` and `audience export`."""

import csv
import json

import pytest

from audience.errors import NotFound

ADDRESS = "ann@example.com"
CARRIED = "The export has all changes up to 2: `audience changes --after` continues from there."


@pytest.fixture
def ann(client):
    subscriber = client.create(ADDRESS, first_name="Ann", tags="vip,new", plan="pro")
    client.post("/batch/events", {"events": {"email": ADDRESS, "type": "seen", "details": {"page": "/"}}})
    return subscriber


def test_show(run, client, ann):
    output = run("subscriber", "show", " Ann@Example.com ", "--site", client.site.uuid, "--json")
    assert output == client.find(ADDRESS)
    output = run("subscriber", "show", ADDRESS, "--site", client.site.uuid)
    assert "tags             vip, new" in output
    assert f"uuid             {ann['attributes']['uuid']}" in output


def test_a_single_export_has_the_events(run, client, ann):
    exported = json.loads(run("subscriber", "export", ADDRESS, "--site", client.site.uuid))
    assert (exported["tags"], exported["attributes"]["fields"]["plan"]) == (["vip", "new"], "pro")
    [event] = exported["events"]
    assert (event["type"], event["details"]) == ("seen", {"page": "/"})


def test_consent_shows_each_event(run, client, ann):
    run("subscriber", "unsubscribe", ADDRESS, "--site", client.site.uuid)
    output = run("subscriber", "consent", ADDRESS, "--site", client.site.uuid)
    created, left = output.splitlines()
    assert created.split()[1:3] == ["created", "api"]
    assert left.split()[1:] == ["unsubscribed", "cli", "word"]
    shown = run("subscriber", "consent", ADDRESS, "--site", client.site.uuid, "--json")
    exported = json.loads(run("subscriber", "export", ADDRESS, "--site", client.site.uuid))
    assert [event["subscribed"] for event in shown["events"]] == [False]
    assert exported["consent"] == {name: shown[name] for name in ("created_by", "events")}


def test_an_unknown_subscriber_is_not_found(run, client):
    for act in ("show", "consent", "export"):
        words = ("subscriber", act, ADDRESS, "--site", client.site.uuid)
        result = run(*words, exit_code=1, catch_exceptions=True)
        assert result == ""
    with pytest.raises(NotFound):
        run("subscriber", "show", ADDRESS, "--site", client.site.uuid, catch_exceptions=False)


def test_erase_asks_for_confirmation_and_erases(run, client, ann, settings):
    run("subscriber", "erase", ADDRESS, "--site", client.site.uuid, input="n\n", exit_code=1)
    assert client.find(ADDRESS)
    assert "Erased." in run("subscriber", "erase", ADDRESS, "--site", client.site.uuid, input="y\n")
    assert client.find(ADDRESS) is None
    assert run("subscriber", "erase", ADDRESS, "--site", client.site.uuid, "--yes", "--json") == {
        "erased": False
    }
    assert not [
        path for path in settings.instance.iterdir() if path.is_file() and b"ann@example" in path.read_bytes()
    ]


def test_who_is_no_subscriber_is_named(run, client, ann):
    words = ("subscriber", "unsubscribe", ADDRESS, "nobody@example.com", "--site", client.site.uuid)
    assert "no subscriber has nobody@example.com" in run(*words, exit_code=3)


def test_json_of_an_export_needs_a_file(run, client, ann, tmp_path):
    words = ("--site", client.site.uuid, "--json")
    assert "name a FILE to write" in run("export", *words, exit_code=2)
    assert run("export", tmp_path / "people.csv", *words)["change"] == "2"


def test_export_to_a_file_and_to_standard_output(run, client, ann, tmp_path):
    file = tmp_path / "people.csv"
    output = run("export", file, "--site", client.site.uuid)
    assert "Exporting: 100%" in output
    with file.open(newline="") as opened:
        assert [row["email"] for row in csv.DictReader(opened)] == [ADDRESS]
    *lines, carried = run("export", "--site", client.site.uuid).splitlines()
    assert lines == file.read_text().splitlines()
    assert carried == output.splitlines()[-1] == CARRIED
    [line] = run("export", "--site", client.site.uuid, "--format", "jsonl").splitlines()[:-1]
    assert json.loads(line)["tags"] == ["vip", "new"]
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize(
    "spelled", ["{}%40example.com", "{}&#64;example.com", "{}=40example.com", "{}%2540example.com"]
)
def test_erase_knows_an_address_in_an_encoding(run, client, spelled):
    client.create("ann@example.com")
    erased = run("subscriber", "erase", spelled.format("Ann"), "--site", client.site.uuid, "--yes", "--json")
    assert erased == {"erased": True}
    assert client.find("ann@example.com") is None
    assert client.counts() == (0, 0, 0)


def test_links(run, client, ann):
    words = ("subscriber", "links", ADDRESS, "--site", client.site.uuid)
    urls = client.get("/fetch/links", query={"email": ADDRESS}).json["data"]
    assert run(*words, "--json") == urls
    output = run(*words)
    assert f"unsubscribe  {urls['unsubscribe']}" in output
    assert "Gmail and Yahoo ignore these links" in output
