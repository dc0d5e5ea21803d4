"""The queries of the console's pages use indexes, and bind the site."""

import pytest

from tests.console.browser import signed_in
from tests.console.screens import fill, site_paths
from tests.storage.test_queries import of_sites, plan, reads_a_table_through

OF_THE_INSTANCE = (
    "SELECT COUNT(*), CAST(COALESCE(SUM(rows",  # the backlog, by a partial index
    "SELECT paused, count(*) FROM webhooks",  # a few
    "SELECT MIN(requested_at) FROM link_requests",  # deleted once they are sent
)
EXCUSED = (
    "SELECT s.site_id FROM site_counters AS s WHERE EXISTS",  # of each site: the health page
    "SELECT key, type, value, total FROM (SELECT",  # the values of the newest 10,000: adding a person
)
RULES = "AND ("  # a segment's rule may have to look at each subscriber of the site


@pytest.fixture
def owner(app, client):
    fill(client.site)
    return signed_in(app, "owner@example.com", {client.site: "owner"})


def searched(client, owner):
    """The path of the list of a search."""
    sent = owner.post(f"/sites/{client.site.uuid}/subscribers", text="ann lee")
    return sent.headers["Location"].removeprefix("/console")


def test_every_page_uses_indexes(client, owner, statements):
    paths = [*site_paths(client.site), searched(client, owner)]
    del statements[:]
    for path in paths:
        assert owner.get(path).status_code == 200
    seen = {each for each in of_sites(statements) if len(each) < 5_000 and RULES not in each}
    assert len(seen) > 20
    for statement in seen:
        assert statement.startswith(OF_THE_INSTANCE) or "site_id" in statement, statement
        assert statement.startswith(EXCUSED) or not reads_a_table_through(statement), statement


def test_a_search_by_text_is_by_index_alone(client, owner, statements):
    path = searched(client, owner)
    del statements[:]
    assert owner.get(path).status_code == 200
    [found] = [each for each in of_sites(statements) if "UNION SELECT" in each]
    steps = " ".join(plan(found))
    for index in ("site_id_email_key", "site_id_first_name", "site_id_last_name"):
        assert f"INDEX subscribers_{index} (site_id=? AND" in steps, steps
    assert [step for step in reads_a_table_through(found) if not step.endswith(" found")] == []
    [at_domain] = [each for each in statements if "v.field_id = 0" in each]
    assert reads_a_table_through(at_domain) == []
