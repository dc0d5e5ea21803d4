"""Every fault that `make mutants` seeds has its place in the tree."""

import subprocess

from tests import mutants
from tests.mutant_tables.mutant import Mutant
from tests.mutant_tables.table import MUTANTS
from tests.mutants import ROOT, complaint


def test_the_text_to_replace_is_there_once():
    places = {mutant.name: (ROOT / mutant.file).read_text("utf-8").count(mutant.text) for mutant in MUTANTS}
    assert {name: count for name, count in places.items() if count != 1} == {}


def test_a_fault_whose_test_does_not_end_is_not_caught_and_the_others_are_seeded(monkeypatch, tmp_path):
    def hang(*_):
        raise subprocess.TimeoutExpired("pytest", 1)

    monkeypatch.setattr(mutants, "run", hang)
    (tmp_path / "a.py").write_text("good")
    assert "has not ended" in complaint(Mutant("a fault", "a.py", "good", "bad", "tests/a.py"), tmp_path)
    assert (tmp_path / "a.py").read_text() == "good"
