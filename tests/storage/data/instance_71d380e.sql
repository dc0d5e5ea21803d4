-- An instance made by commit 71d380e. Its pepper is 32 times the letter p.
CREATE TABLE "schema_migration" ("id" INTEGER NOT NULL PRIMARY KEY, "name" VARCHAR(255) NOT NULL, "applied" DATETIME NOT NULL);
CREATE TABLE "sites" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "uuid" TEXT NOT NULL, "name" TEXT NOT NULL, "user_count" INTEGER NOT NULL, "unsubscriber_count" INTEGER NOT NULL, "created_at" INTEGER NOT NULL, time_zone TEXT NOT NULL DEFAULT 'UTC');
CREATE TABLE "custom_fields" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "key" TEXT NOT NULL, "name" TEXT NOT NULL, "whitelisted" INTEGER, "created_at" INTEGER NOT NULL, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE TABLE "subscribers" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "uuid" TEXT NOT NULL, "email" TEXT NOT NULL, "email_key" TEXT NOT NULL, "first_name" TEXT NOT NULL, "last_name" TEXT NOT NULL, "fields" TEXT NOT NULL, "tag_ids" TEXT NOT NULL, "created_at" INTEGER NOT NULL, "updated_at" INTEGER NOT NULL, "last_event_at" INTEGER, "unsubscribed_at" INTEGER, "consent_at" INTEGER, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE TABLE "events" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "subscriber_id" INTEGER NOT NULL, "type" TEXT NOT NULL, "details" TEXT NOT NULL, "unique_key" TEXT, "occurred_at" INTEGER NOT NULL, "created_at" INTEGER NOT NULL, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE, FOREIGN KEY ("subscriber_id") REFERENCES "subscribers" ("id") ON DELETE CASCADE);
CREATE TABLE "imports" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "status" TEXT NOT NULL, "rows" INTEGER NOT NULL, "applied" INTEGER NOT NULL, "refused" INTEGER NOT NULL, "created" INTEGER NOT NULL, "updated" INTEGER NOT NULL, "unchanged" INTEGER NOT NULL, "suppressed" INTEGER NOT NULL, "claim" TEXT, "lease_until" INTEGER NOT NULL, "attempts" INTEGER NOT NULL, "created_at" INTEGER NOT NULL, "started_at" INTEGER, "finished_at" INTEGER, turn INTEGER, accepted_at INTEGER, source TEXT, columns TEXT, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE TABLE "keys" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "publishable_key" TEXT NOT NULL, "secret_hash" TEXT NOT NULL, "scope" TEXT NOT NULL, "created_at" INTEGER NOT NULL, "revoked_at" INTEGER, expires_at INTEGER);
CREATE TABLE "key_sites" ("key_id" INTEGER NOT NULL, "site_id" INTEGER NOT NULL, PRIMARY KEY ("site_id", "key_id"), FOREIGN KEY ("key_id") REFERENCES "keys" ("id") ON DELETE CASCADE, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE TABLE "subscriber_tags" ("site_id" INTEGER NOT NULL, "tag_id" INTEGER NOT NULL, "subscriber_id" INTEGER NOT NULL, PRIMARY KEY ("site_id", "tag_id", "subscriber_id")) WITHOUT ROWID;
CREATE TABLE "suppressions" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "address_hash" TEXT NOT NULL, "reason" TEXT NOT NULL, "since" INTEGER NOT NULL, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE TABLE "tags" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "name" TEXT NOT NULL, "name_key" TEXT NOT NULL, "created_at" INTEGER NOT NULL, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE TABLE segments (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    rules TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE TABLE reports (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    report_type TEXT NOT NULL,
    chart_style TEXT NOT NULL,
    segment_id INTEGER REFERENCES segments (id),
    settings TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE TABLE import_batches (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    import_id INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
    first_row INTEGER NOT NULL,
    payload TEXT NOT NULL
);
CREATE TABLE refused_rows (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    import_id INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
    row_number INTEGER NOT NULL,
    address_hash TEXT NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    cells TEXT NOT NULL,
    refused_at INTEGER NOT NULL
);
CREATE TABLE "address_lists" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "kind" TEXT NOT NULL, "entry" TEXT NOT NULL, "created_at" INTEGER NOT NULL, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE TABLE "discarded_tags" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "tag_id" INTEGER NOT NULL, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
INSERT INTO schema_migration VALUES (1,'0001_people','2026-11-22 01:30:08.756692');
INSERT INTO schema_migration VALUES (2,'0002_segments_and_reports','2026-11-22 01:30:08.761235');
INSERT INTO schema_migration VALUES (3,'0003_files','2026-11-22 01:30:08.770522');
INSERT INTO schema_migration VALUES (4,'0004_address_lists','2026-11-22 01:30:08.772120');
INSERT INTO schema_migration VALUES (5,'0005_keys_expire','2026-11-22 01:30:08.773106');
INSERT INTO schema_migration VALUES (6,'0006_discarded_tags','2026-11-22 01:30:08.774270');
INSERT INTO sites VALUES (1,'cc77f9ee-1c12-4838-b036-e00144d4ab7c','Example',2,0,1795311008774,'Europe/Berlin');
INSERT INTO sqlite_sequence VALUES ('reports',10);
INSERT INTO sqlite_sequence VALUES ('import_batches',2);
INSERT INTO sqlite_sequence VALUES ('sites',1);
INSERT INTO sqlite_sequence VALUES ('keys',1);
INSERT INTO sqlite_sequence VALUES ('tags',3);
INSERT INTO sqlite_sequence VALUES ('custom_fields',2);
INSERT INTO sqlite_sequence VALUES ('subscribers',4);
INSERT INTO sqlite_sequence VALUES ('events',1);
INSERT INTO sqlite_sequence VALUES ('suppressions',1);
INSERT INTO sqlite_sequence VALUES ('imports',2);
INSERT INTO sqlite_sequence VALUES ('segments',1);
INSERT INTO custom_fields VALUES (1,1,'plan','Plan',NULL,1795311008833);
INSERT INTO custom_fields VALUES (2,1,'age','Age',NULL,1795311008833);
INSERT INTO subscribers VALUES (1,1,'01a200df-fc4a-77f6-8599-dad387dc1173','Ann@example.com','ann@example.com','Ann','Lee','{"plan":"pro","age":42}','[1,2]',1795311008833,1795311008843,1795311008843,NULL,NULL);
INSERT INTO subscribers VALUES (4,1,'01a200df-fc55-70b8-86f6-fdb83e92fb87','cy@example.com','cy@example.com','','','{}','[3]',1795311008853,1795311008853,NULL,NULL,NULL);
INSERT INTO events VALUES (1,1,1,'visit','{"page":"/"}',NULL,1795311008843,1795311008843);
INSERT INTO imports VALUES (1,1,'finished',1,1,0,1,0,0,0,NULL,1795311018858,1,1795311008851,1795311008852,1795311008858,1,1795311008851,NULL,NULL);
INSERT INTO imports VALUES (2,1,'queued',1,0,0,0,0,0,0,NULL,0,0,1795311008861,NULL,NULL,1,1795311008861,NULL,NULL);
INSERT INTO keys VALUES (1,'pk_r1FWA2Oa1tmikKuuksWz0fPuqDL3FJfwD','f72e3915013adb282b285022a29a4aa6ae21192d2435abd27ce6dee8d0f48569','full',1795311008832,NULL,NULL);
INSERT INTO key_sites VALUES (1,1);
INSERT INTO subscriber_tags VALUES (1,1,1);
INSERT INTO subscriber_tags VALUES (1,2,1);
INSERT INTO subscriber_tags VALUES (1,3,4);
INSERT INTO suppressions VALUES (1,1,'97096765a3e65a90c1188572c74b1a502d54195b4b071b6c8bfd8bbf62d3d7ae','erased',1795311008845);
INSERT INTO tags VALUES (1,1,'vip','vip',1795311008833);
INSERT INTO tags VALUES (2,1,'Berlin','berlin',1795311008833);
INSERT INTO tags VALUES (3,1,'new','new',1795311008853);
INSERT INTO segments VALUES (1,1,'Customers','','{"tag":{"is":"vip"}}',1795311008862,1795311008862);
INSERT INTO reports VALUES (1,1,'People','Reporting::Reports::VisitorCountReport','count',NULL,'{}',1795311008774,1795311008774);
INSERT INTO reports VALUES (2,1,'New people','Reporting::Reports::NewVisitorsReport','column_chart',NULL,'{"unit":"day","days":30}',1795311008774,1795311008774);
INSERT INTO reports VALUES (3,1,'Unsubscribes','Reporting::Reports::UnsubscribesReport','column_chart',NULL,'{"unit":"day","days":30}',1795311008774,1795311008774);
INSERT INTO reports VALUES (4,1,'Net growth','Reporting::Reports::NetGrowthReport','column_chart',NULL,'{"unit":"week","days":90}',1795311008774,1795311008774);
INSERT INTO reports VALUES (5,1,'Total people','Reporting::Reports::TotalVisitorsReport','area_chart',NULL,'{"unit":"day","days":90}',1795311008774,1795311008774);
INSERT INTO reports VALUES (6,1,'People per tag','Reporting::Reports::VisitorsByTagReport','column_chart',NULL,'{}',1795311008774,1795311008774);
INSERT INTO reports VALUES (7,1,'People per e-mail domain','Reporting::Reports::VisitorsByDomainReport','column_chart',NULL,'{}',1795311008774,1795311008774);
INSERT INTO reports VALUES (8,1,'Events','Reporting::Reports::EventsReport','line_chart',NULL,'{"unit":"day","days":30}',1795311008774,1795311008774);
INSERT INTO reports VALUES (9,1,'Imports','Reporting::Reports::ImportsReport','column_chart',NULL,'{"unit":"day","days":30}',1795311008774,1795311008774);
INSERT INTO reports VALUES (10,1,'Customers by domain','Reporting::Reports::VisitorsByDomainReport','column_chart',1,'{}',1795311008866,1795311008866);
INSERT INTO import_batches VALUES (2,1,2,0,'[{"email": "dee@example.com"}]');
CREATE UNIQUE INDEX "schema_migration_name" ON "schema_migration" ("name");
CREATE UNIQUE INDEX "sites_uuid" ON "sites" ("uuid");
CREATE UNIQUE INDEX "custom_fields_site_id_key" ON "custom_fields" ("site_id", "key");
CREATE UNIQUE INDEX "subscribers_site_id_email_key" ON "subscribers" ("site_id", "email_key");
CREATE UNIQUE INDEX "subscribers_site_id_uuid" ON "subscribers" ("site_id", "uuid");
CREATE INDEX "subscribers_site_id_created_at_id_updated_at_last_event__6af9bfd" ON "subscribers" ("site_id", "created_at", "id", "updated_at", "last_event_at", "unsubscribed_at");
CREATE INDEX "subscribers_site_id_updated_at_created_at_id" ON "subscribers" ("site_id", "updated_at", "created_at", "id");
CREATE INDEX "subscribers_site_id_last_event_at" ON "subscribers" ("site_id", "last_event_at", "created_at", "id") WHERE ("last_event_at" IS NOT NULL);
CREATE INDEX "subscribers_site_id_unsubscribed_at" ON "subscribers" ("site_id", "unsubscribed_at", "created_at", "id") WHERE ("unsubscribed_at" IS NOT NULL);
CREATE INDEX "events_subscriber_id" ON "events" ("subscriber_id");
CREATE INDEX "events_site_id_type_occurred_at" ON "events" ("site_id", "type", "occurred_at");
CREATE UNIQUE INDEX "events_site_id_type_unique_key" ON "events" ("site_id", "type", "unique_key") WHERE ("unique_key" IS NOT NULL);
CREATE INDEX "imports_site_id_id" ON "imports" ("site_id", "id");
CREATE UNIQUE INDEX "keys_publishable_key" ON "keys" ("publishable_key");
CREATE INDEX "key_sites_key_id" ON "key_sites" ("key_id");
CREATE UNIQUE INDEX "suppressions_site_id_address_hash" ON "suppressions" ("site_id", "address_hash");
CREATE UNIQUE INDEX "tags_site_id_name_key" ON "tags" ("site_id", "name_key");
CREATE INDEX segments_site_id_id ON segments (site_id, id);
CREATE INDEX reports_site_id_id ON reports (site_id, id);
CREATE INDEX reports_segment_id ON reports (segment_id);
CREATE INDEX imports_site_id_created_at ON imports (site_id, created_at);
CREATE UNIQUE INDEX import_batches_site_id_import_id_first_row
    ON import_batches (site_id, import_id, first_row);
CREATE INDEX import_batches_import_id ON import_batches (import_id);
CREATE INDEX refused_rows_import_id ON refused_rows (import_id);
CREATE INDEX refused_rows_site_id_address_hash ON refused_rows (site_id, address_hash);
CREATE INDEX refused_rows_refused_at ON refused_rows (refused_at);
CREATE INDEX imports_waiting ON imports (site_id, turn) WHERE status IN ('queued', 'running');
CREATE INDEX imports_receiving ON imports (lease_until) WHERE status = 'receiving';
CREATE UNIQUE INDEX "address_lists_site_id_entry" ON "address_lists" ("site_id", "entry");
CREATE UNIQUE INDEX "discarded_tags_site_id_tag_id" ON "discarded_tags" ("site_id", "tag_id");
