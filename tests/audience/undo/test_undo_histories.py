"""Random histories of imports, bulk actions, undos, later changes and erasures give what the model says."""

import random
from operator import itemgetter
from types import SimpleNamespace

import pytest

from audience import addresses
from audience.access.audit_log import Actor
from audience.bulk import actions as bulk_actions
from audience.bulk.actions import TAG, UNSUBSCRIBE, UNTAG, NewAction
from audience.changes.changes import Acceptance, Change, Consent, change_from_item
from audience.erasures import erasures
from audience.imports import imports
from audience.operations import change_log_replay, site_lane
from audience.subscribers import subscribers
from audience.undo import undos
from audience.undo import work as undo_work
from storage import database
from storage.changes import changed_subscribers
from storage.pace import Pace
from storage.subscribers import subscribers as stored
from tests.audience.test_histories import EMAILS, TAGS, VALUES, History, rarely, some
from tests.change_mirror import Mirror, normal, state
from tests.client import FakeQueue
from tests.depth import examples
from tests.jobs import run_bulk_actions
from tests.subscriber_model import UNSUBSCRIBE as UNSUBSCRIBED
from tests.undo_model import HistoryModel

GROUPS, HISTORIES = 6, examples(20)  # each group on an instance of its own
STEPS = 14
ACTOR = Actor("operator")


def an_item(chance):
    return {
        "email": chance.choice(EMAILS),
        "first_name": chance.choice(["", "A", "B"]),
        "fields": {key: chance.choice(VALUES) for key in some(chance, ["plan", "city", "age"], 2)},
        "tags": some(chance, TAGS, 2),
        "remove_tags": rarely(chance, some(chance, TAGS, 2), []),
        "command": rarely(chance, chance.choice(["subscribe", "unsubscribe"]), ""),
    }


def keys_of(change):
    """Of whoever it is about, and of the address that was sent."""
    return change["key"], change.get("behind")


def named(source):
    """As the model names it."""
    return f"{source.kind} {source.id}"


