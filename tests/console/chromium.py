"""Debian's Chromium, which can reach nothing but this computer, and a tab that is signed in to the console.

`AUDIENCE_PICTURES` names a folder for pictures.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright

from audience.access import operators, sessions
from tests.answers.chromium import QUIET
from tests.service import PATIENCE_SECONDS

ALONE = [each for each in QUIET if not each.startswith("--host-resolver-rules")]
ONLY_HERE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
HEIGHT = 900
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PICTURES = os.environ.get("AUDIENCE_PICTURES", "")
STICKING_OUT = """[...document.querySelectorAll("main td, main th, main .card")].flatMap((part) => {
  const cuts = (each) => getComputedStyle(each).overflowX !== "visible"
  const isCut = (each) => each !== part && (cuts(each) || isCut(each.parentElement))
  const end = part.getBoundingClientRect().right - parseFloat(getComputedStyle(part).paddingRight)
  const range = document.createRange(), found = []
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const {data, parentElement} = texts.currentNode
    range.selectNodeContents(texts.currentNode)
    const {right, width} = range.getBoundingClientRect()
    const isSeen = width > 1 && parentElement.checkVisibility() && !isCut(parentElement)
    if (isSeen && right > end + 0.5) found.push(data)
  }
  return cuts(part) ? [] : found
})"""


@dataclass
class Visitor:
    """An operator's tab. `problems` are errors in the page, and requests that failed or went elsewhere.

    A request that the tab itself gave up does not count as failed, such as for the icon of a page that it
    leaves.
    """

    page: Page
    origin: str
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("requestfailed", self._note_failure)
        self.page.on("request", lambda request: self._is_ours(request.url))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def _note_failure(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":
            self.problems.append(request.url)

    def _is_ours(self, url: str) -> None:
        if not url.startswith(self.origin):
            self.problems.append(url)

    def open(self, path: str) -> None:
        response = self.page.goto(f"{self.origin}/console{path}")
        assert response is not None
        assert response.status == 200, path

    def violations(self) -> list[tuple[str, str]]:
        """What is not accessible on the page: the rule, and the first part that breaks it."""
        broken = Axe().run(self.page).response["violations"]
        return [(rule["id"], rule["nodes"][0]["html"]) for rule in broken]

    def overflow(self) -> int:
        """How many pixels the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"))

    def sticking_out(self) -> list[str]:
        """The texts that overflow their card or cell to the right, with all details open."""
        self.page.evaluate(
            "document.querySelectorAll('main details').forEach((each) => { each.open = true })"
        )
        found: list[str] = self.page.evaluate(STICKING_OUT)
        return found


@contextmanager
def chromium(path: str) -> Iterator[Browser]:
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=path, args=[*ALONE, ONLY_HERE]) as browser,
    ):
        yield browser


def visit(browser, port: int, email: str, width: int, theme: str, script: bool = True) -> Visitor:
    """Opens a tab in which the operator with an address is signed in."""
    context: BrowserContext = browser.new_context(
        viewport={"width": width, "height": HEIGHT}, color_scheme=theme, java_script_enabled=script
    )
    context.set_default_timeout(PATIENCE_SECONDS * 1000)
    token = sessions.begin(operators.get(email).id, remembered=False, client_network="127.0.0.0/24")
    name = f"audience_console_{port}"
    context.add_cookies([{"name": name, "value": token, "domain": "127.0.0.1", "path": "/console"}])
    return Visitor(context.new_page(), f"http://127.0.0.1:{port}")


def looked_at(visitor: Visitor, name: str) -> None:
    """A screen that is accessible in both themes and fits; a picture of it, if they are kept."""
    for theme in THEMES:
        visitor.page.emulate_media(color_scheme=theme)
        assert visitor.violations() == [], (name, theme)
        if PICTURES:
            width = visitor.page.evaluate("innerWidth")
            visitor.page.screenshot(path=Path(PICTURES) / f"{name}-{width}-{theme}.png", full_page=True)
    visitor.page.emulate_media(color_scheme="light")
    assert visitor.overflow() <= 0, name
    assert visitor.sticking_out() == [], name
