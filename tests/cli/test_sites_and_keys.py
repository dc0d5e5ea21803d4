"""`audience site` and `audience key`, as an operator types them."""

import json

import pytest
from click.testing import CliRunner

from app import open_instance
from audience import first_site, sites
from audience.cli import audience
from audience.cli.instance import Instance


@pytest.fixture
def type_(app, settings):
    """Types a command; its result."""

    def run(*words):
        return CliRunner().invoke(audience, words, obj=Instance(settings, lambda: open_instance(settings)))

    return run


def test_a_new_site_has_a_key_that_works(type_, app):
    shown = json.loads(type_("site", "create", "News", "--json").output)
    assert list(shown) == ["base_url", "site_uuid", "publishable_key", "secret_key"]
    assert all(28 <= len(shown[name]) <= 36 for name in ("site_uuid", "publishable_key", "secret_key"))
    key = sites.authenticate(shown["publishable_key"], shown["secret_key"])
    assert [site.uuid for site in key.sites] == [shown["site_uuid"]]
    assert key.scope == "full"


def test_a_new_site_is_shown_and_listed(type_):
    assert "secret_key" in type_("site", "create", "News").output
    [site] = json.loads(type_("site", "list", "--json").output)
    assert site["name"] == "News"
    assert f"{site['site_uuid']}  News" in type_("site", "list").output


def test_a_key_may_reach_several_sites_with_a_scope(type_):
    uuids = [sites.create(name).uuid for name in ("One", "Two")]
    created = type_("key", "create", "--site", uuids[0], "--site", uuids[1], "--scope", "read", "--json")
    shown = json.loads(created.output)
    key = sites.authenticate(shown["publishable_key"], shown["secret_key"])
    assert ([site.uuid for site in key.sites], key.scope) == (uuids, "read")


def test_listing_keys_shows_no_secret(type_):
    shown = json.loads(type_("site", "create", "News", "--json").output)
    other = sites.create_key([sites.create("Other")])
    listed = type_("key", "list", "--site", shown["site_uuid"], "--json").output
    assert [key["publishable_key"] for key in json.loads(listed)] == [shown["publishable_key"]]
    everything = type_("key", "list").output
    assert shown["publishable_key"] in everything
    assert other.publishable_key in everything
    assert shown["secret_key"] not in everything + listed


def test_a_revoked_key_is_refused_and_listed_as_revoked(type_):
    key = sites.create_key([sites.create("News")])
    assert type_("key", "revoke", key.publishable_key).exit_code == 0
    assert sites.authenticate(key.publishable_key, key.secret_key) is None
    assert "revoked" in type_("key", "list").output


def test_revoking_the_first_key_deletes_the_file_that_holds_its_secret(type_, settings):
    first = first_site.ensure(settings)
    file = settings.instance / "first-site.json"
    other = sites.create_key([sites.named(first["site_uuid"])])
    type_("key", "revoke", other.publishable_key)
    assert json.loads(file.read_text()) == first
    type_("key", "revoke", first["publishable_key"])
    assert not file.exists()


@pytest.mark.parametrize("damaged", [b"", b"{", b"[]", b"\xff", b"null", b"{}"])
def test_a_damaged_file_of_the_first_key_is_deleted_with_any_key(type_, settings, damaged):
    first = first_site.ensure(settings)
    file = settings.instance / "first-site.json"
    file.write_bytes(damaged)
    assert type_("key", "revoke", first["publishable_key"]).exit_code == 0
    assert not file.exists()


def test_a_key_is_not_revoked_while_its_secret_is_still_there(type_, settings, monkeypatch):
    def killed(*_, **__):
        raise KeyboardInterrupt

    first = first_site.ensure(settings)
    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.unlink", killed)
        type_("key", "revoke", first["publishable_key"])
    assert (settings.instance / "first-site.json").exists()
    assert sites.authenticate(first["publishable_key"], first["secret_key"])


def test_a_site_named_twice_is_reached_once(type_):
    uuid = sites.create("One").uuid
    shown = json.loads(type_("key", "create", "--site", uuid, "--site", uuid, "--json").output)
    key = sites.authenticate(shown["publishable_key"], shown["secret_key"])
    assert [site.uuid for site in key.sites] == [uuid]


@pytest.mark.parametrize(
    "words",
    [
        ("key", "revoke", "pk_unknown"),
        ("key", "create", "--site", "unknown"),
        ("key", "list", "--site", "unknown"),
    ],
)
def test_what_does_not_exist_is_an_error_that_says_how_to_list(type_, words):
    result = type_(*words)
    assert result.exit_code != 0
    assert "list" in str(result.exception)


@pytest.mark.parametrize(
    "words", [("key", "create"), ("site", "create"), ("key", "create", "--site", "x", "--scope", "y")]
)
def test_words_that_are_missing_or_wrong_are_explained(type_, words):
    result = type_(*words)
    assert result.exit_code == 2
    assert "Usage" in result.output


def test_the_first_site_is_made_once_and_kept_private(app, settings):
    first = first_site.ensure(settings)
    file = settings.instance / "first-site.json"
    assert json.loads(file.read_text()) == first
    assert file.stat().st_mode & 0o777 == 0o600
    assert first_site.ensure(settings) is None
    assert len(sites.every()) == 1
