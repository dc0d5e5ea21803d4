"""tests/torture/README.md shows its own table, and each rule of docs/segments.md is valid."""

import json
import re
from pathlib import Path

from audience import clock
from audience.segments import rules as segment_rules
from audience.segments.subjects import SUBJECTS
from tests.torture.__main__ import ROWS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def test_the_page_has_a_line_for_each_row_of_attacks():
    page = (ROOT / "tests" / "torture" / "README.md").read_text("utf-8")
    text, _, _ = page.partition("## The last long run")
    lines = re.findall(r"^\| (\w+) \| .* \| .* \| .* \| .* \|$", text, re.MULTILINE)
    assert lines == ["Row", *ROWS]


def test_every_rule_on_the_page_is_valid():
    example_rules = [row.example for row in SUBJECTS.values()]
    example_rules += re.findall(
        r"^```json\n(.*?)^```$", (DOCS / "segments.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    for example in example_rules:
        segment_rules.read(json.loads(example), clock.now_ms(), "rules")
