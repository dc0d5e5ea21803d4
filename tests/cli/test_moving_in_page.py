"""docs/moving-in.md, followed step by step on a file of each program."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from schemas.formats.presets import PRESETS
from tests.service import PATIENCE_SECONDS, environment, serving, until

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "moving-in.md").read_text("utf-8")
FILES = ROOT / "tests" / "schemas" / "data" / "peers"
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))

COUNTS = {  # subscribed, unsubscribed
    "listmonk": (1, 4),
    "Mailchimp": (2, 4),  # one who left has no UNSUB_TIME
    "Ghost": (1, 1),
    "Keila": (1, 2),
    "Substack": (2, 1),
    "beehiiv": (2, 2),
    "MailPoet": (1, 3),
}
# first and last name, custom fields, tags, the day of created_at, the day of unsubscribed_at
PEOPLE: dict[str, tuple[Any, ...]] = {
    "ida@example.org": ("Ida", "Berg", {"city": "Bergen", "seats": 2}, ["newsletter"], "2023-02-03", None),
    "mia@example.org": ("Mia", "Stein", {"CC": "CH"}, ["vip", "spring, 2023"], "2021-03-04", None),
    "ola@example.org": ("Ola", "Vik", {"UNSUB_CAMPAIGN_TITLE": "March"}, ["vip"], "2021-03-05", "2024-02-03"),
    "pia@example.org": ("Pia", None, {"CLEAN_CAMPAIGN_TITLE": "May"}, [], "2021-03-06", "2023-05-12"),
    "rita@example.org": ("Rita", "Moe", {"tiers": "Premium"}, ["Beta", "Patron"], "2021-08-30", None),
    "tim@example.org": ("Tim", "Aas", {"plan": "pro", "seats": 3}, [], None, None),
    "xena@example.org": (
        None,
        None,
        {"plan": "monthly"},
        [],
        "2024-02-01",
        None,
    ),
    "zoe@example.org": ("Zoe", "Dahl", {"tier": "free"}, [], "2023-03-24", None),
    "bea@example.org": (None, None, {"tier": "free"}, [], "2023-03-24", "2024-03-13"),
}


@pytest.fixture
def follow(run, client, tmp_path, monkeypatch):
    """Runs the commands of a section, in this or the opposite order."""
    monkeypatch.chdir(shutil.copytree(FILES, tmp_path / "files"))

    def commands(section, step=1):
        lines = re.findall(r"^    audience (.*)$", SECTIONS[section], re.MULTILINE)[::step]
        words = (shlex.split(line.replace("SITE_UUID", client.site.uuid)) for line in lines)
        return [run(*each, asked=True) for each in words]

    return commands


def counted(client):
    [path] = re.findall(r"audience api GET (/\S+) --key-file", PAGE)
    stats = client.get(path).json
    return stats["subscriber_count"], stats["unsubscriber_count"]


def test_the_page_has_a_section_for_each_program_and_a_command_for_each_file():
    assert list(SECTIONS) == [preset.program for preset in PRESETS.values()] == list(COUNTS)
    assert set(re.findall(r"^    audience import (\S+)", PAGE, re.MULTILINE)) == {
        path.name for path in FILES.glob("*.csv")
    }


@pytest.mark.parametrize("section", SECTIONS)
def test_after_a_move_the_counts_agree(follow, client, section):
    assert all(f"{section}" in output for output in follow(section))
    assert counted(client) == COUNTS[section]


@pytest.mark.parametrize("section", SECTIONS)
def test_a_move_twice_or_in_the_opposite_order_changes_nothing(follow, client, section):
    follow(section, step=-1)
    follow(section)
    assert counted(client) == COUNTS[section]


def test_people_as_they_become(follow, client):
    for section in SECTIONS:
        follow(section)
    names = {tag["id"]: tag["attributes"]["name"] for tag in client.get("/fetch/tags").json["data"]}
    for email, (first, last, fields, tags, created, left) in PEOPLE.items():
        found = client.find(email)["attributes"]
        assert (found["first_name"], found["last_name"]) == (first, last), email
        assert fields.items() <= found["fields"].items(), email
        assert sorted(names[each] for each in found["cached_tag_ids"]) == sorted(tags), email
        assert created is None or found["created_at"].startswith(created), email
        assert (found["unsubscribed_at"] or "None").startswith(str(left)), email


def test_the_call_of_the_page_answers_as_the_command(tmp_path):
    [line] = re.findall(r"^ +(audience api POST .*)$", PAGE, re.MULTILINE)
    with serving(tmp_path / "instance") as service:
        variables = environment(service.instance, service.port)
        variables["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{variables['PATH']}"
        options: dict[str, Any] = {"cwd": FILES, "env": variables, "timeout": PATIENCE_SECONDS}
        done = subprocess.run(["bash", "-c", line], capture_output=True, check=True, **options)
        assert json.loads(done.stdout)["data"]["attributes"]["total"] == 2
        until(lambda: service.call("GET", "/stats/site")[1]["unsubscriber_count"] == 2)


def test_the_options_that_the_page_mentions_work(run, client, tmp_path, monkeypatch):
    intro = PAGE.partition("## ")[0]
    assert set(PRESETS) <= set(re.findall(r"`(?:--from )?(\w+)`", intro))
    maps = re.findall(r"`(--map) (\w+=[a-z:]+)`", intro)
    (tmp_path / "people.csv").write_text("email,Phone,Notes\nann@example.org,555 1,friend\n")
    run(
        "import",
        tmp_path / "people.csv",
        "--site",
        client.site.uuid,
        *(word for each in maps for word in each),
    )
    assert client.find("ann@example.org")["attributes"]["fields"] == {"phone": "555 1"}


@pytest.mark.parametrize("name", ["unsubscribed", "cleaned", "nonsubscribed"])
def test_nobody_has_agreed_in_a_file_of_those_who_left(type_, client, tmp_path, monkeypatch, name):
    monkeypatch.chdir(FILES)
    [file] = FILES.glob(f"{name}_*.csv")
    result = type_("import", file, "--site", client.site.uuid)
    assert result.exit_code != 0
    assert "--consent unsubscribed" in result.output
    assert counted(client) == (0, 0)
