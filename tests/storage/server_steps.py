"""Steps of tests with a database on a server."""

import psycopg

from storage import database


def opens(url, **options):
    database.open(url, timeout=1, **options)
    with database.session():
        return database.ping()


def server_ends(url, number):
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 30000)", (number,))
