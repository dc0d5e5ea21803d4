"""The look of a site's pages: its colours, and what may be set."""

import random

import pytest

from audience.access import audit_log, sites
from audience.access.audit_log import COMMAND_LINE
from audience.errors import Refused
from audience.looks import colours, looks
from audience.looks.looks import MAX_LOGO_BYTES, Logo
from tests.rows import each_row

PNG = b"\x89PNG\r\n\x1a\n" + b"a" * 100
JPEG = b"\xff\xd8\xff\xe0" + b"a" * 100
WEBP = b"RIFF\x10\0\0\0WEBPVP8 "
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
TABLE = {  # of five accents: on, say, ground of a note; in the dark acc, on, ground of a note
    "#1d4f80": ("#ffffff", "#1d4f80", "#e4e9eb", "#a5b9cc", "#000000", "#333230"),
    "#e8b004": ("#000000", "#806102", "#fcf5dc", "#e8b004", "#000000", "#3c3118"),
    "#d3455b": ("#000000", "#b33b4d", "#fae8e7", "#e9a2ad", "#000000", "#3c302d"),
    "#111111": ("#ffffff", "#111111", "#e2e2de", "#b8b8b8", "#000000", "#36322e"),
    "#7bdcb5": ("#000000", "#3e6e5a", "#effaf2", "#7bdcb5", "#000000", "#2e372d"),
}


@pytest.fixture
def site(app):
    return sites.create("Example")


def sent(**changed):
    return {
        "name": "Harbour & Letters", "home": "https://harbour-letters.example",
        "imprint": "https://harbour-letters.example/imprint", "privacy": "http://harbour-letters.example/p?a=1",
        "language": "de", "accent": "#1d4f80", "base_url": "https://mail.harbour-letters.example",
    } | changed  # fmt: skip


@pytest.mark.parametrize("accent", TABLE)
def test_all_colours_are_derived_from_one(accent):
    light, dark = colours.light(accent), colours.dark(accent)
    on, say, note, dark_acc, dark_on, dark_note = TABLE[accent]
    assert light == (accent, on, say, note)
    assert dark == (dark_acc, dark_on, dark_acc, dark_note)
    assert colours.style_sheet(accent).startswith(
        f":root{{--acc:{accent};--on:{on};--say:{say};--acc2:{note}}}"
    )


@each_row("accent", [
    "#000000", "#ffffff", "#ff0000", "#808080",
    *(f"#{random.Random(n).randrange(2**24):06x}" for n in range(40)),
])  # fmt: skip
def test_every_accent_is_readable(accent):
    light, dark = colours.light(accent), colours.dark(accent)
    for scheme, grounds, least in ((light, ("#f6f1e6", "#fffefa"), 4.5), (dark, ("#1b1815", "#24201b"), 6)):
        assert min(colours.contrast(scheme.say, ground) for ground in (*grounds, scheme.acc2)) >= least
        assert colours.contrast(scheme.on, scheme.acc) >= 4.58


def test_a_look_is_kept_and_audited_by_what_changed(site):
    looks.change(site, sent(), PNG, False, COMMAND_LINE)
    look = looks.get(site)
    of_mail = {"mail_from": "", "mail_name": "", "reply_to": ""}
    assert look._asdict() == sent() | {"logo_hash": look.logo_hash} | of_mail
    assert looks.logo(site) == Logo(PNG, "image/png")
    looks.change(site, sent(accent=""), b"", False, COMMAND_LINE)
    assert (looks.get(site).accent, looks.logo(site)) == ("", Logo(PNG, "image/png"))
    looks.change(site, sent(accent=""), b"", False, COMMAND_LINE)
    looks.change(site, sent(accent=""), b"", True, COMMAND_LINE)
    assert (looks.get(site).logo_hash, looks.logo(site)) == ("", None)
    entries = [entry for entry in audit_log.page(site) if entry.act == "look of the pages changed"]
    assert len(entries) == 3


@pytest.mark.parametrize(
    ("picture", "kind"), [(PNG, "image/png"), (JPEG, "image/jpeg"), (WEBP, "image/webp")]
)
def test_a_logo_is_of_three_kinds(site, picture, kind):
    looks.change(site, sent(), picture, False, COMMAND_LINE)
    assert looks.logo(site) == Logo(picture, kind)


@pytest.mark.parametrize(
    "picture", [SVG, b"GIF89a", b"<html>", b"x", b"RIFF....WAVE", PNG + b"a" * MAX_LOGO_BYTES, b"\x89PNG"]
)
def test_no_other_file_is_a_logo(site, picture):
    with pytest.raises(Refused):
        looks.change(site, sent(), picture, False, COMMAND_LINE)
    assert looks.logo(site) is None
    assert looks.get(site).name == ""


@pytest.mark.parametrize(("field", "wrong"), [
    ("name", "you@example.com"), ("name", "http://x"), ("name", "Win at example.com"), ("name", "a" * 61),
    ("name", "a\nb"), ("name", "a\u202eb"), ("name", "a\0b"),
    ("home", "javascript:alert(1)"), ("home", "harbour.example"), ("home", "https://"),
    ("imprint", "https://a b.example"), ("imprint", "https://user@a.example"), ("privacy", "//a.example"),
    ("privacy", "https://[a"), ("home", "https://a.example/" + "a" * 500), ("home", "https://a.example/\0"),
    ("accent", "red"), ("accent", "#fff"), ("accent", "#1d4f80;}"), ("accent", "#GGGGGG"),
    ("language", "xx"), ("base_url", "https://people.example"), ("base_url", "https://localhost:8000"),
    ("base_url", "https://mail.example/path"), ("base_url", "https://MAIL.example"),
    ("base_url", "mail.example"),
    ("base_url", "https://user@mail.example"), ("base_url", "https://mail.example?x"),
])  # fmt: skip
def test_what_could_deceive_or_break_a_page_is_refused(site, field, wrong):
    with pytest.raises(Refused) as refused:
        looks.change(site, sent(**{field: wrong}), b"", False, COMMAND_LINE, "https://people.example/x")
    assert [error.field for error in refused.value.errors] == [field]
    assert looks.get(site) == looks.Look()


@pytest.mark.parametrize("name", ["", "Harbour Letters", "Mr. Smith & Sons", "Das Blatt – Nr. 5", "N.N."])
def test_ordinary_names_are_taken(site, name):
    looks.change(site, sent(name=name), b"", False, COMMAND_LINE)
    assert looks.get(site).name == name


def test_a_look_is_of_its_site_and_goes_with_it(site, settings):
    other = sites.create("Another")
    looks.change(site, sent(), PNG, False, COMMAND_LINE)
    assert (looks.get(other), looks.logo(other)) == (looks.Look(), None)
    sites.delete(site, settings.instance, lambda *_: None)
    assert (looks.get(site), looks.logo(site)) == (looks.Look(), None)
