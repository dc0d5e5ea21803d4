"""Sets of who has which value are exact at every instant, wherever a merge or an erasure ends."""

from array import array
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyroaring import BitMap

from audience.access import sites
from audience.subscribers import field_values
from storage import database
from storage.sql import Sql
from storage.subscribers import custom_fields
from storage.subscribers import field_values as stored
from storage.subscribers.field_values import (
    NUMBER,
    TEXT,
    DistinctValueModel,
    ValueChangeModel,
    ValueHolderModel,
)
from tests import depth

FIELDS = ("plan", "tier", stored.DOMAIN)
VALUES = [(0, "pro", "", TEXT, None, None), (0, "pro", "Pro", TEXT, None, None), (0, "5", "", TEXT, 5, None),
          (0, "5", "", NUMBER, 5, None), (1, "pro", "", TEXT, None, None),
          (2, "example.com", "", TEXT, None, None)]  # fmt: skip
MANY = [*range(300, 300 + stored.FEW + 2)]  # more than a short list has
IDS = st.lists(st.sampled_from([1, 300, 65_535, 65_536, 2**32 - 1]), unique=True, min_size=1)
SOME = st.dictionaries(st.sampled_from(VALUES), IDS | st.just(MANY), max_size=3)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("save"), SOME, SOME),
        st.tuples(st.just("merge"), st.integers(0, 6), st.just(None)),
        st.tuples(st.just("erase"), IDS, st.just(None)),
    ),
    min_size=4,
    max_size=12,
)


class Killed(Exception):
    pass


class Expected:
    """Who has which value, as plain sets; does each step there and in the database."""

    def __init__(self, site_id):
        self.site_id = site_id
        with database.write(site_id):
            ids = custom_fields.add(site_id, [(key, key) for key in FIELDS[:2]], 0).values()
        self.field_ids = [*ids, stored.DOMAIN_ID]
        self.sets: dict[Any, set[int]] = {value: set() for value in VALUES}

    def save(self, added, removed):
        with database.write(self.site_id):
            stored.save(self.site_id, self.rows(added), self.rows(removed))
        for value, ids in removed.items():
            self.sets[value].difference_update(ids)
        for value, ids in added.items():
            self.sets[value].update(ids)

    def merge(self, steps, _):
        """Merges values one by one; is killed before the end unless there are steps enough."""
        left = iter(range(steps))

        def killed(*args):
            if next(left, None) is None:
                raise Killed
            merge(*args)

        merge = stored.merge
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stored, "merge", killed)
            patch.setattr(field_values, "MERGED", 1)
            patch.setattr(field_values, "MERGE_SECONDS", 0)
            try:
                field_values.merge(self.site_id)
            except Killed:
                return
        assert stored_rows(ValueChangeModel, self.site_id) == []

    def erase(self, ids, _):
        values = [value for value, holders in self.sets.items() if holders.intersection(ids)]
        with database.write(self.site_id):
            stored.save(self.site_id, {}, self.rows(dict.fromkeys(values, ids)))
            stored.erase(self.site_id, ids)
        for holders in self.sets.values():
            holders.difference_update(ids)
        for added, removed in stored_rows(ValueChangeModel, self.site_id, "added", "removed"):
            assert not {*ids}.intersection(listed(added) + listed(removed))
        for people, members in stored_rows(ValueHolderModel, self.site_id, "people", "members"):
            held = array("I", members) if people <= stored.FEW else BitMap.deserialize(members)
            assert len(held) == people
            assert not {*ids}.intersection(held)

    def rows(self, by_value):
        """Of values of the fields of the site."""
        return {(self.field_ids[field], *value): ids for (field, *value), ids in by_value.items()}

    def check(self):
        some = BitMap([300, 65_536])
        with database.snapshot():
            for number, key in enumerate(FIELDS):
                sets = {value: ids for value, ids in self.sets.items() if value[0] == number}
                for (_, folded, label, kind, *_), ids in sets.items():
                    condition = Sql("v.folded = ? AND v.label = ? AND v.kind = ?", (folded, label, kind))
                    assert {*stored.holders(self.site_id, key, condition)} == ids
                assert {*stored.holders(self.site_id, key)} == set().union(*sets.values())
                for among in (None, some):
                    expected = Counter[str]()
                    for (_, folded, label, *_), ids in sets.items():
                        expected[label or folded] += len(ids if among is None else ids & {*some})
                    assert stored.counts(self.site_id, key, among=among) == +expected


def listed(packed):
    numbers = array("I", packed)
    return list(numbers[1 + 2 * numbers[0] :])


def stored_rows(model, site_id, *columns):
    with database.session():
        chosen = model.select(*(getattr(model, name) for name in columns or ["site_id"]))
        return list(chosen.where(model.site_id == site_id).tuples())


@settings(
    max_examples=depth.examples(500), suppress_health_check=[HealthCheck.function_scoped_fixture]
)  # each example has a site of its own
@given(steps=STEPS)
def test_sets_are_exact_after_every_step(steps, app):
    assert app
    expected = Expected(sites.create("Example").id)
    for name, first, second in steps:
        getattr(expected, name)(first, second)
        expected.check()
    field_values.merge(expected.site_id)
    expected.check()
    held = sorted(value for value, ids in expected.sets.items() if ids)
    assert len(stored_rows(DistinctValueModel, expected.site_id)) == len(held)


def test_a_value_that_nobody_has_keeps_no_set_of_another_block(app):
    """Else the set would be there, and nobody would look for it, when its subscribers are erased."""
    assert app
    expected, value = Expected(sites.create("Example").id), VALUES[2]
    expected.save({value: [300, 65_536]}, {})
    field_values.merge(expected.site_id)
    expected.save({}, {value: [300, 65_536]})
    expected.erase([65_536], None)
    expected.erase([300], None)
