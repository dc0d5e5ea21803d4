"""Who is subscribed, in plain Python: a site's consent as docs/contract.md orders it."""

from dataclasses import dataclass, field

SUBSCRIBE, UNSUBSCRIBE = "subscribe", "unsubscribe"


@dataclass
class Word:
    """The last word on an address: its number of acceptance and its instant, 0 and None before the first."""

    number: int = 0
    at: int | None = None
    left: bool = False
    erased: bool = False


@dataclass
class ConsentModel:
    """`people` are the subscribers, `hashes` the addresses known without one."""

    people: dict[str, Word] = field(default_factory=dict)
    hashes: dict[str, Word] = field(default_factory=dict)
    waiting: list[tuple[int, int, list[tuple[str, str, int | None]]]] = field(default_factory=list)
    number: int = 0

    def accept(self) -> int:
        self.number += 1
        return self.number

    def say(self, address: str, word: str, number: int, at: int, *, dated: bool) -> None:
        """`word` is "" where a subscriber is only written."""
        last = self.people.get(address) or self.hashes.get(address) or Word()
        later = number >= last.number and not (dated and last.at is not None and at <= last.at)
        counts = word != "" and later
        if last.erased and not (counts and word == SUBSCRIBE):
            return
        self.hashes.pop(address, None)
        self.people[address] = Word(last.number, last.at, last.left and not last.erased)
        if counts:
            latest = at if last.at is None or last.erased else max(at, last.at)
            self.people[address] = Word(number, latest, word == UNSUBSCRIBE)

    def import_(self, at: int, items: list[tuple[str, str, int | None]]) -> None:
        """Items are (address, word, date of leaving)."""
        self.waiting.append((self.accept(), at, items))

    def drain(self) -> None:
        for number, at, items in self.waiting:
            for address, word, left_at in items:
                if left_at is None:
                    self.say(address, word, number, at, dated=False)
                else:
                    self.leave_at(address, number, min(left_at, at))
        self.waiting = []

    def leave_at(self, address: str, number: int, at: int) -> None:
        if not self.hashes.get(address, Word()).erased:
            self.say(address, UNSUBSCRIBE, number, at, dated=True)

    def erase(self, address: str, at: int) -> None:
        number = self.accept()
        last = self.people.pop(address, Word())
        self.hashes[address] = Word(number, max(at, last.at or at), left=True, erased=True)
        self.blank(address)

    def blank(self, address: str) -> None:
        """Rows that wait lose the address."""
        self.waiting = [
            (number, at, [item for item in items if item[0] != address]) for number, at, items in self.waiting
        ]

    def change_email(self, address: str, new: str) -> None:
        self.accept()
        if address not in self.people or new in self.people or self.hashes.get(new, Word()).erased:
            return
        person = self.people.pop(address)
        self.hashes.pop(new, None)
        if person.left:
            self.hashes[address] = Word(person.number, person.at, left=True)
        self.people[new] = person
