"""Rename a tag, and merge it into another (docs/contract.md, Tags)."""

import pytest

from audience import jobs
from audience.bulk import tag_deletions, tag_renames
from audience.changes import pages as change_log_pages
from audience.operations import site_lane
from audience.subscribers.tags import list_twins
from storage import database
from tests import response_assertions
from tests.api.endpoints import ADDRESSES
from tests.change_mirror import normal, state
from tests.jobs import run_due


class Killed(BaseException):
    """Not an `Exception`: no handler runs."""


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(tag_renames, "CHUNK_ROWS", 2)


def work():
    run_due(tag_renames.KIND)


def same(mirror):
    mirror.follow(3)
    assert normal(mirror.people) == normal(state(mirror.site))
    return True


def tagged(client, *names, people=5):
    for number in range(people):
        client.create(f"p{number}@example.com", tags=list(names))
    return [id_of(client, name) for name in names]


def listed(client):
    return {each["attributes"]["name"]: each["id"] for each in client.get("/fetch/tags").json["data"]}


def id_of(client, name):
    return listed(client)[name]


def rename(client, tag_id, name, **headers):
    return client.call("PATCH", f"/fetch/tags/{tag_id}", {"tag": {"name": name}}, headers=headers)


def merge(client, tag_id, into, **headers):
    return client.call("POST", f"/fetch/tags/{tag_id}/merge", {"tag": {"into": into}}, headers=headers)


def found(client, name):
    return len(client.post("/fetch/search", {"tags": name}).json["data"])


def test_renames(client, mirror):
    [tag_id] = tagged(client, "vip")
    answer = response_assertions.answer(rename(client, tag_id, " Patrons "))
    assert response_assertions.tag(answer["data"])["name"] == "Patrons"
    assert (listed(client), found(client, "patrons"), found(client, "vip")) == ({"Patrons": tag_id}, 5, 0)
    work()
    assert same(mirror)
    assert client.find("p0@example.com")["attributes"]["cached_tag_ids"] == [tag_id]
    changes = change_log_pages.page(client.site, 5, 100).changes
    assert {change.source for change in changes} == {("api", client.key.publishable_key)}
    said = [(change.changed["tags_added"], change.changed["tags_removed"]) for change in changes[-5:]]
    assert said == [(["Patrons"], ["vip"])] * 5


def test_merges(client, mirror):
    [old, _] = tagged(client, "vip", "new")
    client.create("p0@example.com", tags="Patrons")
    into = id_of(client, "Patrons")
    answer = response_assertions.answer(merge(client, old, into))
    assert response_assertions.tag(answer["data"])["name"] == "Patrons"
    assert (found(client, "patrons"), found(client, "vip")) == (5, 0)
    assert list_twins(client.site) == []
    work()
    assert same(mirror)
    assert sorted(listed(client)) == ["Patrons", "new"]
    assert found(client, "patrons") == 5
    for number in range(5):
        assert into in client.find(f"p{number}@example.com")["attributes"]["cached_tag_ids"]
    with database.session():
        assert database.row("SELECT bearers FROM tags WHERE id = ?", (int(into),)) == (5,)
        assert database.row("SELECT count(*) FROM subscriber_tags WHERE tag_id = ?", (int(old),)) == (0,)
    response_assertions.error(rename(client, old, "x"), 404)


def test_a_search_by_id_counts_a_merge_at_once(client):
    [old, _] = tagged(client, "vip", "new")
    client.create("patron@example.com", tags="Patrons")
    into, other = id_of(client, "Patrons"), id_of(client, "new")
    merge(client, old, into)
    by_ids = [[into], [into, other], [into, "999"]]
    waiting = [found_by(client, tag_ids) for tag_ids in by_ids]
    work()
    assert waiting == [found_by(client, tag_ids) for tag_ids in by_ids] == [6, 5, 0]


def test_a_search_by_the_id_of_a_deleted_tag_finds_nobody_at_once(client, monkeypatch):
    [old, _] = tagged(client, "vip", "new")
    with monkeypatch.context() as patch:
        patch.setattr(tag_deletions, "remove", lambda *_: None)  # as if the process were gone
        client.delete(f"/fetch/tags/{old}")
    assert found_by(client, [old]) == 0


