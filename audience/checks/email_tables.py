"""The bundled tables that validation looks things up in (`audience/data/email`)."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from audience.checks.domains import is_suffix
from audience.checks.gibberish import NameModel
from audience.checks.mailbox import MailboxKind
from audience.checks.typos import Typos
from audience.checks.user_agent import UserAgents

DATA = Path(__file__).parent.parent / "data" / "email"


@dataclass(frozen=True, kw_only=True)
class EmailTables:
    """Domains are A-labels in lower case; those of the sets speak for their subdomains too."""

    disposable: frozenset[str]
    disposable_mx: frozenset[str]
    free: frozenset[str]
    mailboxes: Mapping[str, MailboxKind]
    typos: Typos
    names: NameModel
    user_agents: UserAgents


@cache
def bundled() -> EmailTables:
    """Read once a process, at first use (0.05 s, 12 MB)."""
    return EmailTables(
        disposable=frozenset(_words("disposable_domains.txt")),
        disposable_mx=frozenset(_words("disposable_mx.txt")),
        free=frozenset(_words("free_providers.txt")),
        mailboxes={row["local_part"]: MailboxKind(row["kind"]) for row in _rows("local_parts.csv")},
        typos=Typos(_words("big_providers.txt"), frozenset(_words("lookalikes.txt")), is_suffix),
        names=NameModel({line[:2]: line[2:] for line in _words("name_trigrams.txt")}),
        user_agents=UserAgents((row["pattern"], row["kind"]) for row in _rows("user_agents.csv")),
    )


def _words(name: str) -> list[str]:
    return (DATA / name).read_text("ascii").split()


def _rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))
