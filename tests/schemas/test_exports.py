"""CSV is written as the standard library writes it, cell by cell."""

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from schemas.exports import table_csv
from schemas.formats.csv_values import defuse

CELLS = st.text(st.sampled_from("a1 é👋=,;\"'\r\n\t\0"), max_size=4)


@given(st.lists(st.lists(CELLS, max_size=3), max_size=3))
def test_a_table_is_written_as_the_standard_library_does(lines):
    text = io.StringIO(newline="")
    csv.writer(text).writerows([[defuse(cell) for cell in line] for line in lines])
    assert table_csv(lines) == text.getvalue().encode()
