"""Who is subscribed, in plain Python: a site's consent as docs/contract.md orders it."""

from dataclasses import dataclass, field, replace

SUBSCRIBE, UNSUBSCRIBE = "subscribe", "unsubscribe"


@dataclass
class Word:
    """The event that counts: its number of acceptance and its instant, None before the first.

    Of equal instants the higher `rank` counts: if dated, an unsubscribe has 1, a subscription -1.
    """

    number: int = 0
    at: int | None = None
    left: bool = False
    erased: bool = False
    rank: int = 0

    def counts_over(self, last: "Word", now: int) -> bool:
        """What was said by a clock that was ahead is compared as now, in favour of an unsubscribe."""
        if last.at is None:
            return True
        last_at = min(last.at, now) if self.left and not last.left else last.at
        return ((self.at or 0), self.rank, self.number) >= (last_at, last.rank, last.number)


@dataclass
class Row:
    """A row that waits, of whoever has `address` now; `behind` is the one that they had when it was accepted.
    One that is `pinned` stays at its address, to which somebody has come since.
    """

    address: str
    word: str
    left_at: int | None
    behind: str = ""
    pinned: bool = False

    @property
    def said(self) -> str:
        return self.word if self.left_at is None else UNSUBSCRIBE


@dataclass
class ConsentModel:
    """`people` are the subscribers, `hashes` the addresses known without one."""

    people: dict[str, Word] = field(default_factory=dict)
    hashes: dict[str, Word] = field(default_factory=dict)
    waiting: list[tuple[int, int, list[Row]]] = field(default_factory=list)
    number: int = 0
    accepted_at: int = 0
    now: int = 0

    def accept(self, now: int) -> tuple[int, int]:
        """The number and the instant of an acceptance, which never goes back."""
        self.number, self.now, self.accepted_at = self.number + 1, now, max(now, self.accepted_at)
        return self.number, self.accepted_at

    def say(self, address: str, word: str, accepted: tuple[int, int], date: int | None = None) -> None:
        """`word` is "" where a subscriber is only written."""
        last = self.people.get(address) or self.hashes.get(address) or Word()
        number, at = accepted
        rank = 0 if date is None else 1 if word == UNSUBSCRIBE else -1
        said = Word(number, at if date is None else min(date, at), word == UNSUBSCRIBE, rank=rank)
        counts = word != "" and said.counts_over(last, self.now)
        if last.erased and not (counts and word == SUBSCRIBE):
            if counts:
                self.hashes[address] = replace(said, erased=True)
            return
        self.hashes.pop(address, None)
        self.people[address] = said if counts else last

    def import_(self, now: int, items: list[tuple[str, str, int | None]]) -> None:
        """Items are (address, word, date of leaving)."""
        self.waiting.append((*self.accept(now), [Row(*item) for item in items]))

    def drain(self, now: int) -> None:
        self.now = now
        for number, at, items in self.waiting:
            for row in items:
                self.say(row.address, row.said, (number, at), row.left_at)
                if row.behind and row.said == UNSUBSCRIBE:
                    self._leave(row, (number, at))
        self.waiting = []

    def _leave(self, row: Row, accepted: tuple[int, int]) -> None:
        """Whoever has the address now is unsubscribed, and who has it later comes in so."""
        if row.behind in self.people:
            self.say(row.behind, UNSUBSCRIBE, accepted, row.left_at)
        elif row.behind not in self.hashes:
            self.say(row.behind, UNSUBSCRIBE, accepted, row.left_at)
            self.hashes[row.behind] = self.people.pop(row.behind)

    def erase(self, address: str, now: int) -> None:
        number, at = self.accept(now)
        last = self.people.pop(address, Word())
        self.hashes[address] = Word(number, max(at, last.at or at), left=True, erased=True)
        self.blank(address)

    def blank(self, address: str) -> None:
        """Rows that wait lose the address."""
        self.waiting = [
            (number, at, [row for row in rows if row.address != address]) for number, at, rows in self.waiting
        ]

    def change_email(self, address: str, new: str, now: int) -> None:
        number, at = self.accept(now)
        if address not in self.people or new in self.people or self.hashes.get(new, Word()).erased:
            return
        for row in [each for _, _, rows in self.waiting for each in rows if not each.pinned]:
            if row.address == address:
                row.address, row.behind = new, row.behind or address
            elif row.address == new:
                row.pinned, row.word = True, "" if row.word == SUBSCRIBE else row.word
        person = self.people.pop(address)
        self.hashes.pop(new, None)
        if person.left:
            self.hashes[address], person = person, Word(number, at, left=True, rank=person.rank)
        self.people[new] = person
