"""`audience site` and `audience key`."""

import json

import pytest

from audience import clock
from audience.access import address_lists, audit_log, keys, sites
from audience.changes.changes import change_from_item
from audience.links import links
from audience.links.links import UNSUBSCRIBE, Standing
from audience.looks import looks
from audience.operations import first_site
from audience.reports import reports
from audience.subscribers import subscribers
from storage import database
from storage.access import sites as stored_sites
from storage.errors import Unavailable
from storage.instance import site_tables as stored
from tests.audience.looks.test_looks import PNG


def test_the_look_and_the_sender_are_shown_and_set(run, client, tmp_path):
    def pages(*words, **options):
        return run("site", "pages", client.site.uuid, *words, **options)

    assert pages().splitlines()[0] == "name       none"
    assert "set AUDIENCE_SMTP_URL" in pages()
    logo = tmp_path / "logo.png"
    logo.write_bytes(PNG)
    shown = pages(
        "--name", "Harbour Letters", "--privacy", "https://harbour.example/privacy", "--language", "de",
        "--mail-from", "letters@harbour.example", "--logo", str(logo), "--json",
    )  # fmt: skip
    assert (shown["name"], shown["language"], shown["has_logo"]) == ("Harbour Letters", "de", True)
    assert "mail_from  letters@harbour.example" in pages("--accent", "#1D4F80")
    assert looks.get(client.site).accent == "#1d4f80"
    assert pages("--no-logo", "--name", "", "--json")["has_logo"] is False
    refused = pages("--home", "x", "--reply-to", "nobody", exit_code=1)
    assert "home: Write an address that begins with https" in refused
    assert "reply_to: Write an address such as" in refused
    assert looks.get(client.site).mail_from == "letters@harbour.example"
    acts = [entry.act for entry in audit_log.page(client.site)]
    assert {"look of the pages changed", "sender of the emails changed"} <= set(acts)


def test_a_new_site_has_a_key_that_works(type_, app):
    printed = json.loads(type_("site", "create", "News", "--json").output)
    names = ["base_url", "site_uuid", "publishable_key", "secret_key", "owners", "console_url"]
    assert list(printed) == names
    assert all(28 <= len(printed[name]) <= 36 for name in ("site_uuid", "publishable_key", "secret_key"))
    key = keys.authenticate(printed["publishable_key"], printed["secret_key"])
    assert key is not None
    assert [site.uuid for site in key.sites] == [printed["site_uuid"]]
    assert key.scope == "full"


@pytest.mark.parametrize("name", ["", " ", "\u3000"])
def test_a_site_without_a_name_is_refused(type_, name):
    uuid = json.loads(type_("site", "create", "News", "--json").output)["site_uuid"]
    for words in (("site", "create", name), ("site", "rename", uuid, name)):
        assert "Give the site a name" in str(type_(*words).exception)
    assert [site["name"] for site in json.loads(type_("site", "list", "--json").output)] == ["News"]


def test_a_new_site_is_shown_and_listed(type_):
    assert "secret_key" in type_("site", "create", "News").output
    [site] = json.loads(type_("site", "list", "--json").output)
    assert site["name"] == "News"
    assert f"{site['site_uuid']}  News" in type_("site", "list").output


def test_a_key_may_have_several_sites_and_a_scope(type_):
    uuids = [sites.create(name).uuid for name in ("One", "Two")]
    created = type_("key", "create", "--site", uuids[0], "--site", uuids[1], "--scope", "read", "--json")
    printed = json.loads(created.output)
    key = keys.authenticate(printed["publishable_key"], printed["secret_key"])
    assert key is not None
    assert ([site.uuid for site in key.sites], key.scope) == (uuids, "read")


def test_listing_keys_shows_no_secret(type_):
    printed = json.loads(type_("site", "create", "News", "--json").output)
    other = keys.create([sites.create("Other")])
    listed = type_("key", "list", "--site", printed["site_uuid"], "--json").output
    assert [key["publishable_key"] for key in json.loads(listed)] == [printed["publishable_key"]]
    everything = type_("key", "list").output
    assert printed["publishable_key"] in everything
    assert other.publishable_key in everything
    assert printed["secret_key"] not in everything + listed


