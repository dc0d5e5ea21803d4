"""Passwords of operators: which are refused, and how they are stored."""

import pytest

from audience.access import passwords
from audience.errors import Refused, ServiceUnavailable


@pytest.mark.parametrize(
    ("password", "message"),
    [
        ("", passwords.TOO_SHORT),
        ("elevenchars", passwords.TOO_SHORT),
        ("x" * 1_001, passwords.TOO_LONG),
        ("qwertyuiop123", passwords.COMMON),
        ("QwertyUiop123", passwords.COMMON),
    ],
)
def test_a_weak_password_is_refused_with_its_reason(password, message):
    with pytest.raises(Refused) as caught:
        passwords.check(password, "new")
    assert [(each.field, each.message) for each in caught.value.errors] == [("new", message)]


@pytest.mark.parametrize(
    "password", ["correct horse battery staple", "zwölf Zeichen!", "x" * 1_000, "🦆" * 12]
)
def test_any_other_password_of_twelve_characters_is_taken(password):
    passwords.check(password)
    stored = passwords.hash_password(password)
    assert passwords.matches(password, stored)
    assert not passwords.matches(f"{password[:-1]}y", stored)


def test_equal_passwords_are_stored_differently_and_never_as_they_are():
    first, second = (
        passwords.hash_password("a password of mine"),
        passwords.hash_password("a password of mine"),
    )
    assert first != second
    assert "password" not in first + second
    assert first.partition("$")[0] != second.partition("$")[0]


def test_no_password_matches_an_operator_without_one():
    for password in ("", "x", "a password of mine"):
        assert not passwords.matches(password, "")


def test_a_lone_surrogate_is_a_character_like_others():
    stored = passwords.hash_password("twelve chars\ud800")
    assert passwords.matches("twelve chars\ud800", stored)
    assert not passwords.matches("twelve chars", stored)


def test_too_many_at_once_are_told_to_try_again(monkeypatch):
    monkeypatch.setattr(passwords, "WAIT_SECONDS", 0.001)
    for _ in range(passwords.MAX_RUNS):
        passwords._runs.acquire()
    try:
        with pytest.raises(ServiceUnavailable, match="try again in a few seconds"):
            passwords.matches("a password of mine", "")
    finally:
        passwords._runs.release(passwords.MAX_RUNS)
    assert not passwords.matches("a password of mine", "")
