"""What the pages of imports and acts say of taking them back."""

from typing import Any

from audience.access.sites import Site
from audience.changes.changes import Source
from audience.console.consents import BY
from audience.http.services import settings
from audience.undo import undos

BY_WHAT = {"import": "import", "bulk_act": "act", "undo": "undo"}


def undo_parts(site: Site, source: Source, offered: bool = True) -> dict[str, Any]:
    """The undo that was begun and what kept subscribers, or the instant until which an undo is offered."""
    undo = undos.known(site, source)
    if undo is None:
        until = undos.until(site, source, settings().changes_days) if offered else None
        return {"undo": None, "undo_until": until}
    reasons = [(_words(*by), count) for by, count in undos.kept_by(site, undo)]
    return {
        "undo": undo,
        "undo_kept": reasons,
        "undo_away": undos.unsubscribed_count(site, undo),
        "undo_is_open": undo.finished_at is None,
        "undo_by": undos.asked_by(site, source),
    }


def _words(kind: str, number: str | None) -> str:
    if kind in BY_WHAT:
        return f"changed later by {BY_WHAT[kind]} {number}"
    return f"changed later {BY.get(kind, 'by the API')}" if kind else "left, or erased since"
