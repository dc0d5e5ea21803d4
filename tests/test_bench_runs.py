"""Every bench runs: on so few people that its figures say nothing.

`--whole` has those that start a service, too.
"""

import pytest

from bench import instances
from bench.__main__ import BENCHES, QUICK, run
from tests import depth

PEOPLE = 1_000
IN_A_SECOND = ("searches", "segments", "import_core")


@pytest.fixture(scope="module")
def instance(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    instances.make(folder, PEOPLE)
    return folder


@pytest.mark.parametrize("bench", BENCHES if depth.whole else IN_A_SECOND)
def test_a_bench_runs(bench, instance):
    rows = run(bench, instance, PEOPLE, 1)
    assert rows
    assert set(QUICK.get(bench, ())) <= {row.what for row in rows}
