"""Counts and the words beside them, and characters that turn round what is read."""

import re

import pytest

from audience.console.wording import agreeing, visible
from audience.segments import segments
from tests.console.screens import fill

TURNED = "autumn \u202e</b>2026"


@pytest.mark.parametrize(("count", "word"), [(0, "are"), (1, "is"), (2, "are")])
def test_a_word_agrees_with_its_count(count, word):
    assert agreeing(count, "is", "are") == word


def test_one_row_is_said_as_one(owner, manager, site):
    fill(site)
    page = manager.get(f"/sites/{site.uuid}/subscribers?tag=vip&field=plan&value=Ann").text
    assert "the one who matches" in page
    assert "1 of them unsubscribed" in owner.get(f"/sites/{site.uuid}/settings").text


@pytest.mark.parametrize("code", [0x061C, 0x200E, 0x200F, 0x202A, 0x202E, 0x2066, 0x2069])
def test_what_turns_a_text_round_is_marked(code):
    assert visible(f"a{chr(code)}b") == f"a[U+{code:04X}]b"


def test_text_that_is_written_from_the_right_stays_as_it_is():
    assert visible("شهر\u200cزاد") == "شهر\u200cزاد"


def test_names_are_read_as_they_are_written(owner, site):
    owner.post(f"/sites/{site.uuid}/settings", name=TURNED, time_zone="UTC")
    made = segments.create(site, {"name": TURNED, "rules": {"tag": TURNED}})
    for path in ("", f"/segments/{made.id}", "/settings"):
        page = owner.get(f"/sites/{site.uuid}{path}").text
        assert "[U+202E]" in page
    shown = owner.get(f"/sites/{site.uuid}/segments/{made.id}").text
    assert "\u202e" not in shown.partition("<main")[2]


def test_titles_labels_and_fields_of_forms_say_what_is_turned(owner, site):
    owner.post(f"/sites/{site.uuid}/settings", name=TURNED, time_zone="UTC")
    made = segments.create(site, {"name": TURNED, "rules": {"tag": TURNED}})
    fill(site)
    for path in ("/settings", f"/segments/{made.id}", f"/segments/{made.id}/edit"):
        page = owner.get(f"/sites/{site.uuid}{path}").text
        title = page.partition("<title>")[2].partition("</title>")[0]
        assert ("[U+202E]" in title, "\u202e" in title) == (True, False)
        beneath = "its invisible marks shown: <bdi>autumn [U+202E]&lt;/b&gt;2026</bdi>"
        assert (beneath in page) == (not path[-1].isdecimal())
    for path in ("/subscribers", "/reports/new?kind=NetGrowth"):
        options = re.findall(r"<option[^>]*>([^<]*)", owner.get(f"/sites/{site.uuid}{path}").text)
        assert [each for each in options if "[U+202E]" in each]
        assert not [each for each in options if "\u202e" in each]
