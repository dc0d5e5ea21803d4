"""The bundled tables of validation (`audience/data/validation`)."""

import csv
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from audience.answers import own_lists
from audience.answers.domains import is_suffix, parse_domain
from audience.answers.folding import fold
from audience.answers.tables import in_effect
from audience.answers.validation.gibberish import NameModel
from audience.answers.validation.mailbox import Mailboxes, MailboxKind, MailboxWord, Use
from audience.answers.validation.typos import Typos
from audience.answers.validation.user_agent import UserAgents

DATA = Path(__file__).parents[2] / "data" / "validation"


@dataclass(frozen=True, kw_only=True)
class EmailTables:
    """Domains are A-labels in lower case; those of the sets cover their subdomains."""

    disposable: frozenset[str]
    disposable_mx: frozenset[str]
    free: frozenset[str]
    relays: frozenset[str]
    mailboxes: Mailboxes
    typos: Typos
    names: NameModel
    user_agents: UserAgents


@cache
def bundled(domains: Path = DATA) -> EmailTables:
    """Loaded on first use, once per process (27 MB); `domains` is the folder of `disposable` and `free`."""
    return EmailTables(
        disposable=frozenset(_words("disposable_domains.txt", domains)),
        disposable_mx=frozenset(_words("disposable_mx.txt")),
        free=frozenset(_words("free_providers.txt", domains)),
        relays=frozenset(_words("relays.txt")),
        mailboxes=_mailboxes(),
        typos=Typos(_words("big_providers.txt"), frozenset(_words("lookalikes.txt")), is_suffix),
        names=NameModel({line[:2]: line[2:] for line in _words("name_trigrams.txt")}),
        user_agents=UserAgents((row["pattern"], row["kind"]) for row in _rows("user_agents.csv")),
    )


def of_instance(instance: Path) -> EmailTables:
    """The tables in effect, with an operator's `validation/disposable.txt`, `free.txt` and `roles.txt`.

    Raises `SettingError`.
    """
    folder, tables = instance / "validation", bundled(in_effect(instance)["validation"].path)
    domains = {name: own_lists.read(folder / f"{name}.txt", parse_domain) for name in ("disposable", "free")}
    roles = own_lists.read(folder / "roles.txt", fold)
    changed: dict[str, Any] = {
        name: (getattr(tables, name) | own.more) - own.fewer for name, own in domains.items() if own
    }
    return replace(tables, **changed, mailboxes=tables.mailboxes | roles if roles else tables.mailboxes)


def _mailboxes() -> Mailboxes:
    return Mailboxes(
        {
            row["local_part"]: MailboxWord(MailboxKind(row["kind"]), Use(row["use"]))
            for row in _rows("local_parts.csv")
        }
    )


def _words(name: str, folder: Path = DATA) -> list[str]:
    return (folder / name).read_text("ascii").split()


def _rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))
