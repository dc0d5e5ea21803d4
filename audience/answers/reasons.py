"""The base class of reason codes."""

from enum import StrEnum
from functools import cache

from audience.answers.tables import rows


class Reason(StrEnum):
    """A reason code. `reasons.csv` in the bundled tables has the meaning of each, and advice on what to
    do.
    """

    @property
    def meaning(self) -> str:
        return _texts()[self.value]["meaning"]

    @property
    def advice(self) -> str:
        return _texts()[self.value]["advice"]


@cache
def _texts() -> dict[str, dict[str, str]]:
    return {row["code"]: row for row in rows("reasons")}
