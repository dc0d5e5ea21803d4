"""What an idle instance asks of its server: statements a second, BEGIN and COMMIT too; connections opened.

1,000 sites, each with a webhook, and four hosts that serve; counted by `pg_stat_statements`, once all are
up for a minute. PostgreSQL must be installed: `python -m bench.more.idle --seconds 600`.
"""

import argparse
import contextlib
import tempfile
import time
from pathlib import Path

import psycopg

from audience.access import site_keys, sites
from audience.config import Settings
from audience.privacy import pepper
from storage import database
from storage.webhooks import webhooks
from storage.webhooks.webhooks import Webhook
from tests.postgresql import Server, programs
from tests.service import serving
from tests.torture.hosts import serving_redis

SITES, HOSTS, SETTLED_SECONDS, GOAL = 1_000, 4, 60, 5
CALLS = """
SELECT s.calls, left(s.query, 100) FROM pg_stat_statements AS s JOIN pg_database AS d ON d.oid = s.dbid
WHERE d.datname = current_database() ORDER BY s.calls DESC
"""
SESSIONS = "SELECT sessions FROM pg_stat_database WHERE datname = current_database()"


def fill(settings: Settings) -> None:
    pepper.open(settings.pepper)
    database.open(settings.database)
    database.migrate()
    for number in range(SITES):
        site = sites.create(f"Site {number}")
        with database.write(site.id):
            nonce = site_keys.new_webhook_nonce()
            webhooks.add(
                Webhook(0, "https://hooks.example.com/", "[]", None, "", nonce, 0, 1, 1), site_id=site.id
            )
    database.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--show", type=int, default=0, help="as many of the commonest statements")
    options = parser.parse_args()
    binaries = programs()
    assert binaries, "PostgreSQL is not installed"
    preloaded = {"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.max": "10000"}
    server = Server(binaries, preloaded)
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as running:
        running.callback(server.remove)
        folder, url = Path(name), server.create()
        settings = Settings(instance=folder, database_url=url)
        fill(settings)
        port = running.enter_context(serving_redis(["127.0.0.1"], name))
        shared = {
            "AUDIENCE_DATABASE_URL": url, "AUDIENCE_PEPPER_FILE": str(settings.pepper),
            "AUDIENCE_REDIS_URL": f"redis://127.0.0.1:{port}", "AUDIENCE_LOG_LEVEL": "warning",
        }  # fmt: skip
        for number in range(HOSTS):
            (folder / f"host{number}").mkdir()
            running.enter_context(serving(folder / f"host{number}", None, ("serve",), **shared))
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION pg_stat_statements")
            time.sleep(SETTLED_SECONDS)
            connection.execute("SELECT pg_stat_statements_reset()")
            [(before,)] = connection.execute(SESSIONS).fetchall()
            time.sleep(options.seconds)
            called = connection.execute(CALLS).fetchall()
            [(after,)] = connection.execute(SESSIONS).fetchall()
    rate = sum(calls for calls, _ in called) / options.seconds
    print(f"{rate:.2f} statements a second (goal {GOAL}), {after - before} connections opened")
    for calls, query in called[: options.show]:
        print(calls, " ".join(query.split()))


if __name__ == "__main__":
    main()
