"""A report's data, drawn in the terminal."""

import shutil
import sys
from collections.abc import Iterator
from itertools import groupby
from typing import Any

LABEL = 32
WIDEST = 100


def draw(data: dict[str, Any]) -> Iterator[str]:
    """Lines: the number of a count, or a bar for each point, series by series."""
    if "value" in data:
        yield f"{data['value']:,}"
        return
    points = data["points"]
    if not points:
        yield "Nothing yet."
        return
    labels = min(LABEL, max(len(point["x"]) for point in points))
    numbers = max(len(f"{point['y']:,}") for point in points)
    room = max(10, min(WIDEST, shutil.get_terminal_size().columns) - labels - numbers - 4)
    highest = max(1, *(abs(point["y"]) for point in points))
    for name, series in groupby(points, lambda point: point["g"]):
        yield printable(name)
        for point in series:
            bar = _block() * round(room * abs(point["y"]) / highest)
            yield f"  {printable(point['x'])[:LABEL]:<{labels}} {point['y']:>{numbers},} {bar}".rstrip()


def printable(text: str) -> str:
    """Text of other people without what would steer the terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _block() -> str:
    return "█" if (sys.stdout.encoding or "").lower().startswith("utf") else "#"
