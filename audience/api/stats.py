"""Count the subscribers of a site."""

from flask import Blueprint

from audience.access.sites import Site
from audience.api.endpoint import endpoint
from audience.subscribers import stats
from schemas import stats as wire

blueprint = Blueprint("stats", __name__)


@blueprint.get("/stats/site")
@endpoint(scope="stats", family="stats", gives=wire.CountsSchema)
def count_site(site: Site) -> dict[str, int]:
    """Count the subscribers of the site

    Counts all subscribers, those who unsubscribed, and those who did not.

    Returns the three counts as of now.
    """
    return wire.counts(stats.for_site(site))
