"""Fixtures with an instance in use."""

import shutil

import pytest

from tests.stories.lost_files import made, type_


@pytest.fixture(scope="session")
def pattern(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pattern") / "instance"
    made(folder)
    backup = type_(folder, "backup", str(folder.parent / "backup.tar"))
    assert backup.returncode == 0, backup.stderr
    return folder


@pytest.fixture
def instance(pattern, tmp_path):
    """A copy of an instance in use, without a running service. Its backup lies beside it, as `backup.tar`."""
    shutil.copytree(pattern, tmp_path / "instance")
    shutil.copy(pattern.parent / "backup.tar", tmp_path)
    return tmp_path / "instance"
