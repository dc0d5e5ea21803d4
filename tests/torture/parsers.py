"""Random texts for what reads a user's text, from the table of `tests/worst_inputs.py`, and for DNS packets.

No exception but our own, and no slow input. In the long form atheris looks for texts that reach new code,
where it is installed (`pip install atheris`); otherwise texts are cut and pasted from those of the table.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pkgutil import resolve_name
from random import Random

import dns.message

from schemas.formats import workbook
from tests.input_costs import REFUSALS, Worst, WorstInputs
from tests.schemas.test_workbook import book, here, rewritten
from tests.torture.world import ROOT
from tests.worst_inputs import FUNCTIONS

READERS = (
    "audience.addresses:identity", "CSV", "CSV with columns of consent and dates", "JSON array", "JSON lines",
    "audience.api.json_bounds:check", "forms", "segment rules", "schemas.values:read_date",
    "schemas.formats.dates:read_date", "audience.answers.moderation.moderation:moderate", "query",
    "audience.answers.validation.address:parse", "refused rows", "sheet", "workbook", "DNS",
)  # fmt: skip
AT_ONCE = 6  # readers of a process in the short form, which takes longer to begin than to read
SHORT, LONG = -(-len(READERS) // AT_ONCE), 10 * len(READERS)
UNIT = "stretches"
SHORT_SECONDS, LONG_SECONDS = 2, 300
MAX_BYTES = 4_096
GOOD_BOOK = book(("people", [["email", "plan"], ["ann@example.com", 1]]))
SHEET = "xl/worksheets/sheet1.xml"


@contextmanager
def opened(short: bool) -> Iterator[object]:
    seconds = SHORT_SECONDS if short else LONG_SECONDS

    def attack(number: int, chance: Random) -> dict[str, float]:
        seed, size = chance.randrange(1, 2**31), AT_ONCE if short else 1
        name = ";".join(READERS[number * size % len(READERS) :][:size])
        program = "fuzzed" if find_spec("atheris") and not short else "pasted"
        with tempfile.TemporaryDirectory() as folder:
            words = [sys.executable, "-m", f"tests.torture.{program}", name, str(seconds), str(seed), folder]
            child = subprocess.run(
                words, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False
            )
        output = f"{child.stdout}{child.stderr}"
        assert child.returncode == 0, f"{name}, with {program} texts: {output[-3_000:]}"
        return {f"most {program} texts": sum(map(float, re.findall(r"Done (\d+) runs", output)))}

    yield attack


def texts(name: str) -> list[bytes]:
    """The short texts that the table has for a reader."""
    row = FUNCTIONS.get(name)
    units = row.units if row else (*FUNCTIONS["CSV"].units, *FUNCTIONS["JSON lines"].units)
    made = [Worst(*([unit] if isinstance(unit, str) else unit)).text(60) for unit in units]
    return [each.encode("utf-8", "surrogatepass") for each in made]


def reader(name: str) -> Callable[[bytes], None]:
    """A function that reads bytes, and raises only what the reader should not."""
    special = {"sheet": read_sheet, "workbook": read_workbook, "DNS": read_packet}
    return special[name] if name in special else partial(read_text, FUNCTIONS[name], name)


def read_text(row: WorstInputs, name: str, octets: bytes) -> None:
    text = octets.decode("utf-8", "replace")[: min(MAX_BYTES, row.limit)]
    with suppress(*REFUSALS):
        row.run(resolve_name(name) if ":" in name else None, text)


def read_sheet(octets: bytes) -> None:
    read_workbook(rewritten(GOOD_BOOK, {SHEET: octets}))


def read_workbook(octets: bytes) -> None:
    with suppress(*REFUSALS):
        workbook.unpack(here, BytesIO(octets), BytesIO(), None)


def read_packet(octets: bytes) -> None:
    """Parses a DNS packet. The parser may raise anything: its caller takes that for no answer."""
    with suppress(Exception):
        dns.message.from_wire(octets)
