"""The geometry of charts: a plot 1,000 wide that stretches, and words beside it that do not."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 1000.0
ABOVE, BELOW = 8.0, 6.0  # room for the half line above the highest tick, and below zero
IGNORED = 0.03  # of the highest value: so little below zero needs no tick of its own
STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Scale:
    """A scale from `low` to `high` on `height` units, upwards, with round `ticks`."""

    low: float
    high: float
    height: float
    ticks: tuple[float, ...]

    def y(self, value: float) -> float:
        """The y coordinate of a value, which grows downwards."""
        share = (value - self.low) / ((self.high - self.low) or 1)
        return round(self.height - BELOW - share * (self.height - ABOVE - BELOW), 1)


def scale(values: Sequence[float], height: float, parts: int = 5) -> Scale:
    """A scale that contains zero and every value, with at most `parts` + 1 ticks, which are whole numbers."""
    low, high = min(0, *values, 0), max(0, *values, 0)
    low = 0 if -low < IGNORED * high else low
    step = _step((high - low) / parts)
    first, last = -int(-(low // step)), int(-(-high // step))
    ticks = tuple(step * index for index in range(first, max(last, first + 1) + 1))
    return Scale(ticks[0], ticks[-1], height, ticks)


def _step(size: float) -> float:
    """The least round step that is a whole number and at least `size`."""
    power = 1.0
    while True:
        for step in STEPS:
            if step * power >= size and step * power == int(step * power):
                return step * power
        power *= 10


def points_x(count: int) -> list[float]:
    """The x coordinates of `count` points, evenly spaced from edge to edge."""
    return [round(WIDTH * index / max(count - 1, 1), 1) for index in range(count)]


def slots(count: int) -> list[float]:
    """The x coordinates of the middle of each of `count` equal slots."""
    return [round(WIDTH * (index + 0.5) / max(count, 1), 1) for index in range(count)]


def line(values: Sequence[float], on: Scale) -> str:
    """The SVG path of a line through the values. One value makes a level line."""
    points = " ".join(f"{x} {on.y(value)}" for x, value in zip(points_x(len(values)), values, strict=True))
    return f"M{points}" + (f"H{WIDTH:.0f}" if len(values) == 1 else "") if values else ""


def area(values: Sequence[float], on: Scale) -> str:
    """The SVG path of the area between a line and zero."""
    return f"{line(values, on)} {WIDTH:.0f} {on.y(0)} 0 {on.y(0)}Z" if values else ""


def strokes(values: Sequence[float], on: Scale) -> str:
    """The path of an upright line from zero to each value other than zero, in the middle of its slot."""
    zero = on.y(0)
    pairs = zip(slots(len(values)), values, strict=True)
    return "".join(f"M{x} {zero}V{on.y(value)}" for x, value in pairs if value)


def columns(values: Sequence[float], on: Scale) -> str:
    """The path of a column from zero to each value other than zero, two thirds of a slot wide."""
    wide, zero = round(WIDTH / max(len(values), 1) * 0.66, 1), on.y(0)
    pairs = zip(slots(len(values)), values, strict=True)
    return "".join(f"M{x - wide / 2:.1f} {zero}V{on.y(value)}h{wide}V{zero}Z" for x, value in pairs if value)


def grid(on: Scale) -> str:
    """The path of a level line at each tick other than zero."""
    return "".join(f"M0 {on.y(tick)}H{WIDTH:.0f}" for tick in on.ticks if tick)


def spark(values: Sequence[float], width: float = 56, height: float = 24) -> tuple[str, str]:
    """The (path of a small line, path of its last point), scaled to the lowest and the highest value."""
    low, high = min(values, default=0), max(values, default=0)
    rise = (height - 6) / ((high - low) or 1)
    points = [
        f"{2 + (width - 6) * index / max(len(values) - 1, 1):.1f} {height - 3 - (value - low) * rise:.1f}"
        for index, value in enumerate(values)
    ]
    return (f"M{' '.join(points)}", f"M{points[-1]}h0") if points else ("", "")


def spark_strokes(values: Sequence[int], width: float = 72, height: float = 18) -> str:
    """The path of an upright line for each value other than zero."""
    slot, rise = width / max(len(values), 1), (height - 3) / max(*values, 1)
    return "".join(
        f"M{slot * (index + 0.5):.1f} {height - 1}v-{value * rise:.1f}"
        for index, value in enumerate(values)
        if value
    )


def parts(numbers: Sequence[int], gap: float = 2) -> list[tuple[float, float]]:
    """The (x, width) of each part of a bar. Even the smallest part is visible, unless its number is zero."""
    total = sum(numbers) or 1
    widths = [max(number / total * WIDTH, 4) if number else 0 for number in numbers]
    widths = [width * WIDTH / (sum(widths) or 1) for width in widths]
    starts = [sum(widths[:index]) for index in range(len(widths))]
    return [
        (round(x, 1), round(max(wide - gap, 2), 1) if wide else 0)
        for x, wide in zip(starts, widths, strict=True)
    ]


def spread_labels(labels: Sequence[str], most: int = 7) -> list[tuple[int, str]]:
    """Up to `most` labels with their index: the first, the last, and others spaced as evenly as possible."""
    if len(labels) <= most:
        return list(enumerate(labels))
    spaces = next((space for space in range(most - 1, 1, -2) if (len(labels) - 1) % space == 0), most - 1)
    chosen = [round(index * (len(labels) - 1) / spaces) for index in range(spaces + 1)]
    return [(index, labels[index]) for index in chosen]


def label_y(y: float, other: float, least: float) -> float:
    """The position `y` of a label, moved away from another label that is closer than `least`."""
    if abs(y - other) >= least:
        return y
    return other + least if y >= other else other - least
