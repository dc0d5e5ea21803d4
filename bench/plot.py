"""A plot of how figures grow with the number of people, as SVG."""

from collections.abc import Mapping, Sequence
from math import log10

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 860, 420, 60, 30, 300, 50
COLORS = (
    "#1b6ca8",
    "#c0392b",
    "#1e8449",
    "#8e44ad",
    "#b9770e",
    "#117a65",
    "#5d6d7e",
    "#d35400",
    "#2e4053",
    "#a93226",
)
TICKS = (0.5, 1, 2, 5, 10, 20, 50)
HEAD = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
    'font-size="12"><rect width="100%" height="100%" fill="#fff"/>'
)


def svg(sizes: Sequence[int], times: Mapping[str, Sequence[float]]) -> str:
    """Each line is a time in multiples of that at the smallest size; both axes are logarithmic."""
    highest = max(TICKS[3], *(value for line in times.values() for value in line))
    ticks = [tick for tick in TICKS if tick <= highest * 1.1]
    low, high = log10(TICKS[0]), log10(max(highest, ticks[-1]))
    first, last = log10(sizes[0]), log10(sizes[-1])

    def x(size: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (log10(size) - first) / ((last - first) or 1)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (log10(max(value, TICKS[0])) - low) / (high - low)

    parts = [HEAD, f'<text x="{LEFT}" y="18">time, in multiples of that at {sizes[0]:,} people</text>']
    for tick in ticks:
        parts.append(f'<path d="M{LEFT} {y(tick):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick}</text>')
    for size in sizes:
        parts.append(f'<text x="{x(size):.1f}" y="{HEIGHT - 25}" text-anchor="middle">{size:,}</text>')
    for number, (name, line) in enumerate(times.items()):
        color, at = COLORS[number % len(COLORS)], TOP + 20 * number + 10
        points = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in zip(sizes, line, strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts.append(f'<rect x="{WIDTH - RIGHT + 20}" y="{at - 9}" width="12" height="12" fill="{color}"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 38}" y="{at + 2}">{name}</text>')
    return "".join([*parts, "</svg>\n"])
