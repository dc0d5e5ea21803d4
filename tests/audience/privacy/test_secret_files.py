"""Files with secrets: private, whole, and nothing left behind by those who failed to write them."""

import os

import pytest

from audience.privacy import secret_files

VALUES = {"publishable_key": "pk_1", "secret_key": "sk_1"}


def drafts(folder):
    return [each.name for each in folder.iterdir() if each.name.endswith(".new")]


@pytest.mark.parametrize("write", [secret_files.write, secret_files.write_once])
def test_a_file_is_private_whole_and_alone(tmp_path, write):
    write(tmp_path / "pepper", b"secret")
    assert (tmp_path / "pepper").read_bytes() == b"secret"
    assert (tmp_path / "pepper").stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["pepper"]


def test_write_replaces_and_write_once_does_not(tmp_path):
    file = tmp_path / "pepper"
    secret_files.write_once(file, b"first")
    secret_files.write_once(file, b"second")
    assert file.read_bytes() == b"first"
    secret_files.write(file, b"third")
    assert file.read_bytes() == b"third"


FAILURES = {"full disk": OSError(28, "No space left on device"), "Ctrl-C": KeyboardInterrupt()}


@pytest.mark.parametrize("error", FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("write", [secret_files.write, secret_files.write_once])
def test_a_failed_write_leaves_no_draft(tmp_path, monkeypatch, write, error):
    def fail(_):
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(error)):
        write(tmp_path / "pepper", b"secret")
    assert os.listdir(tmp_path) == []


def test_what_a_killed_writer_left_goes_with_the_next_write_and_with_the_file(tmp_path):
    stale = tmp_path / f"{secret_files.FIRST_SITE}.0123abcd.new"
    stale.write_bytes(b"sk_0")
    secret_files.write_first_site(tmp_path, VALUES)
    assert drafts(tmp_path) == []
    stale.write_bytes(b"sk_0")
    secret_files.forget_first_site(tmp_path, "pk_1")
    assert os.listdir(tmp_path) == []


def test_the_first_site_is_forgotten_with_its_key_and_no_other(tmp_path):
    secret_files.write_first_site(tmp_path, VALUES)
    secret_files.forget_first_site(tmp_path, "pk_2")
    assert os.listdir(tmp_path) == [secret_files.FIRST_SITE]
    secret_files.forget_first_site(tmp_path, "pk_1")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("damaged", [b"", b"{", b"[]", b'{"publishable_key": "pk_1"}', b"\xff"])
def test_a_damaged_file_is_forgotten(tmp_path, damaged):
    (tmp_path / secret_files.FIRST_SITE).write_bytes(damaged)
    secret_files.forget_first_site(tmp_path, "pk_2")
    assert os.listdir(tmp_path) == []
