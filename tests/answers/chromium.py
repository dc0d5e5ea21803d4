"""Loading documents in headless Chromium, and detecting those that run a script."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from playwright.sync_api import Page, Route, sync_playwright

from tests.service import PATIENCE_SECONDS

BATCH = 80
ORIGIN = "http://proof.test/"
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    "--host-resolver-rules=MAP * ~NOTFOUND",
]

# A script ran if it called a dialog, or if the report-only policy `script-src 'none'` reported it: every
# inline script, handler, `javascript:` URL and script file, whatever it does.
IN_EVERY_FRAME = """(() => {
    const tell = () => { top.postMessage("ran", "*") }
    for (const sink of ["alert", "confirm", "prompt", "print"])
        Object.defineProperty(window, sink, {value: tell, writable: true, configurable: true})
    addEventListener("securitypolicyviolation", (event) => {
        if (event.effectiveDirective.startsWith("script-src")) tell()
    }, true)
})()"""

IN_THE_PAGE = """
const sleep = (time) => new Promise((done) => setTimeout(done, time))
const everything = (root) => [...root.querySelectorAll("*")].flatMap((element) =>
    element.shadowRoot ? [element, ...everything(element.shadowRoot)] : [element])

function use(inside) {
    for (const element of everything(inside.document)) {
        for (const {name} of [...element.attributes])
            if (name.toLowerCase().startsWith("on")) {
                element.dispatchEvent(new Event(name.slice(2), {bubbles: true}))
                inside.dispatchEvent(new Event(name.slice(2)))
            }
        element.focus?.({preventScroll: true})
        element.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}))
        element.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true, view: inside}))
    }
}

async function run(documents) {
    const ran = new Set(), loaded = []
    const frames = documents.map((text) => {
        const frame = document.createElement("iframe")
        frame.sandbox = "allow-scripts allow-same-origin allow-forms allow-modals"
        frame.srcdoc = text
        loaded.push(new Promise((done) => frame.addEventListener("load", done, {once: true})))
        return frame
    })
    const hear = ({source}) => {
        while (source && source.parent !== window) source = source.parent
        const index = frames.findIndex((frame) => frame.contentWindow === source)
        if (source && index >= 0) ran.add(index)
    }
    addEventListener("message", hear)
    document.body.append(...frames)
    await Promise.race([Promise.all(loaded), sleep(3000)])
    await sleep(150)
    for (const frame of frames) try { use(frame.contentWindow) } catch {}
    await sleep(250)
    removeEventListener("message", hear)
    for (const frame of frames) frame.remove()
    return [...ran]
}
"""


def _serve(route: Route) -> None:
    if route.request.url != ORIGIN or route.request.frame.parent_frame:
        return route.abort()
    return route.fulfill(
        content_type="text/html; charset=utf-8",
        headers={"Content-Security-Policy-Report-Only": "script-src 'none'"},
        body=f"<!doctype html><title>proof</title><body><script>{IN_THE_PAGE}</script>",
    )


@contextmanager
def browser(path: str) -> Iterator[Page]:
    """A page of the Chromium at `path`, without a network."""
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=path, args=QUIET) as chromium,
    ):
        page = chromium.new_page()
        page.set_default_timeout(PATIENCE_SECONDS * 1000)
        page.add_init_script(IN_EVERY_FRAME)
        page.route("**/*", _serve)
        page.goto(ORIGIN)
        yield page


def which_ran(page: Page, documents: Sequence[str]) -> set[int]:
    """The indexes of the documents that ran a script, by themselves or after using every element once."""
    found: set[int] = set()
    for start in range(0, len(documents), BATCH):
        batch = documents[start : start + BATCH]
        found |= {start + index for index in page.evaluate("documents => run(documents)", batch)}
    return found
