"""Every fault that `make mutants` seeds has its place in the tree."""

import pytest

from tests.mutants import MUTANTS, ROOT


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_text_to_replace_is_there_once(mutant):
    assert (ROOT / mutant.file).read_text("utf-8").count(mutant.text) == 1
