"""Commands in another terminal than the service's know where it is."""

import json
import os
import signal
import subprocess

import pytest

from tests.service import PATIENCE_SECONDS, command, environment, serving
from tests.stories.test_starts import ROOT

ANN = "ann@example.com"
ELSEWHERE = 8000  # as commands have it that are not told of a port


def typed(instance, *words, **settings):
    run = subprocess.run(
        command(*words, "--json"),
        cwd=ROOT,
        env=environment(instance, ELSEWHERE, **settings),
        capture_output=True,
        check=True,
        timeout=PATIENCE_SECONDS,
    )
    return json.loads(run.stdout)


def links(instance, **settings):
    """What commands print that has the address of the service."""
    yield typed(instance, "console", "--as", ANN, **settings)["link"]
    yield typed(instance, "operator", "reset", ANN, **settings)["link"]
    yield typed(instance, "site", "create", "News", **settings)["base_url"]
    yield typed(instance, "demo", "--people", "1", **settings)["base_url"]


def begin_with(urls, base):
    return [url for url in urls if url != base and not url.startswith(f"{base}/")] == []


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("served")) as service:
        typed(service.instance, "operator", "add", ANN, "--administrator")
        yield service


def test_commands_name_the_address_at_which_the_service_is(service):
    assert begin_with(links(service.instance), f"http://127.0.0.1:{service.port}")


def test_a_public_url_that_is_set_is_the_one_to_name(service):
    url = "https://people.example"
    assert begin_with(links(service.instance, AUDIENCE_PUBLIC_URL=url), url)


def test_the_public_url_of_the_service_is_known_and_forgotten_when_it_stops(tmp_path):
    url = "https://people.example"
    with serving(tmp_path, AUDIENCE_PUBLIC_URL=url):
        typed(tmp_path, "operator", "add", ANN, "--administrator")
        assert begin_with(links(tmp_path), url)
    assert begin_with(links(tmp_path), f"http://127.0.0.1:{ELSEWHERE}")


def test_a_service_that_was_killed_is_nowhere(tmp_path):
    with serving(tmp_path) as service:
        typed(tmp_path, "operator", "add", ANN, "--administrator")
        os.kill(service.process.pid, signal.SIGKILL)
        service.process.wait(PATIENCE_SECONDS)
        assert begin_with(links(tmp_path), f"http://127.0.0.1:{ELSEWHERE}")
