"""`audience mirror` follows a service, whatever dies (a story)."""

import os
import random
import signal

import pytest

from tests import mirrors, mirrors_at_scale
from tests.service import serving

WRITES = 120


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request):
    """Of a new database; "" of a file."""
    if request.param == "sqlite":
        yield ""
        return
    server = request.getfixturevalue("server")
    url = server.create()
    yield url
    server.drop(url)


def test_a_mirror_is_the_export_whatever_dies(tmp_path, geo_table, url, server):
    chance = random.Random(7)
    settings = {"AUDIENCE_DNS_SERVERS": "127.0.0.1:9", "AUDIENCE_DATABASE_URL": url}
    targets = [*mirrors.files(tmp_path), server.create()]
    with serving(tmp_path / "instance", **settings) as service:
        for _ in range(20):
            mirrors.write(service.call, chance)
        with mirrors.following(targets, service) as followers:
            for number in range(WRITES):
                mirrors.write(service.call, chance)
                if number in (30, 75):
                    for follower in followers:
                        follower.kill()
                if number in (40, 80):
                    for follower in followers:
                        follower.start()
                if number == 50:
                    service.kill("app worker")
                if number == 90:
                    os.kill(service.processes("app web")[-1], signal.SIGKILL)
            people, events = mirrors.wait_for(followers, service)
        assert len(people) > 100
        assert events


def test_a_sample_of_the_mirrors_at_scale(geo_table):
    figures = mirrors_at_scale.run(people=600, events=3_000, kills=4, engine="sqlite", seed=3)
    assert figures.people > 500
    assert figures.events > 2_500
