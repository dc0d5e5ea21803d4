"""Names that tags had until they were renamed or merged: what the record of changes has yet to tell, and
which tag a name means that was accepted before.
"""

from collections.abc import Collection
from typing import NamedTuple

from storage.bulk.models import TagRenameModel
from storage.database import rows
from storage.engines.chosen import engine
from storage.records import Records

JOB = "tag_rename"  # the kind of the job that tells it, subscriber by subscriber


class TagRename(NamedTuple):
    """The tag `tag_id` was called `name` until the acceptance `number`. Then it was renamed, or merged into
    the tag `into_id`, which is the same tag if it was renamed.

    `position` is the id of the last subscriber of whom the record tells so; `is_told` is 1 at the end.
    """

    id: int
    tag_id: int
    into_id: int
    name: str
    name_key: str
    number: int
    source: str
    source_id: int
    position: int = 0
    is_told: int = 0

    @property
    def is_merge(self) -> bool:
        return self.into_id != self.tag_id

    @property
    def former_id(self) -> int:
        """The id that the former name has in the record of changes: no tag's if the tag lives on."""
        return self.tag_id if self.is_merge else -self.id


RENAMES = Records(TagRenameModel, TagRename)
get, add = RENAMES.get, RENAMES.add_new


def untold(site_id: int) -> list[TagRename]:
    """The renames and merges that the record of changes does not tell of all subscribers yet."""
    return RENAMES.find(site_id=site_id, is_told=0)


def is_merging(site_id: int, tag_id: int, into_id: int) -> bool:
    """Whether a merge of the tag into the other has not ended."""
    return RENAMES.has(site_id=site_id, tag_id=tag_id, into_id=into_id, is_told=0)


def replacements(site_id: int, tag_ids: Collection[int]) -> dict[int, int]:
    """The tags that replace those of `tag_ids` that were merged, or are being merged: ids by their ids."""
    among = engine.among(tag_ids)
    query = (
        f"SELECT tag_id, into_id FROM tag_renames WHERE site_id = ? AND tag_id {among.text} "
        "AND into_id <> tag_id"
    )
    return dict(rows(query, [site_id, *among.parameters]))


def advance(site_id: int, rename_id: int, position: int) -> None:
    RENAMES.change({"position": position}, site_id=site_id, id=rename_id)


def end(site_id: int, rename_id: int) -> None:
    RENAMES.change({"is_told": 1}, site_id=site_id, id=rename_id)


def redirect(site_id: int, tag_id: int, into_id: int) -> None:
    """Makes the former names of a tag those of another, into which it is merged."""
    RENAMES.change({"into_id": into_id}, site_id=site_id, into_id=tag_id)


def forget(site_id: int, tag_id: int) -> None:
    """Deletes the former names of a tag that is deleted."""
    RENAMES.delete(site_id=site_id, into_id=tag_id)


def former_ids(site_id: int, name_keys: Collection[str], number: int) -> dict[str, int]:
    """The ids of the tags that had these name keys at the acceptance `number`, and lost them since."""
    among = engine.among(name_keys)
    query = (
        f"SELECT name_key, into_id FROM tag_renames WHERE site_id = ? AND name_key {among.text} "
        "AND number > ? ORDER BY number DESC"
    )
    return dict(rows(query, [site_id, *among.parameters, number]))
