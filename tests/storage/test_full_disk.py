"""Errors of the disk: the first one decides, and the next write succeeds once there is room."""

import resource

import pytest

from storage import database
from storage.errors import DiskFault
from tests.small_disk import mounted

SITES = "INSERT INTO sites (uuid, name, created_at) VALUES (?, ?, 0)"


@pytest.fixture
def opened(tmp_path):
    database.open(f"sqlite:///{tmp_path / 'audience.db'}")
    database.migrate()
    yield
    database.close()


def add(uuid, size=20_000):
    with database.write():
        database.execute(SITES, (uuid, "x" * size))


@database.write()
def add_two():
    add("a")
    add("b")


def count():
    with database.session():
        return database.row("SELECT count(*) FROM sites")[0]


def test_a_full_database_is_a_fault_of_the_disk(opened):
    with database.session():
        database.execute("PRAGMA max_page_count = 1")
        with pytest.raises(DiskFault, match="full"):
            add("a")
        database.execute("PRAGMA max_page_count = 1000000")
        add("b")
    assert count() == 1


def test_a_statement_that_fails_after_others_rolls_them_back(opened):
    with database.session():
        [pages], [free] = database.row("PRAGMA page_count"), database.row("PRAGMA freelist_count")
        database.execute(f"PRAGMA max_page_count = {pages + 8 - free}")
        with pytest.raises(DiskFault):
            add_two()
        assert count() == 0


@pytest.fixture
def limit_of_files():
    """Sets the size that no file may exceed: a write beyond it is an I/O error."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_an_io_error_is_a_fault_of_the_disk(opened, limit_of_files):
    limit_of_files(4096)
    with pytest.raises(DiskFault, match="I/O"):
        add("a")
    assert count() == 0
    limit_of_files(resource.RLIM_INFINITY)
    add("b")
    assert count() == 1


def test_a_commit_that_finds_no_room_is_a_fault_of_the_disk(tmp_path):
    with mounted(tmp_path / "disk", 4) as disk:
        database.open(f"sqlite:///{disk.path / 'audience.db'}")
        database.migrate()
        disk.fill(but_pages=3)
        with pytest.raises(DiskFault, match="full"):
            add("a")
        assert count() == 0
        disk.make_room()
        add("b")
        assert count() == 1
        database.close()


def test_a_database_opened_on_a_full_disk_is_a_fault_of_the_disk(tmp_path):
    with mounted(tmp_path / "disk", 4) as disk:
        database.open(f"sqlite:///{disk.path / 'audience.db'}")
        disk.fill()
        with pytest.raises(DiskFault):
            database.migrate()
        disk.make_room()
        assert database.migrate()
        database.close()


def test_a_fault_is_remembered_until_a_write_succeeds(opened, limit_of_files):
    assert database.takes_writes()
    limit_of_files(4096)
    assert database.takes_writes()
    with pytest.raises(DiskFault):
        add("a")
    assert not database.takes_writes()
    limit_of_files(resource.RLIM_INFINITY)
    assert database.takes_writes()
    assert count() == 0
