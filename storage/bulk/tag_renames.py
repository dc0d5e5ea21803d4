"""Names that tags had until they were renamed or merged: what the record of changes has yet to tell, and
which tag is meant by a name accepted before the change.
"""

from collections.abc import Collection
from typing import NamedTuple

from storage.base_models import SiteOwnedModel
from storage.engines.chosen import engine
from storage.records import Records

JOB = "tag_rename"  # the kind of the job that tells it, subscriber by subscriber


class TagRename(NamedTuple):
    """The tag `tag_id` was called `name` until the acceptance `number`. Then it was renamed, or merged into
    the tag `into_id`, which is the same tag if it was renamed.

    A job writes the new name into the record of changes. It has done so for subscribers up to the id
    `position`, and for all once `is_told` is 1.
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
        """The id that the former name has in the record of changes; after a rename, a negative one."""
        return self.tag_id if self.is_merge else -self.id


class TagRenameModel(SiteOwnedModel, table="tag_renames", record=TagRename):
    class Meta:
        indexes = ((("site", "name_key"), False),)


RENAMES = Records(TagRenameModel, TagRename)
get, add = RENAMES.get, RENAMES.add_new


def list_unrecorded(site_id: int) -> list[TagRename]:
    """The renames and merges that the record of changes does not yet have for every subscriber."""
    return RENAMES.find(site_id=site_id, is_told=0)


def is_merging(site_id: int, tag_id: int, into_id: int) -> bool:
    """Whether a merge of the tag `tag_id` into `into_id` has begun and not ended."""
    return RENAMES.has(site_id=site_id, tag_id=tag_id, into_id=into_id, is_told=0)


def replacements(site_id: int, tag_ids: Collection[int]) -> dict[int, int]:
    """The ids of the tags into which tags of `tag_ids` were or are being merged, by the latter's ids."""
    among = engine.among(tag_ids)
    return dict(RENAMES.select("tag_id, into_id", "AND into_id <> tag_id", site_id=site_id, tag_id=among))


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
    """The ids of the tags meant by these name keys at the acceptance `number`, by name key.

    Name keys that no tag has lost since are left out. A merged tag is replaced by its successor.
    """
    lost, among = "AND number > ? ORDER BY number DESC", engine.among(name_keys)
    return dict(RENAMES.select("name_key, into_id", lost, number, site_id=site_id, name_key=among))
