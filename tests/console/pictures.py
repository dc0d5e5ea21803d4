"""`make pictures`: pictures of the demo's screens, taken in Debian's Chromium, in light and dark.

All go to `build/pictures`, to look at; those that the documentation shows go to `docs/pictures`, too.
"""

import json
import subprocess
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.conftest import program
from tests.console.chromium import HEIGHT, chromium
from tests.service import Service, command, environment, serving

EMAIL, PASSWORD = "mara@example.com", "a heron stands in the reeds"
ALL, DOCS = Path("build/pictures"), Path("docs/pictures")
IN_DOCS = ("overview", "subscriber", "segment")
DESKTOP, TELEPHONE = 1280, 360


def main() -> None:
    ALL.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        Path(folder, "log").open("w") as log,
        serving(Path(folder, "instance"), log) as service,
    ):
        site_uuid = _run(service, "demo")["site_uuid"]
        roles = ("--administrator", "--site", site_uuid, "--role", "owner")
        link = _run(service, "operator", "add", EMAIL, *roles)["link"]
        with chromium(program("chromium")) as browser:
            state = _sign_in(browser, link)
            for width, theme in product((DESKTOP, TELEPHONE), ("light", "dark")):
                _take(browser, state, f"http://127.0.0.1:{service.port}/console", site_uuid, width, theme)


def _run(service: Service, *words: str) -> Any:
    """The JSON that a command prints."""
    done = subprocess.run(
        command(*words, "--json"), env=environment(service.instance, service.port),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def _sign_in(browser: Browser, link: str) -> Any:
    """The cookies of an operator who has set a password at a link."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    for field in page.locator("input[type=password]").all():
        field.fill(PASSWORD)
    page.get_by_role("button").click()
    page.wait_for_url("**/console/**")
    return context.storage_state()


def _take(browser: Browser, state: Any, root: str, site_uuid: str, width: int, theme: Any) -> None:
    context = browser.new_context(
        storage_state=state, viewport={"width": width, "height": HEIGHT}, color_scheme=theme
    )
    page = context.new_page()
    for name, address in _screens(page, root, f"{root}/sites/{site_uuid}").items():
        page.goto(address)
        page.screenshot(path=ALL / f"{name}-{width}-{theme}.png", full_page=True)
        if name in IN_DOCS and width == DESKTOP:
            page.screenshot(path=DOCS / f"{name}-{theme}.png")
    context.close()


def _screens(page: Page, root: str, site: str) -> dict[str, str]:
    """The address of each screen."""
    lists = {noun: f"{site}/{noun}" for noun in ("subscribers", "imports", "segments", "reports")}
    records = {noun.rstrip("s"): _first(page, address, noun) for noun, address in lists.items()}
    records["subscriber"] = _first(page, f"{site}/subscribers?order=last_event_at", "subscribers")
    others = {noun: f"{site}/{noun}" for noun in ("checks", "settings", "keys")}
    instance = {noun: f"{root}/{noun}" for noun in ("operators", "doctor", "audit-log")}
    return {"overview": site} | lists | records | others | instance


def _first(page: Page, path: str, noun: str) -> str:
    """Where the first record of a list leads."""
    page.goto(path)
    link = page.locator(f"main a[href*='/{noun}/']").first
    return str(link.evaluate("link => link.href"))


if __name__ == "__main__":
    main()