class UndoHistory(History):
    def __init__(self, chance, monkeypatch, instance):
        super().__init__(chance, monkeypatch, instance)
        self.whole = HistoryModel(self.model)
        self.done = {}  # number of acceptance by import or act
        self.queue = []  # what waits, in order
        self.chunk = chance.choice([1, 2, 100])  # rows of an import at once
        monkeypatch.setattr(changed_subscribers, "PART", 5)
        self.undone = set()
        self.resubscribes = {}

    def step(self):
        self.now += self.chance.choice([-50_000, -3, 0, 1, 2, 5, 90_000])
        steps = [
            self.write,
            self.put,
            self.put,
            self.put,
            self.act_on_many,
            self.act_on_many,
            self.take_back,
            self.take_back,
            self.work,
            self.move,
            self.erase,
        ]
        self.chance.choice(steps)()

    def apply(self, changes, number, accepted_at):
        with database.write():
            written = subscribers.write(
                self.site.id, [Change(**change) for change in changes], Acceptance(number, accepted_at)
            )
        assert written.outcomes == self.whole.write(f"write {number}", changes, number, self.now, accepted_at)

    def put(self):
        self.bring([an_item(self.chance) for _ in range(self.chance.randint(1, 6))])

    def bring(self, items):
        accepted = imports.accept(self.site, list(enumerate(items)), [], FakeQueue(), 0)
        changes = [change_from_item(item)._asdict() for item in items]
        source = undos.import_source(accepted.id)
        self.done[source] = self.taken()
        self.queue.append(("import", source, changes))
        if self.chance.random() < 0.7:
            self.work()

    def act_on_many(self):
        with database.session():
            known = stored.get_by_keys(self.site.id, [addresses.identity(email) for email in EMAILS])
        people = self.chance.sample(list(known.values()), self.chance.randint(0, min(4, len(known))))
        if not people:
            return
        kind, tag = self.chance.choice([TAG, UNTAG, UNSUBSCRIBE, UNSUBSCRIBE]), self.chance.choice(TAGS)
        ids = [person.id for person in people]
        new = NewAction(kind=kind, ids=ids, seen=bulk_actions.fingerprint(ids), tag=tag)
        act = bulk_actions.begin(self.site, new, ACTOR)
        run_bulk_actions(self.instance)
        self._acted(undos.bulk_action_source(act.id), kind, tag, people)

    def _acted(self, source, kind, tag, people):
        words = {TAG: {"tags": (tag,)}, UNTAG: {"remove_tags": (tag,)}}
        said = words.get(kind, {"consent": Consent.UNSUBSCRIBE})
        changes = [Change(each.email_key, each.email, creates=False, **said) for each in people]
        act = bulk_actions.get(self.site, source.id)
        rows, taken = [change._asdict() for change in changes], (act.seq, act.accepted_at)
        self.whole.write(named(source), rows, act.seq, self.now, act.accepted_at)
        if act.changed:
            self.done[source] = taken

    def take_back(self):
        waiting = [source for source in self.done if source not in self.undone]
        if not waiting:
            return
        source = self.chance.choice(waiting)
        self.undone.add(source)
        self.whole.undone.add(named(source))
        if source.kind == "import":
            self.resubscribes[source] = self.chance.random() < 0.5
            undos.undo_import(self.site, source.id, 30, resubscribe=self.resubscribes[source])
            self.whole.taken_back.add(self.done[source][0])
        else:
            undos.undo_bulk_action(self.site, source.id, 30, ACTOR)
        self.queue = [each for each in self.queue if each[:2] != ("import", source)]
        self.queue.append(("undo", source, None))
        if self.chance.random() < 0.7:
            self.work()

    def work(self):
        site_lane.drain(self.site.id, 60)
        while self.queue:
            kind, source, changes = self.queue.pop(0)
            number, accepted_at = self.done[source]
            if kind == "import":
                self.write_import(named(source), changes, number, accepted_at)
            else:
                self.check_counts(source, self.undo(source, number))

    def write_import(self, source, changes, number, accepted_at):
        """In chunks, as the service does; those of the erased are None."""
        for start in range(0, len(changes), self.chunk):
            chunk = [change for change in changes[start : start + self.chunk] if change]
            behind = [self.behind(each, number, accepted_at) for each in chunk if each.get("behind")]
            self.whole.write(source, [*chunk, *filter(None, behind)], number, self.now, accepted_at)

    def behind(self, change, number, accepted_at):
        """The unsubscribe of the address that its bearer moved away from, for who has it now."""
        if change["consent"] != "unsubscribe":
            return None
        key = change["behind"]
        if key not in self.model.people and key not in self.model.hashes:
            self.model.hashes[key] = ("unsubscribed", accepted_at, number, UNSUBSCRIBED)
        return Change(key, key, consent=Consent.UNSUBSCRIBE, creates=False)._asdict()

    def undo(self, source, number):
        resubscribe = self.resubscribes.get(source, False)
        return self.whole.undo(named(source), number, self.now, resubscribe, self.sent_to())

    def sent_to(self):
        """The addresses, as they were sent, of rows that wait."""
        waiting = [change for _, _, changes in self.queue for change in filter(None, changes or ())]
        return {change.get("behind", change["key"]) for change in waiting}

    def check_counts(self, source, expected):
        undo = undos.get(self.site, source)
        counted = {name: getattr(undo, name) for name in undos.COUNTS}
        assert undo.status == "finished"
        assert counted == {name: expected[name] for name in undos.COUNTS}

    def move(self):
        old, new = (addresses.identity(self.chance.choice(EMAILS)) for _ in range(2))
        with database.write():
            accepted = subscribers.accept_now(self.site.id)
            problem = subscribers.change_email(self.site.id, old, new, accepted)
        self.taken()
        moved = self.whole.move(old, new, new, accepted.number, self.now)
        assert (problem is None) == moved
        if moved and old != new:
            self.redirect(old, new)

    def redirect(self, old, new):
        """Rows that wait are of whoever had the address; one that comes to it later is not subscribed."""
        for _, _, changes in self.queue:
            for change in filter(None, changes or ()):
                if change["key"] == old and not change.get("pinned"):
                    change |= {"key": new, "email": new, "behind": change.get("behind", old)}
                elif change["key"] == new and not change.get("pinned"):
                    change["pinned"] = True
                    if change["consent"] == "subscribe":
                        change["consent"] = ""

    def erase(self):
        if self.chance.random() < 0.5:
            return
        key = addresses.identity(self.chance.choice(EMAILS))
        erasures.erase(self.site, self.instance, email=key)
        self.whole.erase(key, self.taken()[0], self.now)
        self.queue = [
            (
                kind,
                id_,
                changes and [None if each is None or key in keys_of(each) else each for each in changes],
            )
            for kind, id_, changes in self.queue
        ]

    def check_people(self, people, names):
        """The order of tags that were put back is nobody's business."""
        for row in (*people.values(), *self.model.people.values()):
            row["tags"].sort()
        super().check_people(people, names)


@pytest.mark.parametrize("later", [[], [{"email": EMAILS[0]}]])
@pytest.mark.parametrize("rows", [1, 100])
def test_whoever_was_erased_and_leaves_and_subscribes_by_one_import(app, monkeypatch, rows, later):
    chosen = SimpleNamespace(choice=itemgetter(0), random=lambda: 0.6)
    history = UndoHistory(chosen, monkeypatch, app.extensions["audience"].settings.instance)
    history.chunk = rows
    monkeypatch.setattr(imports, "_pace", Pace(rows, rows, rows))
    history.erase()
    history.now += 2
    history.bring([{"email": EMAILS[0], "command": word} for word in ("unsubscribe", "subscribe")])
    if later:
        history.bring(later)
    history.take_back()
    history.check()


def live(chance, monkeypatch, instance):
    """One history, in chunks of imports and pieces of undos of random sizes."""
    history = UndoHistory(chance, monkeypatch, instance)
    monkeypatch.setattr(imports, "_pace", Pace(*[history.chunk] * 3))
    monkeypatch.setattr(undo_work, "_pace", Pace(*[chance.choice([1, 2, 5, 100])] * 3))
    for _ in range(STEPS):
        history.step()
    history.work()
    history.check()
    mirror = Mirror(history.site)
    mirror.follow(1_000)
    assert normal(mirror.people) == normal(state(history.site))
    assert change_log_replay.differing(history.site)[0] == 0


@pytest.mark.parametrize("seed", range(GROUPS))
def test_histories_with_undos_give_what_the_model_says(app, monkeypatch, seed):
    instance = app.extensions["audience"].settings.instance
    for number in range(HISTORIES):
        live(random.Random(f"{seed} {number}"), monkeypatch, instance)
