"""Each file from elsewhere leaves open what it must, and with its right answer brings in whom it should."""

import shlex
import zipfile

import pytest

from audience.access import sites
from audience.operations import site_lane
from schemas.file_imports import BY_SUFFIX, KINDS
from tests.cli.files_from_elsewhere import CASES

TYPES = {kind: content_type for content_type, kind in reversed(KINDS.items())}


def query_of(options):
    """The parameters that say the same as options of the command line."""
    query: dict[str, list[str]] = {}
    words = iter(shlex.split(options))
    for word in words:
        name, value = word.removeprefix("--"), "0" if word == "--no-header" else next(words)
        if name == "map":
            column, _, value = value.rpartition("=")
            name = f"map[{column}]"
        query.setdefault("header" if name == "no-header" else name.replace("-", "_"), []).append(value)
    return query


@pytest.fixture
def by_http(client):
    """Sends a file; returns what it asks about, in words, and how many rows are refused."""

    def send(case, options):
        data = case.text if isinstance(case.text, bytes) else case.text.encode()
        suffix = f".{case.name.rpartition('.')[2]}"
        kind = "application/json" if suffix == ".json" else TYPES[BY_SUFFIX.get(suffix, "csv")]
        response = client.send_file("/batch/imports", data, content_type=kind, query=query_of(options))
        if response.status_code != 200:
            asks = response.json["asks"]
            return [each["about"] for each in asks], response.text, 0
        site_lane.drain(client.site.id, 30)
        number = response.json["data"]["id"]
        return [], "", client.get(f"/batch/imports/{number}").json["data"]["attributes"]["failed"]

    return send


@pytest.fixture
def by_command(type_, client, tmp_path):
    def send(case, options):
        file = tmp_path / case.name
        file.write_bytes(case.text if isinstance(case.text, bytes) else case.text.encode())
        words = ("import", file, "--site", client.site.uuid, *shlex.split(options))
        result = type_(*words, asked=True)
        assert result.exit_code in (0, 2, 3), result.output
        refused = list(tmp_path.glob("*.refused*.csv"))
        rows = len(refused[0].read_text("utf-8").splitlines()) - 1 if refused else 0
        return case.asks if result.exit_code == 2 else [], result.output, rows

    return send


@pytest.mark.parametrize("door", ["by_http", "by_command"])
@pytest.mark.parametrize("name", CASES)
def test_a_file_from_elsewhere(request, client, door, name):
    case, send = CASES[name], request.getfixturevalue(door)
    sites.set_time_zone(client.site, case.zone)
    for known in case.known.split():
        client.create(f"{known}@example.com")
    about, shown, _ = send(case, case.before)
    assert list(about) == list(case.asks)
    assert case.says in shown
    assert client.counts()[0] == len(case.known.split())
    outcomes = [send(case, f"{case.before} {told}".strip()) for told in case.told]
    assert [(about, refused) for about, _, refused in outcomes] == [([], case.refused)] * len(case.told)
    assert client.counts() == (len(f"{case.subscribed} {case.out}".split()), len(case.subscribed.split()),
                               len(case.out.split()))  # fmt: skip
    tags = {tag["id"]: tag["attributes"]["name"] for tag in client.get("/fetch/tags").json["data"]}
    for each, is_in in [
        *((one, True) for one in case.subscribed.split()),
        *((one, False) for one in case.out.split()),
    ]:
        person = client.find(f"{each}@example.com")["attributes"]
        assert (person["unsubscribed_at"] is None) == is_in, each
        has = person | person["fields"] | {"tags": sorted(tags[tag] for tag in person["cached_tag_ids"])}
        wanted = case.fields.get(each, {})
        assert {key: has.get(key) for key in wanted} == wanted


def test_there_are_sixty_of_them():
    assert len(CASES) >= 60


def test_an_archive_of_files_by_state_is_answered_by_their_names(type_, client, tmp_path):
    header, archive = "Email Address,Shoe,LEID,EUID", tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as written:
        written.writestr("subscribed_a.csv", f"{header}\nann@example.com,7,1,1\n")
        written.writestr("cleaned_a.csv", f"{header}\nbob@example.com,7,2,2\n")
    words = ("import", archive, "--site", client.site.uuid, "--tag", "old")
    assert type_(*words, "--consent-column", "Email Address", "--subscribed", "x", asked=True).exit_code
    refused = type_(*words, "--consent", "subscribed", asked=True)
    assert refused.exit_code == 1
    [line] = [line for line in refused.output.splitlines() if line.startswith("  audience ")]
    assert type_(*shlex.split(line)[1:]).exit_code == 0
    assert client.counts() == (2, 1, 1)
