"""Spreading the tables over the nodes of Citus, where the server has that extension.

Every node has a copy of the tables in `COPIED`. All others are distributed by site: the rows of one site are
on one node.
"""

from typing import Any

HAS_CITUS = "SELECT to_regprocedure('create_reference_table(regclass)') IS NOT NULL"
COPIED = (  # referenced tables before those that reference them
    "sites", "keys", "key_sites", "operators", "operator_roles", "sessions", "one_time_links", "sent_forms",
    "audit_log", "pepper", "instance_state", "logged_erasures", "mailbox_counts",
)  # fmt: skip
FIRST = "site_counters"  # the other distributed tables are colocated with it
OF_SITES = """
SELECT CAST(a.attrelid AS regclass)::text, EXISTS
    (SELECT 1 FROM pg_constraint AS c WHERE c.conrelid = a.attrelid AND c.contype = 'f') AS refers
FROM pg_attribute AS a JOIN pg_class AS t ON t.oid = a.attrelid
WHERE a.attname = 'site_id' AND NOT a.attisdropped AND t.relkind = 'r'
    AND t.relnamespace = CAST(current_schema() AS regnamespace)
ORDER BY refers, 1
"""


def distribute(opened: Any) -> None:
    """Copies or distributes tables that are not spread yet, in the caller's transaction, on Citus only."""
    if not opened.execute_sql(HAS_CITUS).fetchone()[0]:
        return
    records = opened.execute_sql("SELECT CAST(logicalrelid AS text) FROM pg_dist_partition").fetchall()
    spread = {name for (name,) in records}
    for table in COPIED:
        if table not in spread:
            opened.execute_sql("SELECT create_reference_table(CAST(%s AS regclass))", (table,))
    of_sites = [name for name, _ in opened.execute_sql(OF_SITES).fetchall() if name not in COPIED]
    for table in sorted(of_sites, key=lambda name: name != FIRST):
        if table not in spread:
            _distribute(opened, table)


def _distribute(opened: Any, table: str) -> None:
    beside = "" if table == FIRST else f", colocate_with => '{FIRST}'"
    opened.execute_sql(
        f"SELECT create_distributed_table(CAST(%s AS regclass), 'site_id'{beside})",
        (table,),
    )