def test_a_revoked_key_is_refused_and_listed_as_revoked(type_):
    key = keys.create([sites.create("News")])
    assert type_("key", "revoke", key.publishable_key).exit_code == 0
    assert keys.authenticate(key.publishable_key, key.secret_key) is None
    assert "revoked" in type_("key", "list").output


def test_revoking_the_first_key_deletes_the_file_that_holds_its_secret(type_, settings):
    first = first_site.ensure(settings)
    assert first is not None
    file = settings.instance / "first-site.json"
    other = keys.create([sites.get_by_uuid(first["site_uuid"])])
    type_("key", "revoke", other.publishable_key)
    assert json.loads(file.read_text()) == first
    type_("key", "revoke", first["publishable_key"])
    assert not file.exists()


@pytest.mark.parametrize("damaged", [b"", b"{", b"[]", b"\xff", b"null", b"{}"])
def test_a_damaged_file_of_the_first_key_is_deleted_with_the_key(type_, settings, damaged):
    first = first_site.ensure(settings)
    assert first is not None
    file = settings.instance / "first-site.json"
    file.write_bytes(damaged)
    assert type_("key", "revoke", first["publishable_key"]).exit_code == 0
    assert not file.exists()


def test_a_key_is_not_revoked_while_its_secret_is_still_there(type_, settings, monkeypatch):
    def killed(*_, **__):
        raise KeyboardInterrupt

    first = first_site.ensure(settings)
    assert first is not None
    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.unlink", killed)
        type_("key", "revoke", first["publishable_key"])
    assert (settings.instance / "first-site.json").exists()
    assert keys.authenticate(first["publishable_key"], first["secret_key"])


def test_a_site_named_twice_counts_once(type_):
    uuid = sites.create("One").uuid
    printed = json.loads(type_("key", "create", "--site", uuid, "--site", uuid, "--json").stdout)
    key = keys.authenticate(printed["publishable_key"], printed["secret_key"])
    assert key is not None
    assert [site.uuid for site in key.sites] == [uuid]


@pytest.mark.parametrize(
    "words",
    [
        ("key", "revoke", "pk_unknown"),
        ("key", "create", "--site", "unknown"),
        ("key", "list", "--site", "unknown"),
    ],
)
def test_an_unknown_name_is_an_error_that_says_how_to_list(type_, words):
    result = type_(*words)
    assert result.exit_code != 0
    assert "list" in str(result.exception)


@pytest.mark.parametrize(
    "words", [("key", "rotate"), ("site", "create"), ("key", "create", "--site", "x", "--scope", "y")]
)
def test_missing_or_wrong_arguments_are_explained(type_, words):
    result = type_(*words)
    assert result.exit_code == 2
    assert "Usage" in result.output


def test_the_first_site_is_created_once_and_its_file_is_private(app, settings):
    first = first_site.ensure(settings)
    assert first is not None
    file = settings.instance / "first-site.json"
    assert json.loads(file.read_text()) == first
    assert file.stat().st_mode & 0o777 == 0o600
    assert first_site.ensure(settings) is None
    assert len(sites.list_all()) == 1


def test_a_rotated_key_is_refused_at_once_and_its_successor_has_the_same_sites(type_):
    first, second = sites.create("One"), sites.create("Two")
    old = keys.create([first, second], "read")
    printed = json.loads(type_("key", "rotate", old.publishable_key, "--json").output)
    assert keys.authenticate(old.publishable_key, old.secret_key) is None
    key = keys.authenticate(printed["publishable_key"], printed["secret_key"])
    assert key is not None
    assert (key.sites, key.scope) == ((first, second), "read")


def test_a_rotated_key_works_during_the_overlap(type_, monkeypatch):
    old = keys.create([sites.create("One")])
    assert type_("key", "rotate", old.publishable_key, "--overlap", "24h").exit_code == 0
    rotated = clock.now_ms()
    assert keys.authenticate(old.publishable_key, old.secret_key) is not None
    assert "active until" in type_("key", "list").output
    monkeypatch.setattr(clock, "now_ms", lambda: rotated + 24 * 3_600_000 - 60_000)
    assert keys.authenticate(old.publishable_key, old.secret_key) is not None
    monkeypatch.setattr(clock, "now_ms", lambda: rotated + 24 * 3_600_000)
    assert keys.authenticate(old.publishable_key, old.secret_key) is None
    assert "expired" in type_("key", "list").output


