"""How a file is meant, where it does not say so itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from schemas.formats.consent_words import ConsentWord
from schemas.values import KnownPeople


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Options of the command line, or parameters.

    `meanings` are by header or place; `tags` are for everyone, and so is that they have left, if `left`.
    `known` is what may be changed of people who are known. `named` is what the file's name says
    of everyone in it: that they have left, or have yet to confirm. Dates without a zone are of `zone`, an
    IANA name; of those that cannot be read, `unread_dates` says whether they are left out or kept as text.
    `tag_separator` are the marks between tags in place of a comma.
    """

    meanings: Mapping[str, str] = field(default_factory=dict)
    preset: str | None = None
    sheet: str | None = None
    tags: Sequence[str] = ()
    left: bool = False
    headed: bool = True
    dates: str | None = None
    known: str = KnownPeople.MERGE
    named: ConsentWord | None = None
    zone: str = "UTC"
    unread_dates: str | None = None
    tag_separator: str | None = None
