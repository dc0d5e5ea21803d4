"""Why rows end below their goals, and what was tried: by the beginning of a row's name."""

HALF_NEW = """
The limit runs the same statements, but for six reads and two counters of a transaction. What it has none of
is Python: deciding (about a quarter of the difference), reading who exists (a seventh), values by field,
entries of the record, payloads. Tried: 8 MB of pages in memory in place of 2 (7 to 8 % less, kept); several
rows a statement (no less: the trees are the cost, not the calls); a larger cache of statements (more: each
row is looked up in it); names collected without a loop (too little to measure, kept).
The record of changes, which the goal did not contain, is about a tenth of the core: see `bench.record_cost`.
"""
SEGMENT = """
All values of a field are read, and whoever meets a bound is sorted by id, since a list may meet it twice.
Tried: ids kept in a tree, in which each subscriber was looked up (up to twice the time of sorting); sets that
narrow one another, the smallest first, and the bounds on a field in one pass (five conditions in a quarter of
the time, kept).
"""
MEMORY = """
Two web processes have about 40 MB each, as much as the one they are forked of; the worker has 40, the
supervisor 13, Valkey 5. Tried: a supervisor that imports no framework and no HTTP client (3 MB less); routes,
modules and the tables of the answers loaded once, before web processes are forked, which share them (25 MB
less of all; all kept); fewer arenas of `malloc`, and giving memory back sooner (no less). What remains is
Python with Flask, peewee, redis and marshmallow: it counts references within objects, so that each web
process copies about 15 MB of what it shares as soon as it runs. At work each thread of a web process that
reads keeps a connection, with 2 MB of pages at most, whatever the number of people; the worker's have 8.
"""
MOVE = """
Every row is read, written and, at the end, compared, while both ends and this process share two
cores. Tried: fewer questions about each row (kept).
"""
SEGMENT_ON_SERVER = """
All values of a field are read, as in SQLite, at one and a half to three times its cost, and the sets of the
conditions are joined, each by a hash of its own. Tried: 32 MB for a connection (a report on a segment .4 s in
place of 22), no compiling of statements, sets that are joined in place of read for each subscriber, each
counted once at the end, no loops over two sets (five conditions in .4 of the time; all kept); tags by number
(not read by two processes); a report's segment joined for each of its periods (19 s).
"""
SERVER = """
Each statement is a message to a server and one back, between processes that share the cores with the web
processes, and the server's CPU counts. Tried: plans that the server keeps for finds, counts and pages, one
call of libpq for each, and dates by integers in place of decimals (all kept).
"""
READS = """
What the limit has none of: admission before the body, the request's log, its counters, rate limits, a
session and one statement, in which another thread takes the interpreter. Tried: counters without proxies,
keys and sites kept for half a second, connections kept by threads, no reading of a body that is not there,
routes by the path alone, an answer that needs no second turn of a thread, a shorter digest of a secret that
is known (all kept). What remains is Flask's own: contexts, hooks, a response's headers.
"""
PAGE = """
One statement makes the text of all 100 people by SQLite's JSON functions, which take most of the time: of
11 µs a person about 3 are reading the row, 2.7 names and values, 1.9 the dates, .7 the tags. Rendered row
by row it was .05 of the limit. Tried: dates by `strftime` (a sixth dearer).
"""
WAITS = """
Three clients that accept, a worker and the web processes fill two cores: requests wait for a core, not for
the lock. Tried: a lower priority of the worker (no better); less CPU for each row that is accepted (a
tenth, kept).
"""
RECORD = """
Most of the difference is the index of whom a row changed: people who are changed lie scattered in it, and
each page that they take is written to the log and again to the file. It is kept in parts of 65,536 numbers,
of which the newest is written: about half of what it costs as a whole. Making entries takes 2 µs, the row 1,
packing half of one. Tried: parts of 8,192 (half of that again, but an undo looks for each subscriber in eight
times as many places); one statement for all of a row's people, as values or as JSON (.5 to 1 µs more); no
compressing (.2 µs less, seven times the bytes).
"""
PEERS = """
Audience writes more beside a person than the peer, and the record of changes came after the goal was set.
"""
GROWTH = """
Of the speed of an import's core, .90 was to be left at the largest. Where it is less: people who are known
lie scattered over larger trees, so a chunk reads more of their pages, and writes more. Tried: 64 MB of pages
in memory in place of 8 (about 5 % less at 100,000 people, not kept for what small machines have).
"""
ENDS = {
    "import core, half new": HALF_NEW,
    "import core, all new": "As where half are new.",
    "import over HTTP, until": "As the core; and each row is parsed, checked and folded when it is accepted.",
    "import core with the record, all known": RECORD,
    "import over HTTP with the record": "As the core: making entries and two tables are a tenth of it.",
    "import of chunks of 500, PostgreSQL beside SQLite of": f"The earlier commit kept much less. {SERVER}",
    "import of chunks of 500": SERVER,
    "segment: ": SEGMENT,
    "PostgreSQL, segment: ": SEGMENT_ON_SERVER,
    "PostgreSQL, report: ": SEGMENT_ON_SERVER,
    "memory, ": MEMORY,
    "move of an instance": MOVE,
    "find over HTTP": SERVER,
    "stats over HTTP": "As for find.",
    "search, page of 100 over HTTP": SERVER,
    "create p99 while draining, beside": WAITS,
    "find p99 while draining, beside": "As for create.",
    "accept 1,000 rows p99": "As for create.",
    "django-newsletter": PEERS,
    "Ghost's importer": f"{PEERS} Ghost's own models, which are left out, would add to its time.",
    "listmonk's statement": f"{PEERS} The peer's work is done by PostgreSQL, in C.",
    "Flask and SQLAlchemy": f"{PEERS} The peer has three tables and three indexes, and inserts in batches.",
}
WHOLE = {
    "find": READS,
    "stats": READS,
    "search, page of 100": PAGE,
}  # by the whole name, with which others begin


def of(what: str) -> str:
    text = WHOLE.get(what) or next((text for start, text in ENDS.items() if what.startswith(start)), "")
    return one_line(text)


def one_line(text: str) -> str:
    return " ".join(text.split())
