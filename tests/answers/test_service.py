"""The answers of an instance: its resolver, and its lists beside those of a site."""

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
