"""An operator's own lists: text files in the instance that change the bundled tables.

A line is an entry to add. A line that begins with `-` takes an entry of the bundled table away. A line that
begins with `#` is a remark.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from audience.config import SettingError

MAX_LENGTH = 254  # of an entry
FILES = (
    "moderation/insults",
    "moderation/adult",
    "validation/disposable",
    "validation/free",
    "validation/roles",
)


@dataclass(frozen=True)
class OwnList:
    """The entries that an operator adds to a bundled table (`more`) and takes away from it (`fewer`)."""

    more: frozenset[str] = frozenset()
    fewer: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.more or self.fewer)


def read(path: Path, normal_form: Callable[[str], str]) -> OwnList:
    """The list in the file `path`, with entries in `normal_form`. Empty without such a file. Raises
    `SettingError` for an unreadable file or an invalid entry.
    """
    try:
        lines = path.read_text("utf-8").splitlines() if path.is_file() else []
        entries = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
        more = frozenset(normal_form(_entry(line)) for line in entries if line[0] != "-")
        fewer = frozenset(normal_form(_entry(line[1:])) for line in entries if line[0] == "-")
    except (OSError, ValueError) as error:
        raise SettingError(f"{path}: {error}") from error
    return OwnList(more, fewer)


def of_instance(instance: Path) -> dict[str, OwnList]:
    """The lists of an instance that are not empty, by file name, with entries as they are written. Raises
    `SettingError`.
    """
    lists = {name: read(instance / f"{name}.txt", str) for name in FILES}
    return {name: own for name, own in lists.items() if own}


def text_with(path: Path, normal_form: Callable[[str], str], entry: str, part: str) -> str:
    """The new text of the file `path`, with an entry to add (`part` is `more`) or to take away (`fewer`), or
    without the entry (`neither`).

    Earlier lines with the same entry are removed. Raises `ValueError` for an invalid entry.
    """
    wanted = normal_form(_entry(entry))
    if entry.strip().splitlines() != [entry.strip()] or entry.strip()[0] in "-#":
        raise ValueError("an entry is one line, and begins with neither - nor #")
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    kept = [
        line
        for line in lines
        if not line.strip() or line[0] == "#" or _normal_form_of_line(line, normal_form) != wanted
    ]
    added = {"more": [entry.strip()], "fewer": [f"-{entry.strip()}"], "neither": []}[part]
    return "".join(f"{line}\n" for line in [*kept, *added])


def _normal_form_of_line(line: str, normal_form: Callable[[str], str]) -> str:
    return normal_form(line.strip().removeprefix("-").strip())


def _entry(text: str) -> str:
    """The entry in a text, without blanks at its ends. Raises `ValueError` if it is empty or too long."""
    if not 0 < len(text.strip()) <= MAX_LENGTH:
        raise ValueError(
            f"a line is one entry of 1 to {MAX_LENGTH} characters, with - before it to remove it"
        )
    return text.strip()
