"""`audience person` and `audience export`."""

import csv
import json

import pytest

from audience.errors import NotFound

ADDRESS = "ann@example.com"


@pytest.fixture
def ann(door):
    person = door.create(ADDRESS, first_name="Ann", tags="vip,new", plan="pro")
    door.post("/batch/events", {"events": {"email": ADDRESS, "type": "seen", "details": {"page": "/"}}})
    return person


def test_show(run, door, ann):
    shown = run("person", "show", " Ann@Example.com ", "--site", door.site.uuid, "--json")
    assert shown == door.find(ADDRESS)
    output = run("person", "show", ADDRESS, "--site", door.site.uuid)
    assert "tags             vip, new" in output
    assert f"uuid             {ann['attributes']['uuid']}" in output


def test_export_of_one_has_the_events(run, door, ann):
    found = json.loads(run("person", "export", ADDRESS, "--site", door.site.uuid))
    assert (found["tags"], found["attributes"]["fields"]["plan"]) == (["vip", "new"], "pro")
    [event] = found["events"]
    assert (event["type"], event["details"]) == ("seen", {"page": "/"})


def test_nobody_is_not_found(run, door):
    for act in ("show", "export"):
        result = run("person", act, ADDRESS, "--site", door.site.uuid, exit_code=1, catch_exceptions=True)
        assert result == ""
    with pytest.raises(NotFound):
        run("person", "show", ADDRESS, "--site", door.site.uuid, catch_exceptions=False)


def test_erase_asks_and_erases(run, door, ann, settings):
    run("person", "erase", ADDRESS, "--site", door.site.uuid, input="n\n", exit_code=1)
    assert door.find(ADDRESS)
    assert "Erased." in run("person", "erase", ADDRESS, "--site", door.site.uuid, input="y\n")
    assert door.find(ADDRESS) is None
    assert run("person", "erase", ADDRESS, "--site", door.site.uuid, "--yes", "--json") == {"erased": False}
    assert not [
        path for path in settings.instance.iterdir() if path.is_file() and b"ann@example" in path.read_bytes()
    ]


def test_export_to_a_file_and_to_standard_output(run, door, ann, tmp_path):
    file = tmp_path / "people.csv"
    output = run("export", file, "--site", door.site.uuid)
    assert "Exporting: 100%" in output
    with file.open(newline="") as opened:
        assert [row["email"] for row in csv.DictReader(opened)] == [ADDRESS]
    assert run("export", "--site", door.site.uuid).splitlines() == file.read_text().splitlines()
    [line] = run("export", "--site", door.site.uuid, "--format", "jsonl").splitlines()
    assert json.loads(line)["tags"] == ["vip", "new"]
    assert not list(tmp_path.glob("*.part"))
