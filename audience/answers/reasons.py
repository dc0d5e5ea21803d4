"""The base class of reason codes."""

import csv
from enum import StrEnum
from functools import cache
from importlib.resources import files


class Reason(StrEnum):
    """A reason code; `reasons.csv` of the tables has its meaning, and advice on what to do."""

    @property
    def meaning(self) -> str:
        return _texts()[self.value]["meaning"]

    @property
    def advice(self) -> str:
        return _texts()[self.value]["advice"]


@cache
def _texts() -> dict[str, dict[str, str]]:
    lines = (files("audience.data") / "reasons.csv").read_text("utf-8").splitlines()
    return {row["code"]: row for row in csv.DictReader(lines)}
