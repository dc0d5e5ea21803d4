"""The tests of blacklist zones (RFC 5782 section 5): a zone must list its positive test point, and not its
negative one.

They show whether a zone has lapsed: such a zone lists everything, or nothing.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from audience import telemetry
from audience.answers.blacklist.listings import Status, name_in, status_of
from audience.answers.blacklist.providers import Asks, Providers, Zone
from audience.protocols import DnsAnswer, DnsHealth, DnsStatus, Resolver

TEST_SECONDS = 900.0  # from a test that was passed to the next one
RETRY_SECONDS = 60.0  # from one that was not
UNANSWERED = (DnsStatus.SERVFAIL, DnsStatus.UNAVAILABLE)


class ZoneOutcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    UNANSWERED = "unanswered"


@dataclass(frozen=True)
class ZoneTest:
    """The result of testing a zone. It passes if it lists its positive test point, and does not list the
    negative one.

    `zone` is its name without the operator's key. `problem` is a clause that says what was wrong, empty if it
    passed.
    """

    flag: str
    asks: Asks
    zone: str
    outcome: ZoneOutcome
    problem: str


class ZoneWatch:
    """Remembers the newest answered test of each zone that is in use. May be shared by threads.

    `clock` returns seconds, and is monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tests: dict[tuple[str, Asks], tuple[ZoneTest, float]] = {}

    def is_due(self, zone: Zone) -> bool:
        """Whether the zone is to be tested together with the next look-up."""
        test, tested_at = self._tests.get((zone.flag, zone.asks), (None, 0.0))
        if test is None:
            return True
        wait = TEST_SECONDS if test.outcome is ZoneOutcome.PASSED else RETRY_SECONDS
        return self._clock() >= tested_at + wait

    def learn(self, zones: Sequence[Zone], answers: Sequence[DnsAnswer], resolver: Resolver) -> None:
        """Remembers the tests of `zones`, of which `answers` are the answers to `questions(zones)`. An
        unanswered test is not remembered.

        If a test failed while the `resolver` does not work, all these tests count as unanswered.
        """
        tests = judge(zones, answers)
        failed = any(test.outcome is ZoneOutcome.FAILED for test in tests)
        if failed and resolver.health() is not DnsHealth.WORKS:
            tests = [replace(test, outcome=ZoneOutcome.UNANSWERED) for test in tests]
        for zone, test in zip(zones, tests, strict=True):
            telemetry.record_blacklist_test(zone.flag, zone.asks, test.outcome)
            if test.outcome is not ZoneOutcome.UNANSWERED:
                self._tests[zone.flag, zone.asks] = test, self._clock()

    def trusts(self, zone: Zone) -> bool:
        """Whether the zone has passed its newest answered test. False before the first one."""
        test, _ = self._tests.get((zone.flag, zone.asks), (None, 0.0))
        return test is not None and test.outcome is ZoneOutcome.PASSED

    def failed(self) -> list[ZoneTest]:
        """The failed tests of the last 15 minutes, unless a zone was tested again since."""
        since = self._clock() - TEST_SECONDS
        return [
            test
            for test, tested_at in list(self._tests.values())
            if test.outcome is ZoneOutcome.FAILED and tested_at > since
        ]


def examine(providers: Providers, resolver: Resolver, timeout: float | None = None) -> list[ZoneTest]:
    """Tests all zones in parallel, for `audience doctor`, within `timeout` seconds in total."""
    zones = list(providers.zones.values())
    return judge(zones, resolver.ask(questions(zones), timeout))


def questions(zones: Sequence[Zone]) -> list[tuple[str, str]]:
    """Two questions for each zone: one about its positive test point, one about its negative one."""
    return [(_test_name(zone, point), "A") for zone in zones for point in (zone.test_listed, zone.test_clear)]


def _test_name(zone: Zone, point: str) -> str:
    return name_in(zone, point) if zone.asks == "ip" else f"{point}.{zone.zone}"


def judge(zones: Sequence[Zone], answers: Sequence[DnsAnswer]) -> list[ZoneTest]:
    """The result of testing each zone, of which `answers` has the two answers to `questions(zones)`."""
    return [_judge(*three) for three in zip(zones, answers[::2], answers[1::2], strict=True)]


def _judge(zone: Zone, positive: DnsAnswer, negative: DnsAnswer) -> ZoneTest:
    outcome, problem = ZoneOutcome.PASSED, ""
    if status_of(zone, positive) is not Status.LISTED:
        outcome, problem = _failure(positive), f"does not list its test entry: {_content(positive)}"
    elif status_of(zone, negative) is not Status.CLEAR:
        outcome, problem = _failure(negative), f"lists an entry that it must not list: {_content(negative)}"
    return ZoneTest(zone.flag, zone.asks, zone.public, outcome, problem)


def _failure(answer: DnsAnswer) -> ZoneOutcome:
    """The outcome of a test that did not pass: unanswered if the `answer` proves nothing, else failed."""
    return ZoneOutcome.UNANSWERED if answer.status in UNANSWERED else ZoneOutcome.FAILED


def _content(answer: DnsAnswer) -> str:
    return " ".join(answer.records) or answer.status.value
