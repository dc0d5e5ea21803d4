"""The state of a process is set in one place and can be set again for another instance."""

import pytest

from app import create_app
from audience import telemetry
from audience.config import Settings
from audience.operations.opening import open_process
from audience.privacy import pepper
from audience.protocols import DnsAnswer, DnsHealth, DnsStatus
from storage import database
from tests.client import FakeLimiter, FakeProcesses, FakeQueue


class CountedAnswers(telemetry.NoMetrics):
    def __init__(self):
        self.questions = []

    def count(self, name, amount=1, /, **labels):
        if name == "answers":
            self.questions.append(labels["question"])


class FakeResolver:
    def health(self, *_):
        return DnsHealth.WORKS

    def ask(self, questions, timeout=None):
        return [DnsAnswer(DnsStatus.NXDOMAIN) for _ in questions]


@pytest.fixture
def instances(tmp_path):
    yield [Settings(instance=tmp_path / name) for name in ("first", "second")]
    open_process(Settings(instance=tmp_path))
    database.close()


def test_a_process_can_be_reopened_on_another_instance(instances):
    digests, metrics = [], [CountedAnswers(), CountedAnswers()]
    for settings, counted in zip(instances, metrics, strict=True):
        open_process(settings, counted)
        database.migrate()
        telemetry.record_answer(settings.instance.name, [])
        digests.append(pepper.digest("test", "text"))
    assert [counted.questions for counted in metrics] == [["first"], ["second"]]
    assert digests[0] != digests[1]
    assert all((settings.instance / "audience.db").exists() for settings in instances)


def test_an_app_without_telemetry_counts_nothing_and_uses_the_given_resolver(instances):
    counted = CountedAnswers()
    open_process(instances[0], counted)
    app = create_app(instances[0], FakeQueue(), FakeLimiter(), FakeProcesses(), resolver=FakeResolver())
    telemetry.record_answer("gender", [])
    assert counted.questions == []
    answers = app.extensions["audience"].answers
    assert answers.resolver.ask([("example.com", "MX")]) == [DnsAnswer(DnsStatus.NXDOMAIN)]
