"""The answers by which a file is read: what the file leaves open, as the user or an earlier file's answers
decide it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from schemas.values import OnExisting

MOST_SEEN = 200  # headers that a line of answers names
OF_ANY_FILE = ("tag", "known")  # what answers nothing that a file leaves open


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The parameters by which a file is read, from options of the command line or a request.

    `meanings` has what columns mean, by header or position. `tags` are added to everyone. `known` says what
    may be changed of existing subscribers.

    `consent` is one state for everyone. If it is missing, `told` has by state the values of the column
    `consent_column`. The columns `ignored` are not about consent.

    `seen` are the headers of the file for which earlier answers were given, or None without such answers;
    `seen_digest` replaces them if they are many.

    `zone`, an IANA name, is that of dates without a zone. `unread_dates` says whether a date that cannot be
    read is left out or kept as a custom field. `tag_separator` has the marks between tags in place of a
    comma.

    `headed` is false for a file without a header row; `header_row` is the number of that row. `hidden_rows`
    says whether hidden rows of a workbook are imported.
    """

    meanings: Mapping[str, str] = field(default_factory=dict)
    preset: str | None = None
    sheet: str | None = None
    tags: Sequence[str] = ()
    consent: str | None = None
    consent_column: str | None = None
    told: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ignored: Sequence[str] = ()
    seen: Sequence[str] | None = None
    seen_digest: str | None = None
    headed: bool = True
    dates: str | None = None
    known: str = OnExisting.MERGE
    zone: str = "UTC"
    unread_dates: str | None = None
    tag_separator: str | None = None
    encoding: str | None = None
    header_row: int | None = None
    hidden_rows: str | None = None


def parameters(reading: Reading) -> list[tuple[str, str]]:
    """The (name, value) of the parameters for this reading, without defaults."""
    states = [(state, value) for state, values in reading.told.items() for value in values]
    one = {
        "from": reading.preset, "sheet": reading.sheet, "consent": reading.consent,
        "consent_column": reading.consent_column, "dates": reading.dates,
        "unread_dates": reading.unread_dates, "tag_separator": reading.tag_separator,
        "encoding": reading.encoding, "hidden_rows": reading.hidden_rows,
        "header_row": str(reading.header_row) if reading.header_row else None,
        "header": None if reading.headed else "0",
        "known": None if reading.known == OnExisting.MERGE else reading.known,
    }  # fmt: skip
    return [
        *((f"map[{column}]", what) for column, what in sorted(reading.meanings.items())),
        *((name, value) for name, value in one.items() if value is not None),
        *states,
        *(("ignore_column", name) for name in reading.ignored),
        *(("tag", tag) for tag in reading.tags),
    ]


def answer_line(reading: Reading, names: Sequence[str]) -> str:
    """The answers about a file with the headers `names`, in one line for the parameter `answers`."""
    answers = [(name, value) for name, value in parameters(reading) if name not in OF_ANY_FILE]
    many = len(names) > MOST_SEEN
    headers = [("seen_digest", digest_of(names))] if many else [("seen", name) for name in names]
    return urlencode([*answers, *headers])


def digest_of(names: Sequence[str]) -> str:
    """A digest of headers, whatever their order."""
    return hashlib.sha256(json.dumps(sorted(names)).encode()).hexdigest()


def options(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Parameters as arguments of the command line: `("tag", "a")` is `--tag a`."""
    words = []
    for name, value in pairs:
        column = name[len("map[") : -1] if name.startswith("map[") else ""
        if column:
            words += ["--map", f"{column}={value}"]
        elif name == "header":
            words += ["--no-header"]
        else:
            words += [f"--{name.replace('_', '-')}", value]
    return words
