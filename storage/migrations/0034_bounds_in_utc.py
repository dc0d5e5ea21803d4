"""Writes out the zone of bounds of segments that had none: UTC. New ones are of the site's. Frozen."""

import json
from collections.abc import Iterator
from typing import Any

from dateutil.parser import isoparser

DATES = ("created_at", "updated_at", "last_event_at", "unsubscribed_at")
BOUNDS = ("gt", "gte", "lt", "lte")


def up(_migrator: Any, db: Any) -> None:
    rows = db.execute_sql("SELECT site_id, id, rules FROM segments").fetchall()
    for site_id, segment_id, text in rows:
        rules = json.loads(text)
        if [None for operands in _operands(rules) if _write_out(operands)]:
            new = json.dumps(rules, ensure_ascii=False, separators=(",", ":"))
            db.execute_sql(
                "UPDATE segments SET rules = ? WHERE site_id = ? AND id = ?", (new, site_id, segment_id)
            )


def _operands(node: Any) -> Iterator[dict[str, Any]]:
    """Of all conditions on dates."""
    if isinstance(node, list):
        for part in node:
            yield from _operands(part)
    elif isinstance(node, dict):
        for key, part in node.items():
            if key in ("all", "any", "not"):
                yield from _operands(part)
            elif key in DATES and isinstance(part, dict):
                yield part


def _write_out(operands: dict[str, Any]) -> bool:
    """Whether a bound had no zone."""
    written = {name: _in_utc(operands[name]) for name in BOUNDS if isinstance(operands.get(name), str)}
    operands |= {name: text for name, text in written.items() if text}
    return any(written.values())


def _in_utc(bound: str) -> str:
    """Nothing if it has a zone, before which there may be a blank."""
    try:
        instant = isoparser(sep="T").isoparse(bound.strip().upper().replace(" ", "T", 1))
    except ValueError:
        return ""
    return "" if instant.tzinfo else f"{instant.isoformat()}Z"
