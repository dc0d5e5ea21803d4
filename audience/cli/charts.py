"""Draws a report's data in the terminal."""

import shutil
import sys
from collections.abc import Iterator
from itertools import groupby
from typing import Any

MAX_LABEL_LENGTH = 32
MAX_WIDTH = 100


def draw(data: dict[str, Any]) -> Iterator[str]:
    """Yields lines that show a report's data: its `value`, or a bar for each of its `points`, by series."""
    if "value" in data:
        yield f"{data['value']:,}"
        return
    points = data["points"]
    if not points:
        yield "No data yet."
        return
    labels = min(MAX_LABEL_LENGTH, max(len(point["x"]) for point in points))
    numbers = max(len(f"{point['y']:,}") for point in points)
    width = max(10, min(MAX_WIDTH, shutil.get_terminal_size().columns) - labels - numbers - 4)
    highest = max(1, *(abs(point["y"]) for point in points))
    for name, series in groupby(points, lambda point: point["g"]):
        yield printable(name)
        for point in series:
            bar = _block() * round(width * abs(point["y"]) / highest)
            label = printable(point["x"])[:MAX_LABEL_LENGTH]
            yield f"  {label:<{labels}} {point['y']:>{numbers},} {bar}".rstrip()


def printable(text: str) -> str:
    """`text` with `?` for each control character, which could steer the terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _block() -> str:
    return "█" if (sys.stdout.encoding or "").lower().startswith("utf") else "#"
