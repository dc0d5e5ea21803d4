"""Files of people: imports that come in batches, their refused rows, and the turn of each import. Frozen."""

from typing import Any

TABLES = """
CREATE TABLE import_batches (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    import_id INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
    first_row INTEGER NOT NULL,
    payload TEXT NOT NULL
);
CREATE UNIQUE INDEX import_batches_site_id_import_id_first_row
    ON import_batches (site_id, import_id, first_row);
CREATE INDEX import_batches_import_id ON import_batches (import_id);
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
CREATE INDEX refused_rows_import_id ON refused_rows (import_id);
CREATE INDEX refused_rows_site_id_address_hash ON refused_rows (site_id, address_hash);
CREATE INDEX refused_rows_refused_at ON refused_rows (refused_at);
ALTER TABLE imports ADD COLUMN turn INTEGER;
ALTER TABLE imports ADD COLUMN accepted_at INTEGER;
ALTER TABLE imports ADD COLUMN source TEXT;
ALTER TABLE imports ADD COLUMN columns TEXT;
UPDATE imports SET turn = id, accepted_at = created_at;
INSERT INTO import_batches (site_id, import_id, first_row, payload)
    SELECT site_id, id, 0, payload FROM imports WHERE payload IS NOT NULL;
ALTER TABLE imports DROP COLUMN payload;
DROP INDEX imports_waiting;
CREATE INDEX imports_waiting ON imports (site_id, turn) WHERE status IN ('queued', 'running');
CREATE INDEX imports_receiving ON imports (lease_until) WHERE status = 'receiving'
"""


def up(_migrator: Any, db: Any) -> None:
    for statement in TABLES.split(";"):
        db.execute_sql(statement)
