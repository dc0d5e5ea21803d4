"""The custom fields of a site."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from storage.base_models import SiteOwnedModel
from storage.database import database, execute, execute_many
from storage.engines.chosen import engine
from storage.records import Records
from storage.sql import insert_into, slices


class CustomField(NamedTuple):
    """A custom field. `whitelisted` is always None."""

    id: int
    key: str
    name: str
    whitelisted: bool | None
    created_at: int


class CustomFieldModel(SiteOwnedModel, table="custom_fields", record=CustomField):
    class Meta:
        indexes = ((("site", "key"), True), (("site", "id"), False))  # by key; the pages of a list


FIELDS = Records(CustomFieldModel, CustomField)
get = FIELDS.get
list_all = FIELDS.newest


def get_by_key(site_id: int, key: str) -> CustomField:
    """The custom field with a key, which must exist."""
    return FIELDS.find(site_id=site_id, key=key)[0]


def ids(site_id: int, keys: Iterable[str]) -> dict[str, int]:
    """The ids of those custom fields that the site has, by key."""
    return {
        key: field_id
        for among in map(engine.among, slices(keys))
        for key, field_id in FIELDS.select("key, id", site_id=site_id, key=among)
    }


def delete_unused(site_id: int, key: str) -> bool:
    """Deletes a custom field if no subscriber has a value of it. Returns False if the field remains."""
    execute(
        "DELETE FROM custom_fields WHERE site_id = ? AND key = ? AND NOT EXISTS "
        "(SELECT 1 FROM distinct_values AS v WHERE v.site_id = ? AND v.field_id = custom_fields.id)",
        (site_id, key, site_id),
    )
    return not ids(site_id, [key])


def add(site_id: int, fields: Sequence[tuple[str, str]], at: int) -> dict[str, int]:
    """Creates custom fields that the site lacks, given as (key, name), in the caller's transaction. Returns
    their ids by key. Raises `Conflict` if a key exists.
    """
    ids = engine.new_ids(database, "custom_fields", len(fields))
    execute_many(
        insert_into("custom_fields", ("id", "site_id", "key", "name", "created_at")),
        ((field_id, site_id, key, name, at) for field_id, (key, name) in zip(ids, fields, strict=True)),
    )
    return {key: field_id for field_id, (key, _) in zip(ids, fields, strict=True)}
