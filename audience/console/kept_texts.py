"""The text by which a list is searched. A URL has only a name for it: no log may have an address."""

from collections.abc import Mapping
from typing import Any

from audience.access import sessions
from audience.access.sites import Site
from audience.console.list_filters import Filters
from audience.console.page import signed_in
from audience.errors import Refused

GONE = "This search has expired: search again."


def read_search_text(site: Site, chosen: Filters) -> str:
    """The search text that a list's URL names; "" without one. Raises `Refused` if it was deleted."""
    name = chosen.get("kept", "")
    text = sessions.search_text(signed_in().session_id, site.id, name) if name else ""
    if text is None:
        raise Refused(GONE)
    return text


def with_text(site: Site, chosen: Mapping[str, Any], text: str) -> Filters:
    """The filters of a list with another search text, which is stored; with "", without one."""
    others = {name: value for name, value in chosen.items() if name != "kept"}
    return others | ({"kept": sessions.keep_search(signed_in().session_id, site.id, text)} if text else {})
