"""The table of the tests that `make test-fast` leaves out: those that start a process, browser or server, or
take long.

Tests of a browser have a command of their own, `make test-browser`. `make test` runs all others, except for
those that only `make test WHOLE=1`, and so CI, runs: killed processes, full disks, empty environments,
servers of PostgreSQL.

A test outside this table that starts a process fails.
"""

import contextlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent
PROCESSES = (
    "answers/test_warm.py", "stories", "workers",
    "cli/test_api.py", "cli/test_backups.py", "cli/test_checked_backups.py",
    "cli/test_everyday_files.py", "cli/test_everyday_undos.py",
    "cli/test_file_imports.py", "cli/test_files_from_elsewhere.py", "cli/test_files_page.py",
    "cli/test_full_disk.py", "cli/test_interrupted_imports.py", "cli/test_mirrors.py",
    "cli/test_moving_in_page.py",
    "cli/test_start.py", "cli/test_strange_beginnings.py", "cli/test_tables.py", "cli/test_terminal.py",
    "console/test_daily_backups.py", "console/test_file_searches.py",
    "api/test_file_archives.py", "api/test_file_imports.py", "api/test_file_meanings.py",
    "api/test_full_disk.py",
    "api/test_file_tables.py", "api/test_generated_clients.py", "api/test_refused_rows.py",
    "audience/imports/test_import_faults.py",
    "operations/test_move_chains.py", "operations/test_move_targets.py",
    "operations/test_moves.py", "operations/test_server_backups.py",
    "schemas/test_workbook.py", "schemas/test_workbook_bounds.py",
    "storage/test_full_disk.py", "storage/test_bulk.py", "storage/test_citus.py", "storage/test_pgbouncer.py",
    "storage/test_queries.py", "storage/test_replica.py", "storage/test_server.py",
    "storage/test_server_statements.py", "storage/test_server_tables.py", "storage/test_shard_rules.py",
    "storage/test_site_lock.py",
    "storage/test_turns.py",
    "test_bare_environments.py", "test_bench_runs.py", "test_deploy.py",
    "test_dist.py", "test_examples.py", "test_make_run.py", "test_operations.py", "test_patterns.py",
)  # fmt: skip
BROWSERS = (
    "answers/test_moderation_browser.py",
    "api/test_docs_chromium.py",
    "console/test_busy_chromium.py",
    "console/test_chromium.py",
    "console/test_first_minutes_chromium.py",
    "console/test_forms_chromium.py",
    "console/test_proxies.py",
    "console/test_walks_chromium.py",
    "pages/test_chromium.py",
    "pages/test_sign_up_chromium.py",
    "pages/test_link_requests_chromium.py",
)
SERVERS = (
    "answers/test_blacklist_servers.py", "answers/test_canaries.py", "answers/test_dns.py",
    "answers/test_dns_cache.py", "answers/test_dns_trouble.py",
    "answers/test_zone_tests.py",
    "deliveries/test_client.py", "deliveries/test_encryption.py",
)  # fmt: skip
LONG = (  # every endpoint with every fault, random histories, large batches
    "answers/test_cleaning.py", "answers/test_gender.py", "answers/test_geolocation.py",
    "answers/test_geolocation_packing.py", "answers/test_judged.py", "answers/test_moderation.py",
    "api/test_concurrency.py",
    "api/test_bodies.py", "api/test_hostile.py", "api/test_requests.py",
    "api/test_volume.py", "api/test_wording.py", "http/test_access.py",
    "storage/segments/test_segment_rules.py",
)  # fmt: skip
STORIES = (
    "both_engines", "consent_faults", "consent_histories", "daily_backup", "edge", "every_write_is_recorded",
    "front_pages", "full_disk", "gates", "growth", "hosts", "ill_partition", "invariant_histories",
    "links_behind_nginx", "loaded_modules", "lost_files", "mail_bomb", "mirrors", "new_folders", "nginx",
    "numbers", "observed", "order_of_application", "postgresql_page", "restored_dump", "served_addresses",
    "starts", "walk_through", "webhooks",
)  # fmt: skip
LEFT_TO_WHOLE = (
    *(f"stories/test_{story}.py" for story in STORIES),
    "answers/test_geolocation_packing.py",
    "cli/test_files_from_elsewhere.py", "cli/test_full_disk.py", "cli/test_interrupted_imports.py",
    "cli/test_moving_in_page.py", "operations/test_move_chains.py", "operations/test_moves.py",
    "operations/test_move_targets.py", "operations/test_server_backups.py", "schemas/test_workbook_bounds.py",
    "storage/test_citus.py", "storage/test_pgbouncer.py", "storage/test_replica.py", "storage/test_server.py",
    "storage/test_server_statements.py", "storage/test_server_tables.py", "storage/test_shard_rules.py",
    "storage/test_site_lock.py",
    "workers/test_supervisor.py", "workers/test_sweeper.py", "workers/test_worker.py",
    "test_bare_environments.py", "test_bench_runs.py", "test_deploy.py", "test_dist.py", "test_make_run.py",
    "test_operations.py", "test_patterns.py",
)  # fmt: skip
IN_A_BROWSER = frozenset(ROOT / path for path in BROWSERS)
SLOW = tuple(ROOT / path for path in (*BROWSERS, *PROCESSES, *SERVERS, *LONG))
LONG_ALONE = frozenset(ROOT / path for path in LEFT_TO_WHOLE)
STARTS = frozenset({"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "subprocess.Popen"})


@cache
def is_slow(path: Path) -> bool:
    return any(path.is_relative_to(place) for place in SLOW)


class Guard:
    """An audit hook that fails a test that starts a process, while `up` is true."""

    def __init__(self) -> None:
        self.up = False

    @contextlib.contextmanager
    def lowered(self) -> Iterator[None]:
        """Lets a fixture that several tests share start a server during the block."""
        before, self.up = self.up, False
        try:
            yield
        finally:
            self.up = before

    def __call__(self, event: str, _: object) -> None:
        if self.up and event in STARTS:
            raise AssertionError("This test starts a process: put it into the table of tests/slow.py.")
