"""A copy of a site that is kept by its record of changes alone, for tests."""

import json
from dataclasses import dataclass, field
from typing import Any

from audience.access.sites import Site
from audience.changes import pages as change_log_pages
from audience.changes.pages import LoggedChange
from audience.searches import exports

PLAIN = (
    "email", "first_name", "last_name", "created_at", "updated_at", "last_event_at", "unsubscribed_at",
)  # fmt: skip


def state(site: Site) -> dict[str, dict[str, Any]]:
    """The people of a site by uuid, as an export has them."""
    return {
        person.uuid: {name: getattr(person, name) for name in PLAIN}
        | {"fields": person.fields, "tags": set(tags)}
        for page in exports.pages(site)
        for person, tags in page
    }


def normal(people: dict[str, dict[str, Any]]) -> str:
    """The same text for the same people; 1, 1.0 and true differ."""
    return json.dumps(people, sort_keys=True, default=sorted)


@dataclass
class Mirror:
    """A copy of a site; `place` is the number of the last change that it has."""

    site: Site
    place: int = 0
    people: dict[str, dict[str, Any]] = field(default_factory=dict)

    def copy(self) -> None:
        """Begins the copy with an export."""
        self.place = change_log_pages.newest_number(self.site)
        self.people = state(self.site)

    def follow(self, limit: int) -> None:
        """Reads the record to its end, in pages of `limit` changes. Applies each change twice, which does no
        harm.
        """
        has_more = True
        while has_more:
            page = change_log_pages.page(self.site, self.place, limit)
            assert len(page.changes) <= limit
            assert [each.number for each in page.changes] == sorted({each.number for each in page.changes})
            assert all(each.number > self.place for each in page.changes)
            for change in page.changes:
                self.apply(change)
                self.apply(change)
            self.place, has_more = page.next, page.has_more

    def apply(self, change: LoggedChange) -> None:
        if change.kind == "erased":
            self.people.pop(change.uuid or "", None)
            return
        assert change.uuid is not None
        person = self.people.setdefault(change.uuid, {"fields": {}, "tags": set()})
        for name in PLAIN:
            if name in change.changed:
                person[name] = change.changed[name]
        if "created_at" in change.changed:  # somebody new
            person["tags"] = set()
        person["tags"] |= set(change.changed.get("tags_added", ()))
        person["tags"] -= set(change.changed.get("tags_removed", ()))
        for key, value in change.changed.get("fields", {}).items():
            person["fields"] |= {key: value}
            if value is None:
                del person["fields"][key]
