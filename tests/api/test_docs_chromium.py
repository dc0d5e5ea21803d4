"""/docs in a real browser, and the examples of /docs/api as real programs.

`AUDIENCE_PICTURES` names a folder for pictures.
"""

import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any

import html5lib
import pytest

from audience.api.doc_pages import PICTURE, sources
from audience.forms import definitions
from audience.operations import site_lane
from tests.api.test_openapi_examples import EXAMPLES, UUID, replaced, steady
from tests.conftest import lacks, program
from tests.console.chromium import PICTURES, THEMES, Visitor
from tests.depth import sample
from tests.service import PATIENCE_SECONDS

PAGES = sorted(name for name in sources() if not name.endswith(PICTURE))
PLACES = ("", "#importFile", "#Rule", "#errors")
OPEN = "document.querySelectorAll('#importFile details').forEach((each) => { each.open = true })"
WIDE = "[...document.querySelectorAll('.wide')].filter((each) => each.scrollWidth > each.clientWidth).length"
SHOWN = "[...document.querySelectorAll('#search .in')].filter((each) => each.checkVisibility()).length"


@pytest.fixture
def port(app, port):
    """The service takes whole bodies as files, as its web server passes them on."""
    inner = app.wsgi_app

    def take_body(environ, start_response):
        with tempfile.TemporaryFile() as body:
            body.write(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))
            body.seek(0)
            return inner({**environ, "wsgi.input": body}, start_response)

    app.wsgi_app = take_body
    return port


def open_page(chromium, port: int, width: int, path: str = "/docs/api") -> Visitor:
    context: Any = chromium.new_context(viewport={"width": width, "height": 900})
    tab = Visitor(context.new_page(), f"http://127.0.0.1:{port}")
    tab.page.goto(f"{tab.origin}{path}")
    return tab


def assert_accessible(tab: Visitor) -> None:
    assert tab.violations() == []
    assert tab.overflow() <= 0


def wide_tables(tab: Visitor) -> int:
    """How many tables are wider than their page."""
    return int(tab.page.evaluate(WIDE))


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("name", [None, "settings", *sample(PAGES, 8)])
def test_the_documentation_is_accessible_and_fits(chromium, port, name, width):
    tab = open_page(chromium, port, width, f"/docs/{name}" if name else "/docs")
    for scheme in THEMES:
        tab.page.emulate_media(color_scheme=scheme)
        assert_accessible(tab)
        if PICTURES:
            picture = f"{name or 'index'}-{width}-{scheme}.png".replace("/", "-")
            tab.page.screenshot(path=f"{PICTURES}/{picture}")
    assert width < 1280 or wide_tables(tab) == 0
    assert tab.problems == []


@pytest.mark.parametrize("width", [320, 1280])
def test_the_page_is_accessible_and_fits(chromium, port, width):
    tab = open_page(chromium, port, width)
    tab.page.evaluate(OPEN)
    for scheme in THEMES:
        tab.page.emulate_media(color_scheme=scheme)
        assert_accessible(tab)
        if PICTURES:
            for place in PLACES:
                tab.page.goto(f"{tab.origin}/docs/api{place}")
                tab.page.screenshot(path=f"{PICTURES}/api{place}-{width}-{scheme}.png")
    assert tab.problems == []


def test_the_keyboard_chooses_the_language_of_all_examples(chromium, port):
    tab = open_page(chromium, port, 1280)
    keyboard = tab.page.keyboard
    keyboard.press("Tab")
    assert tab.page.evaluate("document.activeElement.textContent") == "To the content"
    keyboard.press("Tab")
    for language in ("curl", "Python", "JavaScript", "PHP"):
        assert tab.page.evaluate("document.activeElement.value") == language.lower()
        assert tab.page.evaluate(SHOWN) == 1
        assert tab.page.locator(f"#search .{language.lower()} figcaption").inner_text() == language
        keyboard.press("ArrowRight")
    assert tab.problems == []


def test_a_link_to_an_operation_shows_it_below_the_head(chromium, port):
    for width in (320, 1280):
        tab = open_page(chromium, port, width)
        tab.page.goto(f"{tab.origin}/docs/api#listWebhooks")
        head = tab.page.locator("header").bounding_box()
        title = tab.page.locator("#listWebhooks h3").bounding_box()
        assert head is not None
        assert title is not None
        assert head["y"] + head["height"] < title["y"] < 300


def run(*words, **keys):
    ended = subprocess.run(
        words, capture_output=True, text=True, env={**os.environ, **keys}, timeout=PATIENCE_SECONDS
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def curl(text, **keys):
    return run("sh", "-c", text.replace("curl ", f"{program('curl')} -s --fail-with-body ", 1), **keys)


def python(text, **keys):
    printed = run(sys.executable, "-c", f"{text}\nanswer.raise_for_status()", **keys)
    return json.dumps(ast.literal_eval(printed)) if "json()" in text else printed


def javascript(text, **keys):
    as_json = text.replace("console.log(await answer.json())", "console.log(await answer.text())")
    checked = f"{as_json}\nif (!answer.ok) process.exit(1)"
    node = shutil.which("node") or lacks("nodejs")
    return run(node, "--input-type=module", "-e", checked, **keys)


def php(text, **keys):
    as_json = text.replace("json_decode(curl_exec($request))", "curl_exec($request)")
    checked = f"{as_json}\nexit(intdiv(curl_getinfo($request, CURLINFO_RESPONSE_CODE), 100) - 2);"
    return run(shutil.which("php") or lacks("php-cli php-curl"), "-r", checked.removeprefix("<?php"), **keys)


@pytest.mark.parametrize("send", [curl, python, javascript, php])
def test_the_examples_run_as_they_are_and_are_answered_as_shown(settings, port, client, monkeypatch, send):
    """Of every operation, in the order of the document's examples, on a new site."""
    monkeypatch.setattr(definitions, "check_open", lambda *_: None)  # a form opens without a mail server
    server = f"http://127.0.0.1:{port}"
    object.__setattr__(settings, "public_url", server)
    page = html5lib.parse(client.http.get("/docs/api").text, namespaceHTMLElements=False)
    shown = {
        article.get("id"): [
            code.text for code in article.iterfind(f".//figure[@class='in {send.__name__}']//code")
        ]
        for article in page.iterfind(".//article")
    }
    keys = {"PUBLISHABLE_KEY": client.key.publishable_key, "SECRET_KEY": client.key.secret_key}
    uuids: dict[str, str] = {}
    for example in EXAMPLES:
        answer = send(replaced(shown[example["operation"]].pop(0), uuids), **keys)
        site_lane.drain(client.site.id, 30)
        got = answer if "answer_type" in example else json.loads(answer)
        got = json.loads(json.dumps(got).replace(server, "http://127.0.0.1:8000"))
        texts = json.dumps(example["answer"]), json.dumps(got)
        uuids |= dict(zip(*(UUID.findall(text) for text in texts), strict=False))
        if "answer_type" not in example:
            assert steady(got) == steady(example["answer"]), example["operation"]
    assert [name for name, left in shown.items() if left] == []
