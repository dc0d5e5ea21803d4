"""The style sheet of the pages, and what a site adds to it."""

from audience.access.audit_log import COMMAND_LINE
from audience.looks import looks
from tests.audience.looks.test_looks import PNG, sent

IMMUTABLE = "public, max-age=31536000, immutable"


def test_the_style_sheet_is_small_and_kept_by_its_hash(zoe):
    page = zoe.get(f"/unsubscribe/{zoe.token()}")
    [path] = [part.split('"')[0] for part in page.text.split('href="') if "pages.css" in part]
    sheet = zoe.get(path)
    assert (sheet.status_code, sheet.mimetype) == (200, "text/css")
    assert len(sheet.data) < 8_000
    assert "url(" not in sheet.text
    assert "@import" not in sheet.text
    assert sheet.headers["Cache-Control"] == IMMUTABLE
    assert zoe.get("/pages/static/pages.css?v=0").headers["Cache-Control"] == "no-store"
    assert zoe.get(path, Accept_Encoding="gzip").headers["Content-Encoding"] == "gzip"
    for name in ("x.css", "..%2f__init__.py", "base.html"):
        assert zoe.get(f"/pages/static/{name}").status_code == 404


def test_a_site_without_a_look_has_neither_colours_nor_logo(zoe):
    page = zoe.get(f"/unsubscribe/{zoe.token()}")
    assert ("look.css" in page.text, "<img" in page.text) == (False, False)
    for path in (f"/pages/{zoe.site.uuid}/look.css", f"/pages/{zoe.site.uuid}/logo", "/pages/x/logo"):
        assert zoe.get(path).status_code == 404


def test_a_look_is_on_every_page_of_the_site(zoe):
    looks.change(zoe.site, sent(), PNG, False, COMMAND_LINE)
    page = zoe.get(f"/unsubscribe/{zoe.token()}?lang=en")
    for part in (">harbour-letters.example</a>", ">Imprint</a>", ">Privacy</a>", 'rel="noreferrer"'):
        assert part in page.text
    assert "<title>Unsubscribe · Harbour &amp; Letters</title>" in page.text
    paths = [part.split('"')[0] for part in page.text.split('="') if f"/pages/{zoe.site.uuid}" in part]
    logo, colours = [zoe.get(path) for path in sorted(paths, key=lambda path: "look.css" in path)]
    assert (colours.mimetype, "--acc:#1d4f80" in colours.text) == ("text/css", True)
    assert (logo.mimetype, logo.data) == ("image/png", PNG)
    for answered in (colours, logo):
        assert answered.headers["Cache-Control"] == IMMUTABLE
        assert answered.headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in answered.headers["Content-Security-Policy"]
    assert zoe.get(f"/pages/{zoe.site.uuid}/logo").headers["Cache-Control"] == "no-store"


def test_the_script_is_small_kept_by_its_hash_and_asks_for_nothing(zoe):
    script = zoe.get("/pages/static/pages.js")
    assert (script.status_code, script.mimetype) == (200, "text/javascript")
    assert len(script.data) < 4_000
    for word in ("http", "import ", "fetch", "eval", "cookie", "localStorage", "innerHTML"):
        assert word not in script.text
