"""The commands of docs/postgresql.md and docs/scaling.md do what the pages say (a story)."""

import csv
import getpass
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
SCALING = (Path(__file__).parents[2] / "docs" / "scaling.md").read_text("utf-8")
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

    def run(script, typed="", **settings):
        done = subprocess.run(
            ["bash", "-euc", script.replace(ON_PAGE, f"'{urls[0]}'")],
            cwd=tmp_path,
            env=variables | settings,
            input=typed,
            start_new_session=True,  # without a terminal, which would be asked for a password
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


@pytest.fixture
def newcomer(server):
    """Deletes the role and the database that a test makes by these names."""
    yield "newcomer", "newcomers"
    server.execute("DROP DATABASE IF EXISTS newcomers WITH (FORCE)")
    server.execute("DROP ROLE IF EXISTS newcomer")


def test_a_role_and_a_database_are_set_up_as_the_page_says(run, server, tmp_path, newcomer):
    role, name = newcomer
    script = block("createuser")
    for on_page, here in (
        ("createuser audience", f"createuser {role}"),
        ("createdb audience --owner=audience", f"createdb {name} --owner={role}"),
        ("-o audience", f"-o {getpass.getuser()}"),
        ("/etc/audience", str(tmp_path / "etc")),
    ):
        assert on_page in script
        script = script.replace(on_page, here)
    run(script, typed="secret\nsecret\n")
    file = tmp_path / "etc" / "database-password"
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_text("secret\n")
    own = {
        "AUDIENCE_DATABASE_URL": server.url(name).replace("audience@", f"{role}@"),
        "AUDIENCE_DATABASE_PASSWORD_FILE": str(file),
    }
    assert "shop" in run("audience site create shop; audience site list", **own)
    [first] = re.findall(r"`ALTER ROLE audience (SET work_mem[^`]+)`", PAGE)
    others = re.findall(r"`(SET (?:hash_mem_multiplier|jit|lock_timeout) = [^`]+)`", PAGE)
    for setting in (first, *others):
        server.execute(f"ALTER ROLE {role} {setting}")
    shown = [
        run(f"psql --no-psqlrc -Atc 'SHOW {each}' -U {role} {name}").strip()
        for each in ("work_mem", "hash_mem_multiplier", "jit", "lock_timeout")
    ]
    assert shown == ["32MB", "8", "off", "4s"]


def test_a_copy_beside_the_first_keeps_to_its_log(run, server, urls, tmp_path):
    run("audience site create shop")
    (tmp_path / "people.csv").write_text(f"email\n{ANN}\n{BOB}\n")
    run(f"audience import people.csv --consent subscribed; audience subscriber erase {ANN} --yes")
    server.execute(f"CREATE DATABASE {name_of(urls[1])} TEMPLATE {name_of(urls[0])}")
    applied = run(block("audience erasures export"), AUDIENCE_DATABASE_URL=urls[1])
    assert "2 lines are in erasures.jsonl" in applied
    assert BOB in run("audience export", AUDIENCE_DATABASE_URL=urls[1])


def test_an_instance_moves_and_moves_back_as_the_page_says(run, server, urls, tmp_path):
    on_file, there = {"AUDIENCE_DATABASE_URL": ""}, block("audience move --to postgresql")
    back = re.findall(r"`(audience move --to sqlite:)/srv/audience/audience.db`", PAGE)
    (tmp_path / "password").write_text("secret\n")
    there = there.replace("/etc/audience/database-password", str(tmp_path / "password"))
    run("audience site create shop", **on_file)
    sites = run("audience site list --json", **on_file)
    assert "Moved 0 subscribers" in run(there, **on_file)
    assert "`audience move --undo`" in PAGE
    run("audience move --undo", **on_file)
    assert run("audience site list --json", **on_file) == sites
    server.execute(f"DROP DATABASE {name_of(urls[0])} WITH (FORCE)")
    server.execute(f"CREATE DATABASE {name_of(urls[0])} ENCODING 'UTF8' TEMPLATE template0")
    run(there, **on_file)
    assert run("audience site list --json") == sites
    run(f"{back[0]}{tmp_path / 'back.db'}")
    assert (
        run("audience site list --json", AUDIENCE_DATABASE_URL=f"sqlite:///{tmp_path / 'back.db'}") == sites
    )


def test_hosts_have_one_pepper_that_is_made_as_the_page_says(run, tmp_path):
    [make] = re.findall(r"`(head -c 32 /dev/urandom)`", PAGE)
    pepper = tmp_path / "pepper"
    run(f"umask 077; {make} > {pepper}")
    hosts = [
        {"AUDIENCE_INSTANCE": str(tmp_path / name), "AUDIENCE_PEPPER_FILE": str(pepper)} for name in "ab"
    ]
    made = run("audience site create shop --json", **hosts[0])
    [listed] = json.loads(run("audience site list --json", **hosts[1]))
    assert listed["site_uuid"] == json.loads(made)["site_uuid"]


def test_a_site_goes_to_an_instance_of_its_own_as_the_page_on_scaling_says(run, tmp_path):
    assert "`audience export` and `audience import`\ntransfer a site" in SCALING
    run("audience site create shop")
    (tmp_path / "people.csv").write_text(f"email,tags,plan\n{ANN},vip,pro\n{BOB},,\n")
    run(f"audience import people.csv --consent subscribed; audience subscriber unsubscribe {BOB}")
    own = {"AUDIENCE_INSTANCE": str(tmp_path / "own"), "AUDIENCE_DATABASE_URL": ""}
    run("audience export > shop.csv")
    run("audience site create shop; audience import shop.csv", **own)
    before, after = (
        [row | {"uuid": ""} for row in csv.DictReader(run("audience export", **where).splitlines())]
        for where in ({}, own)
    )
    assert before == after
    assert [row["email"] for row in after] == [ANN, BOB]