def found_by(client, tag_ids):
    return len(response_assertions.answer(client.post("/fetch/search", {"tag_ids": tag_ids}))["data"])


@pytest.mark.parametrize("is_merge", [False, True])
def test_a_worker_that_is_killed_is_followed_by_one_that_ends_it(client, mirror, monkeypatch, is_merge):
    [old, into] = tagged(client, "vip", "other")
    client.delete(f"/fetch/tags/{into}")
    mirror.follow(3)
    into = client.post("/fetch/tags", {"tag": {"name": "Patrons"}}).json["data"]["id"]
    merge(client, old, into) if is_merge else rename(client, old, "Friends")
    write, killed = tag_renames._write, list[int]()

    def once(*arguments):
        write(*arguments)
        killed.append(len(killed))
        if len(killed) == 2:
            raise Killed

    monkeypatch.setattr(tag_renames, "_write", once)
    with pytest.raises(Killed):
        work()
    assert found(client, "Patrons" if is_merge else "Friends") == 5
    response_assertions.error(client.delete(f"/fetch/tags/{old}"), 422)
    response_assertions.error(rename(client, old, "again"), 422)
    real = jobs.now
    monkeypatch.setattr(jobs, "now", lambda: real() + jobs.DB.lease_ms + 1)
    work()
    assert same(mirror)
    assert len(killed) == 4
    assert response_assertions.answer(rename(client, into if is_merge else old, "again"))


@pytest.mark.parametrize("is_merge", [False, True])
def test_what_is_written_meanwhile_counts(client, mirror, monkeypatch, is_merge):
    [old, into] = tagged(client, "vip", "other")
    client.delete(f"/fetch/tags/{into}")
    mirror.follow(3)
    name = "Patrons"
    if is_merge:
        into = client.post("/fetch/tags", {"tag": {"name": name}}).json["data"]["id"]
        merge(client, old, into)
    else:
        rename(client, old, name)
    client.create("p4@example.com", remove_tags=[name])
    client.create("p3@example.com", tags="vip")
    client.create("new@example.com", tags=name)
    client.create("p2@example.com", remove_tags=[name], tags="vip")
    client.create("p1@example.com", tags="vip")
    client.create("p1@example.com", remove_tags=[name])
    mirror.follow(3)
    work()
    assert same(mirror)
    assert client.find("p4@example.com")["attributes"]["cached_tag_ids"] == []
    assert (found(client, name), found(client, "vip")) == (3, 3)


@pytest.mark.parametrize("is_merge", [False, True])
def test_segments_and_forms_go_along(client, mirror, is_merge):
    [old, *_] = tagged(client, "vip", "other")
    rules = {
        "all": [
            {"tag": " VIP"},
            {"not": {"tag": {"in": ["gone", "Vip", "other"]}}},
            {"field": "level", "is": "vip"},
        ]
    }
    segment = client.post("/fetch/segments", {"segment": {"name": "A", "rules": rules}}).json["data"]
    form = client.post("/fetch/forms", {"form": {"name": "A", "tags": ["vip", "web"]}}).json["data"]
    merge(client, old, id_of(client, "other")) if is_merge else rename(client, old, "other name")
    name, names = ("other", ["other"]) if is_merge else ("other name", ["other name", "other"])
    work()
    changed = client.get(f"/fetch/segments/{segment['id']}").json["data"]["attributes"]
    assert changed["rules"] == {
        "all": [{"tag": name}, {"not": {"tag": {"in": ["gone", *names]}}}, {"field": "level", "is": "vip"}]
    }
    assert client.get(f"/fetch/forms/{form['id']}").json["data"]["attributes"]["tags"] == [name, "web"]


@pytest.mark.parametrize("is_merge", [False, True])
def test_an_import_that_waits_means_the_tag_as_it_was_called(client, mirror, is_merge):
    [old, other] = tagged(client, "vip", "other", people=3)
    import_ = {"subscribers": [{"email": "late@example.com", "tags": "VIP"},
                               {"email": "p0@example.com", "remove_tags": ["vip"]}]}  # fmt: skip
    import_["subscribers"] += [{"email": email} for email in ADDRESSES[100:103]]
    number = client.post("/batch/subscribers", import_).json["import_id"]
    merge(client, old, other) if is_merge else rename(client, old, "Patrons")
    assert client.get(f"/batch/imports/{number}").json["data"]["attributes"]["status"] == "queued"
    site_lane.drain(client.site.id, 30)
    work()
    assert same(mirror)
    assert "vip" not in listed(client)
    assert found(client, "other" if is_merge else "Patrons") == 3
    client.create("after@example.com", tags="vip")
    assert found(client, "vip") == 1


