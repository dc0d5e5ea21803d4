"""The operators' pages and files are correct: their commands run, their settings exist."""

import os
import re
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

import app
from audience.config import Settings
from tests.cli.test_help import COMMANDS
from tests.service import PATIENCE_SECONDS, environment

ROOT = Path(__file__).parent.parent
PAGES = ("docs/operations.md", "docs/security.md")
EVERY_PAGE = [
    page.relative_to(ROOT).as_posix()
    for page in (ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md")))
]
DEPLOY = sorted(path for path in (ROOT / "deploy").iterdir())
LISTED = {f"AUDIENCE_{item.name.upper()}" for item in fields(Settings)}


def read(name):
    return (ROOT / name).read_text("utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run_in_order(page, tmp_path):
    script = "\n".join(re.findall(r"^```sh\n(.*?)^```$", read(page), re.DOTALL | re.MULTILINE))
    variables = environment(tmp_path / "instance", 8000)
    variables["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{variables['PATH']}"
    run = subprocess.run(
        ["bash", "-euxc", f"audience site create shop\n{script}"],
        cwd=tmp_path,
        env=variables,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_every_command_that_a_page_names_exists(page):
    paths = {path for _, path in COMMANDS}
    first = {path[0] for path in paths}
    for mentioned in re.findall(r"`audience ([a-z][a-z0-9 |-]*)", read(page).replace("\\|", "|")):
        words = mentioned.split()
        if words[0] not in first:
            pytest.fail(f"{page} names audience {mentioned}")
        group = {path[1] for path in paths if path[0] == words[0] and len(path) > 1}
        for word in words[1].split("|") if group and len(words) > 1 else ():
            assert word in group, f"{page} names audience {mentioned}"


@pytest.mark.parametrize("file", DEPLOY, ids=lambda path: path.name)
def test_every_setting_that_a_file_or_page_names_exists(file):
    mentioned = set(re.findall(r"AUDIENCE_[A-Z0-9_]*[A-Z0-9]", file.read_text("utf-8")))
    assert mentioned <= LISTED


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_every_setting_that_a_page_names_exists(page):
    mentioned = {
        name
        for name in re.findall(r"AUDIENCE_[A-Z0-9_]*[A-Z0-9]", read(page))
        if name != "AUDIENCE_RATE_LIMIT"
    }
    assert mentioned <= LISTED


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_every_link_of_a_page_has_a_target(page):
    for target in re.findall(r"\]\(([^)#]+)", read(page)):
        assert target.startswith("http") or (ROOT / page).parent.joinpath(target).exists(), target


def test_the_image_has_every_room_and_the_unit_starts_the_service():
    packages = tomllib.loads(read("pyproject.toml"))["tool"]["setuptools"]["packages"]
    rooms = {name.partition(".")[0] for name in packages}
    dockerfile, ignored = read("deploy/Dockerfile"), read("deploy/Dockerfile.dockerignore")
    copied = set(re.findall(r"^COPY (\w+) \w+$", dockerfile, re.MULTILINE))
    assert copied == rooms | {"docs"}  # which the service serves
    for words in re.findall(r"^COPY (.+) \S+$", dockerfile, re.MULTILINE):
        for name in words.split():
            assert (ROOT / name).exists()
            assert f"!{name}\n" in ignored
    assert re.search(r"^ExecStart=\S+/audience serve$", read("deploy/audience.service"), re.MULTILINE)
    assert "serve" in app.audience.commands