def test_a_second_rotation_does_not_extend_the_overlap(type_):
    site = sites.create("One")
    old = keys.create([site])
    type_("key", "rotate", old.publishable_key, "--overlap", "1h")
    before = [row.expires_at for row in keys.list_all(site) if row.publishable_key == old.publishable_key]
    type_("key", "rotate", old.publishable_key, "--overlap", "7d")
    after = [row.expires_at for row in keys.list_all(site) if row.publishable_key == old.publishable_key]
    assert after == before != [None]


def test_rotating_the_first_key_deletes_the_file_that_holds_its_secret(type_, settings):
    first = first_site.ensure(settings)
    assert first is not None
    type_("key", "rotate", first["publishable_key"], "--overlap", "1h")
    assert not (settings.instance / "first-site.json").exists()


@pytest.mark.parametrize("span", ["24", "24 hours", "-1h", "1.5h", "h", ""])
def test_a_malformed_overlap_is_explained(type_, span):
    result = type_("key", "rotate", "pk_x", "--overlap", span)
    assert result.exit_code == 2
    assert "24h" in result.output


def test_an_expired_key_is_not_rotated(type_, settings):
    key = keys.create([sites.create("One")])
    keys.revoke(key.publishable_key, settings.instance)
    assert "no longer active" in str(type_("key", "rotate", key.publishable_key).exception)


def test_a_deleted_site_leaves_no_trace_and_other_sites_untouched(
    type_, client, other_client, settings, monkeypatch
):
    shared = keys.create([client.site, other_client.site])
    for owner in (client, other_client):
        owner.create("ann.unique@example.com", tags="vip", fields={"plan": "pro"})
        owner.post("/batch/events", {"events": [{"email": "ann.unique@example.com", "type": "seen"}]})
        owner.post(
            "/batch/subscribers", {"subscribers": [{"email": f"p{n}@zoë-trace.example"} for n in range(9)]}
        )
        address_lists.add(owner.site, "deny", "spam.example")
    other_client.post(
        "/fetch/commands", {"command": {"command": "unsubscribe", "email": "ann.unique@example.com"}}
    )
    result = type_("site", "delete", other_client.site.uuid, "--yes", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["keys"] == [other_client.key.publishable_key]
    assert json.loads(result.stdout)["clean"] is True
    with database.session():
        assert stored.size(other_client.site.id) == 0
        assert stored.size(client.site.id) > 0
    uptime = clock.uptime_ms() + keys.KNOWN_MS
    monkeypatch.setattr(clock, "uptime_ms", lambda: uptime)
    assert keys.authenticate(other_client.key.publishable_key, other_client.key.secret_key) is None
    left = keys.authenticate(shared.publishable_key, shared.secret_key)
    assert left is not None
    assert left.sites == (client.site,)
    assert client.counts() == (1, 1, 0)
    assert client.find("ann.unique@example.com")["attributes"]["fields"] == {"plan": "pro"}


@pytest.mark.of_sqlite
def test_every_table_with_rows_of_a_site_is_emptied(app):
    """Also tables of later migrations without a model."""
    with database.session():
        tables = [row[0] for row in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
        of_sites = {
            table
            for table in tables
            if database.rows("SELECT 1 FROM pragma_table_info(?) WHERE name = 'site_id'", (table,))
        }
    assert set(stored.site_owned_tables()) == of_sites


def test_no_address_of_a_deleted_site_is_left_in_the_files(type_, client, settings):
    client.create("very.rare.address@example.com")
    type_("site", "delete", client.site.uuid, "--yes")
    for file in settings.instance.glob("audience.db*"):
        assert b"very.rare.address" not in file.read_bytes()


def test_a_large_site_is_deleted_in_chunks_that_let_others_write(client, other_client, settings, monkeypatch):
    monkeypatch.setattr(sites, "CHUNK_ROWS", 10)
    with database.write():
        subscribers.write(
            other_client.site.id,
            [change_from_item({"email": f"p{n}@example.com"}, clock.now_ms()) for n in range(95)],
            subscribers.accept_now(other_client.site.id),
        )
    written = []

    def progress(step, done, total):
        written.append(done)
        client.create(f"meanwhile{done}@example.com")

    expected_rows = (
        95
        + len(("counter", "domain", "who has it", "job that merges it", "key made", "record of changes"))
        + len(reports.list_all(other_client.site))
    )
    assert sites.delete(other_client.site, settings.instance, progress).rows == expected_rows
    assert len(written) == 17
    assert client.counts() == (17, 17, 0)


def test_sites_are_listed_with_their_subscribers(type_, client, other_client):
    client.create("ann@example.com")
    client.create("bob@example.com")
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "bob@example.com"}})
    lines = type_("site", "list").output.splitlines()
    assert lines[0] == f"{client.site.uuid}  Example  2 subscribers"
    assert lines[1].endswith("  0 subscribers")
    first, other = json.loads(type_("site", "list", "--json").output)
    assert (first["user_count"], first["subscriber_count"], other["user_count"]) == (2, 1, 0)


