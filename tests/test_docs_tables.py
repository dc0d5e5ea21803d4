"""docs/segments.md, docs/reports.md and tests/torture/README.md show the code's own tables."""

import json
import re
from pathlib import Path

import pytest

from audience import clock
from audience.reports.report_types import TYPES
from audience.segments import rules as segment_rules
from audience.segments.subjects import GROUPS, OPERATORS, SUBJECTS
from tests.torture.__main__ import ROWS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def table(*lines):
    head, *rows = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([head, "|---" * len(lines[0]) + "|", *rows])


def code(names):
    return ", ".join(f"`{name}`" for name in names)


TABLES = {
    ("segments", "groups"): table(
        ("Rule", "Holds when"),
        *(
            (f'`{{"{name}": {"rule" if name == "not" else "[rules]"}}}`', text)
            for name, text in GROUPS.items()
        ),
    ),
    ("segments", "subjects"): table(
        ("Subject", "Is", "Operators", "Example"),
        *(
            (f"`{name}`", row.meaning, code(row.operators), f"`{row.example}`")
            for name, row in SUBJECTS.items()
        ),
    ),
    ("segments", "operators"): table(
        ("Operator", "Takes", "Meaning"),
        *((f"`{name}`", row.operand, row.meaning) for name, row in OPERATORS.items()),
    ),
    ("reports", "types"): table(
        ("Type", "Counts", "Settings", "Chart styles"),
        *(
            (
                f"`{name}`",
                row.meaning,
                ", ".join(f"`{each}`{' (needed)' if each in row.needs else ''}" for each in row.settings),
                code(row.chart_styles),
            )
            for name, row in TYPES.items()
        ),
    ),
}


@pytest.mark.parametrize(("page", "name"), TABLES, ids="-".join)
def test_a_page_shows_the_table_of_the_code(page, name):
    text = (DOCS / f"{page}.md").read_text("utf-8")
    assert text.partition(f"<!-- {name} -->\n")[2].partition(f"\n<!-- /{name} -->")[0] == TABLES[page, name]


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
