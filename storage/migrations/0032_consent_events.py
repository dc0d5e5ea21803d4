"""The consent event that counts: its kind beside instant and number, and the newest unsubscribe. Frozen.

Of dates nothing is known any more: what counts is taken for undated. Who came in unconfirmed and said nothing
since is known by the newest row of the history. What was accepted before has the newest instant of the site.
"""

from typing import Any

COLUMNS = """
ALTER TABLE subscribers ADD COLUMN consent_kind INTEGER NOT NULL DEFAULT 0;
ALTER TABLE subscribers ADD COLUMN unsubscribe_number INTEGER;
ALTER TABLE suppressions ADD COLUMN kind INTEGER NOT NULL DEFAULT 3;
ALTER TABLE site_counters ADD COLUMN accepted_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN unsubscribes_ignored INTEGER NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN subscribes_ignored INTEGER NOT NULL DEFAULT 0;
ALTER TABLE bulk_acts ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE bulk_acts ADD COLUMN accepted_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE undos ADD COLUMN resubscribed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE undos ADD COLUMN resubscribe INTEGER NOT NULL DEFAULT 0;
CREATE TABLE moved_addresses (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    address_hash TEXT NOT NULL, subscriber_id INTEGER NOT NULL, number INTEGER NOT NULL,
    came INTEGER NOT NULL
);
CREATE INDEX moved_addresses_site_id_number ON moved_addresses (site_id, number)
"""
ROWS = """
UPDATE subscribers SET consent_kind = 3, consent_at = coalesce(consent_at, unsubscribed_at),
    unsubscribe_number = consent_number WHERE unsubscribed_at IS NOT NULL;
UPDATE subscribers SET consent_kind = 2 WHERE unsubscribed_at IS NULL AND consent_at IS NOT NULL;
UPDATE subscribers SET consent_kind = 1, unsubscribe_number = NULL
    WHERE unsubscribed_at IS NOT NULL AND EXISTS (
        SELECT 1 FROM consent_changes AS c WHERE c.site_id = subscribers.site_id
            AND c.subscriber_id = subscribers.id AND c.reason = 'unconfirmed'
            AND c.at = subscribers.consent_at
    );
UPDATE site_counters SET accepted_at = coalesce(
    (SELECT max(s.consent_at) FROM subscribers AS s WHERE s.site_id = site_counters.site_id), 0
);
UPDATE site_counters SET accepted_at = coalesce(
    (SELECT max(x.since) FROM suppressions AS x WHERE x.site_id = site_counters.site_id), 0
) WHERE accepted_at < (SELECT max(x.since) FROM suppressions AS x WHERE x.site_id = site_counters.site_id);
UPDATE site_counters SET accepted_at = coalesce(
    (SELECT max(i.accepted_at) FROM imports AS i WHERE i.site_id = site_counters.site_id), 0
) WHERE accepted_at < (SELECT max(i.accepted_at) FROM imports AS i WHERE i.site_id = site_counters.site_id);
UPDATE bulk_acts SET accepted_at = created_at, seq = coalesce(
    (SELECT c.accepted FROM site_counters AS c WHERE c.site_id = bulk_acts.site_id), 0
) WHERE status IN ('selecting', 'queued', 'running', 'failed')
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in (COLUMNS + ";" + ROWS).split(";"):
        db.execute_sql(statement)
