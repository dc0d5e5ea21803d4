"""Geolocation's tables in one file: when it is packed, by whom, and what is not believed."""

import lzma
import multiprocessing
import os
import random
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest

from audience.answers.geolocation import geolocation, packing
from audience.answers.geolocation.geolocation import locate
from audience.answers.geolocation.packed_table import FILE
from audience.answers.geolocation.packing import PackingInChild
from audience.answers.geolocation.table import open_table
from audience.answers.service import Answers
from audience.answers.validation.allow_deny import AllowDenyLists
from audience.answers.validation.validation import Candidate
from audience.config import Settings
from audience.errors import ServiceUnavailable
from tests import depth
from tests.answers.geo_tables import BLOCKS, LOCATIONS, number, write_tables
from tests.answers.zones import Zones, mail
from tests.service import PATIENCE_SECONDS, until


def answers(table):
    probes = ["1.0.0.0", "1.0.0.255", "1.0.1.0", "1.1.77.7", "1.2.0.9", "1.2.0.10", "1.2.0.11", "200.1.1.1"]
    return [table.place(number(ip)) for ip in probes]


class TestFile:
    def test_second_opening_does_not_build(self, small, tmp_path):
        open_table(tmp_path, small)
        built = (tmp_path / FILE).stat()
        open_table(tmp_path, small)
        assert (tmp_path / FILE).stat().st_ino == built.st_ino

    def test_opens_from_a_missing_instance_folder(self, small, tmp_path):
        assert answers(open_table(tmp_path / "a" / "b", small))[0]

    @pytest.mark.parametrize(
        "changed",
        [
            {"locations": LOCATIONS.replace("Munich", "Passau")},
            {"blocks": BLOCKS.replace("256,1", "256,2", 1)},
        ],
    )
    def test_other_tables_are_rebuilt(self, changed, small, tmp_path):
        before = answers(open_table(tmp_path, small))
        after = answers(open_table(tmp_path, write_tables(small, **changed)))
        assert before[0] != after[0]

    def test_other_country_names_are_rebuilt(self, small, tmp_path):
        open_table(tmp_path, small)
        file = small / "countries.csv"
        file.write_text(file.read_text("utf-8").replace("Germany", "Deutschland"), "utf-8")
        assert answers(open_table(tmp_path, small))[0][0].name == "Deutschland"

    def test_a_flipped_byte_anywhere_is_never_used(self, small, tmp_path):
        expected = answers(open_table(tmp_path, small))
        good = (tmp_path / FILE).read_bytes()
        draw = random.Random(3)
        places = [*range(64), *range(len(good) - 120, len(good))]
        places += [draw.randrange(len(good)) for _ in range(60)]
        for at in depth.sample(places, 5):
            bad = bytearray(good)
            bad[at] ^= draw.randrange(1, 256)
            (tmp_path / FILE).write_bytes(bad)
            assert answers(open_table(tmp_path, small)) == expected, f"byte {at}"

    @pytest.mark.parametrize("size", [0, 1, 39, 40, 100, 20_000, -1])
    def test_a_cut_file_is_rebuilt(self, size, small, tmp_path):
        expected = answers(open_table(tmp_path, small))
        data = (tmp_path / FILE).read_bytes()
        (tmp_path / FILE).write_bytes(data[:size])
        assert answers(open_table(tmp_path, small)) == expected
        assert (tmp_path / FILE).read_bytes() == data

    def test_a_partial_file_is_not_used(self, small, tmp_path):
        (tmp_path / FILE).with_suffix(".new").write_bytes(b"cut off by a power failure")
        assert answers(open_table(tmp_path, small))[0]
        assert not (tmp_path / FILE).with_suffix(".new").exists()

    def test_no_partial_file_if_building_fails(self, small, tmp_path):
        (small / "blocks_delta.csv.xz").write_bytes(lzma.compress(b"length,location_id\n7,1\n"))
        with pytest.raises(ValueError, match="does not cover"):
            open_table(tmp_path, small)
        assert not (tmp_path / FILE).exists()

    def test_processes_that_start_at_once_build_one_file(self, small, tmp_path):
        context = multiprocessing.get_context("spawn")
        instance = tmp_path / "instance"
        with context.Pool(3) as pool:
            inodes = pool.starmap_async(opened, [(instance, small)] * 3).get(timeout=PATIENCE_SECONDS)
        assert len(set(inodes)) == 1
        assert sorted(os.listdir(instance)) == ["geo.lock", FILE]

    def test_a_replaced_file_does_not_affect_its_readers(self, small, tmp_path):
        table = open_table(tmp_path, small)
        other = write_tables(tmp_path / "other", locations=LOCATIONS.replace("Munich", "Passau"))
        open_table(tmp_path, other)
        assert answers(table)[0][2] == 'Munich, "Altstadt"'

    def test_the_table_is_not_copied_into_memory(self, bundled):
        path = bundled._path
        tracemalloc.start()
        try:
            again = open_table(path.parent)
            draw = random.Random(1)
            for _ in range(5_000):
                again.place(draw.getrandbits(32))
            held, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert path.stat().st_size > 30_000_000
        assert held < 300_000
        assert peak < 2_000_000


