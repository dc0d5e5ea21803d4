"""Draws the console's map of the world: a dot wherever the bundled table of places has a place.

.venv/bin/python -m tables.world_map
"""

import csv
import lzma
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACES = ROOT / "audience" / "data" / "geolocation" / "locations.csv.xz"
MAP = ROOT / "audience" / "console" / "static" / "world.svg"
CELL = 2.5  # degrees between two dots
NORTH, SOUTH = 84, -60


def cells() -> set[tuple[int, int]]:
    """(row from the north, column from the west) of each cell with a place."""
    found = set()
    with lzma.open(PLACES, "rt", encoding="utf-8") as text:
        for place in csv.DictReader(text):
            latitude, longitude = float(place["latitude"]), float(place["longitude"])
            if SOUTH < latitude < NORTH:
                found.add((int((NORTH - latitude) // CELL), int((longitude + 180) // CELL)))
    return found


def path(dots: set[tuple[int, int]]) -> str:
    """Dots as strokes without a length."""
    written = []
    for row in range(int((NORTH - SOUTH) / CELL) + 1):
        y = -NORTH + (row + 0.5) * CELL
        columns = sorted(column for dot_row, column in dots if dot_row == row)
        written += [f"M{-180 + (column + 0.5) * CELL:g} {y:g}h0" for column in columns]
    return "".join(written)


def main() -> None:
    dots = cells()
    MAP.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-180 -84 360 144">'
        f'<path id="land" d="{path(dots)}"/></svg>\n',
        "utf-8",
    )
    print(f"{len(dots)} dots, {MAP.stat().st_size} bytes")


if __name__ == "__main__":
    main()
