"""The answers of an instance: its resolver, and its lists beside those of a site."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from audience.answers.service import Answers
from audience.answers.validation.allow_deny import AllowDenyLists
from audience.answers.validation.validation import Candidate
from audience.config import SettingError, Settings
from tests.answers.zones import Zones, mail


def test_a_given_resolver_is_used(tmp_path):
    dns = Zones(mail("firm.org"))
    result = Answers(Settings(instance=tmp_path), dns).validate(
        Candidate(email="ann@firm.org"), AllowDenyLists()
    )
    assert result.valid
    assert ("firm.org", "MX") in dns.queries


class WithSilentDomain(Zones):
    """The servers of `silent.org` say nothing until they `speak`."""

    def __init__(self, records):
        super().__init__(records)
        self.asked, self.speak = threading.Event(), threading.Event()

    def ask(self, questions, timeout=None):
        if ("silent.org", "MX") in questions:
            self.asked.set()
            assert self.speak.wait(30)
        return super().ask(questions, timeout)


def test_no_validation_waits_for_the_servers_of_another_domain(tmp_path):
    dns = WithSilentDomain(mail("firm.org") | mail("silent.org"))
    answers = Answers(Settings(instance=tmp_path), dns)

    def is_valid(email):
        return answers.validate(Candidate(email=email), AllowDenyLists()).valid

    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(is_valid, "ann@silent.org")
        try:
            assert dns.asked.wait(30)
            assert pool.submit(is_valid, "ann@firm.org").result(10)
            assert not waiting.done()
        finally:
            dns.speak.set()
        assert waiting.result(30)


@pytest.mark.parametrize(
    ("site_lists", "reason"),
    [
        (AllowDenyLists(), "denied"),
        (AllowDenyLists(allow=("ann@firm.org",)), "allowed"),
        (AllowDenyLists(allow=("firm.org",)), "denied"),
    ],
)
def test_the_lists_of_the_settings_and_of_a_site_are_one(tmp_path, site_lists, reason):
    answers = Answers(Settings(instance=tmp_path, deny_addresses=("*.firm.org",)), Zones())
    assert answers.validate(Candidate(email="ann@firm.org"), site_lists).reasons == (reason,)


def test_a_malformed_entry_in_the_settings_is_an_error(tmp_path):
    with pytest.raises(SettingError, match="deny_addresses"):
        Answers(Settings(instance=tmp_path, deny_addresses=("not an entry",)), Zones()).check()


def test_codes_of_tier_countries_are_known_in_either_case(tmp_path):
    Answers(Settings(instance=tmp_path, tier1_countries=("de", "US")), Zones()).check()
    unknown = Answers(Settings(instance=tmp_path, tier1_countries=("DE", "uk", "QQ")), Zones())
    with pytest.raises(SettingError, match="no country has the code QQ, UK;"):
        unknown.check()