class Child:
    """Stands for a child process: runs when it is told to."""

    def __init__(self):
        self.go, self.calls = threading.Event(), 0

    def __call__(self, function, source, target, *arguments):
        self.calls += 1
        assert self.go.wait(60)
        return function(source, target, *arguments)


def wait_until_packed(packing):
    assert packing._waiting is not None
    packing._waiting.join(60)


class TestPackedElsewhere:
    def test_it_is_unavailable_until_the_child_has_packed_it(self, small, tmp_path):
        child = Child()
        packing = PackingInChild(child)
        table = open_table(tmp_path, small, packing)
        for _ in range(3):
            with pytest.raises(ServiceUnavailable, match="being prepared"):
                locate("1.0.0.0", table)
        child.go.set()
        wait_until_packed(packing)
        assert locate("1.0.0.0", table)["country_code2"] == "DE"
        assert child.calls == 1

    def test_a_damaged_file_is_packed_there_too(self, small, tmp_path):
        open_table(tmp_path, small)
        good = (tmp_path / FILE).read_bytes()
        (tmp_path / FILE).write_bytes(good[:-1] + b"\xff")
        child = Child()
        packing = PackingInChild(child)
        table = open_table(tmp_path, small, packing)
        with pytest.raises(ServiceUnavailable):
            answers(table)
        child.go.set()
        wait_until_packed(packing)
        assert answers(table)[0]
        assert (tmp_path / FILE).read_bytes() == good

    def test_a_child_that_fails_is_tried_again(self, small, tmp_path):
        tried = []

        def failing(*_):
            tried.append(1)
            raise MemoryError

        packing = PackingInChild(failing)
        table = open_table(tmp_path, small, packing)
        wait_until_packed(packing)
        with pytest.raises(ServiceUnavailable):
            locate("1.0.0.0", table)
        wait_until_packed(packing)
        assert len(tried) == 2


@pytest.fixture
def unpacked(small, tmp_path, monkeypatch):
    """Answers whose table of places a child packs once it is told to, and that child."""
    monkeypatch.setattr(
        geolocation, "open_places", lambda where, _, packing: open_table(where, small, packing)
    )
    child = Child()
    answers = Answers(Settings(instance=tmp_path), Zones(mail("firm.org")), child)
    yield answers, child
    child.go.set()


def waiting_for(answers):
    return packing.MOST_WAITING - answers._child._places._value


class TestWaiting:
    def test_two_requests_wait_for_it_and_the_others_are_told_at_once(self, unpacked):
        answers, child = unpacked
        with ThreadPoolExecutor(2) as pool:
            waiting = [pool.submit(answers.locate, "1.0.0.0") for _ in range(2)]
            until(lambda: waiting_for(answers) == 2)
            with pytest.raises(ServiceUnavailable, match="being prepared"):
                answers.locate("1.0.0.0")
            assert not any(each.done() for each in waiting)
            child.go.set()
            assert [each.result(60)["country_code2"] for each in waiting] == ["DE", "DE"]
        assert child.calls == 1
        assert answers.locate("1.0.0.0")["country_code2"] == "DE"

    def test_validation_does_not_wait(self, unpacked):
        answers, child = unpacked
        for _ in range(3):
            result = answers.validate(Candidate(email="ann@firm.org", ip="1.0.0.0"), AllowDenyLists())
            assert "ip_unavailable" in result.reasons
        assert waiting_for(answers) == 0
        assert not child.go.is_set()

    def test_it_is_waited_for_no_longer_than_a_client_waits(self, unpacked, monkeypatch):
        answers, _ = unpacked
        monkeypatch.setattr(packing, "WAIT_SECONDS", 0.05)
        for _ in range(3):
            with pytest.raises(ServiceUnavailable, match="being prepared"):
                answers.locate("1.0.0.0")
        assert waiting_for(answers) == 0


def opened(instance, folder):
    open_table(instance, folder)
    return (instance / FILE).stat().st_ino
