"""The reasons why a text is unsafe or needs review."""

from audience.answers.reasons import Reason

MAX_LENGTH = 10_000  # characters that are moderated


class ModerationReason(Reason):
    """The reasons of moderation, in the order of results."""

    XSS = "xss"
    SCRIPT_TAG = "script_tag"
    HTML = "html"
    LINK = "link"
    PROFANITY = "profanity"
    ADULT = "adult"
    HATE = "hate"
    THREAT = "threat"
    PHONE_NUMBER = "phone_number"
    EMPTY = "empty"
    TOO_LONG = "too_long"

    @property
    def fatal(self) -> bool:
        """Whether a text with this reason is invalid, whatever its other reasons."""
        return self not in (ModerationReason.HTML, ModerationReason.ADULT, ModerationReason.PHONE_NUMBER)
