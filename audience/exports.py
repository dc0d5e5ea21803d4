"""People on their way out: everyone of a site, or of a segment, a page at a time (docs/files.md)."""

from collections.abc import Iterator

from audience import segments
from audience.sites import Site
from storage import custom_fields as stored_fields
from storage import database
from storage import subscribers as stored
from storage import tags as stored_tags
from storage.subscribers import Filters, Person

PAGE = 500

Page = list[tuple[Person, list[str]]]


def people(site: Site, segment_id: str | None = None) -> Iterator[Page]:
    """Everyone with the names of their tags, in order of creation. Raises `NotFound` at once.

    Each page is as it is when it is read: nobody comes twice, and who comes while it runs comes at the end.
    """
    return _pages(site.id, _wanted(site.id, segment_id))


@database.session()
def _wanted(site_id: int, segment_id: str | None) -> Filters:
    return Filters(rule=None if segment_id is None else segments.matching(site_id, segment_id))


def _pages(site_id: int, filters: Filters) -> Iterator[Page]:
    after = ""
    while True:
        with database.session():
            found = stored.page(site_id, filters, after, PAGE)
            names = stored_tags.names(site_id, {tag_id for person in found for tag_id in person.tag_ids})
        if not found:
            return
        yield [(person, [names[tag_id] for tag_id in person.tag_ids if tag_id in names]) for person in found]
        after = found[-1].uuid


@database.session()
def keys(site: Site) -> list[str]:
    """The keys of the custom fields, oldest first."""
    return [field.key for field in reversed(stored_fields.all_fields(site.id))]