def test_a_site_whose_tables_do_not_answer_is_listed_without_numbers(type_, client, monkeypatch):
    def fail(_site_id):
        raise Unavailable("no answer")

    monkeypatch.setattr(stored_sites, "counters", fail)
    assert type_("site", "list").output == f"{client.site.uuid}  Example  no answer\n"
    [row] = json.loads(type_("site", "list", "--json").output)
    assert (row["name"], row["user_count"], row["subscriber_count"]) == ("Example", None, None)


def test_deleting_a_site_asks_for_confirmation(type_, client):
    client.create("ann@example.com")
    result = type_("site", "delete", client.site.uuid, input="n\n")
    assert result.exit_code == 1
    assert "Example and its 1 subscriber?" in result.output
    assert client.counts() == (1, 1, 0)


def test_a_site_that_does_not_exist_is_not_deleted(type_):
    assert "Site not found" in str(type_("site", "delete", "unknown", "--yes").exception)


def test_links_are_rotated_and_revoked(type_, client):
    def rotate(*more, **options):
        return type_("site", "links", "rotate", client.site.uuid, *more, **options)

    def standing():
        read = links.read(UNSUBSCRIBE, token)
        assert read is not None
        return read.standing

    client.create("ann@example.com")
    url = client.get("/fetch/links", query={"email": "ann@example.com"}).json["data"][UNSUBSCRIBE]
    token = url.rpartition("/")[2]
    assert json.loads(rotate("--json").output) == {"generation": 2, "revoked": False}
    assert standing() is Standing.OLD
    assert rotate("--revoke", input="n\n").exit_code == 1
    assert standing() is Standing.OLD
    assert "Put new links into your emails." in rotate("--revoke", "--yes").output
    assert standing() is Standing.REVOKED
    acts = [(entry.actor, entry.act) for entry in audit_log.page(client.site)]
    assert acts[:2] == [("command line", "all links ended"), ("command line", "new links made")]


@pytest.mark.parametrize(("answer", "scope"), [*enumerate(keys.PURPOSES, 1)])
def test_a_terminal_asks_what_a_key_is_for(type_, client, monkeypatch, answer, scope):
    monkeypatch.setattr("audience.cli.keys.is_terminal", lambda: True)
    made = type_("key", "create", "--site", client.site.uuid, "--json", input=f"{answer}\n")
    assert "a website's form" in made.stderr
    printed = json.loads(made.stdout)
    key = keys.authenticate(printed["publishable_key"], printed["secret_key"])
    assert key is not None
    assert key.scope == scope


def test_a_script_without_a_scope_gets_full_and_a_warning(type_, client):
    made = type_("key", "create", "--site", client.site.uuid, "--json")
    printed = json.loads(made.stdout)
    key = keys.authenticate(printed["publishable_key"], printed["secret_key"])
    assert key is not None
    assert key.scope == "full"
    assert "without --scope, the key may do everything" in made.stderr
    assert type_("key", "create", "--site", client.site.uuid, "--scope", "full").stderr == ""
