"""The bundled tables of validation (`audience/data/validation`)."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from audience.answers import own_lists
from audience.answers.domains import parse_domain
from audience.answers.folding import fold
from audience.answers.tables import BUNDLED, in_effect, lines, rows
from audience.answers.validation.gibberish import NameModel
from audience.answers.validation.mailbox import Mailboxes, MailboxKind, MailboxWord, Use
from audience.answers.validation.typos import Typos
from audience.answers.validation.user_agent import UserAgents

DATA = BUNDLED / "validation"


@dataclass(frozen=True, kw_only=True)
class EmailTables:
    """The tables by which addresses are validated. Their domains are A-labels in lower case; those in sets
    cover their subdomains.
    """

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
    """The bundled tables, loaded on first use, once per process (27 MB). The folder `domains` has the tables
    of disposable domains and of free providers.
    """
    return EmailTables(
        disposable=frozenset((domains / "disposable_domains.txt").read_text("ascii").split()),
        disposable_mx=frozenset(lines("validation/disposable_mx")),
        free=free_providers(domains),
        relays=frozenset(lines("validation/relays")),
        mailboxes=_mailboxes(),
        typos=Typos(
            lines("validation/big_providers"),
            frozenset(lines("validation/lookalikes")),
            free_providers(domains),
        ),
        names=NameModel({line[:2]: line[2:] for line in lines("validation/name_trigrams")}),
        user_agents=UserAgents((row["pattern"], row["kind"]) for row in rows("validation/user_agents")),
    )


@cache
def free_providers(domains: Path = DATA) -> frozenset[str]:
    """The domains under which anybody can have a mailbox, by the table in the folder `domains`."""
    return frozenset((domains / "free_providers.txt").read_text("ascii").split())


def load_tables(instance: Path) -> EmailTables:
    """The tables in effect, changed by the operator's own lists `disposable.txt`, `free.txt` and `roles.txt`
    in `validation`. Raises `SettingError`.
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
            for row in rows("validation/local_parts")
        }
    )
