"""Reads what this process sends to a database: each statement on a site's table must name the site.

So must each of its selects and joins: each then needs one node of several. Each transaction that changes what
is shown of a subscriber must add to the record of changes. Statements of migrations, moves, the tests
themselves and processes that tests start are not read.
"""

import re
import sys
import threading
from pathlib import Path

from storage.engines.postgresql_citus import LOCAL
from storage.engines.postgresql_pool import ServerPool
from storage.engines.sqlite_pool import SqlitePool
from storage.instance.site_tables import site_owned_tables

ROOT = Path(__file__).parent.parent
DOOR = (sys.prefix, *(str(ROOT / "storage" / name) for name in ("database.py", "opening", "engines")))
STORAGE = (sys.prefix, str(ROOT / "storage"))
MOVES = "storage/instance/moves.py"
OF_ALL = tuple(str(ROOT / name) for name in ("storage/migrations", MOVES, "tests", "bench"))
TABLES = sorted(set(site_owned_tables()) - set(LOCAL))
USES = re.compile(rf"(?:FROM|JOIN|UPDATE|INTO) \"?({'|'.join(TABLES)})\b")
CHANGES = re.compile(r"(INSERT INTO|DELETE FROM) subscribers |UPDATE subscribers SET .*\bupdated_at = ")
RECORDS = "INSERT INTO change_log "
NOT_RECORDED = (*OF_ALL, str(ROOT / "storage" / "instance" / "site_tables.py"))  # a site goes with its record
# The rows of a page are joined by the site that the page was read with: by a value, the planner would read a
# whole site for each row where the statistics do not know the site yet.
NAMES_SITE = re.compile(r"\bsite_id\"? = |^COPY|INTO \"?\w+\"? {2}site_id ")
OF_PAGE = "subscribers.id = page_id AND subscribers.site_id = page_site"
JOIN = re.compile(r"\bJOIN .*?\bON\b(?P<on>.*?)(?=\b(?:JOIN|WHERE|GROUP BY|ORDER BY)\b|$)", re.DOTALL)
SAME_SITE = re.compile(r"\"?\bsite_id\"? = \"?[a-z]\w*|= \"?\w+\"?\.\"?site_id\b")
COMPARED = re.compile(r"(?!.*\bSELECT\b).*\bsite_id\"? = .*")  # peewee brackets each condition
INNER = re.compile(r"\((?P<inner>[^()]*)\)")
OVER_ALL_SITES = {
    "SELECT site_id FROM idempotency_keys WHERE created_at": "maintenance looks for those of a day ago",
    "SELECT DISTINCT site_id FROM jobs": "a worker looks for sites with something to do",
    "SELECT COUNT(*), CAST(COALESCE(SUM(rows": "how many imports wait, for the metrics and the doctor",
    "SELECT count(*) FROM jobs WHERE claim": "whose lease has expired, for the metrics and the doctor",
    "SELECT MIN(s.requested_at) FROM jobs": "since when a confirmation waits, for /readyz and the metrics",
    "SELECT MIN(requested_at) FROM link_requests": "since when links wait to be mailed, for /readyz",
    "SELECT site_id, id, kind, subject, status": "what has failed, for the doctor and a command",
    "SELECT max(": "the doctor looks for the newest instant of all",
    "SELECT CAST(coalesce(sum(change_bytes)": "the size of the record of changes, for the metrics",
    "SELECT site_id FROM site_counters AS c WHERE (SELECT at": "the sweeper looks for old rows of the record",
    "SELECT s.site_id FROM site_counters AS s WHERE EXISTS": "sweeper and doctor look at hourly counts",
    "SELECT at FROM change_log WHERE TRUE ORDER BY id": "how old the record is, for doctor and metrics",
    "SELECT i.id, s.uuid, i.rows": "the imports that failed, for the doctor and a command",
    "SELECT s.uuid, u.source": "the undos that failed, for the doctor",
    "SELECT site_id FROM imports WHERE id": "a command finds the site of a failed import by its id",
    "SELECT s.uuid FROM imports i": "a command finds the site of an import by its id",
    "SELECT paused, count(*) FROM webhooks": "what no operator paused, for the metrics and the doctor",
    "UPDATE webhooks SET paused = ? WHERE paused": "a restore pauses all",
    "UPDATE webhooks SET paused = %s WHERE paused": "a restore pauses all",
    "SELECT s.id, s.uuid, x.address_hash": "all suppressions, carried over to a restored backup",
    "SELECT site_id, tag_id, name, source": "the sweeper looks for tags that are left",
    "SELECT site_id, id FROM imports WHERE TRUE": "the sweeper looks for uploads that were given up",
    "SELECT site_id FROM refused_rows WHERE refused_at": "the sweeper looks for rows refused long ago",
    "SELECT site_id, id FROM bulk_acts WHERE TRUE": "the sweeper looks for bulk actions to forget",
    "SELECT DISTINCT site_id FROM erased_subscribers": "the sweeper looks for entries to blank",
    "SELECT site_id, id FROM file_uploads WHERE TRUE": "files whose questions nobody answered for an hour",
    "SELECT DISTINCT site_id FROM file_uploads": "the sweeper looks for files that nobody imported for a day",
    "SELECT count(*) FROM suppressions WHERE address_hash <": "of before sites had keys, for the doctor",
    "SELECT count(*) FROM webhooks WHERE nonce <": "of before sites had keys, for the doctor",
    "SELECT site_id, id FROM undos WHERE TRUE": "the sweeper forgets what became of whom",
    "SELECT site_id FROM webhook_deliveries WHERE at": "the sweeper looks for old deliveries",
    "SELECT DISTINCT base_url FROM site_pages": "whether a host is a site's own, where no console answers",
    "SELECT site_id FROM sign_ups WHERE expires_at": "the sweeper looks for sign-ups that have expired",
    "SELECT DISTINCT site_id FROM sign_ups": "the sweeper looks for sites that hold sign-ups",
    "SELECT DISTINCT site_id, file FROM file_pieces AS p WHERE T": "the sweeper looks for pieces of no file",
}


