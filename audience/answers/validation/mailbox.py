"""The kind of a mailbox, told by the part before the @: a role, a placeholder, or a mailbox that nobody
reads.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from audience.answers.folding import fold
from audience.answers.own_lists import OwnList
from audience.answers.validation.keyboard import is_walk

NO_REPLY = re.compile(r"(?:^|[._-])(?:no|not|do[._-]?not)[._-]?reply\d*(?:$|[._-])")
ONE_CHARACTER = re.compile(r"(?:(\w)\1{2,}+)++")  # aaa, 111222
REFUSAL = re.compile(  # what somebody types who will not give an address: nothanks, dontmailme
    r"(?=\w{7})(?=.*(?:not?|dont|never|fake|stop))"
    r"(?:not?|dont|do|never|fake|stop|giv(?:e|ing)|send|you|your|my|me|e?mail|spam|thanks?|name|this|leave)+"
)
SEPARATOR = re.compile(r"[._-]+")
WORD = re.compile(r"[^\W\d_]+")
MAX_REPEATED = 2  # letters of a mailbox that is a placeholder where the domain repeats it: a@a.com
INITIALS = 3  # letters of a word that digits may follow as a year of birth: hr77


class MailboxKind(StrEnum):
    ROLE = "role"
    SYNTHETIC = "synthetic"
    NO_REPLY = "no_reply"
    ABUSE = "abuse"
    PLACE = "place"  # of no meaning alone; it tells mailboxes of one kind apart: support-uk


class Use(StrEnum):
    """Where in a mailbox a word of the table tells the mailbox's kind. Every word also tells it as the whole
    mailbox, or among other words of the table.
    """

    WHOLE = ""
    FIRST = "first"  # before any other word
    ANY = "any"  # beside any other word
    SURNAME = "surname"  # unless it is in the contact's name
    REPEATED = "repeated"  # only where the domain repeats it


@dataclass(frozen=True)
class MailboxWord:
    kind: MailboxKind
    use: Use = Use.WHOLE


class Mailboxes:
    """A table of local parts, and of words in local parts, with the kind of each. Its entries are in lower
    case, without accents.
    """

    def __init__(self, words: Mapping[str, MailboxWord]) -> None:
        self._words = words

    def __or__(self, roles: OwnList) -> "Mailboxes":
        """The table, changed by an operator's list: with the words `roles.more` as roles, and without the
        words `roles.fewer`.
        """
        words = {word: known for word, known in self._words.items() if word not in roles.fewer}
        return Mailboxes(words | dict.fromkeys(roles.more, MailboxWord(MailboxKind.ROLE)))

    def kind(self, mailbox: str, domain: str = "", name: str = "") -> MailboxKind | None:
        """The kind of a mailbox at `domain` whose contact is called `name`; None if it is a person's.
        `mailbox` is a local part in lower case, without a plus tag.
        """
        plain = fold(mailbox)
        if self._is_repeated(plain, domain, fold(name).split()):
            return MailboxKind.SYNTHETIC
        if NO_REPLY.search(plain):
            return MailboxKind.NO_REPLY
        words = SEPARATOR.split(plain)
        if self._is_explained(words, WORD.findall(fold(name))):
            return None
        if ONE_CHARACTER.fullmatch(plain) or is_walk(plain) or REFUSAL.fullmatch("".join(words)):
            return MailboxKind.SYNTHETIC
        return self._by_words([plain]) or self._by_words(words)

    def _is_repeated(self, mailbox: str, domain: str, name: Sequence[str]) -> bool:
        """Whether a mailbox equals the first label of its domain, and is a placeholder, short, or both words
        of the contact's name.
        """
        known = self._words.get(mailbox)
        placeholder = known is not None and known.kind is MailboxKind.SYNTHETIC
        repeated = mailbox != "" and mailbox == domain.partition(".")[0]
        return repeated and (placeholder or len(mailbox) <= MAX_REPEATED or [mailbox, mailbox] == name)

    def _is_explained(self, words: Sequence[str], name: Sequence[str]) -> bool:
        """Whether the words of a mailbox come from the contact's name: they are its initials, several of its
        words or their initials, or a surname that is also in the table.

        False if all words of the name are in the table, as the name is then made up, too.
        """
        if all(word in self._words or is_walk(word) for word in name):
            return False
        surnames = {word for word in name if word in self._words and self._words[word].use is Use.SURNAME}
        initials = "".join(word[0] for word in name)
        return (
            "".join(words) == initials
            or not surnames.isdisjoint(words)
            or (len(words) > 1 and set(words) <= {*name, *initials})
        )

    def _by_words(self, texts: Sequence[str]) -> MailboxKind | None:
        """The kind that the words of a mailbox tell; None if they tell none."""
        words = [self._word(text) for text in texts]
        telling = [word for word in words if word and word.use is Use.ANY]
        telling += [word for word in words[:1] if word and word.use is Use.FIRST]
        return next((word.kind for word in telling), None) or _shared_kind(words)

    def _word(self, text: str) -> MailboxWord | None:
        """The entry of a word in the table. A word with digits at its end has the entry of the word without
        them. None if there is no entry.
        """
        stem = text.rstrip("0123456789")
        numbered = len(stem) > INITIALS or len(text) - len(stem) <= 1
        known = self._words.get(text) or (self._words.get(stem) if numbered else None)
        return None if known and known.use is Use.REPEATED else known


def _shared_kind(words: Iterable[MailboxWord | None]) -> MailboxKind | None:
    """The kind of a mailbox, given the entries of its words in the table: the kind of the first word that
    names no place. None if a word is not in the table.
    """
    listed = list(words)
    if None in listed:
        return None
    return next((word.kind for word in listed if word and word.kind is not MailboxKind.PLACE), None)
