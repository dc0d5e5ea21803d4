"""The static files stay within their weight, and pages use nothing but them."""

import gzip
import re
from importlib.resources import files

STATIC = files("audience.console") / "static"
TEMPLATES = [
    each for each in (files("audience.console") / "templates").iterdir() if each.name.endswith(".html")
]


def test_the_style_sheet_is_small():
    style = (STATIC / "style.css").read_bytes()
    assert len(style) <= 24 * 1024
    assert len(gzip.compress(style)) <= 7 * 1024


def test_every_icon_that_is_used_is_in_the_sprite():
    drawn = set(re.findall(r'id="i-(\w+)"', (STATIC / "icons.svg").read_text()))
    templates = "".join(each.read_text() for each in TEMPLATES)
    assert set(re.findall(r'parts\.icon\("(\w+)"\)', templates)) <= drawn
    assert 10 <= len(drawn) <= 16


def test_no_template_has_inline_style_script_or_handler():
    bad = r"<style|<script(?! src)|<[^>{]*\s(?:style|on\w+)=|javascript:|\|\s*safe(?! if)"
    assert [template.name for template in TEMPLATES if re.search(bad, template.read_text())] == []


def test_no_field_cuts_what_is_pasted_into_it():
    """A browser cuts it without a word; the service says in words what is too long."""
    pages = (*TEMPLATES, STATIC / "builder.js")
    assert [page.name for page in pages if "maxlength" in page.read_text()] == []


def test_the_style_sheet_moves_nothing_and_asks_nobody():
    style = (STATIC / "style.css").read_text()
    assert not re.search(r"transition|animation|@import|url\(|https?:", style)