def parts(statement):
    """Yields the select in each pair of brackets, and what is left outside them."""
    while found := INNER.search(statement):
        yield found["inner"]
        named = " site_id " if "site_id" in found["inner"] else ""
        if COMPARED.fullmatch(found["inner"]):
            named = f" {found['inner']} "
        statement = f"{statement[: found.start()]}{named}{statement[found.end() :]}"
    yield statement


def of_no_site(statement):
    """The parts of a statement that use a site's table without naming the site."""
    return [part for part in parts(statement) if USES.search(part) and not _names_site(part)]


def _names_site(part):
    """Whether a part of a statement names the site. A join of two tables by equal sites does not: both may be
    of any site.
    """
    return OF_PAGE in part or NAMES_SITE.search(JOIN.sub(lambda join: SAME_SITE.sub("", join[0]), part))


def joined_apart(statement):
    """The parts of a statement that join a site's table with rows that may be of another site."""
    return [
        part
        for part in parts(statement)
        if USES.search(part) and not all(_on_site(join["on"]) for join in JOIN.finditer(part))
    ]


def _on_site(condition):
    """Whether the condition of a join keeps both tables to one site."""
    return NAMES_SITE.search(condition) or SAME_SITE.search(condition)


class Reader:
    """Reads statements. `wrong` are those of the product that use a site's table without the site, or join it
    without the site.
    """

    def __init__(self, excused=tuple(OVER_ALL_SITES)):
        self.wrong = []
        self._excused, self._good = excused, set()

    def read(self, statement):
        if hash(statement) in self._good:
            return
        excused = statement.startswith(self._excused)
        if not joined_apart(statement) and (excused or not of_no_site(statement)):
            self._good.add(hash(statement))
        elif not _sender().startswith(OF_ALL):
            self.wrong.append(statement)


class Recorded:
    """Reads transactions. `wrong` has a statement of each that changed subscribers and was committed without
    an entry.
    """

    def __init__(self):
        self.wrong, self._of_thread = [], threading.local()

    def read(self, statement):
        if statement.startswith(RECORDS):
            self._of_thread.is_recorded = True
        elif CHANGES.match(statement) and not (
            _sender().startswith(NOT_RECORDED) or _sender(STORAGE).startswith(OF_ALL)
        ):
            self._of_thread.changed = statement

    def begin(self):
        self._of_thread.changed, self._of_thread.is_recorded = "", False

    def commit(self):
        if self._of_thread.changed and not self._of_thread.is_recorded:
            self.wrong.append(self._of_thread.changed)


def attend(pool):
    """Makes the pools of a class have their statements read."""
    run, run_many, begin, commit = pool.execute_sql, pool.execute_many, pool.begin, pool.commit

    def execute_sql(opened, sql, params=None, **options):
        reader.read(sql)
        recorded.read(sql)
        return run(opened, sql, params, **options)

    def execute_many(opened, sql, parameters, *statement):
        rows = list(parameters)
        reader.read(sql)
        if rows:
            recorded.read(sql)
        return run_many(opened, sql, rows, *statement)

    def begin_read(opened, *options):
        begin(opened, *options)
        recorded.begin()

    def commit_read(opened):
        commit(opened)
        recorded.commit()

    pool.execute_sql, pool.execute_many = execute_sql, execute_many
    pool.begin, pool.commit = begin_read, commit_read


def _sender(beside=DOOR):
    """The file that sent the current statement: the innermost that is neither in `beside` nor part of the
    driver.
    """
    frame = sys._getframe(1)
    while frame.f_back:
        frame = frame.f_back
        name = frame.f_code.co_filename
        if name.startswith(str(ROOT)) and not name.startswith((*beside, __file__)):
            return name
    return ""


reader, recorded = Reader(), Recorded()
for pool in (SqlitePool, ServerPool):
    attend(pool)
