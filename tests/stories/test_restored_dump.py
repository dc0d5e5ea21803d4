"""The restore of docs/postgresql.md brings a database back with sites and keys (a story)."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import lacks
from tests.postgresql import name_of, programs
from tests.service import PATIENCE_SECONDS, environment, serving

PAGE = (Path(__file__).parents[2] / "docs" / "postgresql.md").read_text("utf-8")
ON_PAGE = "postgresql://audience@db.example/audience"
ANN, BOB, CID = "ann@example.com", "bob@example.com", "cid@example.com"


@pytest.fixture
def urls(server):
    """Of the database of the page, and of what it is renamed to."""
    urls = server.url("audience"), server.url("audience_before")
    server.execute("CREATE DATABASE audience ENCODING 'UTF8' TEMPLATE template0")
    yield urls
    for url in urls:
        server.execute(f"DROP DATABASE IF EXISTS {name_of(url)} WITH (FORCE)")


@pytest.fixture
def run(tmp_path, server, urls):
    """Runs commands of the page, by the user of the server's own programs."""
    (tmp_path / "instance").mkdir()
    folders = [Path(sys.executable).parent, programs() or lacks("postgresql")]
    variables = environment(tmp_path / "instance", 8000, AUDIENCE_DATABASE_URL=urls[0])
    variables |= {"PGHOST": str(server.folder), "PGUSER": "audience"}
    variables["PATH"] = os.pathsep.join([*map(str, folders), variables["PATH"]])

    def run(script):
        done = subprocess.run(
            ["bash", "-euc", script.replace(ON_PAGE, f"'{urls[0]}'")],
            cwd=tmp_path,
            env=variables,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def block(first):
    """The commands of the page that begin so."""
    [lines] = re.findall(rf"^    {first}.*\n(?:    .*\n)*", PAGE, re.MULTILINE)
    return lines


def test_a_backup_is_restored_as_the_page_says(run, urls, tmp_path):
    site = json.loads(run("audience site create shop --json"))
    (tmp_path / "people.csv").write_text(f"email\n{ANN}\n{BOB}\n")
    run("audience import people.csv --consent subscribed")
    keys = run("audience key list --json")
    run("audience backup audience.tar")
    run(f"audience subscriber erase {ANN} --yes; audience site create later")
    run(block("psql").replace(f"{ON_PAGE}_before", f"'{urls[1]}'"))
    assert [each["site_uuid"] for each in json.loads(run("audience site list --json"))] == [site["site_uuid"]]
    assert run("audience key list --json") == keys
    with serving(tmp_path / "instance", AUDIENCE_DATABASE_URL=urls[0]) as service:
        assert not service.first
        service.first = site
        found = [service.call("GET", f"/fetch/subscribers?email={email}") for email in (ANN, BOB)]
        assert [(status, bool(answer["data"])) for status, answer in found] == [(200, False), (200, True)]
        status, _ = service.call("POST", "/fetch/subscribers", {"subscriber": {"email": CID}})
        assert status == 201
        status, _ = service.call("POST", "/fetch/subscribers", {"subscriber": {"email": ANN}})
        assert status == 422
