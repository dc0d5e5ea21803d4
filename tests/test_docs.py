"""The documents say what is so: every example runs, every setting and endpoint is listed."""

import json
import re
import subprocess
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import pytest

from audience.checks.reasons import ModerationReason, ValidationReason
from audience.checks.rules import RULES
from audience.config import Settings
from audience.health import CHECKS
from tests.conftest import program
from tests.service import serving, until
from workers import meter
from workers.meter import GAUGES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(sh|json)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def settings_table() -> str:
    lines = ["| Setting | Default | Meaning |", "|---|---|---|"]
    for item in fields(Settings):
        lines.append(f"| `AUDIENCE_{item.name.upper()}` | {shown(item)} | {item.metadata['meaning']} |")
    return "\n".join(lines)


def shown(item) -> str:
    default = "instance" if item.name == "instance" else item.default
    if isinstance(default, tuple):
        default = ",".join(default)
    text = str(default).lower() if isinstance(default, bool) else str(default)
    return f"`{text}`" if text else ""


def test_the_readme_lists_every_setting():
    assert README.partition("<!-- settings -->\n")[2].partition("\n<!-- /settings -->")[0] == settings_table()


def test_env_example_lists_every_setting_with_its_default():
    given = re.findall(
        r"^# (.+)\n# AUDIENCE_(\w+)=(.*)$", (ROOT / ".env.example").read_text("utf-8"), re.MULTILINE
    )
    assert given == [
        (item.metadata["meaning"], item.name.upper(), shown(item).strip("`")) for item in fields(Settings)
    ]


def reasons_table() -> str:
    lines = ["| Code | Of | Invalid by itself | Meaning | What to do |", "|---|---|---|---|---|"]
    fatal = {rule.reason: rule.fatal for rule in RULES}
    for reason in ValidationReason:
        lines.append(row(reason, "validation", fatal.get(reason, "decides before every rule")))
    for reason in ModerationReason:
        lines.append(row(reason, "moderation", "always" if reason.fatal else "never"))
    return "\n".join(lines)


def row(reason, of, fatal) -> str:
    return f"| `{reason}` | {of} | {fatal} | {reason.meaning} | {reason.advice} |"


def test_every_reason_code_is_published():
    answers = (ROOT / "docs" / "answers.md").read_text("utf-8")
    assert answers.partition("<!-- reasons -->\n")[2].partition("\n<!-- /reasons -->")[0] == reasons_table()


def path_of(rule):
    named = rule.removeprefix("/api/v1").replace("<letters:name>", "{letters}")
    return re.sub(r"<[^>]+>", "{id}", named)


def test_the_readme_lists_every_endpoint_with_its_scope(app):
    routes = {
        (method, path_of(rule.rule), scope)
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if (scope := app.view_functions[rule.endpoint].scope) != "public"
    }
    table = re.findall(r"^\| (`[A-Z].*) (/\S+)` \|.*\| (\w+) \|$", README, re.MULTILINE)
    listed = {
        (method, path, scope) for methods, path, scope in table for method in re.findall(r"[A-Z]+", methods)
    }
    assert listed == routes


def test_the_readme_lists_every_public_route(app):
    routes = {
        re.sub(r"<(?:[^>]*:)?(\w+)>", r"{\1}", rule.rule)
        for rule in app.url_map.iter_rules()
        if app.view_functions[rule.endpoint].scope == "public"
    }
    assert set(re.findall(r"^\| `GET (/\S+)` \| [^|]+ \|$", README, re.MULTILINE)) == routes


def test_every_check_and_count_is_documented():
    page = (ROOT / "docs" / "health.md").read_text("utf-8")
    for name in (*CHECKS, *(f"audience_{name}" for name in GAUGES)):
        assert f"`{name}`" in page
    counted = set(re.findall(r'(?:counter|histogram)\("(\w+)"', Path(meter.__file__).read_text("utf-8")))
    assert counted
    for name in counted:
        assert re.search(rf"`audience_{name}(_total)?`", page), name


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """What each block of the README's examples prints, run one after the other against a new service."""
    program("curl")
    instance = tmp_path_factory.mktemp("readme")
    with serving(instance) as service:
        script, printed = "set -e\n", []
        for language, text in BLOCKS:
            if language == "json":
                printed.append(("json", text))
                continue
            text = text.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{service.port}")
            text = text.replace("instance/first-site.json", str(instance / "first-site.json"))
            run = subprocess.run(
                ["bash", "-c", script + text], capture_output=True, text=True, timeout=60, check=True
            )
            if "=" in text.splitlines()[0]:
                script += text
            printed.append(("sh", run.stdout))
            if "/batch/subscribers" in text:
                until(lambda: finished_at(service))
        yield printed


def finished_at(service):
    return service.call("GET", "/batch/imports/1")[1]["data"]["attributes"]["finished_at"]


def test_every_example_answers(outputs):
    for kind, text in outputs:
        for line in text.splitlines() if kind == "sh" else ():
            assert "error" not in json.loads(line)


def test_every_answer_shown_is_the_answer_given(outputs):
    shown_after = [(before, text) for (_, before), (kind, text) in pairwise(outputs) if kind == "json"]
    assert shown_after
    for before, text in shown_after:
        assert json.loads(before.splitlines()[-1]) == json.loads(text)
