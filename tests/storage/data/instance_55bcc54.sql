-- An instance made by commit 55bcc54. Its pepper is 32 times the letter p.
BEGIN TRANSACTION;
CREATE TABLE "address_lists" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "kind" TEXT NOT NULL, "entry" TEXT NOT NULL, "created_at" INTEGER NOT NULL, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE TABLE "audit_log" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER, "actor" TEXT NOT NULL, "act" TEXT NOT NULL, "subject" TEXT NOT NULL, "subjects" INTEGER NOT NULL, "typed" TEXT NOT NULL, "client_network" TEXT NOT NULL, "at" INTEGER NOT NULL, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
INSERT INTO "audit_log" VALUES(1,1,'operator','webhook made','webhook 1',1,'{}','',1795731412755);
INSERT INTO "audit_log" VALUES(2,NULL,'operator','operator added','op@example.org',1,'{}','',1795731412794);
INSERT INTO "audit_log" VALUES(3,1,'operator','role owner given','op@example.org',1,'{}','',1795731412794);
INSERT INTO "audit_log" VALUES(4,1,'operator','many unsubscribed, begun','act 1',2,'{}','',1795731412813);
CREATE TABLE bulk_act_pieces (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    bulk_act_id INTEGER NOT NULL REFERENCES bulk_acts (id) ON DELETE CASCADE,
    ids TEXT NOT NULL,
    waiting INTEGER NOT NULL
);
INSERT INTO "bulk_act_pieces" VALUES(1,1,1,'[8, 9]',1);
CREATE TABLE bulk_acts (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    tag TEXT NOT NULL,
    status TEXT NOT NULL,
    actor TEXT NOT NULL,
    client_network TEXT NOT NULL,
    undoes INTEGER,
    people INTEGER NOT NULL,
    done INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER
, seq INTEGER NOT NULL DEFAULT 0, accepted_at INTEGER NOT NULL DEFAULT 0, lease_until INTEGER NOT NULL DEFAULT 0);
INSERT INTO "bulk_acts" VALUES(1,1,'unsubscribe','','queued','operator','',NULL,2,0,0,1795731412811,NULL,NULL,1795311008861007,1795731412813,14149877);
CREATE TABLE change_log (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    count INTEGER NOT NULL,
    at INTEGER NOT NULL,
    source TEXT NOT NULL,
    source_id INTEGER NOT NULL,
    entries BLOB NOT NULL
);
INSERT INTO "change_log" VALUES(1,1,1,1,1795731412558,'migration',0,X'7801AB562A4A2D4E2D51B22A292A4DAD050026D8055A');
INSERT INTO "change_log" VALUES(2,1,2,1,1795731412735,'import',2,X'7801AB564A2E4A4D2C494D51B28A368DAD05002AC8053C');
INSERT INTO "change_log" VALUES(3,1,3,6,1795731412750,'import',3,X'7801AB564A2E4A4D2C494D51B28A36D331D7B1D0B1D43134D031348CAD050072DD0784');
INSERT INTO "change_log" VALUES(4,1,9,1,1795731412795,'operator',0,X'7801AB564ACE48CC4B4F4D51B28A8E36D3A9562ACD2B2E4D2A4E2ECA4C4A4D894F2C51B23234B73435373634313402326AB1A9C82BCDC9D1514ACECF2B4ECD036A8806F30D740C626B63637594129393530B4A4016804C3236343430B0B030039226B500410827F5');
INSERT INTO "change_log" VALUES(5,1,10,1,1795731412801,'operator',0,X'7801AB564ACE48CC4B4F4D51B28A8E36D3A9564ACD4DCCCC51B252CACD2F4B4D7148AD48CC2DC849D5CB2F4A57AA45922D3040958A8DAD0500B78919C2');
INSERT INTO "change_log" VALUES(6,1,11,1,1795731412805,'operator',0,X'7801AB564A2D4A2C4E4D51B28A368FAD0500251304DA');
CREATE TABLE "changed_subscribers" (
    site_id INTEGER NOT NULL,
    part INTEGER NOT NULL,
    subscriber_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (site_id, part, subscriber_id, number)
) WITHOUT ROWID;
INSERT INTO "changed_subscribers" VALUES(1,0,6,9);
INSERT INTO "changed_subscribers" VALUES(1,0,6,10);
CREATE TABLE consent_changes (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    subscriber_id INTEGER NOT NULL REFERENCES subscribers (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    subscribed INTEGER NOT NULL,
    source TEXT NOT NULL,
    source_id INTEGER NOT NULL,
    reason TEXT NOT NULL
);
INSERT INTO "consent_changes" VALUES(1,1,6,1795731412795,0,'operator',0,'word');
CREATE TABLE "custom_fields" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "key" TEXT NOT NULL, "name" TEXT NOT NULL, "whitelisted" INTEGER, "created_at" INTEGER NOT NULL, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
INSERT INTO "custom_fields" VALUES(1,1,'plan','Plan',NULL,1795311008833);
INSERT INTO "custom_fields" VALUES(2,1,'age','Age',NULL,1795311008833);
CREATE TABLE "discarded_tags" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "tag_id" INTEGER NOT NULL, name TEXT NOT NULL DEFAULT '', source TEXT NOT NULL DEFAULT 'operator', source_id INTEGER NOT NULL DEFAULT 0, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
CREATE TABLE domains (
    site_id INTEGER NOT NULL,
    domain TEXT NOT NULL,
    people INTEGER NOT NULL,
    PRIMARY KEY (site_id, domain)
) WITHOUT ROWID;
INSERT INTO "domains" VALUES(1,'example.com',3);
INSERT INTO "domains" VALUES(1,'example.org',5);
CREATE TABLE erased_subscribers (
    site_id INTEGER NOT NULL,
    subscriber_id INTEGER NOT NULL,
    uuid TEXT NOT NULL,
    number INTEGER NOT NULL,
    waiting INTEGER NOT NULL,
    PRIMARY KEY (site_id, subscriber_id)
) WITHOUT ROWID;
INSERT INTO "erased_subscribers" VALUES(1,7,'01a219ee-d70f-7107-9277-8bc1c1d299e0',11,0);
CREATE TABLE "events" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "subscriber_id" INTEGER NOT NULL, "type" TEXT NOT NULL, "details" TEXT NOT NULL, "unique_key" TEXT, "occurred_at" INTEGER NOT NULL, "created_at" INTEGER NOT NULL, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE, FOREIGN KEY ("subscriber_id") REFERENCES "subscribers" ("id") ON DELETE CASCADE);
INSERT INTO "events" VALUES(1,1,1,'visit','{"page":"/"}',NULL,1795311008843,1795311008843);
CREATE TABLE field_values (
    site_id INTEGER NOT NULL,
    field_id INTEGER NOT NULL,
    folded TEXT NOT NULL,
    label TEXT NOT NULL,
    kind INTEGER NOT NULL,
    subscriber_id INTEGER NOT NULL,
    number NUMERIC,
    instant INTEGER,
    PRIMARY KEY (site_id, field_id, folded, label, kind, subscriber_id)
) WITHOUT ROWID;
INSERT INTO "field_values" VALUES(1,1,'pro','',0,1,NULL,NULL);
INSERT INTO "field_values" VALUES(1,1,'pro','',0,6,NULL,NULL);
INSERT INTO "field_values" VALUES(1,1,'pro','',0,8,NULL,NULL);
INSERT INTO "field_values" VALUES(1,1,'pro','',0,9,NULL,NULL);
INSERT INTO "field_values" VALUES(1,1,'pro','',0,10,NULL,NULL);
INSERT INTO "field_values" VALUES(1,1,'pro','',0,11,NULL,NULL);
INSERT INTO "field_values" VALUES(1,2,'0','',1,6,0,NULL);
INSERT INTO "field_values" VALUES(1,2,'2','',1,8,2,NULL);
INSERT INTO "field_values" VALUES(1,2,'3','',1,9,3,NULL);
INSERT INTO "field_values" VALUES(1,2,'4','',1,10,4,NULL);
INSERT INTO "field_values" VALUES(1,2,'42','',1,1,42,NULL);
INSERT INTO "field_values" VALUES(1,2,'5','',1,11,5,NULL);
CREATE TABLE file_pieces (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    file TEXT NOT NULL,
    number INTEGER NOT NULL,
    content BLOB NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE TABLE file_uploads (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    file TEXT NOT NULL,
    name TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    reading TEXT NOT NULL,
    created_at INTEGER NOT NULL
, task TEXT NOT NULL DEFAULT '', actor TEXT NOT NULL DEFAULT '', client_network TEXT NOT NULL DEFAULT '', rows_done INTEGER NOT NULL DEFAULT 0, outcome TEXT NOT NULL DEFAULT '', lease_until INTEGER NOT NULL DEFAULT 0, import_id INTEGER NOT NULL DEFAULT 0, to_search INTEGER NOT NULL DEFAULT 0);
CREATE TABLE import_batches (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    import_id INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
    first_row INTEGER NOT NULL,
    payload TEXT NOT NULL
);
INSERT INTO "import_batches" VALUES(4,1,4,0,'{"version":2,"rows":[["late@example.org","late@example.org","","",{},[]],["p4@example.org","p4@example.org","","",{},[],[],"unsubscribe",false,{},""]]}');
CREATE TABLE imported_files (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    import_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    actor TEXT NOT NULL
, consent TEXT NOT NULL DEFAULT '', answers TEXT NOT NULL DEFAULT '', digest TEXT NOT NULL DEFAULT '');
CREATE TABLE "imports" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "status" TEXT NOT NULL, "rows" INTEGER NOT NULL, "applied" INTEGER NOT NULL, "refused" INTEGER NOT NULL, "created" INTEGER NOT NULL, "updated" INTEGER NOT NULL, "unchanged" INTEGER NOT NULL, "suppressed" INTEGER NOT NULL, "claim" TEXT, "lease_until" INTEGER NOT NULL, "attempts" INTEGER NOT NULL, "created_at" INTEGER NOT NULL, "started_at" INTEGER, "finished_at" INTEGER, turn INTEGER, accepted_at INTEGER, source TEXT, columns TEXT, unsubscribed INTEGER NOT NULL DEFAULT 0, stay_unsubscribed INTEGER NOT NULL DEFAULT 0, unsubscribes_ignored INTEGER NOT NULL DEFAULT 0, subscribes_ignored INTEGER NOT NULL DEFAULT 0, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
INSERT INTO "imports" VALUES(1,1,'finished',1,1,0,1,0,0,0,NULL,1795311018858,1,1795311008851,1795311008852,1795311008858,1795311008851000,1795311008851,NULL,NULL,0,0,0,0);
INSERT INTO "imports" VALUES(2,1,'finished',1,1,0,1,0,0,0,NULL,14129799,0,1795311008861,1795731412734,1795731412736,1795311008861000,1795311008861,NULL,NULL,0,0,0,0);
INSERT INTO "imports" VALUES(3,1,'finished',6,6,0,6,0,0,0,NULL,14129815,0,1795731412742,1795731412743,1795731412751,1795311008861002,1795731412742,NULL,NULL,0,0,0,0);
INSERT INTO "imports" VALUES(4,1,'queued',2,0,0,0,0,0,0,NULL,0,0,1795731412814,NULL,NULL,1795311008861008,1795731412814,NULL,NULL,0,0,0,0);
CREATE TABLE instance_state (
    id INTEGER NOT NULL PRIMARY KEY,
    lowest_writer INTEGER NOT NULL,
    move TEXT NOT NULL,
    phase TEXT NOT NULL,
    other TEXT NOT NULL,
    at INTEGER NOT NULL
, home TEXT NOT NULL DEFAULT '');
INSERT INTO "instance_state" VALUES(1,1,'','','',0,'');
CREATE TABLE "key_sites" ("key_id" INTEGER NOT NULL, "site_id" INTEGER NOT NULL, PRIMARY KEY ("site_id", "key_id"), FOREIGN KEY ("key_id") REFERENCES "keys" ("id") ON DELETE CASCADE, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
INSERT INTO "key_sites" VALUES(1,1);
CREATE TABLE "keys" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "publishable_key" TEXT NOT NULL, "secret_hash" TEXT NOT NULL, "scope" TEXT NOT NULL, "created_at" INTEGER NOT NULL, "revoked_at" INTEGER, expires_at INTEGER, name TEXT NOT NULL DEFAULT '', last_used_at INTEGER);
INSERT INTO "keys" VALUES(1,'pk_r1FWA2Oa1tmikKuuksWz0fPuqDL3FJfwD','f72e3915013adb282b285022a29a4aa6ae21192d2435abd27ce6dee8d0f48569','full',1795311008832,NULL,NULL,'',NULL);
CREATE TABLE logged_erasures (
            id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            site_uuid TEXT NOT NULL,
            address_hash TEXT NOT NULL,
            at INTEGER NOT NULL,
            number INTEGER,
            pepper_check TEXT
        );
CREATE TABLE moved_addresses (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    address_hash TEXT NOT NULL, subscriber_id INTEGER NOT NULL, number INTEGER NOT NULL,
    came INTEGER NOT NULL
);
CREATE TABLE "one_time_links" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "token_hash" TEXT NOT NULL, "operator_id" INTEGER, "purpose" TEXT NOT NULL, "expires_at" INTEGER NOT NULL, FOREIGN KEY ("operator_id") REFERENCES "operators" ("id") ON DELETE CASCADE);
INSERT INTO "one_time_links" VALUES(1,'27cef9a5d1d96dd16b44a8b10738667f8095ca166c071a8a3bb6d3c6125c54d0',1,'password',1795990612794);
CREATE TABLE "operator_roles" ("operator_id" INTEGER NOT NULL, "site_id" INTEGER NOT NULL, "role" TEXT NOT NULL, PRIMARY KEY ("site_id", "operator_id"), FOREIGN KEY ("operator_id") REFERENCES "operators" ("id") ON DELETE CASCADE, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
INSERT INTO "operator_roles" VALUES(1,1,'owner');
CREATE TABLE "operators" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "email" TEXT NOT NULL, "email_key" TEXT, "password_hash" TEXT NOT NULL, "administrator" INTEGER NOT NULL, "created_at" INTEGER NOT NULL, last_site_id INTEGER);
INSERT INTO "operators" VALUES(1,'op@example.org','op@example.org','',1,1795731412793,NULL);
CREATE TABLE "pepper" ("id" INTEGER NOT NULL PRIMARY KEY, "check_value" TEXT NOT NULL);
INSERT INTO "pepper" VALUES(1,'2ed863fa36f7578d864fbe71a245d62937058e6cf374e7eba2cfaac48e593d53');
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
INSERT INTO "reports" VALUES(1,1,'People','Reporting::Reports::VisitorCountReport','count',NULL,'{}',1795311008774,1795311008774);
INSERT INTO "reports" VALUES(2,1,'New people','Reporting::Reports::NewVisitorsReport','column_chart',NULL,'{"unit":"day","days":30}',1795311008774,1795311008774);
INSERT INTO "reports" VALUES(3,1,'Unsubscribes','Reporting::Reports::UnsubscribesReport','column_chart',NULL,'{"unit":"day","days":30}',1795311008774,1795311008774);
INSERT INTO "reports" VALUES(4,1,'Net growth','Reporting::Reports::NetGrowthReport','column_chart',NULL,'{"unit":"week","days":90}',1795311008774,1795311008774);
INSERT INTO "reports" VALUES(5,1,'Total people','Reporting::Reports::TotalVisitorsReport','area_chart',NULL,'{"unit":"day","days":90}',1795311008774,1795311008774);
INSERT INTO "reports" VALUES(6,1,'People per tag','Reporting::Reports::VisitorsByTagReport','column_chart',NULL,'{}',1795311008774,1795311008774);
INSERT INTO "reports" VALUES(7,1,'People per e-mail domain','Reporting::Reports::VisitorsByDomainReport','column_chart',NULL,'{}',1795311008774,1795311008774);
INSERT INTO "reports" VALUES(8,1,'Events','Reporting::Reports::EventsReport','line_chart',NULL,'{"unit":"day","days":30}',1795311008774,1795311008774);
INSERT INTO "reports" VALUES(9,1,'Imports','Reporting::Reports::ImportsReport','column_chart',NULL,'{"unit":"day","days":30}',1795311008774,1795311008774);
INSERT INTO "reports" VALUES(10,1,'Customers by domain','Reporting::Reports::VisitorsByDomainReport','column_chart',1,'{}',1795311008866,1795311008866);
CREATE TABLE "schema_migration" ("id" INTEGER NOT NULL PRIMARY KEY, "name" VARCHAR(255) NOT NULL, "applied" DATETIME NOT NULL);
INSERT INTO "schema_migration" VALUES(1,'0001_people','2026-11-22 01:30:08.756692');
INSERT INTO "schema_migration" VALUES(2,'0002_segments_and_reports','2026-11-22 01:30:08.761235');
INSERT INTO "schema_migration" VALUES(3,'0003_files','2026-11-22 01:30:08.770522');
INSERT INTO "schema_migration" VALUES(4,'0004_address_lists','2026-11-22 01:30:08.772120');
INSERT INTO "schema_migration" VALUES(5,'0005_keys_expire','2026-11-22 01:30:08.773106');
INSERT INTO "schema_migration" VALUES(6,'0006_discarded_tags','2026-11-22 01:30:08.774270');
INSERT INTO "schema_migration" VALUES(7,'0007_pepper_check','2026-11-26 22:16:52.519566');
INSERT INTO "schema_migration" VALUES(8,'0008_operators','2026-11-26 22:16:52.530765');
INSERT INTO "schema_migration" VALUES(9,'0009_key_names','2026-11-26 22:16:52.535700');
INSERT INTO "schema_migration" VALUES(10,'0010_order_of_acceptance','2026-11-26 22:16:52.538464');
INSERT INTO "schema_migration" VALUES(11,'0011_find_subscribers','2026-11-26 22:16:52.539230');
INSERT INTO "schema_migration" VALUES(12,'0012_values_domains_consent','2026-11-26 22:16:52.540177');
INSERT INTO "schema_migration" VALUES(13,'0013_fill_field_values','2026-11-26 22:16:52.541107');
INSERT INTO "schema_migration" VALUES(14,'0014_counters','2026-11-26 22:16:52.544195');
INSERT INTO "schema_migration" VALUES(15,'0015_indexes','2026-11-26 22:16:52.549363');
INSERT INTO "schema_migration" VALUES(16,'0016_segment_counts','2026-11-26 22:16:52.550114');
INSERT INTO "schema_migration" VALUES(17,'0017_bulk_acts','2026-11-26 22:16:52.550868');
INSERT INTO "schema_migration" VALUES(18,'0018_file_uploads','2026-11-26 22:16:52.551578');
INSERT INTO "schema_migration" VALUES(19,'0019_forget_empty_domains','2026-11-26 22:16:52.552095');
INSERT INTO "schema_migration" VALUES(20,'0020_instance_state','2026-11-26 22:16:52.552605');
INSERT INTO "schema_migration" VALUES(21,'0021_file_tasks','2026-11-26 22:16:52.555119');
INSERT INTO "schema_migration" VALUES(22,'0022_change_log','2026-11-26 22:16:52.558613');
INSERT INTO "schema_migration" VALUES(23,'0023_file_pieces','2026-11-26 22:16:52.559424');
INSERT INTO "schema_migration" VALUES(24,'0024_who_left_in_imports','2026-11-26 22:16:52.560638');
INSERT INTO "schema_migration" VALUES(25,'0025_erasure_log','2026-11-26 22:16:52.561180');
INSERT INTO "schema_migration" VALUES(26,'0026_undos','2026-11-26 22:16:52.561819');
INSERT INTO "schema_migration" VALUES(27,'0027_webhooks','2026-11-26 22:16:52.562574');
INSERT INTO "schema_migration" VALUES(28,'0028_file_searches','2026-11-26 22:16:52.563556');
INSERT INTO "schema_migration" VALUES(29,'0029_home','2026-11-26 22:16:52.564598');
INSERT INTO "schema_migration" VALUES(30,'0030_parts_of_changed_subscribers','2026-11-26 22:16:52.566162');
INSERT INTO "schema_migration" VALUES(31,'0031_dropped_changes','2026-11-26 22:16:52.567041');
INSERT INTO "schema_migration" VALUES(32,'0032_consent_events','2026-11-26 22:16:52.571087');
INSERT INTO "schema_migration" VALUES(33,'0033_console','2026-11-26 22:16:52.575246');
INSERT INTO "schema_migration" VALUES(34,'0034_bounds_in_utc','2026-11-26 22:16:52.576114');
INSERT INTO "schema_migration" VALUES(35,'0035_answers_of_files','2026-11-26 22:16:52.577918');
INSERT INTO "schema_migration" VALUES(36,'0036_compared_tags','2026-11-26 22:16:52.579872');
CREATE TABLE segment_counts (site_id INTEGER NOT NULL, segment_id INTEGER NOT NULL, day TEXT NOT NULL, people INTEGER NOT NULL, PRIMARY KEY (site_id, segment_id, day)) WITHOUT ROWID;
CREATE TABLE segments (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    rules TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
INSERT INTO "segments" VALUES(1,1,'Customers','','{"tag":{"is":"vip"}}',1795311008862,1795311008862);
CREATE TABLE sent_forms (
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    form TEXT NOT NULL,
    result TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, form)
);
CREATE TABLE "sessions" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "token_hash" TEXT NOT NULL, "operator_id" INTEGER NOT NULL, "remembered" INTEGER NOT NULL, "client_network" TEXT NOT NULL, "created_at" INTEGER NOT NULL, "used_at" INTEGER NOT NULL, "searches" TEXT NOT NULL, FOREIGN KEY ("operator_id") REFERENCES "operators" ("id") ON DELETE CASCADE);
CREATE TABLE site_counters (
    site_id INTEGER NOT NULL PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
    accepted INTEGER NOT NULL
, users INTEGER NOT NULL DEFAULT 0, unsubscribers INTEGER NOT NULL DEFAULT 0, changes INTEGER NOT NULL DEFAULT 0, oldest_change INTEGER NOT NULL DEFAULT 1, change_bytes INTEGER NOT NULL DEFAULT 0, dropped_change_at INTEGER NOT NULL DEFAULT 0, accepted_at INTEGER NOT NULL DEFAULT 0);
INSERT INTO "site_counters" VALUES(1,1795311008861008,8,1,11,1,267,0,1795731412814);
CREATE TABLE "sites" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "uuid" TEXT NOT NULL, "name" TEXT NOT NULL, "created_at" INTEGER NOT NULL, time_zone TEXT NOT NULL DEFAULT 'UTC');
INSERT INTO "sites" VALUES(1,'cc77f9ee-1c12-4838-b036-e00144d4ab7c','Example',1795311008774,'Europe/Berlin');
CREATE TABLE "subscriber_tags" ("site_id" INTEGER NOT NULL, "tag_id" INTEGER NOT NULL, "subscriber_id" INTEGER NOT NULL, PRIMARY KEY ("site_id", "tag_id", "subscriber_id")) WITHOUT ROWID;
INSERT INTO "subscriber_tags" VALUES(1,1,1);
INSERT INTO "subscriber_tags" VALUES(1,2,1);
INSERT INTO "subscriber_tags" VALUES(1,3,4);
INSERT INTO "subscriber_tags" VALUES(1,3,6);
INSERT INTO "subscriber_tags" VALUES(1,3,8);
INSERT INTO "subscriber_tags" VALUES(1,3,9);
INSERT INTO "subscriber_tags" VALUES(1,3,10);
INSERT INTO "subscriber_tags" VALUES(1,3,11);
CREATE TABLE "subscribers" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "uuid" TEXT NOT NULL, "email" TEXT NOT NULL, "email_key" TEXT NOT NULL, "first_name" TEXT NOT NULL, "last_name" TEXT NOT NULL, "fields" TEXT NOT NULL, "tag_ids" TEXT NOT NULL, "created_at" INTEGER NOT NULL, "updated_at" INTEGER NOT NULL, "last_event_at" INTEGER, "unsubscribed_at" INTEGER, "consent_at" INTEGER, consent_number INTEGER NOT NULL DEFAULT 0, created_by TEXT NOT NULL DEFAULT '', consent_kind INTEGER NOT NULL DEFAULT 0, unsubscribe_number INTEGER, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
INSERT INTO "subscribers" VALUES(1,1,'01a200df-fc4a-77f6-8599-dad387dc1173','Ann@example.com','ann@example.com','Ann','Lee','{"plan":"pro","age":42}','[1,2]',1795311008833,1795311008843,1795311008843,NULL,NULL,0,'',0,NULL);
INSERT INTO "subscribers" VALUES(4,1,'01a200df-fc55-70b8-86f6-fdb83e92fb87','cy@example.com','cy@example.com','','','{}','[3]',1795311008853,1795311008853,NULL,NULL,NULL,0,'',0,NULL);
INSERT INTO "subscribers" VALUES(5,1,'01a219ee-d6ff-7744-ab01-ace7dcf34c7b','dee@example.com','dee@example.com','','','{}','[]',1795731412735,1795731412735,NULL,NULL,NULL,0,'import 2',0,NULL);
INSERT INTO "subscribers" VALUES(6,1,'01a219ee-d70f-7107-9277-8bc0f2c5111a','moved@example.org','moved@example.org','P','','{"plan":"pro","age":0}','[3]',1795731412750,1795731412801,NULL,1795731412795,1795731412801,1795311008861005,'import 3',3,1795311008861004);
INSERT INTO "subscribers" VALUES(8,1,'01a219ee-d70f-7107-9277-8bc21ac4b5c9','p2@example.org','p2@example.org','P','','{"plan":"pro","age":2}','[3]',1795731412750,1795731412750,NULL,NULL,NULL,0,'import 3',0,NULL);
INSERT INTO "subscribers" VALUES(9,1,'01a219ee-d70f-7107-9277-8bc35ffc9057','p3@example.org','p3@example.org','P','','{"plan":"pro","age":3}','[3]',1795731412750,1795731412750,NULL,NULL,NULL,0,'import 3',0,NULL);
INSERT INTO "subscribers" VALUES(10,1,'01a219ee-d70f-7107-9277-8bc46df1e36d','p4@example.org','p4@example.org','P','','{"plan":"pro","age":4}','[3]',1795731412750,1795731412750,NULL,NULL,NULL,0,'import 3',0,NULL);
INSERT INTO "subscribers" VALUES(11,1,'01a219ee-d70f-7107-9277-8bc57b8b51bc','p5@example.org','p5@example.org','P','','{"plan":"pro","age":5}','[3]',1795731412750,1795731412750,NULL,NULL,NULL,0,'import 3',0,NULL);
CREATE TABLE "suppressions" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "address_hash" TEXT NOT NULL, "reason" TEXT NOT NULL, "since" INTEGER NOT NULL, number INTEGER NOT NULL DEFAULT 0, kind INTEGER NOT NULL DEFAULT 3, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
INSERT INTO "suppressions" VALUES(1,1,'97096765a3e65a90c1188572c74b1a502d54195b4b071b6c8bfd8bbf62d3d7ae','erased',1795311008845,1795311008845999,3);
INSERT INTO "suppressions" VALUES(2,1,'5eee4bcf05857b8b71bf26d8c0a493ddded8d406402a11513bd041f5b5a26ca9','unsubscribed',1795731412795,1795311008861004,3);
INSERT INTO "suppressions" VALUES(3,1,'c3262ad89b5bd1f542efc1779a030e2fe0306fd137b0842b3b005e8f2c7bebe2','erased',1795731412804,1795311008861006,3);
CREATE TABLE "tags" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "site_id" INTEGER NOT NULL, "name" TEXT NOT NULL, "name_key" TEXT NOT NULL, "created_at" INTEGER NOT NULL, bearers INTEGER NOT NULL DEFAULT 0, FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE CASCADE);
INSERT INTO "tags" VALUES(1,1,'vip','vip',1795311008833,1);
INSERT INTO "tags" VALUES(2,1,'Berlin','berlin',1795311008833,1);
INSERT INTO "tags" VALUES(3,1,'new','new',1795311008853,6);
CREATE TABLE undo_people (
    site_id INTEGER NOT NULL,
    undo_id INTEGER NOT NULL,
    subscriber_id INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    source TEXT NOT NULL,
    source_id INTEGER NOT NULL,
    PRIMARY KEY (site_id, undo_id, subscriber_id)
) WITHOUT ROWID;
CREATE TABLE undos (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    source TEXT NOT NULL,
    source_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    rows INTEGER NOT NULL,
    applied INTEGER NOT NULL DEFAULT 0,
    removed INTEGER NOT NULL DEFAULT 0,
    restored INTEGER NOT NULL DEFAULT 0,
    kept INTEGER NOT NULL DEFAULT 0,
    unsubscribed_kept INTEGER NOT NULL DEFAULT 0,
    unsubscribed_again INTEGER NOT NULL DEFAULT 0,
    claim TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    turn INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL,
    first_row INTEGER NOT NULL,
    first_number INTEGER NOT NULL,
    place_row INTEGER NOT NULL,
    place INTEGER NOT NULL DEFAULT 0,
    made TEXT NOT NULL DEFAULT '{}'
, resubscribed INTEGER NOT NULL DEFAULT 0, resubscribe INTEGER NOT NULL DEFAULT 0);
CREATE TABLE webhook_deliveries (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    webhook_id INTEGER NOT NULL,
    message_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status INTEGER,
    milliseconds INTEGER NOT NULL,
    answer TEXT NOT NULL,
    failure TEXT NOT NULL
);
CREATE TABLE webhooks (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    kinds TEXT NOT NULL,
    segment_id INTEGER REFERENCES segments (id),
    paused TEXT NOT NULL,
    nonce TEXT NOT NULL,
    old_nonce TEXT NOT NULL,
    old_nonce_until INTEGER NOT NULL,
    place INTEGER NOT NULL,
    run INTEGER NOT NULL,
    range_end INTEGER NOT NULL,
    resets INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    retry_at INTEGER NOT NULL,
    lease_until INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
INSERT INTO "webhooks" VALUES(1,1,'http://127.0.0.1:9/hook','[]',NULL,'','2b9d9836047fe373a34f73e98916a962c115f95c115f3e3e2822f9101144da95','',0,8,1,0,0,0,0,0,1795731412755,1795731412755);
CREATE UNIQUE INDEX "schema_migration_name" ON "schema_migration" ("name");
CREATE UNIQUE INDEX "sites_uuid" ON "sites" ("uuid");
CREATE UNIQUE INDEX "custom_fields_site_id_key" ON "custom_fields" ("site_id", "key");
CREATE UNIQUE INDEX "subscribers_site_id_email_key" ON "subscribers" ("site_id", "email_key");
CREATE UNIQUE INDEX "subscribers_site_id_uuid" ON "subscribers" ("site_id", "uuid");
CREATE INDEX "subscribers_site_id_created_at_id_updated_at_last_event__6af9bfd" ON "subscribers" ("site_id", "created_at", "id", "updated_at", "last_event_at", "unsubscribed_at");
CREATE INDEX "subscribers_site_id_last_event_at" ON "subscribers" ("site_id", "last_event_at", "created_at", "id") WHERE ("last_event_at" IS NOT NULL);
CREATE INDEX "subscribers_site_id_unsubscribed_at" ON "subscribers" ("site_id", "unsubscribed_at", "created_at", "id") WHERE ("unsubscribed_at" IS NOT NULL);
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
CREATE INDEX "audit_log_site_id_id" ON "audit_log" ("site_id", "id");
CREATE INDEX "audit_log_site_id_subject" ON "audit_log" ("site_id", "subject");
CREATE INDEX "audit_log_at" ON "audit_log" ("at");
CREATE INDEX "audit_log_typed" ON "audit_log" ("site_id") WHERE ("typed" != '{}');
CREATE UNIQUE INDEX "operators_email_key" ON "operators" ("email_key");
CREATE UNIQUE INDEX "one_time_links_token_hash" ON "one_time_links" ("token_hash");
CREATE INDEX "one_time_links_operator_id" ON "one_time_links" ("operator_id");
CREATE INDEX "operator_roles_operator_id" ON "operator_roles" ("operator_id");
CREATE UNIQUE INDEX "sessions_token_hash" ON "sessions" ("token_hash");
CREATE INDEX "sessions_operator_id" ON "sessions" ("operator_id");
CREATE INDEX subscribers_site_id_domain ON subscribers (site_id, substr(email_key, instr(email_key, '@') + 1));
CREATE INDEX subscribers_site_id_first_name ON subscribers (site_id, first_name COLLATE NOCASE) WHERE first_name <> '';
CREATE INDEX subscribers_site_id_last_name ON subscribers (site_id, last_name COLLATE NOCASE) WHERE last_name <> '';
CREATE INDEX consent_changes_subscriber_id ON consent_changes (subscriber_id);
CREATE INDEX events_subscriber_id_occurred_at_id ON events (subscriber_id, occurred_at, id);
CREATE INDEX events_site_id_id ON events (site_id, id);
CREATE INDEX bulk_acts_site_id_id ON bulk_acts (site_id, id);
CREATE INDEX bulk_acts_status ON bulk_acts (status);
CREATE INDEX bulk_act_pieces_bulk_act_id_waiting_id ON bulk_act_pieces (bulk_act_id, waiting, id)
;
CREATE INDEX file_uploads_site_id_id ON file_uploads (site_id, id);
CREATE UNIQUE INDEX imported_files_site_id_import_id ON imported_files (site_id, import_id)
;
CREATE INDEX change_log_site_id_id ON change_log (site_id, id);
CREATE INDEX change_log_site_id_number ON change_log (site_id, number) WHERE count > 0;
CREATE INDEX erased_subscribers_waiting ON erased_subscribers (site_id) WHERE waiting = 1;
CREATE UNIQUE INDEX file_pieces_site_id_file_number ON file_pieces (site_id, file, number)
;
CREATE UNIQUE INDEX undos_site_id_source_source_id ON undos (site_id, source, source_id);
CREATE INDEX undos_waiting ON undos (site_id, turn) WHERE status IN ('queued', 'running');
CREATE INDEX change_log_site_id_source ON change_log (site_id, source, source_id, id)
    WHERE source IN ('import', 'bulk_act')
;
CREATE INDEX webhooks_site_id_id ON webhooks (site_id, id);
CREATE INDEX webhooks_segment_id ON webhooks (segment_id);
CREATE INDEX webhook_deliveries_at ON webhook_deliveries (at);
CREATE INDEX webhook_deliveries_site_id_webhook_id_id ON webhook_deliveries (site_id, webhook_id, id);
CREATE INDEX webhook_deliveries_answered ON webhook_deliveries (site_id) WHERE answer <> ''
;
CREATE INDEX moved_addresses_site_id_number ON moved_addresses (site_id, number)
;
CREATE INDEX imported_files_site_id_digest ON imported_files (site_id, digest);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('sites',1);
INSERT INTO "sqlite_sequence" VALUES('reports',10);
INSERT INTO "sqlite_sequence" VALUES('import_batches',4);
INSERT INTO "sqlite_sequence" VALUES('sites',1);
INSERT INTO "sqlite_sequence" VALUES('keys',1);
INSERT INTO "sqlite_sequence" VALUES('tags',3);
INSERT INTO "sqlite_sequence" VALUES('custom_fields',2);
INSERT INTO "sqlite_sequence" VALUES('subscribers',11);
INSERT INTO "sqlite_sequence" VALUES('events',1);
INSERT INTO "sqlite_sequence" VALUES('suppressions',3);
INSERT INTO "sqlite_sequence" VALUES('imports',4);
INSERT INTO "sqlite_sequence" VALUES('segments',1);
INSERT INTO "sqlite_sequence" VALUES('change_log',6);
INSERT INTO "sqlite_sequence" VALUES('webhooks',1);
INSERT INTO "sqlite_sequence" VALUES('audit_log',4);
INSERT INTO "sqlite_sequence" VALUES('operators',1);
INSERT INTO "sqlite_sequence" VALUES('one_time_links',1);
INSERT INTO "sqlite_sequence" VALUES('consent_changes',1);
INSERT INTO "sqlite_sequence" VALUES('bulk_acts',1);
INSERT INTO "sqlite_sequence" VALUES('bulk_act_pieces',1);
COMMIT;
