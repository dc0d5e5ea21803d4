"""`audience tag`: renaming and merging tags."""

import pytest

from audience.bulk import tag_renames
from tests.jobs import run_due


@pytest.fixture
def filled(client):
    client.create("ann@example.com", tags="vip")
    client.create("bob@example.com", tags="VIPs")
    return client


def test_renames(run, filled):
    assert run("tag", "rename", "VIP", "patron") == "The tag is now called patron.\n"
    run_due(tag_renames.KIND)
    assert run("tag", "rename", "patron", "Patrons", "--json")["attributes"]["name"] == "Patrons"
    assert {tag["name"] for tag in run("tag", "list", "--json")} == {"Patrons", "VIPs"}


def test_merges(run, filled):
    assert run("tag", "merge", "VIPs", "vip") == "Its subscribers get the tag vip.\n"
    run_due(tag_renames.KIND)
    assert [tag["name"] for tag in run("tag", "list", "--json")] == ["vip"]
    assert len(run("subscriber", "list", "--tag", "vip", "--json")) == 2


@pytest.mark.parametrize(("words", "said"), [
    (("rename", "none", "x"), "Tag not found: `audience tag list` lists the tags of the site."),
    (("rename", "vip", "vips"), "tag.name: Another tag of the site has this name"),
    (("rename", "vip", " "), "tag.name: "),
    (("merge", "vip", "VIP"), "tag.into: Give the id of the tag to merge into: another tag"),
])  # fmt: skip
def test_what_is_refused(type_, filled, words, said):
    result = type_("tag", *words)
    assert result.exit_code
    assert said in f"{result.exception}{result.output}"
