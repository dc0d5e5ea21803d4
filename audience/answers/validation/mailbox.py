"""The kind of a mailbox, by the part before the @: a role, a placeholder, an unread mailbox."""

import re
from collections.abc import Mapping
from enum import StrEnum

from audience.answers.validation.keyboard import is_run

NO_REPLY = re.compile(r"(?:^|[._-])(?:no|not|do[._-]?not)[._-]?reply(?:$|[._-])")
ONE_CHARACTER = re.compile(r"(\w)\1{2,}")


class MailboxKind(StrEnum):
    ROLE = "role"
    SYNTHETIC = "synthetic"
    NO_REPLY = "no_reply"
    ABUSE = "abuse"


def kind_of(mailbox: str, known: Mapping[str, MailboxKind]) -> MailboxKind | None:
    """The kind of a local part (lower case, no plus tag), by the table `known` and by its form."""
    if mailbox in known:
        return known[mailbox]
    if NO_REPLY.search(mailbox):
        return MailboxKind.NO_REPLY
    if ONE_CHARACTER.fullmatch(mailbox) or is_run(mailbox):
        return MailboxKind.SYNTHETIC
    stem = mailbox.rstrip("0123456789").rstrip("._-")
    return MailboxKind.SYNTHETIC if known.get(stem) is MailboxKind.SYNTHETIC else None
