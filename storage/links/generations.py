"""The generations of each site's links. The first has no row: each site has it."""

from collections.abc import Iterable
from typing import NamedTuple

from storage.database import execute_many
from storage.links.models import LinkGenerationModel
from storage.records import Records


class Generation(NamedTuple):
    """`nonce` is part of the key; `lowest` is the first generation whose links were good from then on."""

    generation: int
    nonce: str
    lowest: int
    made_at: int


GENERATIONS = Records(LinkGenerationModel, Generation)


def list_all(site_id: int) -> list[Generation]:
    """Those of a site from the second on, oldest first."""
    return GENERATIONS.find("ORDER BY generation", site_id=site_id)


def put(site_id: int, generations: Iterable[Generation]) -> None:
    """Adds generations, or replaces those that the site has under the same numbers."""
    execute_many(
        f"INSERT INTO link_generations (site_id, {GENERATIONS.columns}) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (site_id, generation) DO UPDATE SET nonce = excluded.nonce, lowest = excluded.lowest, "
        "made_at = excluded.made_at",
        [(site_id, *generation) for generation in generations],
    )
