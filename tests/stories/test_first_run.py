"""A story: the first start of the service, on a terminal."""

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
from pathlib import Path

import pytest

from audience.answers.geolocation.packed_table import FILE
from tests import depth
from tests.service import PATIENCE_SECONDS, command, environment, free_port, give_places, serving, until

ROOT = Path(__file__).parent.parent.parent


class Terminal:
    """`audience serve` on its own terminal, and its output."""

    def __init__(self, instance: Path) -> None:
        self.port = free_port()
        self.text = ""
        self.master, slave = pty.openpty()
        os.set_blocking(self.master, False)
        self.process = subprocess.Popen(
            command("serve"),
            cwd=ROOT,
            env=environment(instance, self.port),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)

    def shows(self, wanted: str) -> bool:
        with contextlib.suppress(BlockingIOError, OSError):
            self.text += os.read(self.master, 1 << 16).decode().replace("\r\n", "\n")
        return wanted in self.text

    def interrupt(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(PATIENCE_SECONDS)

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.master)


@contextlib.contextmanager
def terminal(instance):
    opened = Terminal(instance)
    try:
        yield opened
    finally:
        opened.close()


def processes_of(instance) -> str:
    listed = subprocess.run(["ps", "-wweo", "args"], capture_output=True, text=True, check=True).stdout
    return "\n".join(line for line in listed.splitlines() if str(instance) in line)


def test_the_first_start_packs_the_place_table_once_and_ctrl_c_stops_it(tmp_path):
    tmp_path.chmod(0o755)
    with terminal(tmp_path) as first:
        until(lambda: first.shows("  Keys"))
        stored = json.loads((tmp_path / "first-site.json").read_text())
        assert tmp_path.stat().st_mode & 0o777 == 0o700
        assert set(stored) == {"base_url", "site_uuid", "publishable_key", "secret_key"}
        assert "Packing the place table, about 8 s" in first.text
        if depth.whole:
            until(lambda: (tmp_path / FILE).exists())
        first.interrupt()
        assert first.process.returncode == 0
        until(lambda: first.shows("Audience has stopped"))
        assert processes_of(tmp_path) == ""
        assert first.text.startswith("Starting ")
        assert "/healthz" not in first.text
        assert stored["secret_key"] not in first.text
    give_places(tmp_path)  # unless it has packed them itself
    with terminal(tmp_path) as second:
        until(lambda: second.shows("  Keys") and second.shows(".json"))
        second.interrupt()
        assert "Packing" not in second.text
        root = f"http://127.0.0.1:{second.port}"
        lines = re.findall(r"^  (\w+) +(.+)$", second.text, re.MULTILINE)
        assert [(name, words.partition("#")[0]) for name, words in lines] == [
            ("Console", f"{root}/console/first"),
            ("Docs", f"{root}/docs"),
            ("Keys", str(tmp_path / "first-site.json")),
        ]


def test_a_start_without_the_file_of_keys_says_how_to_list_them(tmp_path):
    for words in (("migrate",), ("site", "create", "News")):
        subprocess.run(
            command(*words), cwd=ROOT, env=environment(tmp_path, free_port()), capture_output=True, check=True
        )
    with serving(tmp_path) as service:
        assert service.process.stdout is not None
        line = next(line for line in service.process.stdout if line.startswith("  Keys"))
    assert "audience key list" in line


def test_a_wrong_setting_is_named_with_the_reason(tmp_path):
    run = subprocess.run(
        command("serve"),
        cwd=ROOT,
        env=environment(tmp_path, 0),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert run.returncode == 2
    assert (
        run.stderr
        == "audience: environment variable AUDIENCE_PORT: port must be a whole number from 1 to 65535\n"
    )


UNUSABLE = (
    ("geo_database", "{tmp_path}/broken.mmdb"),
    ("geo_database", "{tmp_path}/missing.mmdb"),
    ("dns_servers", "resolver.example"),
    ("allow_addresses", "no address"),
    ("abusix_key", "no key"),
    ("tier1_countries", "DE,UK"),
)


@pytest.mark.parametrize(
    ("starter", "setting", "value"),
    depth.sample([(starter, *row) for starter in ("serve", "web") for row in UNUSABLE], 3),
)
def test_an_unusable_resource_stops_the_start_and_is_named(tmp_path, starter, setting, value):
    (tmp_path / "broken.mmdb").write_bytes(b"no database")
    variables = {f"AUDIENCE_{setting.upper()}": value.format(tmp_path=tmp_path)}
    run = subprocess.run(
        command(starter),
        cwd=ROOT,
        env=environment(tmp_path, free_port(), **variables),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert re.fullmatch(rf"audience: {setting}\b.+\n", run.stderr)
