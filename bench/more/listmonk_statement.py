"""The import of listmonk on PostgreSQL, in our words of the schema and statement that its documents describe.

For each row one upsert of the person and one of the memberships of lists, committed after every 10,000 rows.
"""

import json
import sys
import time
from typing import Any

import psycopg

SCHEMA = """
CREATE TABLE subscribers (
    id serial PRIMARY KEY, uuid uuid NOT NULL UNIQUE, email text NOT NULL, name text NOT NULL,
    attribs jsonb NOT NULL DEFAULT '{}', status text NOT NULL DEFAULT 'enabled',
    created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now()
);
CREATE UNIQUE INDEX subscribers_email ON subscribers (lower(email));
CREATE INDEX subscribers_status ON subscribers (status);
CREATE INDEX subscribers_created_at ON subscribers (created_at);
CREATE INDEX subscribers_updated_at ON subscribers (updated_at);
CREATE TABLE lists (id serial PRIMARY KEY, name text NOT NULL);
CREATE TABLE subscriber_lists (
    subscriber_id integer REFERENCES subscribers (id) ON DELETE CASCADE,
    list_id integer REFERENCES lists (id) ON DELETE CASCADE,
    status text NOT NULL DEFAULT 'unconfirmed', created_at timestamptz DEFAULT now(),
    updated_at timestamptz DEFAULT now(), PRIMARY KEY (subscriber_id, list_id)
);
CREATE INDEX subscriber_lists_list ON subscriber_lists (list_id);
INSERT INTO lists (name) SELECT 'list ' || number FROM generate_series(1, 20) AS number
"""
UPSERT = """
WITH person AS (
    INSERT INTO subscribers (uuid, email, name, attribs) VALUES (gen_random_uuid(), %s, %s, %s)
    ON CONFLICT (lower(email)) DO UPDATE
    SET name = excluded.name, attribs = excluded.attribs, updated_at = now() RETURNING id
)
INSERT INTO subscriber_lists (subscriber_id, list_id)
SELECT person.id, list FROM person, unnest(%s::int[]) AS list
ON CONFLICT (subscriber_id, list_id) DO UPDATE SET updated_at = now()
"""
COMMITTED = 10_000


def main(rows: int, address: str) -> dict[str, Any]:
    fields = json.dumps({"plan": "pro", "age": 5, "city": "Oslo", "renewal": "2026-05-06"})
    with psycopg.connect(address) as connection:
        connection.execute(SCHEMA)
        connection.commit()
        start = time.process_time()
        for number in range(rows):
            lists = [number % 20 + 1, (number + 1) % 20 + 1]
            email = f"p{number * 0x9E3779B97F4A7C15 % 2**52:x}@example{number % 500}.com"
            connection.execute(UPSERT, (email, "Ann Lee", fields, lists), prepare=True)
            if number % COMMITTED == COMMITTED - 1:
                connection.commit()
        connection.commit()
        return {"cpu": time.process_time() - start, "version": str(connection.info.server_version // 10_000)}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), sys.argv[2])))
