"""What docs/sign-up.md does with people: whoever clicks is subscribed, and nobody else."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.service import serving

PAGE = Path(__file__).parents[2] / "docs" / "sign-up.md"
EMAIL = "ann@gmail.com"
LEFT_SINCE = "You have left since you signed up. Please sign up again."
MAILED, WELCOME = "Please confirm by the link in our mail.", "Welcome: you are on the list."


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sign-up") / "instance"
    with serving(folder, AUDIENCE_DNS_SERVERS="127.0.0.1:9", AUDIENCE_DNS_TIMEOUT="0.2") as running:
        yield running


@pytest.fixture
def page(service, monkeypatch):
    """The functions of the page, on a running service."""
    [text] = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(service.instance.parent)
    functions: dict[str, Any] = {}
    exec(text.replace(":8000", f":{service.port}"), functions)  # noqa: S102 - our own page
    yield functions
    service.call("DELETE", f"/fetch/subscribers?email={EMAIL}")


@pytest.fixture
def link(page):
    def sign_up():
        said, link = page["sign_up"](EMAIL, "Ann", "8.8.8.8")
        assert said == MAILED
        return link

    return sign_up


@pytest.fixture
def stored(service):
    """Who is stored under the address, as find answers."""
    return lambda: service.call("GET", f"/fetch/subscribers?email={EMAIL}")[1]["data"]


def leave(service):
    command = {"command": "unsubscribe", "email": EMAIL}
    assert service.call("POST", "/fetch/commands", {"command": command})[1]["failed"] == 0


def test_whoever_never_clicks_is_not_stored(link, stored):
    link()
    assert stored() is None


def test_a_click_subscribes_and_so_does_the_next_one_of_whoever_left_and_came_back(
    service, page, link, stored
):
    old = link()
    assert page["confirm"](**old) == WELCOME
    assert stored()["attributes"]["unsubscribed_at"] is None
    leave(service)
    new = link()
    assert stored()["attributes"]["unsubscribed_at"]
    assert page["confirm"](**old) == LEFT_SINCE
    assert stored()["attributes"]["unsubscribed_at"]
    assert page["confirm"](**new) == WELCOME
    assert stored()["attributes"]["unsubscribed_at"] is None
    assert stored()["attributes"]["cached_tag_ids"] == []


def test_whoever_was_erased_comes_back_by_a_new_link_alone(service, page, link, stored):
    old, unused = link(), link()
    assert page["confirm"](**old) == WELCOME
    service.call("DELETE", f"/fetch/subscribers?email={EMAIL}")
    for each in (old, unused):
        assert page["confirm"](**each) == LEFT_SINCE
        assert stored() is None
    assert page["confirm"](**link()) == WELCOME
    assert stored()["attributes"]["unsubscribed_at"] is None


@pytest.mark.parametrize("change", ["email", "at", "signature", "age", "characters"])
def test_a_link_that_is_changed_or_old_stores_nobody(page, link, stored, change):
    made = link()
    if change == "age":
        made["at"] = (datetime.now(UTC) - timedelta(days=1, seconds=1)).isoformat(timespec="milliseconds")
        made["signature"] = page["sign"](EMAIL, made["at"])
    elif change == "characters":
        made["signature"] = f"{made['signature'][:-1]}é"
    else:
        made[change] = made[change].translate(str.maketrans("a2", "b3"))
    assert page["confirm"](**made) == "This link is no longer good. Please sign up again."
    assert stored() is None
