"""A process that lives long does not look through what it has loaded, and lets its threads alternate."""

import gc
import sys

import pytest

from workers import interpreter


@pytest.fixture
def as_before():
    seconds = sys.getswitchinterval()
    yield
    gc.unfreeze()
    sys.setswitchinterval(seconds)


def test_what_is_loaded_is_frozen_and_threads_alternate(as_before):
    interpreter.settle()
    assert gc.get_freeze_count() > 10_000
    assert sys.getswitchinterval() == pytest.approx(interpreter.SWITCH_SECONDS)
