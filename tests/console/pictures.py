"""`make pictures`: pictures of the demo's screens, taken in Debian's Chromium, in light and dark.

All go to `build/pictures`, to look at; those that the documentation shows go to `docs/pictures`, too.
"""

import datetime as dt
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
IN_DOCS = ("overview", "subscriber", "segment_form", "import_file")
GUESTS = [
    ("Lina", "Haddad", "Tripoli", "cedarmail.example"), ("Tomás", "Ferreira", "Porto", "mareonda.example"),
    ("Aoife", "Brennan", "Galway", "liffeymail.example"), ("Søren", "Kjær", "Odense", "fjordpost.example"),
]  # fmt: skip
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
        page.wait_for_load_state("networkidle")
        page.screenshot(path=ALL / f"{name}-{width}-{theme}.png", full_page=True)
        if name in IN_DOCS and width == DESKTOP:
            page.screenshot(path=DOCS / f"{name}-{theme}.png")
    context.close()


def _screens(page: Page, root: str, site: str) -> dict[str, str]:
    """The address of each screen."""
    lists = {noun: f"{site}/{noun}" for noun in ("subscribers", "imports", "segments", "reports")}
    records = {noun.rstrip("s"): _first(page, address, noun) for noun, address in lists.items()}
    old = (dt.datetime.now(dt.UTC) - dt.timedelta(days=500)).date().isoformat()
    of_long = f"{site}/subscribers?order=last_event_at&tag=vip&created_at_to={old}"
    records["subscriber"] = _first(page, of_long, "subscribers")
    records["report"] = _first(page, lists["reports"], "reports", "Purchases by week")
    forms = {
        "segment_form": f"{records['segment']}/edit",
        "import_file": _send_file(page, f"{site}/imports/new"),
        "report_form": f"{site}/reports/new?kind=Events",
        "import_new": f"{site}/imports/new",
        "acts": f"{site}/acts",
    }
    others = {noun: f"{site}/{noun}" for noun in ("checks", "settings", "keys", "webhooks")}
    instance = {noun: f"{root}/{noun}" for noun in ("operators", "doctor", "audit-log")}
    return {"overview": site} | lists | records | forms | others | instance


def _send_file(page: Page, path: str) -> str:
    """Sends a file that then waits to be imported. Returns the URL of its page."""
    people = (
        f"{first.lower()}{number}@{domain if number % 83 else 'no domain'};{last}, {first};"
        f"{'unsubscribed' if number % 9 == 0 else 'active'};{number % 28 + 1:02}/{number % 9 + 1:02}/2026;"
        f"newsletter, fair;{number % 12 or ''};{town};192.0.2.{number % 200}"
        for number, (first, last, town, domain) in enumerate(GUESTS * 60, 1)
    )
    page.goto(path)
    rows = "\n".join(["E-mail;Name;State;Signup date;Groups;Orders;Town;IP", *people]).encode()
    file: Any = {"name": "spring-fair-guests.csv", "mimeType": "text/csv", "buffer": rows}
    page.get_by_label("File, up to").set_input_files(file)
    page.get_by_label("What column 8 becomes").select_option("ignore")
    page.get_by_label("A column says who").check()
    page.get_by_label("The column that says who").select_option(label="State")
    page.get_by_role("button", name="Use this answer").click()
    for value, meaning in (("active", "Subscribed"), ("unsubscribed", "Unsubscribed")):
        page.get_by_role("radiogroup", name=value, exact=True).get_by_label(meaning, exact=True).check()
    page.get_by_role("button", name="Use this answer").click()
    page.get_by_text("What would happen").wait_for()
    return page.url


def _first(page: Page, path: str, noun: str, name: str = "") -> str:
    """The URL of the first record in a list, or of the first with this name."""
    page.goto(path)
    link = page.locator(f"main td a[href*='/{noun}/']", has_text=name).first
    return str(link.evaluate("link => link.href"))


if __name__ == "__main__":
    main()
