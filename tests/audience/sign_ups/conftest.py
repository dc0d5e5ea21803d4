"""Fixtures of the tests of sign-ups."""

import pytest

from tests.sign_up_steps import FakeRelay, make_form, make_sender


@pytest.fixture
def form(site):
    make_sender(site)
    return make_form(site)


@pytest.fixture
def relay():
    return FakeRelay()
