"""Every reason that a judge gives: its code, what it means, and what to do about it."""

from enum import StrEnum
from typing import Self


class ModerationReason(StrEnum):
    """Why a text is unsafe or worth a look (spec section 4.4); the order is that of the answers.

    `fatal`: this reason alone makes the text invalid.
    """

    meaning: str
    advice: str
    fatal: bool

    def __new__(cls, code: str, meaning: str, advice: str, fatal: bool) -> Self:
        reason = str.__new__(cls, code)
        reason._value_ = code
        reason.meaning = meaning
        reason.advice = advice
        reason.fatal = fatal
        return reason

    XSS = (
        "xss",
        "The text holds markup that would run or load something in a page that shows it as it came.",
        "Refuse it, or show only safe_original_content.",
        True,
    )
    SCRIPT_TAG = (
        "script_tag",
        "The text holds a script element; always together with xss.",
        "Refuse it: nobody writes one by accident.",
        True,
    )
    HTML = (
        "html",
        "The text holds other markup: elements, end tags, comments, a doctype.",
        "Nothing, if you show safe_original_content; ask for plain text if formatting must not show as tags.",
        False,
    )
    LINK = (
        "link",
        "The text holds a web address or a bare domain name.",
        "Refuse it, or hold it for review: links in names and short messages are mostly spam.",
        True,
    )
    PROFANITY = (
        "profanity",
        "The text holds a word of the bundled list, plain or disguised.",
        "Refuse it, or hold it for review.",
        True,
    )
    PHONE_NUMBER = (
        "phone_number",
        "The text holds what looks like a telephone number.",
        "Hold it for review where people must not trade contact details.",
        False,
    )
    EMPTY = ("empty", "The text holds nothing that can be seen.", "Ask for a text.", True)
    TOO_LONG = (
        "too_long",
        "The text has more than 10,000 characters; only the first 10,000 were judged and cleaned.",
        "Ask for a shorter text, or send it in parts.",
        True,
    )
