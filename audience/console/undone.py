"""The undo of an import or a bulk action, as their pages show it."""

from typing import Any

from audience.access.sites import Site
from audience.http.services import settings
from audience.sources import Source
from audience.undo import undos


def undo_parts(site: Site, source: Source, offered: bool = True) -> dict[str, Any]:
    """The variables of a page about the undo of `source`, an import or a bulk action.

    Once it has begun, they are its progress, and why subscribers were kept. Before, if `offered`, they are
    the instant until which it can begin.
    """
    undo = undos.find(site, source)
    if undo is None:
        until = undos.undoable_until(site, source, settings().changes_days) if offered else None
        return {"undo": None, "undo_until": until}
    reasons = [(undos.reason_in_words(*by), count) for by, count in undos.reasons_kept(site, undo)]
    return {
        "undo": undo,
        "undo_kept": reasons,
        "undo_away": undos.unsubscribed_count(site, undo),
        "undo_is_open": undo.finished_at is None,
        "undo_by": undos.requested_by(site, source),
    }
