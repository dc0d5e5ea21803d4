"""How numbers, dates, instants and sentences are written on a page: plainly, in the site's zone."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from zoneinfo import ZoneInfo

from flask import Flask, g
from markupsafe import Markup, escape

from audience import clock
from audience.console import charts

MINUS = "\u2212"  # a real minus, as wide as a plus
TURNING = {
    code: f"[U+{code:04X}]"
    for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}  # Unicode's controls of direction, UAX #9
API_WORDS = ": GET /"
ENDINGS = (" GB", 2**30), (" MB", 2**20), (" KB", 2**10)


def plainly(message: str) -> str:
    """A message of the domain, without its advice for users of the API."""
    head, cut, _ = message.partition(API_WORDS)
    return f"{head}." if cut else message


def number(value: float) -> str:
    """A number with separators: 12,150 or −3."""
    return f"{value:,}".replace("-", MINUS)


def short(value: float) -> str:
    """A number for an axis: 950, 2,500, 25k, 1.5M."""
    for unit, ending in ((10**6, "M"), (10**3, "k")):
        if abs(value) >= unit and (unit > 10**3 or abs(value) >= 10_000):
            return number(round(value / unit, 2)).removesuffix(".0") + ending
    return number(value)


def negative(value: float) -> float:
    """The value with its sign reversed."""
    return -value


def spark_sums(values: Sequence[int]) -> list[int]:
    """Sums of about twelve equal parts of the values, for a spark line. The first few may be left out."""
    width = max(1, -(-len(values) // 12))
    return [sum(values[start : start + width]) for start in range(len(values) % width, len(values), width)]


def words_for(key: int, words: Mapping[int, str]) -> str:
    """The words for a key; "" without any."""
    return words.get(key, "")


def without_weight(value: str) -> tuple[str, None]:
    """The (reason, None), to stand beside (reason, weight)."""
    return value, None


def signed(value: float) -> str:
    """A number with its sign: +3 or −3."""
    return f"+{number(value)}" if value > 0 else number(value)


def share(part: float, whole: float) -> str:
    """A part in percent, to one decimal."""
    return f"{100 * part / whole:.1f}%" if whole else "0%"


def change(now: float, before: float) -> str:
    """The change in percent, with its sign; "" if `before` is zero."""
    if not before:
        return ""
    percent = round(100 * (now - before) / before, 1)
    return f"{'+' if percent > 0 else ''}{percent:,}%".replace("-", MINUS)


def counted(value: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 row, 2 rows."""
    return f"{number(value)} {one if value == 1 else many or one + 's'}"


def visible(value: object) -> object:
    """The text, with visible marks in place of invisible characters that change its direction."""
    return value.translate(TURNING) if isinstance(value, str) else value


def foldable(text: str) -> Markup:
    """An address or a name that, if long, breaks before @ or a dot, or after _."""
    may_break = Markup("<wbr>")
    folded = escape(text)
    for mark, part in (("@", may_break + "@"), (".", may_break + "."), ("_", "_" + may_break)):
        folded = folded.replace(mark, part)
    return folded


def agreeing(value: int, one: str, many: str) -> str:
    """The singular or plural for a number that is shown elsewhere."""
    return one if value == 1 else many


def size(value: int) -> str:
    """A number of bytes: 12 MB."""
    ending, unit = next(((ending, unit) for ending, unit in ENDINGS if value >= unit), (" bytes", 1))
    return f"{value / unit:,.0f}{ending}"


def zone() -> ZoneInfo:
    """The zone of the page's site; UTC on a page of the instance."""
    site = g.get("site")
    return ZoneInfo(site.time_zone if site else "UTC")


def local(ms: int) -> dt.datetime:
    return dt.datetime.fromtimestamp(ms / 1000, zone())


def today() -> dt.date:
    return local(clock.now_ms()).date()


def day_name(day: dt.date, short: bool = True) -> str:
    """A day in words: today, yesterday, 19 Nov, 9 Nov 2025; unless `short`, Thursday 19 November."""
    now = today()
    if day == now or day == now - dt.timedelta(days=1):
        word = "today" if day == now else "yesterday"
        return word if short else word.capitalize()
    if short:
        return short_day(day)
    return f"{day:%A} {day.day} {day:%B}" + ("" if day.year == now.year else f" {day.year}")


def short_day(day: dt.date) -> str:
    """A day, in short: 19 Nov, 9 Nov 2025."""
    return f"{day.day} {day:%b}" + ("" if day.year == today().year else f" {day.year}")


def plain_day(day: dt.date) -> str:
    """A day with its year: 19 November 2026."""
    return f"{day.day} {day:%B} {day.year}"


def _time(ms: int, words: str) -> Markup:
    """The words as an HTML element that has the exact instant in UTC."""
    instant = dt.datetime.fromtimestamp(ms // 1000, dt.UTC)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        f"{instant:%Y-%m-%dT%H:%M:%SZ}", f"{instant:%Y-%m-%d %H:%M:%S} UTC", words
    )


def day(ms: int | None, never: str = "never") -> str:
    """The day of an instant in words; `never` for None."""
    return never if ms is None else _time(ms, day_name(local(ms).date()))


def moment(ms: int | None, never: str = "never") -> str:
    """An instant in words: today 11:42, 19 Nov 16:20. With a year, it has no time. `never` for None."""
    if ms is None:
        return never
    when = local(ms)
    name = day_name(when.date())
    return _time(ms, name if name[-4:].isdigit() else f"{name} {when:%H:%M}")


def exactly(ms: int) -> Markup:
    """An instant with its year and seconds: 19 November 2026, 16:20:05."""
    return _time(ms, f"{plain_day(local(ms).date())}, {local(ms):%H:%M:%S}")


def brief(ms: int) -> Markup:
    """An instant in short: 11:42 if it is today, else the day."""
    is_today = local(ms).date() == today()
    return _time(ms, f"{local(ms):%H:%M}" if is_today else day_name(local(ms).date()))


def time_of_day(ms: int) -> Markup:
    """The time of an instant: 11:42."""
    return _time(ms, f"{local(ms):%H:%M}")


def since_day(ms: int) -> Markup:
    """The day of an instant with its year: 19 November 2026."""
    return _time(ms, plain_day(local(ms).date()))


FILTERS: tuple[Callable[..., object], ...] = (
    plainly, number, short, negative, spark_sums, words_for, without_weight, signed, share, change, counted,
    agreeing, visible, foldable, size, day, moment, exactly, brief, time_of_day, since_day,
)  # fmt: skip


def register(app: Flask) -> None:
    """Gives every template the filters, `charts`, and the version."""
    app.jinja_env.filters |= {filter_.__name__: filter_ for filter_ in FILTERS}
    app.jinja_env.globals |= {"charts": charts, "version": version("audience")}
