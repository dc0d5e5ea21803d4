"""The provider table, bundled and the operator's own."""

from pathlib import Path

import pytest

from audience.answers.blacklist.providers import FLAGS, load
from audience.config import SettingError, Settings

KEYS = ("spamhaus_dqs_key", "abusix_key")
HEAD = "flag,asks,zone,key,name,tlds,listed,clear,error,test_listed,test_clear,note\n"
ROW = "spfbl,ip,bl.example.com,,,,127.0.0.2,,,127.0.0.2,127.0.0.1,\n"


def shadow(tmp_path, text):
    file = tmp_path / "providers.csv"
    file.write_text(text, "utf-8")
    return file


def test_the_bundled_table_has_every_flag():
    providers = load(keys=dict.fromkeys(KEYS, "k"))
    assert {flag for flag, _ in providers.zones} | providers.retired == set(FLAGS)
    assert providers.without_key == frozenset()


def test_the_documentation_names_every_zone_and_column():
    page = (Path(__file__).parents[2] / "docs" / "answers" / "blacklist.md").read_text("utf-8")
    zones = {
        zone.public for keys in ({}, dict.fromkeys(KEYS, "k")) for zone in load(keys=keys).zones.values()
    }
    assert [zone for zone in sorted(zones) if f"`{zone}`" not in page] == []
    assert [column for column in HEAD.strip().split(",") if f"`{column}`" not in page] == []


def test_lists_without_their_key_are_not_configured():
    providers = load()
    assert providers.without_key == {("abusix", "ip"), ("abusix", "domain")}
    assert not any("{key}" in zone.zone for zone in providers.zones.values())


def test_keys_are_settings():
    assert all(getattr(Settings(), key) == "" for key in KEYS)


def test_the_operators_table_replaces_the_bundled_one(tmp_path):
    providers = load(shadow(tmp_path, HEAD + ROW))
    assert [zone.zone for zone in providers.zones.values()] == ["bl.example.com"]
    assert load(tmp_path / "missing.csv") == load()


@pytest.mark.parametrize("head", [HEAD, HEAD.replace(",test_listed,test_clear,note", "")])
def test_rows_without_test_points_have_those_of_rfc_5782(tmp_path, head):
    rows = ROW.replace("127.0.0.2,127.0.0.1,", ",,")
    zones = load(shadow(tmp_path, head + rows + rows.replace(",ip,", ",domain,"))).zones
    assert (zones["spfbl", "ip"].test_listed, zones["spfbl", "ip"].test_clear) == ("127.0.0.2", "127.0.0.1")
    assert (zones["spfbl", "domain"].test_listed, zones["spfbl", "domain"].test_clear) == ("test", "invalid")


def test_codes_are_addresses_and_ranges(tmp_path):
    row = ROW.replace("127.0.0.2,,", "127.0.0.2 127.0.1.4-6,127.0.0.3,", 1)
    [zone] = load(shadow(tmp_path, HEAD + row)).zones.values()
    assert zone.listed == {"127.0.0.2", "127.0.1.4", "127.0.1.5", "127.0.1.6"}
    assert zone.clear == {"127.0.0.3"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("flag,zone\nspfbl,bl.example.com\n", "asks"),
        (HEAD + ROW.replace("spfbl", "unheard_of"), "unheard_of is not one of"),
        (HEAD + ROW.replace(",ip,", ",mail,"), "ip or domain"),
        (HEAD + ROW.replace("bl.example.com", "localhost"), "localhost is not a zone"),
        (HEAD + ROW.replace("bl.example.com", "bl.example.com."), "is not a zone"),
        (HEAD + ROW.replace("127.0.0.2,,", "127.0.0.x,,", 1), "127.0.0.x"),
        (HEAD + ROW.replace("127.0.0.2,,", "127.0.0.9-3,,", 1), "not a range"),
        (HEAD + ROW.replace("127.0.0.2,,", "127.0.0.9-300,,", 1), "not a range"),
        (HEAD + ROW.replace("127.0.0.2,,", "127.255.255.254,,", 1), "never means listed"),
        (HEAD + ROW.replace("127.0.0.2,,", "127.0.1.250-255,,", 1), "127.0.1.255 never means listed"),
        (HEAD + ROW.replace("127.0.0.2,,", "127.0.0.1,,", 1), "never means listed"),
        (HEAD + ROW.replace("127.0.0.2,,", "192.0.2.1,,", 1), "never means listed"),
        (HEAD + "spfbl,ip,bl.example.com\n", "nothing means listed"),
    ],
)
def test_an_invalid_table_is_an_error(tmp_path, text, why):
    with pytest.raises(SettingError, match=why):
        load(shadow(tmp_path, text))


def test_an_unreadable_table_is_an_error(tmp_path):
    file = tmp_path / "providers.csv"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingError, match=r"providers\.csv"):
        load(file)


@pytest.mark.parametrize("key", ["a.b", "a b", "a/b", "x" * 64, "ключ"])
def test_a_key_that_is_not_a_label_is_an_error(key):
    with pytest.raises(SettingError, match="abusix_key must be") as error:
        load(keys={"abusix_key": key})
    assert key not in str(error.value)
