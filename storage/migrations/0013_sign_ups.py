"""Sign-ups, their counts and alarm, what mailboxes were sent, and proofs of consent. Frozen."""

from typing import Any

ADDITIVE = True
STATEMENTS = """
CREATE TABLE sign_ups (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, form_id INTEGER NOT NULL,
    nonce TEXT NOT NULL, number INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
    address_hash TEXT NOT NULL, email TEXT NOT NULL, first_name TEXT NOT NULL, last_name TEXT NOT NULL,
    tags TEXT NOT NULL, version INTEGER NOT NULL, language TEXT NOT NULL, origin TEXT NOT NULL,
    network TEXT NOT NULL, country TEXT NOT NULL, agent TEXT NOT NULL, asked_by TEXT NOT NULL,
    base_url TEXT NOT NULL, requested_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, next_try_at INTEGER, said TEXT NOT NULL DEFAULT '', sent_at INTEGER,
    confirmed_at INTEGER, subscriber_id INTEGER);
CREATE UNIQUE INDEX sign_ups_site_id_nonce ON sign_ups (site_id, nonce);
CREATE INDEX sign_ups_site_id_address_hash ON sign_ups (site_id, address_hash);
CREATE INDEX sign_ups_site_id_status_id ON sign_ups (site_id, status, id);
CREATE INDEX sign_ups_expires_at ON sign_ups (expires_at);
CREATE INDEX sign_ups_sent ON sign_ups (site_id, sent_at) WHERE sent_at IS NOT NULL;
CREATE TABLE sign_up_counts (site_id INTEGER NOT NULL, hour INTEGER NOT NULL, form_id INTEGER NOT NULL,
    outcome TEXT NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (site_id, hour, form_id, outcome)) WITHOUT ROWID;
CREATE TABLE mailbox_counts (hash TEXT NOT NULL PRIMARY KEY, times TEXT NOT NULL,
    last_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX mailbox_counts_last_at ON mailbox_counts (last_at);
CREATE TABLE sign_up_alarms (site_id INTEGER NOT NULL PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
    held_at INTEGER NOT NULL, judged_from INTEGER NOT NULL, told_at INTEGER NOT NULL);
CREATE TABLE consent_proofs (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    subscriber_id INTEGER NOT NULL REFERENCES subscribers (id) ON DELETE CASCADE, form_id INTEGER NOT NULL,
    version INTEGER NOT NULL, language TEXT NOT NULL, origin TEXT NOT NULL, asked_by TEXT NOT NULL,
    requested_at INTEGER NOT NULL, requested_from TEXT NOT NULL, country TEXT NOT NULL,
    confirmed_at INTEGER NOT NULL, confirmed_from TEXT NOT NULL, confirmed_by TEXT NOT NULL,
    seconds INTEGER NOT NULL, agent TEXT NOT NULL);
CREATE INDEX consent_proofs_subscriber_id ON consent_proofs (subscriber_id);
CREATE INDEX consent_proofs_site_id_form_id_version ON consent_proofs (site_id, form_id, version)
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in STATEMENTS.split(";"):
        db.execute_sql(statement)
