"""Files of operators where several hosts share the database: no host needs the folder of another."""

import io

import pytest

from audience import clock
from audience.access import sites
from audience.access.audit_log import COMMAND_LINE
from audience.clock import DAY_MS
from audience.errors import NotFound, Refused
from audience.imports import file_uploads
from audience.operations import site_lane
from audience.subscribers import stats
from storage import database
from storage.imports import file_chunks
from tests.file_jobs import do_files

PEOPLE = b"email,note\n" + b"".join(b"p%d@example.com,%s\n" % (n, b"x" * 2_000) for n in range(1_600))


@pytest.fixture
def site(app, monkeypatch):
    monkeypatch.setattr(file_chunks, "are_in_database", lambda: True)
    return sites.create("Example")


@pytest.fixture
def hosts(tmp_path):
    """The folders of two."""
    folders = tmp_path / "one", tmp_path / "two"
    for folder in folders:
        folder.mkdir()
    return folders


def keep(site, folder, content=PEOPLE):
    return file_uploads.keep(site, folder, "people.csv", io.BytesIO(content), {"consent": "subscribed"})


def count_pieces():
    with database.session():
        return database.row("SELECT count(*) FROM file_pieces")[0]


def test_a_worker_of_another_host_imports_a_file(site, hosts):
    upload = keep(site, hosts[0])
    assert count_pieces() == -(-len(PEOPLE) // file_uploads.COPY_BYTES) > 3
    with file_uploads.open_content(site, hosts[1], upload) as file:
        assert file.read() == PEOPLE
    file_uploads.begin_import(site, hosts[0], upload, COMMAND_LINE)
    do_files(hosts[1])
    site_lane.drain(site.id, 30)
    assert stats.for_site(site).users == 1_600
    assert count_pieces() == 0
    assert [list(folder.rglob("*")) for folder in hosts] == [[], []]


def test_a_file_that_is_left_or_forgotten_leaves_nothing(site, hosts, monkeypatch):
    left = keep(site, hosts[0])
    assert file_uploads.discard(site, hosts[1], left)
    assert count_pieces() == 0
    forgotten = keep(site, hosts[0])
    tomorrow = clock.now_ms() + DAY_MS + 1
    monkeypatch.setattr(clock, "now_ms", lambda: tomorrow)
    file_uploads.sweep(hosts[1])
    assert count_pieces() == 0
    with pytest.raises(NotFound), file_uploads.open_content(site, hosts[0], forgotten):
        pass


def test_a_file_of_which_only_a_part_came_is_forgotten(site, hosts, monkeypatch):
    class BreaksOff(io.BytesIO):
        def read(self, size=-1):
            return super().read(size) if self.tell() == 0 else 1 // 0

    with pytest.raises(ZeroDivisionError):
        file_uploads.keep(site, hosts[0], "people.csv", BreaksOff(PEOPLE), {})
    assert file_uploads.list_waiting(site) == []
    kept = keep(site, hosts[0])
    file_uploads.begin_import(site, hosts[0], kept, COMMAND_LINE)
    tomorrow = clock.now_ms() + DAY_MS + 1
    monkeypatch.setattr(clock, "now_ms", lambda: tomorrow)
    file_uploads.sweep(hosts[1])
    with file_uploads.open_content(site, hosts[1], kept) as file:
        assert file.read() == PEOPLE
    assert count_pieces() == 4


def test_an_empty_file_is_refused(site, hosts):
    with pytest.raises(Refused, match="empty"):
        keep(site, hosts[0], b"")
    assert count_pieces() == 0
