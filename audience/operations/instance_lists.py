"""The operator's own lists of the instance, changed in the console: lines of its text files."""

from collections.abc import Callable, Mapping
from pathlib import Path

from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.answers import own_lists
from audience.answers.domains import parse_domain
from audience.answers.folding import fold
from audience.answers.moderation.profanity import phrase_of
from audience.errors import Refused
from audience.privacy import secret_files
from storage import database

NORMAL_FORMS: Mapping[str, Callable[[str], str]] = {
    "moderation/insults": phrase_of,
    "moderation/adult": phrase_of,
    "validation/disposable": parse_domain,
    "validation/free": parse_domain,
    "validation/roles": fold,
}
AUDIT_TEXTS = {
    "more": "added to the list",
    "fewer": "removed from the bundled list",
    "neither": "own entry dropped from the list",
}
ENTRY = "Enter one word, phrase, domain or mailbox, in the form that the list has."
UNKNOWN = "Give one of the lists, and more, fewer or neither."


@database.write(database.SHARED)
def put(instance: Path, name: str, entry: str, part: str, actor: Actor) -> None:
    """Adds an entry to a list (`more`), removes it from the bundled one (`fewer`), or drops the operator's
    own line (`neither`).

    The change takes effect when the service next starts. Raises `Refused`.
    """
    if name not in NORMAL_FORMS or part not in AUDIT_TEXTS:
        raise Refused(UNKNOWN)
    file = instance / f"{name}.txt"
    try:
        text = own_lists.text_with(file, NORMAL_FORMS[name], entry, part)
    except ValueError as error:
        raise Refused(ENTRY) from error
    audit_log.record(actor, f"{AUDIT_TEXTS[part]} {name}", subject=entry.strip())
    file.parent.mkdir(exist_ok=True, mode=0o700)
    secret_files.write(file, text.encode("utf-8"))
