"""The history of a database's migrations, and which histories this code can take over.

A database whose history ends with `LAST_BEFORE` has exactly the tables that `FIRST` makes. Its history is
therefore replaced by `FIRST`. A database whose history ends earlier has other tables. The commit
`UPGRADE_WITH`, the last that knows them, must upgrade it first.
"""

from typing import NamedTuple

from playhouse.migrations import Runner

FIRST, LAST_BEFORE = "0001_first", "0036_compared_tags"
UPGRADE_WITH = "55bcc547c6c9d9c94b6f8ad459a68533a375d855"
NEWER = "the database is newer than this Audience (it has {}): upgrade Audience"
EARLIER = (
    "the database is too old for this Audience (it ends with {}): upgrade it with commit "
    f"{UPGRADE_WITH[:7]} first, see docs/operations.md"
)


class Migrations(NamedTuple):
    """The names of the unapplied migrations. `refusal` says why this code cannot apply them, or is ""."""

    pending: list[str]
    refusal: str = ""


def read(runner: Runner) -> Migrations:
    """Compares the migrations of this code with those that the database has applied."""
    names = [str(migration.name) for migration in runner.migrations()]
    applied = {str(name) for name in runner.applied()}
    if applied and FIRST not in applied:
        newest = max(applied)
        return Migrations(names, "" if newest == LAST_BEFORE else EARLIER.format(newest))
    if newer := applied - {*names}:
        return Migrations([], NEWER.format(max(newer)))
    return Migrations([name for name in names if name not in applied])


def replace_old_history(runner: Runner) -> None:
    """Replaces the history with `FIRST` if it contains `LAST_BEFORE`; otherwise changes nothing."""
    if LAST_BEFORE in runner.applied():
        with runner.database.atomic():
            runner.History.delete().execute()
            runner.fake(FIRST)


def take_step(runner: Runner, name: str) -> list[str]:
    """Runs one batch of the first pending migration, or the migration itself after its last batch, in a
    transaction. Returns the names of the applied migrations.
    """
    [module] = [migration.load() for migration in runner.migrations() if migration.name == name]
    with runner.database.atomic():
        if hasattr(module, "batch") and module.batch(runner.database):
            return []
        return [str(applied) for applied in runner.up(name)]


def needs_backup(runner: Runner, pending: list[str]) -> bool:
    """Whether a pending migration is not additive, so that older code cannot use the database after it."""
    return any(
        not getattr(migration.load(), "ADDITIVE", False)
        for migration in runner.migrations()
        if migration.name in pending
    )
