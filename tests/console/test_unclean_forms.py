"""What no page sends: the character NUL, which not every database stores or compares."""

import pytest

from audience.access import keys, sites
from tests.console.browser import alert


@pytest.mark.parametrize("path", ["/sites", "/sites/{}/settings", "/sites/{}/keys"])
def test_a_name_with_it_is_refused(path, site, owner, administrator):
    browser = administrator if path == "/sites" else owner
    sent = browser.post(path.format(site.uuid), name="New\0s", scope="full", time_zone="UTC")
    assert sent.status_code == 422
    assert "without NUL" in alert(sent)
    assert [each.name for each in sites.list_all()] == ["Example"]
    assert keys.list_all(site) == []


@pytest.mark.parametrize("path", ["subscribers/chosen", "acts"])
def test_nobody_has_a_uuid_with_it(path, site, owner):
    sent = owner.post(f"/sites/{site.uuid}/{path}", uuid="a\0b", kind="unsubscribe")
    assert sent.status_code < 500
