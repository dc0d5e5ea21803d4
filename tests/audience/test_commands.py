"""The table of commands: the form's and the domain's are one."""

from audience.commands import CHANGE_EMAIL, CHANGES
from audience.subscribers import Change
from schemas.commands import QUERIES


def test_what_the_form_reads_the_domain_can_do():
    assert set(QUERIES) == {*CHANGES, CHANGE_EMAIL}


def test_every_command_makes_a_change():
    queries = {"add_field": "plan=pro"}
    for name, make in CHANGES.items():
        values = make(QUERIES[name](queries.get(name, "vip")), 1)
        assert Change(email="ada@example.com", key="ada@example.com", at=1, **values)
