"""Fixtures that every room's tests share."""

import os
import shutil

import pytest

REQUIRED = frozenset(filter(None, os.environ.get("AUDIENCE_REQUIRE", "").split(",")))
PROGRAMS = {"chromium": "chromium", "nsd": "nsd", "rbldnsd": "rbldnsd"}


def program(name: str) -> str:
    """The path of a Debian package's program; skips the test without it, fails it under AUDIENCE_REQUIRE."""
    found = shutil.which(PROGRAMS[name], path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if found:
        return found
    reason = f"needs the Debian package {name}: apt-get install {name}"
    if name in REQUIRED:
        pytest.fail(reason)
    pytest.skip(reason)
