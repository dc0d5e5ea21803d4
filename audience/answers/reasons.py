"""The base class of reason codes."""

from enum import StrEnum
from typing import Self


class Reason(StrEnum):
    """A reason code, its meaning, and advice on what to do."""

    meaning: str
    advice: str

    def __new__(cls, code: str, meaning: str, advice: str) -> Self:
        reason = str.__new__(cls, code)
        reason._value_ = code
        reason.meaning = meaning
        reason.advice = advice
        return reason