def wait_with_tag(client, name):
    """An import that waits, which gives somebody a tag."""
    items = [{"email": "late@example.com", "tags": name}, *({"email": email} for email in ADDRESSES[100:104])]
    client.post("/batch/subscribers", {"subscribers": items})


def test_an_import_that_waits_means_no_newer_tag_of_the_former_name(client, mirror):
    [old] = tagged(client, "vip", people=3)
    wait_with_tag(client, "VIP")
    rename(client, old, "Patrons")
    client.create("other@example.com", tags="vip")
    site_lane.drain(client.site.id, 30)
    work()
    assert same(mirror)
    assert (found(client, "Patrons"), found(client, "vip")) == (4, 1)


def test_an_import_that_waits_follows_tags_that_swap_their_names(client, mirror):
    [first, second] = tagged(client, "a", "b", people=3)
    wait_with_tag(client, "a")
    for tag_id, name in ((first, "c"), (second, "a"), (first, "b")):
        assert rename(client, tag_id, name).status_code == 200
        work()
    site_lane.drain(client.site.id, 30)
    assert same(mirror)
    assert (found(client, "b"), found(client, "a")) == (4, 3)


def test_an_import_that_waits_does_not_follow_a_twin(client):
    [old, twin] = tagged(client, "vip", "other", people=3)
    with database.write(client.site.id):
        database.execute(
            "UPDATE tags SET name = 'ViP', name_key = ? WHERE id = ?", (f" {twin} vip", int(twin))
        )
    wait_with_tag(client, "vip")
    rename(client, twin, "new")
    site_lane.drain(client.site.id, 30)
    assert old in client.find("late@example.com")["attributes"]["cached_tag_ids"]


def test_an_import_that_gave_it_is_undone_afterwards(client, mirror):
    items = [{"email": f"p{number}@example.com", "tags": "vip"} for number in range(3)]
    client.create("p0@example.com")
    number = client.post("/batch/subscribers", {"subscribers": items}).json["import_id"]
    site_lane.drain(client.site.id, 30)
    rename(client, id_of(client, "vip"), "Patrons")
    work()
    response_assertions.answer(client.post(f"/batch/imports/{number}/undo"))
    site_lane.drain(client.site.id, 30)
    assert same(mirror)
    assert client.find("p0@example.com")["attributes"]["cached_tag_ids"] == []
    assert client.find("p1@example.com") is None


def test_a_tag_that_was_merged_leaves_the_other_to_whom_an_undone_import_gave_it(client, mirror):
    client.create("p0@example.com", tags="other")
    items = {"subscribers": [{"email": "p0@example.com", "tags": "vip"}]}
    number = client.post("/batch/subscribers", items).json["import_id"]
    site_lane.drain(client.site.id, 30)
    merge(client, id_of(client, "vip"), id_of(client, "other"))
    work()
    response_assertions.answer(client.post(f"/batch/imports/{number}/undo"))
    site_lane.drain(client.site.id, 30)
    assert same(mirror)
    assert found(client, "other") == 1


@pytest.mark.parametrize("is_merged", [True, False])
def test_an_undo_leaves_a_tag_to_whom_had_one_that_was_merged_into_it(client, mirror, is_merged):
    """It is taken from whom the merged one had been removed before."""
    tagged(client, "vip", people=2)
    items = [{"email": f"p{number}@example.com", "tags": "other"} for number in range(2)]
    number = client.post("/batch/subscribers", {"subscribers": items}).json["import_id"]
    site_lane.drain(client.site.id, 30)
    command = {"command": "remove_tag", "email": "p1@example.com", "query": "vip"}
    response_assertions.answer(client.post("/fetch/commands", {"command": [command]}))
    merge(client, id_of(client, "vip"), id_of(client, "other"))
    if is_merged:
        work()
    response_assertions.answer(client.post(f"/batch/imports/{number}/undo"))
    site_lane.drain(client.site.id, 30)
    if not is_merged:
        work()
    assert same(mirror)
    tags = [client.find(f"p{number}@example.com")["attributes"]["cached_tag_ids"] for number in range(2)]
    assert tags == [[id_of(client, "other")], []]


