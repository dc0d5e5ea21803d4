"""The generations of each site's links. The links of a generation are signed with its own key.

Every site has the first generation, which has no row.
"""

from collections.abc import Iterable
from typing import NamedTuple

from peewee import CompositeKey, IntegerField

from storage.base_models import BaseModel
from storage.records import Records


class Generation(NamedTuple):
    """A generation of links, begun at `made_at`, with the `nonce` of its key.

    `lowest` is the oldest generation whose links were still valid then.
    """

    generation: int
    nonce: str
    lowest: int
    made_at: int


class LinkGenerationModel(BaseModel, table="link_generations", record=Generation):
    site_id = IntegerField()

    class Meta:
        primary_key = CompositeKey("site_id", "generation")
        without_rowid = True


GENERATIONS = Records(LinkGenerationModel, Generation)


def list_all(site_id: int) -> list[Generation]:
    """A site's link generations from the second on, oldest first."""
    return GENERATIONS.find("ORDER BY generation", site_id=site_id)


def put(site_id: int, generations: Iterable[Generation]) -> None:
    """Adds generations. Replaces those with the same numbers."""
    GENERATIONS.add_many(generations, ("site_id", "generation"), site_id=site_id)
