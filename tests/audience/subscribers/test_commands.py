"""The command names of the schema and of the domain."""

from audience.subscribers.commands import CHANGES
from audience.subscribers.subscribers import Change
from schemas.command_names import CommandName
from schemas.commands import QUERIES


def test_every_command_of_the_schema_can_be_applied():
    assert set(QUERIES) == set(CommandName) == {*CHANGES, CommandName.CHANGE_EMAIL}


def test_every_command_makes_a_change():
    queries = {"add_field": "plan=pro"}
    for name, make in CHANGES.items():
        values = make(QUERIES[name](queries.get(name, "vip")), 1)
        assert Change(email="ada@example.com", key="ada@example.com", at=1, **values)
