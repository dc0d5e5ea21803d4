"""The undo of an import that unsubscribed people by mistake, on its page in the console."""

from audience.imports import imports
from audience.operations import site_lane
from audience.subscribers import subscribers
from tests.client import FakeQueue
from tests.console.browser import signed_in

EMAIL = "ann@example.com"


def left(site):
    found = subscribers.find(site, EMAIL)
    assert found is not None
    return found.unsubscribed_at is not None


def test_those_only_it_unsubscribed_are_listed_and_come_back_where_it_is_ticked(app, site):
    subscribers.create(site, {"email": EMAIL})
    items = [{"email": EMAIL, "command": "unsubscribe"}]
    import_id = imports.accept(site, list(enumerate(items)), [], FakeQueue(), 0).id
    site_lane.drain(site.id, 30)
    assert left(site)
    manager = signed_in(app, "meg@example.com", {site: "manager"})
    path = f"/sites/{site.uuid}/imports/{import_id}/undo"
    shown = manager.get(path).text
    assert "Resubscribe the 1 subscriber whom only this import unsubscribed" in shown
    assert EMAIL in shown
    assert "checked" not in shown
    manager.post(path, resubscribe="1")
    site_lane.drain(site.id, 30)
    assert not left(site)
    assert "1 subscribed again." in manager.get(path.removesuffix("/undo")).text
