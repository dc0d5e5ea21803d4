"""Entries of the audit log get the words that are stored from here on, bulk actions the names. Frozen."""

from collections.abc import Mapping
from typing import Any

ADDITIVE = True  # older code shows any words
ACTIONS = {
    "tag put on": "tag added", "tag taken off": "tag removed", "field deleted": "custom field deleted",
    "put on the allow list": "added to the allow list", "put on the deny list": "added to the deny list",
    "taken off the lists": "removed from the lists", "role taken": "role removed",
    "administrator": "made an administrator", "no administrator": "no longer an administrator",
    "first owner": "first operator made, who owns every site",
    "links rotated": "new links made", "links revoked": "all links ended",
    "limits of networks lifted for a day": "event started, no limits per network for a day",
    "limits of networks count again": "event ended, limits per network apply again",
    "webhook replayed": "webhook changes sent again", "import tried again": "import continued",
    "import to be taken back": "import, undo requested", "import taken back": "import, undone",
    "import to be undone": "import, undo requested", "import undone": "import, undone",
    "import, people subscribed again, to be undone": "import, undo requested, people subscribed again",
    "import, people subscribed again, undone": "import, undone, people subscribed again",
    "confirmation asked for": "asked to confirm", "segment exported, begun": "segment exported, started",
}  # fmt: skip
BULK_ACTIONS = {
    "tag put on many": "tag added to many subscribers",
    "tag taken off many": "tag removed from many subscribers",
    "many unsubscribed": "many subscribers unsubscribed", "many erased": "many subscribers erased",
    "many exported": "many subscribers exported", "field deleted": "custom field deleted",
    "many exported with links": "many subscribers exported with links",
    "kept subscribers downloaded": "kept subscribers downloaded",
}  # fmt: skip
ENDINGS = {
    "": "", ", begun": ", started", ", to be undone": ", undo requested", ", undone": ", undone",
    ", to be taken back": ", undo requested", ", taken back": ", undone", ", interrupted": ", interrupted",
}  # fmt: skip
LISTS = {
    "put on the list": "added to the list", "taken away by the list": "removed from the bundled list",
    "taken off the list": "own entry dropped from the list",
}  # fmt: skip
BROKEN_OFF = (
    "UPDATE audit_log SET act = substr(act, 1, length(act) - 10) || 'interrupted' "
    "WHERE substr(act, length(act) - 11) = ', broken off'"
)
REWORD = (
    "WITH words (earlier, present) AS (VALUES {}) "
    "UPDATE audit_log SET act = present || substr(act, length(earlier) + 1) FROM words WHERE {}"
)
REWORD_BULK = REWORD.replace(" FROM", ", subject = 'bulk action ' || substr(subject, 5) FROM")
IS_ACTION = "(act = earlier OR substr(act, 1, length(earlier) + 2) = earlier || ': ')"
IS_BULK = f"substr(subject, 1, 4) = 'act ' AND {IS_ACTION}"
OF_A_LIST = "substr(act, 1, length(earlier) + 1) = earlier || ' '"


def up(_migrator: Any, db: Any) -> None:
    bulk = {
        action + ending: BULK_ACTIONS[action] + ENDINGS[ending]
        for action in BULK_ACTIONS
        for ending in ENDINGS
    }
    db.execute_sql(BROKEN_OFF)
    db.execute_sql(REWORD_BULK.format(_values(bulk), IS_BULK))
    db.execute_sql(REWORD.format(_values(ACTIONS), IS_ACTION))
    db.execute_sql(REWORD.format(_values(LISTS), OF_A_LIST))


def _values(words: Mapping[str, str]) -> str:
    return ", ".join(f"('{earlier}', '{present}')" for earlier, present in words.items())
