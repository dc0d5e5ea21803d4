"""Spreading the tables over the nodes of Citus, where the server has that extension.

Tables in `LOCAL` stay on the coordinator, so that they are written while a node is down. Every node has a
copy of `COPIED`. All others are distributed by site: the rows of one site are on one node.
"""

import json
from typing import Any

HAS_CITUS = "SELECT to_regprocedure('create_reference_table(regclass)') IS NOT NULL"
COPIED = "sites"  # joined with tables of sites
LOCAL = (
    "keys", "key_sites", "operators", "operator_roles", "sessions", "one_time_links", "sent_forms",
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

ON_NODE = """
SELECT json_build_array(
    concat('PostgreSQL ', current_setting('server_version'),
        ', Citus ' || (SELECT extversion FROM pg_extension WHERE extname = 'citus')),
    pg_database_size(current_database()) / 1048576,
    (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
    current_setting('max_connections'),
    (SELECT count(*) FROM pg_prepared_xacts
        WHERE database = current_database() AND prepared < now() - INTERVAL '1 minute'))
"""
NODES = """
SELECT coalesce(nodename || ':' || nodeport, 'this server'), success, result
FROM run_command_on_all_nodes(%s, give_warning_for_connection_errors => TRUE)
LEFT JOIN pg_dist_node USING (nodeid) ORDER BY 1
"""
DOWN = "Nothing of its sites is read or written, and no site is made: start it, or promote its standby."
PREPARED = "They hold locks: run `SELECT recover_prepared_transactions()` on the coordinator."
DIFFERENT = "Upgrade the others, too."


def nodes(opened: Any) -> list[tuple[str, str]]:
    """Asks each node. Returns (finding, advice or "") pairs about the nodes; empty without Citus."""
    if not opened.execute_sql(HAS_CITUS).fetchone()[0]:
        return []
    lines, versions = [], set()
    for name, answered, text in opened.execute_sql(NODES, (ON_NODE,)).fetchall():
        if not answered:
            lines.append((f"node {name} does not answer: {text}", DOWN))
            continue
        version, megabytes, used, most, prepared = json.loads(text)
        versions.add(version)
        lines.append((f"node {name}: {version}, {megabytes} MB, {used} of {most} connections", ""))
        if prepared:
            lines.append((f"node {name} has {prepared} transactions prepared over a minute ago", PREPARED))
    return lines + ([("nodes have different versions", DIFFERENT)] if len(versions) > 1 else [])


def distribute(opened: Any) -> None:
    """Copies or distributes tables that are not spread yet, in the caller's transaction, on Citus only."""
    if not opened.execute_sql(HAS_CITUS).fetchone()[0]:
        return
    records = opened.execute_sql("SELECT CAST(logicalrelid AS text) FROM pg_dist_partition").fetchall()
    spread = {name for (name,) in records}
    if COPIED not in spread:
        opened.execute_sql("SELECT create_reference_table(CAST(%s AS regclass))", (COPIED,))
    of_sites = [name for name, _ in opened.execute_sql(OF_SITES).fetchall() if name not in LOCAL]
    for table in sorted(of_sites, key=lambda name: name != FIRST):
        if table not in spread:
            _distribute(opened, table)


def _distribute(opened: Any, table: str) -> None:
    beside = "" if table == FIRST else f", colocate_with => '{FIRST}'"
    opened.execute_sql(
        f"SELECT create_distributed_table(CAST(%s AS regclass), 'site_id'{beside})",
        (table,),
    )
