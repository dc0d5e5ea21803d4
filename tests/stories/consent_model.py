"""Which addresses are subscribed, in plain Python: a site's consent as docs/contract.md orders it."""

from dataclasses import dataclass, field, replace

SUBSCRIBE, UNSUBSCRIBE = "subscribe", "unsubscribe"


@dataclass
class Word:
    """The consent event that counts: its acceptance number and its instant, None before the first event.

    Of equal instants the higher `rank` counts: 1 for a dated unsubscribe, -1 for a dated subscribe, otherwise
    0.
    """

    number: int = 0
    at: int | None = None
    left: bool = False
    erased: bool = False
    rank: int = 0

    def counts_over(self, last: "Word", now: int) -> bool:
        """Whether this event replaces the last. For an unsubscribe, a last subscribe in the future counts as
        of `now`.
        """
        if last.at is None:
            return True
        last_at = min(last.at, now) if self.left and not last.left else last.at
        return ((self.at or 0), self.rank, self.number) >= (last_at, last.rank, last.number)


@dataclass
class Row:
    """A waiting row for the subscriber who now has `address`. `behind` is the address that they had at
    acceptance.

    A `pinned` row stays at its address, which another subscriber has since taken.
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
    """A site's subscribers (`people`), and the addresses without one whose consent is known (`hashes`)."""

    people: dict[str, Word] = field(default_factory=dict)
    hashes: dict[str, Word] = field(default_factory=dict)
    waiting: list[tuple[int, int, list[Row]]] = field(default_factory=list)
    number: int = 0
    accepted_at: int = 0
    now: int = 0

    def accept(self, now: int) -> tuple[int, int]:
        """The (number, instant) of a new acceptance. Neither goes back."""
        self.number, self.now, self.accepted_at = self.number + 1, now, max(now, self.accepted_at)
        return self.number, self.accepted_at

    def say(self, address: str, word: str, accepted: tuple[int, int], date: int | None = None) -> None:
        """Applies a consent event to an address, or writes the subscriber without one if `word` is ""."""
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
        """Accepts an import, which waits. Items are (address, word, date of unsubscribing)."""
        self.waiting.append((*self.accept(now), [Row(*item) for item in items]))

    def drain(self, now: int) -> None:
        """Applies all waiting imports."""
        self.now = now
        for number, at, items in self.waiting:
            for row in items:
                self.say(row.address, row.said, (number, at), row.left_at)
                if row.behind and row.said == UNSUBSCRIBE:
                    self._leave(row, (number, at))
        self.waiting = []

    def _leave(self, row: Row, accepted: tuple[int, int]) -> None:
        """Unsubscribes the address that a row was accepted for: who has it now, and who takes it later."""
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
        """Removes an address from waiting rows."""
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
