"""`audience answer`."""

import json
import os
from dataclasses import replace

import pytest
from click.testing import CliRunner

from app import instance
from audience.answers.moderation.reasons import ModerationReason
from audience.answers.validation.reasons import ValidationReason
from audience.cli.main import audience
from audience.config import SettingError, Settings
from audience.errors import Refused
from audience.operations.openers import Openers


def never(*_):
    raise AssertionError("no question needs the database")


@pytest.fixture
def type_(tmp_path, geo_table):
    """Runs `audience answer` on an instance without a network."""
    os.link(geo_table, tmp_path / geo_table.name)
    settings = Settings(instance=tmp_path, dns_servers=("127.0.0.1:9",), dns_timeout=0.5)

    closed = replace(instance(settings), open=never, openers=Openers(never, never))

    def run(*words):
        return CliRunner().invoke(audience, ["answer", *words], obj=closed)

    return run


def result_of(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def test_an_address(type_):
    assert result_of(type_("address", "ann@gamil.com", "--json")) == {
        "valid": False,
        "reasons": ["typo"],
        "score": 0.4,
        "suggestion": "ann@gmail.com",
        "details": {"typo": "ann@gmail.com"},
    }
    output = type_("address", "ann@gamil.com").output
    assert "valid                   no\n" in output
    assert "suggestion              ann@gmail.com\n" in output
    typo = ValidationReason.TYPO
    assert f"typo: {typo.meaning}\n  {typo.advice}\n" in output


def test_an_unknown_country_in_the_settings_is_told(tmp_path):
    settings = Settings(instance=tmp_path, tier1_countries=("UK",))
    words = ["answer", "address", "no address", "--ip", "8.8.8.8"]
    told = CliRunner().invoke(audience, words, obj=instance(settings)).exception
    assert isinstance(told, SettingError)
    assert "no country has the code UK" in str(told)


def test_an_address_with_its_context(type_):
    result = result_of(
        type_("address", "ann@gmail.com", "--name", "<b>", "--user-agent", "curl/8", "--ip", "x", "--json")
    )
    assert result["reasons"] == ["free_provider", "name_markup", "ua_http_library", "ip_unknown"]


def test_an_address_in_strict_mode(type_):
    free = ("address", "ann@gmail.com", "--strict", "--json")
    assert result_of(type_(*free)) == {
        "valid": True,
        "reasons": ["free_provider", "dns_unavailable"],
        "block_free_providers": False,
        "suggestion": None,
        "details": {"free_provider": "gmail.com"},
    }
    assert result_of(type_(*free, "--block-free-providers"))["valid"] is False
    assert result_of(type_(*free, "--allow-free-providers"))["reasons"] == ["dns_unavailable"]
    role = ("address", "info@nowhere-at-all.org", "--strict", "--json")
    assert result_of(type_(*role))["valid"] is False
    assert result_of(type_(*role, "--wiggleroom"))["valid"] is True


def test_strict_options_without_strict_are_refused(type_):
    for option in ("--wiggleroom", "--block-free-providers", "--allow-free-providers"):
        refused = type_("address", "ann@gmail.com", option)
        assert refused.exit_code == 2
        assert "--strict" in refused.output


def test_a_domain(type_):
    answer = result_of(type_("domain", "https://www.gmail.com/x", "--json"))
    assert answer["query"] == "www.gmail.com"
    assert answer["status"]["sorbs"] == "retired"
    assert "sorbs                 retired\n" in type_("domain", "gmail.com").output


def test_an_ip_with_its_place_and_source(type_):
    answer = result_of(type_("ip", "8.8.8.8", "--json"))
    assert answer["query"] == "8.8.8.8"
    assert answer["place"]["city_name"] == "Mountain View"
    output = type_("ip", "8.8.8.8").output
    assert "city_name             Mountain View\n" in output
    assert "https://db-ip.com" in output
    assert "place                   unknown\n" in type_("ip", "10.0.0.1").output


@pytest.mark.parametrize("words", [("ip", "::1"), ("ip", "x"), ("domain", "a b"), ("domain", "8.8.8.8")])
def test_a_malformed_value_is_explained(type_, words):
    refused = type_(*words)
    assert isinstance(refused.exception, Refused)
    assert refused.exception.message.startswith("Send a")


def test_a_name(type_):
    assert result_of(type_("name", "jesse", "--json")) == {
        "gender": "male",
        "confidence": 0.9631336405529953,
        "basis": "census",
    }
    assert "gender                  female\n" in type_("name", "barb").output
    assert "confidence              0.9631\n" in type_("name", "jesse").output


def test_a_text(type_):
    assert result_of(type_("text", "<script>", "--json"))["reasons"] == ["xss", "script_tag"]
    output = type_("text", "<script>").output
    assert "safe_original_content   &lt;script&gt;\n" in output
    assert f"xss: {ModerationReason.XSS.meaning}\n" in output


def test_a_text_shows_what_was_hit(type_):
    assert result_of(type_("text", "you absolute wanker", "--json"))["details"] == {"profanity": "wanker"}
    assert "details\n  profanity             wanker\n" in type_("text", "you absolute wanker").output
    assert "details" not in type_("text", "hello").output
