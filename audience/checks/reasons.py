"""Every reason that a judge gives: its code, what it means, and what to do about it."""

from enum import StrEnum
from typing import Self


class Reason(StrEnum):
    """A code, what it means, and what to do about it."""

    meaning: str
    advice: str

    def __new__(cls, code: str, meaning: str, advice: str) -> Self:
        reason = str.__new__(cls, code)
        reason._value_ = code
        reason.meaning = meaning
        reason.advice = advice
        return reason


class ModerationReason(Reason):
    """Why a text is unsafe or worth a look (spec section 4.4); the order is that of the answers."""

    XSS = (
        "xss",
        "The text holds markup that would run or load something in a page that shows it as it came.",
        "Refuse it, or show only safe_original_content.",
    )
    SCRIPT_TAG = (
        "script_tag",
        "The text holds a script element; always together with xss.",
        "Refuse it: nobody writes one by accident.",
    )
    HTML = (
        "html",
        "The text holds other markup: elements, end tags, comments, a doctype.",
        "Nothing, if you show safe_original_content; ask for plain text if formatting must not show as tags.",
    )
    LINK = (
        "link",
        "The text holds a web address or a bare domain name.",
        "Refuse it, or hold it for review: links in names and short messages are mostly spam.",
    )
    PROFANITY = (
        "profanity",
        "The text holds a word of the bundled list, plain or disguised.",
        "Refuse it, or hold it for review.",
    )
    PHONE_NUMBER = (
        "phone_number",
        "The text holds what looks like a telephone number.",
        "Hold it for review where people must not trade contact details.",
    )
    EMPTY = ("empty", "The text holds nothing that can be seen.", "Ask for a text.")
    TOO_LONG = (
        "too_long",
        "The text has more than 10,000 characters; only the first 10,000 were judged and cleaned.",
        "Ask for a shorter text, or send it in parts.",
    )

    @property
    def fatal(self) -> bool:
        """Whether this reason alone makes the text invalid."""
        return self not in (ModerationReason.HTML, ModerationReason.PHONE_NUMBER)


