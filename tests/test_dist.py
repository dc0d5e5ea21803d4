"""`audience.pyz` in an empty folder, with nothing installed but Python."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.request import urlopen

import pytest

from audience.answers.geolocation.packed_table import FILE
from audience.api.doc_pages import sources
from packing import pyz
from tests import depth
from tests.service import attended, free_port, packed_places, until

ROOT = Path(__file__).parent.parent
VERSION = "{}.{}".format(*sys.version_info[:2])
BARE = {"PATH": f"{sys.base_prefix}/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Uncompressed, unless all is tested: to compress it takes longer than the rest."""
    target = tmp_path_factory.mktemp("dist") / "audience.pyz"
    pyz.build(target, None if depth.whole else 0)
    return target


def run(archive, *arguments, **options):
    return subprocess.run([str(archive), *arguments], capture_output=True, text=True, timeout=120, **options)


def test_it_serves_from_an_empty_folder(archive, tmp_path):
    """Empty but for the table of places, unless all is tested: packing it takes longer than the rest."""
    instance = tmp_path / "instance"
    if not depth.whole:
        instance.mkdir(mode=0o700)
        (instance / FILE).touch(mode=0o600)
        shutil.copyfile(packed_places(), instance / FILE)
    port = free_port()
    process = subprocess.Popen(
        [str(archive), "serve"],
        env=BARE | {"AUDIENCE_PORT": str(port)},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with attended(process, instance, port) as service:
        ann = {"email": "ann@example.com", "tags": "vip"}
        batch = {"subscribers": [ann, {"email": "bob@example.com"}]}
        status, accepted = service.call("POST", "/batch/subscribers", batch)
        assert (status, accepted["result"]) == (200, 2)
        subscriber = until(lambda: service.call("GET", "/fetch/subscribers?email=ann@example.com")[1]["data"])
        assert subscriber["attributes"]["email"] == "ann@example.com"
        with urlopen(f"http://127.0.0.1:{port}/docs/segments") as page:
            assert b"<h1" in page.read()
        if sys.platform == "linux":
            assert_checkout_is_unused(service)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["instance"]
    assert [each for each in instance.rglob("*") if each.stat().st_mode & 0o077] == []


def assert_checkout_is_unused(service):
    """No process uses a file of this checkout or its environment."""
    family = [service.process.pid, *service.processes("")]
    assert len(family) >= 5
    for pid in family:
        for listing in ("maps", "cmdline", "environ"):
            assert f"{ROOT}/" not in Path(f"/proc/{pid}/{listing}").read_text("utf-8", "replace"), (
                pid,
                listing,
            )


def test_it_is_an_executable_with_help(archive, tmp_path):
    assert run(archive, "--help", env=BARE, cwd=tmp_path).stdout.startswith("Usage: audience ")
    isolated = subprocess.run(
        [f"{sys.base_prefix}/bin/python{VERSION}", "-I", archive, "migrate"],
        env=BARE | {"AUDIENCE_INSTANCE": str(tmp_path / "other")}, cwd=tmp_path, timeout=120, check=True,
    )  # fmt: skip
    assert isolated.returncode == 0


def test_several_starts_at_once_unpack_once(archive, tmp_path):
    starts = [
        subprocess.Popen([str(archive), "migrate"], env=BARE, cwd=tmp_path, stdout=subprocess.DEVNULL)
        for _ in range(4)
    ]
    assert [each.wait(120) for each in starts] == [0] * 4
    code = tmp_path / "instance" / "code"
    assert sorted(each.name for each in code.iterdir() if each.name != "lock") == [build_id(archive)]


def test_interrupted_unpacking_leaves_nothing(archive, tmp_path):
    half = tmp_path / "instance" / "code" / "unpacking" / "code" / "app.py"
    half.parent.mkdir(parents=True)
    half.write_text("raise SystemExit('half')")
    assert run(archive, "migrate", env=BARE, cwd=tmp_path).returncode == 0
    assert not half.exists()


def test_unwritable_folder_is_reported(archive, tmp_path):
    (tmp_path / "instance").write_text("")
    answer = run(archive, "--help", env=BARE, cwd=tmp_path)
    assert answer.returncode == 1
    assert answer.stderr.startswith("audience: cannot unpack into ")


@pytest.mark.skipif(not depth.whole, reason="builds it once more")
def test_build_is_reproducible(archive, tmp_path):
    again = tmp_path / "again.pyz"
    pyz.build(again)
    assert again.read_bytes() == archive.read_bytes()
    assert os.access(archive, os.X_OK)


def test_no_test_tool_and_no_path_of_this_machine_is_packed(archive):
    with zipfile.ZipFile(archive) as packed:
        names = {name.split("/")[1] for name in packed.namelist() if name.startswith("code/")}
        assert {"app.py", "audience", "schemas", "storage", "workers", "flask", "granian"} < names
        assert (
            not {"pytest", "_pytest", "mypy", "playwright", "setuptools", "tests", "bench", "instance"}
            & names
        )
        text = b"".join(
            packed.read(name) for name in packed.namelist() if name.endswith((".py", ".json", "METADATA"))
        )
    assert str(ROOT).encode() not in text


def test_every_table_is_packed(archive):
    tables = {
        str(each.relative_to(ROOT))
        for each in (ROOT / "audience" / "data").rglob("*")
        if each.is_file() and each.suffix != ".pyc"
    }
    with zipfile.ZipFile(archive) as packed:
        assert tables
        assert {f"code/{name}" for name in tables} <= set(packed.namelist())


def test_every_page_of_the_documentation_is_packed(archive):
    pages = {name for name in sources() if not name.endswith("-dark.png")}
    with zipfile.ZipFile(archive) as packed:
        packed_names = [each.removeprefix("code/audience/api/documents/") for each in packed.namelist()]
    names = {each.removesuffix(".md") for each in packed_names}
    assert pages <= names


def build_id(archive):
    with zipfile.ZipFile(archive) as packed:
        return json.loads(packed.read("built.json"))["id"]