@pytest.mark.parametrize("is_merged", [True, False])
def test_an_import_that_took_a_tag_which_was_merged_since_is_undone(client, mirror, is_merged):
    for number in range(3):
        client.create(f"p{number}@example.com", tags="vip")
    items = {"subscribers": [{"email": "p0@example.com", "remove_tags": "vip"}]}
    number = client.post("/batch/subscribers", items).json["import_id"]
    site_lane.drain(client.site.id, 30)
    client.create("p3@example.com", tags="other")
    merge(client, id_of(client, "vip"), id_of(client, "other"))
    if is_merged:
        work()
    response_assertions.answer(client.post(f"/batch/imports/{number}/undo"))
    site_lane.drain(client.site.id, 30)
    if not is_merged:
        work()
    assert same(mirror)
    assert (found(client, "other"), [*listed(client)]) == (4, ["other"])


def test_names_of_others_are_refused(client):
    [old, other] = tagged(client, "vip", "other")
    answer = rename(client, old, "OTHER")
    assert response_assertions.error_fields(answer) == ["tag.name"]
    assert answer.json["errors"][0]["code"] == "tag_exists"
    assert response_assertions.error_fields(rename(client, old, " ")) == ["tag.name"]
    for into in (old, "9999", "x", None):
        assert response_assertions.error_fields(merge(client, old, into)) == ["tag.into"]
    assert listed(client) == {"vip": old, "other": other}
    assert response_assertions.answer(rename(client, old, "VIP"))["data"]["attributes"]["name"] == "VIP"


def test_without_a_name_nothing_is_changed(client):
    [old] = tagged(client, "vip")
    answer = response_assertions.answer(client.call("PATCH", f"/fetch/tags/{old}", {"tag": {}}))
    assert answer["data"]["attributes"]["name"] == "vip"
    assert response_assertions.error_fields(client.call("PATCH", f"/fetch/tags/{old}", {})) == ["tag"]


def test_tags_are_those_of_the_site(client, other_client):
    [old, _] = tagged(client, "vip", "other")
    response_assertions.error(rename(other_client, old, "x"), 404)
    [theirs] = tagged(other_client, "theirs")
    response_assertions.error(merge(other_client, old, theirs), 404)
    assert response_assertions.error_fields(merge(client, old, theirs)) == ["tag.into"]


def test_with_a_key_each_is_done_once(client):
    [old, other] = tagged(client, "vip", "other")
    first = rename(client, old, "x", **{"Idempotency-Key": "a"})
    work()
    rename(client, old, "y")
    work()
    again = rename(client, old, "x", **{"Idempotency-Key": "a"})
    assert (first.json["data"]["attributes"]["name"], again.json["data"]["attributes"]["name"]) == ("x", "y")
    for _ in range(2):
        assert merge(client, old, other, **{"Idempotency-Key": "b"}).json["data"]["id"] == other


def test_twins_are_merged_and_renamed(client, mirror):
    [old, twin] = tagged(client, "vip", "other")
    with database.write(client.site.id):
        database.execute(
            "UPDATE tags SET name = 'ViP', name_key = ? WHERE id = ?", (f" {twin} vip", int(twin))
        )
    mirror.copy()
    assert rename(client, twin, "vip").status_code == 422
    response_assertions.answer(merge(client, old, twin))
    work()
    assert same(mirror)
    with database.session():
        assert database.rows("SELECT id, name_key FROM tags") == [(int(twin), "vip")]


def test_the_audit_log_has_both(client):
    [old, other] = tagged(client, "vip", "other")
    rename(client, old, "x")
    work()
    merge(client, old, other)
    with database.session():
        acts = database.rows("SELECT act, subject, subjects FROM audit_log ORDER BY id DESC LIMIT 2")
    assert acts == [("tag merged: other", "x", 5), ("tag renamed: x", "vip", 1)]