class ValidationReason(Reason):
    """Why an address is bad, doubtful or worth a look (spec sections 4.2 and 4.3).

    What each weighs, and in which rule set it is fatal: `audience.checks.rules`.
    """

    ALLOWED = (
        "allowed",
        "The operator's allow list names the address or its domain.",
        "Nothing: it is valid whatever else could be said.",
    )
    DENIED = (
        "denied",
        "The operator's deny list names the address or its domain.",
        "Refuse it, or take it off the list.",
    )
    SYNTAX = (
        "syntax",
        "It is not an e-mail address (RFC 5321, 5322, 6531): empty, too long, or malformed.",
        "Ask for the address again.",
    )
    RESERVED_DOMAIN = (
        "reserved_domain",
        "The domain is reserved (RFC 2606, 6761): examples, tests, local networks.",
        "Ask for a real address.",
    )
    UNKNOWN_TLD = (
        "unknown_tld",
        "The domain ends in no known public suffix.",
        "Ask for the address again; offer the suggestion if there is one.",
    )
    TYPO = (
        "typo",
        "The domain looks like a slip of the finger: of a big mail provider's, or of a common ending.",
        "Offer the suggestion.",
    )
    DISPOSABLE = (
        "disposable",
        "The domain, or one above it, belongs to a service of throw-away addresses.",
        "Refuse it: nobody will read the mail tomorrow.",
    )
    SYNTHETIC_MAILBOX = (
        "synthetic_mailbox",
        "The mailbox is a placeholder or a run over the keyboard: test@, asdf@, 12345@.",
        "Ask for a real address.",
    )
    NO_REPLY = (
        "no_reply",
        "The mailbox sends and does not receive: noreply@, mailer-daemon@.",
        "Ask for an address that somebody reads.",
    )
    ABUSE_MAILBOX = (
        "abuse_mailbox",
        "The mailbox takes complaints: abuse@, spam@, fbl@.",
        "Do not write to it: what arrives there counts as a complaint.",
    )
    ROLE_ADDRESS = (
        "role_address",
        "The mailbox is a role, not a person: info@, sales@, admin@.",
        "Ask for a personal address where consent must be personal.",
    )
    GIBBERISH = (
        "gibberish",
        "The part before the @ looks like random characters.",
        "Confirm the address by mail before it counts.",
    )
    FREE_PROVIDER = (
        "free_provider",
        "The domain gives mailboxes to everyone.",
        "Nothing, unless you sell to companies only.",
    )
    NAME_LINK = ("name_link", "The name holds a web address.", "Hold it for review: mostly advertisement.")
    NAME_MARKUP = (
        "name_markup",
        "The name holds markup or template brackets.",
        "Hold it for review, and show it escaped.",
    )
    NAME_DIGITS = ("name_digits", "The name holds digits.", "Ask for a name, or take it as a nickname.")
    NAME_GIBBERISH = ("name_gibberish", "The name looks like random characters.", "Hold it for review.")
    NAME_SHOUTING = ("name_shouting", "The name is in capitals throughout.", "Show it in ordinary case.")
    NAME_UNRELATED = (
        "name_unrelated",
        "Name and address have nothing in common.",
        "Nothing by itself: people have nicknames.",
    )
    UA_EMPTY = (
        "ua_empty",
        "A user agent was passed, and it is empty.",
        "Hold it for review: browsers send one.",
    )
    UA_BOT = ("ua_bot", "The user agent is a known robot's.", "Refuse it: robots do not sign up.")
    UA_HTTP_LIBRARY = (
        "ua_http_library",
        "The user agent is a program library's or a command's, not a browser's.",
        "Refuse it, unless your own server signs people up: then pass the person's user agent, or none.",
    )
    UA_HEADLESS = (
        "ua_headless",
        "The user agent is a browser without a screen.",
        "Refuse it: it is driven by a program.",
    )
    IP_MALFORMED = (
        "ip_malformed",
        "What was passed as `ip` is no IP address.",
        "Pass one address, without port or list, or none.",
    )
    IP_NOT_TIER1 = (
        "ip_not_tier1",
        "The address came from a country outside `tier1_countries`.",
        "Refuse it, or add the country to the setting.",
    )
    IP_UNKNOWN = (
        "ip_unknown",
        "Where the IP address is cannot be told: private, reserved, IPv6, or not in the table.",
        "Nothing. If it is always so, pass the visitor's address and not your proxy's.",
    )
    NO_SUCH_DOMAIN = ("no_such_domain", "The domain does not exist (NXDOMAIN).", "Ask for the address again.")
    NULL_MX = (
        "null_mx",
        "The domain says that it takes no mail (RFC 7505).",
        "Ask for another address.",
    )
    NO_MAIL_ROUTE = (
        "no_mail_route",
        "The domain exists, and has neither a mail exchanger nor an address.",
        "Ask for another address.",
    )
    MX_UNROUTABLE = (
        "mx_unroutable",
        "The domain's mail goes to this very machine or to a private network.",
        "Ask for another address.",
    )
    DISPOSABLE_MX = (
        "disposable_mx",
        "The domain's mail exchanger belongs to a service of throw-away addresses.",
        "Refuse it: nobody will read the mail tomorrow.",
    )
    TEMPORARY_BOUNCE = (
        "temporary_bounce",
        "Mail would fail now: the domain's name servers fail, or its mail exchangers do not resolve.",
        "Ask again later, or ask for another address.",
    )
    NO_MX = (
        "no_mx",
        "The domain has an address and no mail exchanger: mail may reach its web server (RFC 5321, 5.1).",
        "Confirm the address by mail before it counts.",
    )
    DNS_UNAVAILABLE = (
        "dns_unavailable",
        "The DNS could not be asked, or did not answer in time: nothing is known of the domain's mail.",
        "Nothing about the address; look after the resolver (`audience doctor`).",
    )
