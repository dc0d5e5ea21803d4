"""Count people (spec section 4.14)."""

from flask import Blueprint

from audience import stats
from audience.api.endpoint import endpoint
from audience.sites import Site
from schemas import stats as wire

blueprint = Blueprint("stats", __name__)


@blueprint.get("/stats/site")
@endpoint("stats", gives=wire.Counts)
def of_site(site: Site) -> dict[str, int]:
    """Count the people of the site"""
    return wire.counts(stats.site(site))
