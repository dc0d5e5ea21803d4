"""All tables, as the 36 migrations before a first release left them. Frozen."""

from typing import Any

TABLES = """
CREATE TABLE "sites" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "uuid" TEXT NOT NULL,
    "name" TEXT NOT NULL, "created_at" INTEGER NOT NULL, time_zone TEXT NOT NULL DEFAULT 'UTC');
CREATE UNIQUE INDEX "sites_uuid" ON "sites" ("uuid");
CREATE TABLE "custom_fields" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL,
    "key" TEXT NOT NULL, "name" TEXT NOT NULL, "whitelisted" INTEGER, "created_at" INTEGER NOT NULL,
    FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE UNIQUE INDEX "custom_fields_site_id_key" ON "custom_fields" ("site_id", "key");
CREATE TABLE "subscribers" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL,
    "uuid" TEXT NOT NULL, "email" TEXT NOT NULL, "email_key" TEXT NOT NULL, "first_name" TEXT NOT NULL,
    "last_name" TEXT NOT NULL, "fields" TEXT NOT NULL, "tag_ids" TEXT NOT NULL,
    "created_at" INTEGER NOT NULL, "updated_at" INTEGER NOT NULL, "last_event_at" INTEGER,
    "unsubscribed_at" INTEGER, "consent_at" INTEGER, consent_number INTEGER NOT NULL DEFAULT 0,
    created_by TEXT NOT NULL DEFAULT '', consent_kind INTEGER NOT NULL DEFAULT 0,
    unsubscribe_number INTEGER, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE UNIQUE INDEX "subscribers_site_id_email_key" ON "subscribers" ("site_id", "email_key");
CREATE UNIQUE INDEX "subscribers_site_id_uuid" ON "subscribers" ("site_id", "uuid");
CREATE INDEX "subscribers_site_id_created_at_id_updated_at_last_event__6af9bfd" ON "subscribers" ("site_id",
    "created_at", "id", "updated_at", "last_event_at", "unsubscribed_at");
CREATE INDEX "subscribers_site_id_last_event_at" ON "subscribers" ("site_id", "last_event_at",
    "created_at", "id") WHERE ("last_event_at" IS NOT NULL);
CREATE INDEX "subscribers_site_id_unsubscribed_at" ON "subscribers" ("site_id", "unsubscribed_at",
    "created_at", "id") WHERE ("unsubscribed_at" IS NOT NULL);
CREATE INDEX subscribers_site_id_domain ON subscribers (site_id, substr(email_key, instr(email_key,
    '@') + 1));
CREATE INDEX subscribers_site_id_first_name ON subscribers (site_id,
    first_name COLLATE NOCASE) WHERE first_name <> '';
CREATE INDEX subscribers_site_id_last_name ON subscribers (site_id,
    last_name COLLATE NOCASE) WHERE last_name <> '';
CREATE TABLE "events" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL,
    "subscriber_id" INTEGER NOT NULL, "type" TEXT NOT NULL, "details" TEXT NOT NULL, "unique_key" TEXT,
    "occurred_at" INTEGER NOT NULL, "created_at" INTEGER NOT NULL,
    FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE,
    FOREIGN KEY ("subscriber_id") REFERENCES "subscribers" ("id") ON DELETE CASCADE);
CREATE INDEX "events_site_id_type_occurred_at" ON "events" ("site_id", "type", "occurred_at");
CREATE UNIQUE INDEX "events_site_id_type_unique_key" ON "events" ("site_id", "type",
    "unique_key") WHERE ("unique_key" IS NOT NULL);
CREATE INDEX events_subscriber_id_occurred_at_id ON events (subscriber_id, occurred_at, id);
CREATE INDEX events_site_id_id ON events (site_id, id);
CREATE TABLE "imports" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL,
    "status" TEXT NOT NULL, "rows" INTEGER NOT NULL, "applied" INTEGER NOT NULL,
    "refused" INTEGER NOT NULL, "created" INTEGER NOT NULL, "updated" INTEGER NOT NULL,
    "unchanged" INTEGER NOT NULL, "suppressed" INTEGER NOT NULL, "claim" TEXT,
    "lease_until" INTEGER NOT NULL, "attempts" INTEGER NOT NULL, "created_at" INTEGER NOT NULL,
    "started_at" INTEGER, "finished_at" INTEGER, turn INTEGER, accepted_at INTEGER, source TEXT,
    columns TEXT, unsubscribed INTEGER NOT NULL DEFAULT 0, stay_unsubscribed INTEGER NOT NULL DEFAULT 0,
    unsubscribes_ignored INTEGER NOT NULL DEFAULT 0, subscribes_ignored INTEGER NOT NULL DEFAULT 0,
    FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE INDEX "imports_site_id_id" ON "imports" ("site_id", "id");
CREATE INDEX imports_site_id_created_at ON imports (site_id, created_at);
CREATE INDEX imports_waiting ON imports (site_id, turn) WHERE status IN ('queued', 'running');
CREATE INDEX imports_receiving ON imports (lease_until) WHERE status = 'receiving';
CREATE TABLE "keys" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "publishable_key" TEXT NOT NULL,
    "secret_hash" TEXT NOT NULL, "scope" TEXT NOT NULL, "created_at" INTEGER NOT NULL,
    "revoked_at" INTEGER, expires_at INTEGER, name TEXT NOT NULL DEFAULT '', last_used_at INTEGER);
CREATE UNIQUE INDEX "keys_publishable_key" ON "keys" ("publishable_key");
CREATE TABLE "key_sites" ("key_id" INTEGER NOT NULL, "site_id" INTEGER NOT NULL, PRIMARY KEY ("site_id",
    "key_id"), FOREIGN KEY ("key_id") REFERENCES "keys" ("id") ON DELETE CASCADE,
    FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE INDEX "key_sites_key_id" ON "key_sites" ("key_id");
CREATE TABLE "subscriber_tags" ("site_id" INTEGER NOT NULL, "tag_id" INTEGER NOT NULL,
    "subscriber_id" INTEGER NOT NULL, PRIMARY KEY ("site_id", "tag_id", "subscriber_id")) WITHOUT ROWID;
CREATE TABLE "suppressions" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL,
    "address_hash" TEXT NOT NULL, "reason" TEXT NOT NULL, "since" INTEGER NOT NULL,
    number INTEGER NOT NULL DEFAULT 0, kind INTEGER NOT NULL DEFAULT 3,
    FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE UNIQUE INDEX "suppressions_site_id_address_hash" ON "suppressions" ("site_id", "address_hash");
CREATE TABLE "tags" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL, "name_key" TEXT NOT NULL, "created_at" INTEGER NOT NULL,
    bearers INTEGER NOT NULL DEFAULT 0,
    FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE UNIQUE INDEX "tags_site_id_name_key" ON "tags" ("site_id", "name_key");
CREATE TABLE segments (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, name TEXT NOT NULL,
    description TEXT NOT NULL, rules TEXT NOT NULL, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL);
CREATE INDEX segments_site_id_id ON segments (site_id, id);
CREATE TABLE reports (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, name TEXT NOT NULL,
    report_type TEXT NOT NULL, chart_style TEXT NOT NULL, segment_id INTEGER REFERENCES segments (id),
    settings TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
CREATE INDEX reports_site_id_id ON reports (site_id, id);
CREATE INDEX reports_segment_id ON reports (segment_id);
CREATE TABLE import_batches (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    import_id INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE, first_row INTEGER NOT NULL,
    payload TEXT NOT NULL);
CREATE UNIQUE INDEX import_batches_site_id_import_id_first_row ON import_batches (site_id, import_id,
    first_row);
CREATE INDEX import_batches_import_id ON import_batches (import_id);
CREATE TABLE refused_rows (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    import_id INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE, row_number INTEGER NOT NULL,
    address_hash TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL, cells TEXT NOT NULL,
    refused_at INTEGER NOT NULL);
CREATE INDEX refused_rows_import_id ON refused_rows (import_id);
CREATE INDEX refused_rows_site_id_address_hash ON refused_rows (site_id, address_hash);
CREATE INDEX refused_rows_refused_at ON refused_rows (refused_at);
CREATE TABLE "address_lists" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL, "entry" TEXT NOT NULL, "created_at" INTEGER NOT NULL,
    FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE UNIQUE INDEX "address_lists_site_id_entry" ON "address_lists" ("site_id", "entry");
CREATE TABLE "discarded_tags" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "site_id" INTEGER NOT NULL, "tag_id" INTEGER NOT NULL, name TEXT NOT NULL DEFAULT '',
    source TEXT NOT NULL DEFAULT 'operator', source_id INTEGER NOT NULL DEFAULT 0,
    FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE UNIQUE INDEX "discarded_tags_site_id_tag_id" ON "discarded_tags" ("site_id", "tag_id");
CREATE TABLE "pepper" ("id" INTEGER NOT NULL PRIMARY KEY, "check_value" TEXT NOT NULL);
CREATE TABLE "audit_log" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER,
    "actor" TEXT NOT NULL, "act" TEXT NOT NULL, "subject" TEXT NOT NULL, "subjects" INTEGER NOT NULL,
    "typed" TEXT NOT NULL, "client_network" TEXT NOT NULL, "at" INTEGER NOT NULL,
    FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE INDEX "audit_log_site_id_id" ON "audit_log" ("site_id", "id");
CREATE INDEX "audit_log_site_id_subject" ON "audit_log" ("site_id", "subject");
CREATE INDEX "audit_log_at" ON "audit_log" ("at");
CREATE INDEX "audit_log_typed" ON "audit_log" ("site_id") WHERE ("typed" != '{}');
CREATE TABLE "operators" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "email" TEXT NOT NULL,
    "email_key" TEXT, "password_hash" TEXT NOT NULL, "administrator" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL, last_site_id INTEGER);
CREATE UNIQUE INDEX "operators_email_key" ON "operators" ("email_key");
CREATE TABLE "one_time_links" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "token_hash" TEXT NOT NULL, "operator_id" INTEGER, "purpose" TEXT NOT NULL,
    "expires_at" INTEGER NOT NULL,
    FOREIGN KEY ("operator_id") REFERENCES "operators" ("id") ON DELETE CASCADE);
CREATE UNIQUE INDEX "one_time_links_token_hash" ON "one_time_links" ("token_hash");
CREATE INDEX "one_time_links_operator_id" ON "one_time_links" ("operator_id");
CREATE TABLE "operator_roles" ("operator_id" INTEGER NOT NULL, "site_id" INTEGER NOT NULL,
    "role" TEXT NOT NULL, PRIMARY KEY ("site_id", "operator_id"),
    FOREIGN KEY ("operator_id") REFERENCES "operators" ("id") ON DELETE CASCADE,
    FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE INDEX "operator_roles_operator_id" ON "operator_roles" ("operator_id");
CREATE TABLE "sessions" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "token_hash" TEXT NOT NULL,
    "operator_id" INTEGER NOT NULL, "remembered" INTEGER NOT NULL, "client_network" TEXT NOT NULL,
    "created_at" INTEGER NOT NULL, "used_at" INTEGER NOT NULL, "searches" TEXT NOT NULL,
    FOREIGN KEY ("operator_id") REFERENCES "operators" ("id") ON DELETE CASCADE);
CREATE UNIQUE INDEX "sessions_token_hash" ON "sessions" ("token_hash");
CREATE INDEX "sessions_operator_id" ON "sessions" ("operator_id");
CREATE TABLE site_counters (site_id INTEGER NOT NULL PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
    accepted INTEGER NOT NULL , users INTEGER NOT NULL DEFAULT 0,
    unsubscribers INTEGER NOT NULL DEFAULT 0, changes INTEGER NOT NULL DEFAULT 0,
    oldest_change INTEGER NOT NULL DEFAULT 1, change_bytes INTEGER NOT NULL DEFAULT 0,
    dropped_change_at INTEGER NOT NULL DEFAULT 0, accepted_at INTEGER NOT NULL DEFAULT 0);
CREATE TABLE field_values (site_id INTEGER NOT NULL, field_id INTEGER NOT NULL, folded TEXT NOT NULL,
    label TEXT NOT NULL, kind INTEGER NOT NULL, subscriber_id INTEGER NOT NULL, number NUMERIC,
    instant INTEGER, PRIMARY KEY (site_id, field_id, folded, label, kind, subscriber_id)) WITHOUT ROWID;
CREATE TABLE domains (site_id INTEGER NOT NULL, domain TEXT NOT NULL, people INTEGER NOT NULL,
    PRIMARY KEY (site_id, domain)) WITHOUT ROWID;
CREATE TABLE consent_changes (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    subscriber_id INTEGER NOT NULL REFERENCES subscribers (id) ON DELETE CASCADE, at INTEGER NOT NULL,
    subscribed INTEGER NOT NULL, source TEXT NOT NULL, source_id INTEGER NOT NULL, reason TEXT NOT NULL);
CREATE INDEX consent_changes_subscriber_id ON consent_changes (subscriber_id);
CREATE TABLE segment_counts (site_id INTEGER NOT NULL, segment_id INTEGER NOT NULL, day TEXT NOT NULL,
    people INTEGER NOT NULL, PRIMARY KEY (site_id, segment_id, day)) WITHOUT ROWID;
CREATE TABLE bulk_acts (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, kind TEXT NOT NULL,
    tag TEXT NOT NULL, status TEXT NOT NULL, actor TEXT NOT NULL, client_network TEXT NOT NULL,
    undoes INTEGER, people INTEGER NOT NULL, done INTEGER NOT NULL, changed INTEGER NOT NULL,
    created_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER , seq INTEGER NOT NULL DEFAULT 0,
    accepted_at INTEGER NOT NULL DEFAULT 0, lease_until INTEGER NOT NULL DEFAULT 0);
CREATE INDEX bulk_acts_site_id_id ON bulk_acts (site_id, id);
CREATE INDEX bulk_acts_status ON bulk_acts (status);
CREATE TABLE bulk_act_pieces (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    bulk_act_id INTEGER NOT NULL REFERENCES bulk_acts (id) ON DELETE CASCADE, ids TEXT NOT NULL,
    waiting INTEGER NOT NULL);
CREATE INDEX bulk_act_pieces_bulk_act_id_waiting_id ON bulk_act_pieces (bulk_act_id, waiting, id);
CREATE TABLE file_uploads (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, file TEXT NOT NULL,
    name TEXT NOT NULL, bytes INTEGER NOT NULL, reading TEXT NOT NULL, created_at INTEGER NOT NULL ,
    task TEXT NOT NULL DEFAULT '', actor TEXT NOT NULL DEFAULT '',
    client_network TEXT NOT NULL DEFAULT '', rows_done INTEGER NOT NULL DEFAULT 0,
    outcome TEXT NOT NULL DEFAULT '', lease_until INTEGER NOT NULL DEFAULT 0,
    import_id INTEGER NOT NULL DEFAULT 0, to_search INTEGER NOT NULL DEFAULT 0);
CREATE INDEX file_uploads_site_id_id ON file_uploads (site_id, id);
CREATE TABLE imported_files (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, import_id INTEGER NOT NULL,
    name TEXT NOT NULL, actor TEXT NOT NULL , consent TEXT NOT NULL DEFAULT '',
    answers TEXT NOT NULL DEFAULT '', digest TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX imported_files_site_id_import_id ON imported_files (site_id, import_id);
CREATE INDEX imported_files_site_id_digest ON imported_files (site_id, digest);
CREATE TABLE instance_state (id INTEGER NOT NULL PRIMARY KEY, lowest_writer INTEGER NOT NULL,
    move TEXT NOT NULL, phase TEXT NOT NULL, other TEXT NOT NULL, at INTEGER NOT NULL ,
    home TEXT NOT NULL DEFAULT '');
CREATE TABLE change_log (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, number INTEGER NOT NULL,
    count INTEGER NOT NULL, at INTEGER NOT NULL, source TEXT NOT NULL, source_id INTEGER NOT NULL,
    entries BLOB NOT NULL);
CREATE INDEX change_log_site_id_id ON change_log (site_id, id);
CREATE INDEX change_log_site_id_number ON change_log (site_id, number) WHERE count > 0;
CREATE INDEX change_log_site_id_source ON change_log (site_id, source, source_id,
    id) WHERE source IN ('import', 'bulk_act');
CREATE TABLE erased_subscribers (site_id INTEGER NOT NULL, subscriber_id INTEGER NOT NULL,
    uuid TEXT NOT NULL, number INTEGER NOT NULL, waiting INTEGER NOT NULL, PRIMARY KEY (site_id,
    subscriber_id)) WITHOUT ROWID;
CREATE INDEX erased_subscribers_waiting ON erased_subscribers (site_id) WHERE waiting = 1;
CREATE TABLE file_pieces (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, file TEXT NOT NULL,
    number INTEGER NOT NULL, content BLOB NOT NULL, created_at INTEGER NOT NULL);
CREATE UNIQUE INDEX file_pieces_site_id_file_number ON file_pieces (site_id, file, number);
CREATE TABLE logged_erasures (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, site_uuid TEXT NOT NULL,
    address_hash TEXT NOT NULL, at INTEGER NOT NULL, number INTEGER, pepper_check TEXT);
CREATE TABLE undos (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, source TEXT NOT NULL,
    source_id INTEGER NOT NULL, status TEXT NOT NULL, rows INTEGER NOT NULL,
    applied INTEGER NOT NULL DEFAULT 0, removed INTEGER NOT NULL DEFAULT 0,
    restored INTEGER NOT NULL DEFAULT 0, kept INTEGER NOT NULL DEFAULT 0,
    unsubscribed_kept INTEGER NOT NULL DEFAULT 0, unsubscribed_again INTEGER NOT NULL DEFAULT 0,
    claim TEXT, lease_until INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER, turn INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL, first_row INTEGER NOT NULL, first_number INTEGER NOT NULL,
    place_row INTEGER NOT NULL, place INTEGER NOT NULL DEFAULT 0, made TEXT NOT NULL DEFAULT '{}' ,
    resubscribed INTEGER NOT NULL DEFAULT 0, resubscribe INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX undos_site_id_source_source_id ON undos (site_id, source, source_id);
CREATE INDEX undos_waiting ON undos (site_id, turn) WHERE status IN ('queued', 'running');
CREATE TABLE undo_people (site_id INTEGER NOT NULL, undo_id INTEGER NOT NULL,
    subscriber_id INTEGER NOT NULL, outcome TEXT NOT NULL, source TEXT NOT NULL,
    source_id INTEGER NOT NULL, PRIMARY KEY (site_id, undo_id, subscriber_id)) WITHOUT ROWID;
CREATE TABLE webhooks (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, url TEXT NOT NULL,
    kinds TEXT NOT NULL, segment_id INTEGER REFERENCES segments (id), paused TEXT NOT NULL,
    nonce TEXT NOT NULL, old_nonce TEXT NOT NULL, old_nonce_until INTEGER NOT NULL,
    place INTEGER NOT NULL, run INTEGER NOT NULL, range_end INTEGER NOT NULL, resets INTEGER NOT NULL,
    failures INTEGER NOT NULL, retry_at INTEGER NOT NULL, lease_until INTEGER NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
CREATE INDEX webhooks_site_id_id ON webhooks (site_id, id);
CREATE INDEX webhooks_segment_id ON webhooks (segment_id);
CREATE TABLE webhook_deliveries (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, webhook_id INTEGER NOT NULL,
    message_id TEXT NOT NULL, kind TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    changes INTEGER NOT NULL, at INTEGER NOT NULL, status INTEGER, milliseconds INTEGER NOT NULL,
    answer TEXT NOT NULL, failure TEXT NOT NULL);
CREATE INDEX webhook_deliveries_at ON webhook_deliveries (at);
CREATE INDEX webhook_deliveries_site_id_webhook_id_id ON webhook_deliveries (site_id, webhook_id, id);
CREATE INDEX webhook_deliveries_answered ON webhook_deliveries (site_id) WHERE answer <> '';
CREATE TABLE "changed_subscribers" (site_id INTEGER NOT NULL, part INTEGER NOT NULL,
    subscriber_id INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (site_id, part, subscriber_id,
    number)) WITHOUT ROWID;
CREATE TABLE moved_addresses (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE, address_hash TEXT NOT NULL,
    subscriber_id INTEGER NOT NULL, number INTEGER NOT NULL, came INTEGER NOT NULL);
CREATE INDEX moved_addresses_site_id_number ON moved_addresses (site_id, number);
CREATE TABLE sent_forms (session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    form TEXT NOT NULL, result TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (session_id, form))
"""
STATE = "INSERT INTO instance_state VALUES (1, 1, '', '', '', 0, '')"


def up(_migrator: Any, db: Any) -> None:
    for statement in (*TABLES.split(";"), STATE):
        db.execute_sql(statement)
