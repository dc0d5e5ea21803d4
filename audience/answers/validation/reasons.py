"""The reasons why an address or a sign-up is invalid or doubtful."""

from audience.answers.reasons import Reason


class ValidationReason(Reason):
    """Weights, and the rule sets in which each is fatal, are in `audience.answers.validation.rules`."""

    ALLOWED = (
        "allowed",
        "The address or its domain is on the operator's allow list.",
        "No action needed: it is valid regardless of the rules.",
    )
    DENIED = (
        "denied",
        "The address or its domain is on the operator's deny list.",
        "Refuse it, or remove it from the list.",
    )
    SYNTAX = (
        "syntax",
        "The text is not an e-mail address (RFC 5321, 5322, 6531): empty, too long, or malformed.",
        "Ask for the address again.",
    )
    RESERVED_DOMAIN = (
        "reserved_domain",
        "The domain is reserved (RFC 2606, 6761): examples, tests, local networks.",
        "Ask for a real address.",
    )
    UNKNOWN_TLD = (
        "unknown_tld",
        "The domain has no known public suffix.",
        "Ask for the address again; offer the suggestion if there is one.",
    )
    HOMOGRAPH = (
        "homograph",
        "The domain is in letters of another alphabet that look like those of another domain.",
        "Refuse it, and offer the suggestion if there is one: such domains are made to deceive.",
    )
    TYPO = (
        "typo",
        "The address is a slip of the keyboard: the domain of a big provider or a TLD misspelt, @@, a comma.",
        "Offer the suggestion.",
    )
    DISPOSABLE = (
        "disposable",
        "The domain, or a parent domain, belongs to a disposable address service.",
        "Refuse it: the mailbox will soon be abandoned.",
    )
    RELAY = (
        "relay",
        "The domain belongs to an alias service, whose addresses forward to a person's own.",
        "No action needed: mail reaches the person as long as they want it to.",
    )
    SYNTHETIC_MAILBOX = (
        "synthetic_mailbox",
        "The mailbox is a placeholder or a keyboard sequence: test@, asdf@, 12345@, a@a.com.",
        "Ask for a real address.",
    )
    NO_REPLY = (
        "no_reply",
        "The mailbox only sends mail: noreply@, mailer-daemon@.",
        "Ask for an address that can receive mail.",
    )
    ABUSE_MAILBOX = (
        "abuse_mailbox",
        "The mailbox receives complaints: abuse@, spam@, fbl@.",
        "Do not send to it: mail to it may count as a complaint.",
    )
    ROLE_ADDRESS = (
        "role_address",
        "The mailbox belongs to a role rather than to one human being: info@, sales@, admin@.",
        "Ask for a personal address if consent must be personal.",
    )
    GIBBERISH = (
        "gibberish",
        "The part before the @ looks like random characters.",
        "Have the address confirmed by mail.",
    )
    FREE_PROVIDER = (
        "free_provider",
        "The domain offers free mailboxes to the public.",
        "No action needed, unless you accept companies only.",
    )
    NAME_LINK = ("name_link", "The name contains a URL.", "Hold it for review: it is mostly advertising.")
    NAME_MARKUP = (
        "name_markup",
        "The name contains markup or template brackets.",
        "Hold it for review, and escape it when you display it.",
    )
    NAME_DIGITS = ("name_digits", "The name contains digits.", "Ask for a name, or accept it as a nickname.")
    NAME_GIBBERISH = ("name_gibberish", "The name looks like random characters.", "Hold it for review.")
    NAME_SHOUTING = ("name_shouting", "The name is in capitals.", "Display it in title case.")
    NAME_UNRELATED = (
        "name_unrelated",
        "The name and the address have nothing in common.",
        "No action needed: people have nicknames.",
    )
    UA_EMPTY = (
        "ua_empty",
        "The user agent was sent, and is empty.",
        "Hold it for review: browsers send a user agent.",
    )
    UA_BOT = (
        "ua_bot",
        "The user agent is that of a known bot.",
        "Have the address confirmed by mail: bots do not subscribe.",
    )
    UA_HTTP_LIBRARY = (
        "ua_http_library",
        "The user agent is that of an HTTP library or command-line client, not of a browser.",
        "Have the address confirmed by mail. If your own server submits sign-ups: send the visitor's.",
    )
    UA_HEADLESS = (
        "ua_headless",
        "The user agent is that of a headless browser.",
        "Have the address confirmed by mail: a program controls the browser.",
    )
    IP_MALFORMED = (
        "ip_malformed",
        "Retired: an `ip` that cannot be read is `ip_unknown`.",
        "Nothing: it is not answered any more.",
    )
    IP_NOT_TIER1 = (
        "ip_not_tier1",
        "The IP address is in a country outside `tier1_countries`.",
        "Refuse it, or add the country to the setting.",
    )
    IP_LIST = (
        "ip_list",
        "`ip` is a list, as `X-Forwarded-For` has: the first public address in it was judged.",
        "Send one address: visitors can put any address at the beginning of such a list.",
    )
    IP_UNKNOWN = (
        "ip_unknown",
        "The country of the visitor is unknown: `ip` is private, reserved, IPv6, not listed, or no address.",
        "No action needed. If it is frequent, send the visitor's address, not your proxy's.",
    )
    IP_UNAVAILABLE = (
        "ip_unavailable",
        "The table of places was not ready: the country of the IP address is not known yet.",
        "No action needed; the table is ready in half a minute.",
    )
    NO_SUCH_DOMAIN = ("no_such_domain", "The domain does not exist (NXDOMAIN).", "Ask for the address again.")
    NULL_MX = (
        "null_mx",
        "The domain declares that it accepts no mail (RFC 7505).",
        "Ask for another address.",
    )
    NO_MAIL_ROUTE = (
        "no_mail_route",
        "The domain exists, but has neither a mail exchanger nor an IP address.",
        "Ask for another address.",
    )
    MX_UNROUTABLE = (
        "mx_unroutable",
        "The domain's mail exchangers are on the local machine or in a private network.",
        "Ask for another address.",
    )
    DISPOSABLE_MX = (
        "disposable_mx",
        "The domain's mail exchanger belongs to a disposable address service.",
        "Refuse it: the mailbox will soon be abandoned.",
    )
    TEMPORARY_BOUNCE = (
        "temporary_bounce",
        "Mail would bounce now: the domain's name servers fail, or its mail exchangers do not resolve.",
        "Validate it again later, or ask for another address.",
    )
    NO_MX = (
        "no_mx",
        "The domain has an IP address but no mail exchanger: mail may go to its web server (RFC 5321, 5.1).",
        "Have the address confirmed by mail.",
    )
    DNS_UNAVAILABLE = (
        "dns_unavailable",
        "The DNS did not answer in time, or cannot be trusted now: the domain's mail exchangers are unknown.",
        "No action needed for the address; check the DNS servers (`audience doctor`).",
    )
