"""Every example of the pages runs and prints the output that the page shows."""

import json
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import program
from tests.depth import sample
from tests.service import PATIENCE_SECONDS, environment, serving, until
from tests.test_operations import PAGES as WITHOUT_SERVICE

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RUN = {"sh": ["bash", "-ec"], "python": [sys.executable, "-c"]}
OUTPUT_LANGUAGES = {"json", "text"}
DEFINITION = re.compile(r"[A-Z]+=")  # the block defines variables for later blocks and prints nothing
LIST = "\ndeclare -p {}\ndeclare -f"
CHANGING = {
    r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b": "UUID",
    r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z": "TIME",
    r"\b\d{4}-\d\d-\d\d\b": "DAY",
    r"\b(pk|sk)_\w+": "KEY",
    r"(?<=id\": )\"?\d+\"?": "ID",
    r"(?<=tag_ids\": \[)[^]]*": "IDS",
}


def blocks(page):
    return BLOCK.findall((ROOT / page).read_text("utf-8"))


PAGES = [
    name
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if (name := page.relative_to(ROOT).as_posix()) not in WITHOUT_SERVICE
    and RUN.keys() & {language for language, _ in blocks(name)}
]


@pytest.fixture
def reader(tmp_path, geo_table):
    """Runs a block on a newly started service, without a resolver."""
    program("curl")
    with serving(
        tmp_path / "instance", AUDIENCE_DNS_SERVERS="127.0.0.1:9", AUDIENCE_DNS_TIMEOUT="0.2"
    ) as service:
        yield partial(run, service)


def run(service, language, text):
    """Runs a block, waits until what it imports is finished, and returns its output."""
    variables = environment(service.instance, service.port)
    variables["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{variables['PATH']}"
    done = subprocess.run(
        [*RUN[language], text.replace(":8000", f":{service.port}")],
        cwd=service.instance.parent,
        env=variables,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    is_error = done.stdout.startswith('{"error":')
    assert done.returncode == is_error or not done.returncode, text + done.stdout + done.stderr
    until(lambda: all(is_finished(each) for each in service.call("GET", "/batch/imports")[1]["data"]))
    return done.stdout.replace(f":{service.port}", ":8000")


def is_finished(an_import):
    return an_import["attributes"]["finished_at"]


def normalize(text):
    """The text without the values that differ between runs, with JSON normalized."""
    try:
        text = json.dumps(json.loads(text), sort_keys=True)
    except ValueError:
        text = text.replace("\r\n", "\n").rstrip("\n")
    for pattern, name in CHANGING.items():
        text = re.sub(pattern, name, text)
    return text


@pytest.mark.parametrize("page", sample(PAGES, 3))
def test_every_example_prints_the_output_on_its_page(page, reader):
    page_blocks, definitions = blocks(page), ""
    for (language, text), (following, shown) in zip(page_blocks, [*page_blocks[1:], ("", "")], strict=True):
        if language not in RUN:
            continue
        if DEFINITION.match(text):
            definitions += reader(
                "sh", text + LIST.format(" ".join(re.findall(r"^(\w+)=", text, re.MULTILINE)))
            )
            continue
        answer = reader(language, definitions + text if language == "sh" else text)
        if following in OUTPUT_LANGUAGES:
            whole = following == "text" or answer.startswith("{\n")
            assert normalize(answer if whole else answer.splitlines()[-1]) == normalize(shown), text
        if '"error"' not in shown:
            assert '"error":' not in answer, text
