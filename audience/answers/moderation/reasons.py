"""The reasons why a text is unsafe or needs review."""

from audience.answers.reasons import Reason

MAX_LENGTH = 10_000  # characters that are moderated


class ModerationReason(Reason):
    """In the order of results."""

    XSS = (
        "xss",
        "The text contains markup that would run a script or load a resource, if displayed unescaped.",
        "Refuse it, or display safe_original_content only.",
    )
    SCRIPT_TAG = (
        "script_tag",
        "The text contains a script element; always together with xss.",
        "Refuse it: it is not written by accident.",
    )
    HTML = (
        "html",
        "The text contains other markup: elements, end tags, comments, a doctype.",
        "No action needed if you display safe_original_content; ask for plain text if tags must not show.",
    )
    LINK = (
        "link",
        "The text contains a URL or a bare domain name.",
        "Refuse it, or hold it for review: links in names and short messages are mostly spam.",
    )
    PROFANITY = (
        "profanity",
        "The text contains an insult, a slur or a swear word of the lists, plain or disguised.",
        "Refuse it, or hold it for review.",
    )
    ADULT = (
        "adult",
        "The text contains words of pornography.",
        "Hold it for review where children read, or where such words are mostly advertising.",
    )
    HATE = (
        "hate",
        "The text demeans a people, believers, women, or others for what they are.",
        "Refuse it, or have a person look at it: it may quote what it condemns.",
    )
    THREAT = (
        "threat",
        "The text threatens its reader, or calls on them to kill themselves, or for the death of a people.",
        "Refuse it, and have a person look at it: somebody may be in danger.",
    )
    PHONE_NUMBER = (
        "phone_number",
        "The text contains what looks like a telephone number.",
        "Hold it for review if contact details are not allowed.",
    )
    EMPTY = ("empty", "The text has no visible characters.", "Ask for a text.")
    TOO_LONG = (
        "too_long",
        f"The text has more than {MAX_LENGTH:,} characters; "
        f"only the first {MAX_LENGTH:,} were moderated and cleaned.",
        "Ask for a shorter text, or send several parts.",
    )

    @property
    def fatal(self) -> bool:
        """Whether this reason alone makes the text invalid."""
        return self not in (ModerationReason.HTML, ModerationReason.ADULT, ModerationReason.PHONE_NUMBER)
