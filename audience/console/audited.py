"""The texts that the audit log stores, in the words of the console."""

ACTIONS = {  # by the stored text, which is never changed
    "tag put on": "tag added",
    "tag taken off": "tag removed",
    "tag put on many": "tag added to many subscribers",
    "tag taken off many": "tag removed from many subscribers",
    "many unsubscribed": "many subscribers unsubscribed",
    "many erased": "many subscribers erased",
    "many exported": "many subscribers exported",
    "field deleted": "custom field deleted",
    "put on the allow list": "added to the allow list",
    "put on the deny list": "added to the deny list",
    "taken off the lists": "removed from the lists",
    "role taken": "role removed",
    "administrator": "made an administrator",
    "no administrator": "no longer an administrator",
    "first owner": "first operator made, who owns every site",
    "links rotated": "new links made",
    "links revoked": "all links ended",
    "limits of networks lifted for a day": "event started: no limits per network for a day",
    "limits of networks count again": "event ended: limits per network apply again",
    "webhook replayed": "webhook: changes sent again",
    "import to be taken back": "undo of import requested",
    "import taken back": "import undone",
    "import to be undone": "undo of import requested",
    "import tried again": "import continued",
    "confirmation asked for": "asked to confirm",
}
ENDINGS = {
    "begun": "started",
    "to be undone": "undo requested",
    "to be taken back": "undo requested",
    "taken back": "undone",
    "broken off": "interrupted",
    "people subscribed again, to be undone": "undo requested, people subscribed again",
    "people subscribed again, undone": "undone, people subscribed again",
}
OF_LISTS = {  # of the instance, by how the stored text begins
    "put on the list ": "added to the list ",
    "taken away by the list ": "removed from the bundled list ",
    "taken off the list ": "own entry dropped from the list ",
}


def words(action: str) -> str:
    """An action of the audit log, without the name that it may have, in today's words."""
    head, mark, ending = action.partition(", ")
    for stored, shown in OF_LISTS.items():
        if head.startswith(stored):
            return shown + head.removeprefix(stored)
    return ACTIONS.get(head, head) + mark + ENDINGS.get(ending, ending)


def subject(stored: str) -> str:
    """What an entry is about, in today's words."""
    noun, mark, number = stored.partition(" ")
    return f"bulk action{mark}{number}" if noun == "act" and number.isdecimal() else stored
