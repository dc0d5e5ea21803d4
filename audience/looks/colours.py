"""The colours of a site's public pages, all derived from one accent; contrasts are those of WCAG 2."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

Rgb = tuple[int, int, int]

BLACK, WHITE = (0, 0, 0), (255, 255, 255)
STEPS = 20  # from a colour to black or white
NOTE_SHARE = 0.12  # of the accent, in the ground of a note


class Scheme(NamedTuple):
    """A style sheet's backgrounds. A link's colour is mixed `towards` another up to this `contrast`."""

    paper: Rgb
    card: Rgb
    towards: Rgb
    contrast: float


LIGHT = Scheme((0xF6, 0xF1, 0xE6), (0xFF, 0xFE, 0xFA), BLACK, 4.5)
DARK = Scheme((0x1B, 0x18, 0x15), (0x24, 0x20, 0x1B), WHITE, 6.0)


class Colours(NamedTuple):
    """The colours of a page: background and text of the main button, links, background of a note."""

    acc: str
    on: str
    say: str
    acc2: str


def light(accent: str) -> Colours:
    colour = _rgb(accent)
    note = _note(LIGHT, colour)
    say = next(mixture for mixture in _mixtures(LIGHT, colour) if _is_readable(LIGHT, mixture, note))
    return Colours(accent, _on(colour), _hex(say), _hex(note))


def dark(accent: str) -> Colours:
    """The colours on a dark background. Button and links share one colour, from which the note's is mixed."""
    mixtures = _mixtures(DARK, _rgb(accent))
    say = next(mixture for mixture in mixtures if _is_readable(DARK, mixture, _note(DARK, mixture)))
    return Colours(_hex(say), _on(say), _hex(say), _hex(_note(DARK, say)))


@lru_cache(256)
def style_sheet(accent: str) -> str:
    return (
        f":root{{{_declarations(light(accent))}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{_declarations(dark(accent))}}}}}\n"
    )


def contrast(one: str, other: str) -> float:
    return _contrast(_rgb(one), _rgb(other))


def _mixtures(scheme: Scheme, colour: Rgb) -> Iterator[Rgb]:
    return (_mix(colour, scheme.towards, step / STEPS) for step in range(STEPS + 1))


def _is_readable(scheme: Scheme, colour: Rgb, note: Rgb) -> bool:
    return min(_contrast(colour, ground) for ground in (scheme.paper, scheme.card, note)) >= scheme.contrast


def _note(scheme: Scheme, colour: Rgb) -> Rgb:
    return _mix(scheme.card, colour, NOTE_SHARE)


def _on(colour: Rgb) -> str:
    return _hex(max(WHITE, BLACK, key=lambda text: _contrast(text, colour)))


def _mix(colour: Rgb, other: Rgb, share: float) -> Rgb:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(colour, other, strict=True))
    return red, green, blue


def _contrast(one: Rgb, other: Rgb) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Rgb) -> float:
    red, green, blue = (_linear(part / 255) for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.03928 else float(((part + 0.055) / 1.055) ** 2.4)


def _rgb(text: str) -> Rgb:
    red, green, blue = bytes.fromhex(text[1:])
    return red, green, blue


def _hex(colour: Rgb) -> str:
    return "#" + bytes(colour).hex()


def _declarations(colours: Colours) -> str:
    return ";".join(f"--{name}:{value}" for name, value in colours._asdict().items())
