"""The faults that `make mutants` seeds: a text, what replaces it, and the test or row that must fail."""

from typing import NamedTuple

TORTURE = "torture "  # rows of `tests/torture`, or one attack of a row, in the short form


class Mutant(NamedTuple):
    name: str
    file: str
    text: str
    by: str
    test: str


API, STORIES, CLI = "tests/api", "tests/stories", "tests/cli"
FAULTS = f"{STORIES}/test_consent_faults.py::test_nobody_is_brought_back_by"
CONSENT, ERASING = f"{API}/test_consent_order.py", f"{API}/test_erasing.py"
ACCESS, IMPORTS = "tests/http/test_access.py", "tests/audience/test_imports.py"
PAGES, BACKUPS = "tests/console/test_pages.py", f"{CLI}/test_refused_backups.py"
WEBHOOKS = "tests/audience/test_webhook_sender.py"
BATCHES, SQLITE = "audience/subscriber_batches.py", "storage/engines/sqlite.py"
MUTANTS = (
    Mutant(
        "a commit is not synced",
        SQLITE,
        '"synchronous": "full"',
        '"synchronous": "normal"',
        f"{TORTURE}power",
    ),
    Mutant(
        "a new name is not synced",
        "audience/secret_files.py",
        "    descriptor = os.open(folder, os.O_RDONLY)\n",
        "    return\n    descriptor = os.open(folder, os.O_RDONLY)\n",
        f"{TORTURE}power --only 0",
    ),
    Mutant(
        "`applied` moves whoever has the claim",
        "audience/imports.py",
        "    if not advanced:\n        raise ClaimLost\n",
        "",
        f"{IMPORTS}::test_a_worker_that_lost_its_claim_writes_nothing",
    ),
    Mutant(
        "two workers at one import both move it",
        "audience/imports.py",
        "    if not advanced:\n        raise ClaimLost\n",
        "",
        f"{TORTURE}kill --only 0",
    ),
    Mutant(
        "an import is given up for a full disk",
        "audience/imports.py",
        "_hand_back(site_id, claimed, token, RETRY_AFTER_MS)\n",
        "_hand_back(site_id, claimed, token, RETRY_AFTER_MS, failed=True)\n",
        f"{TORTURE}disk --only 1",
    ),
    Mutant(
        "a claim goes by the wall clock",
        "audience/imports.py",
        "token, at, leases.now(clock.uptime_ms()), LEASE_MS)",
        "token, at, clock.now_ms(), LEASE_MS)",
        f"{TORTURE}clock --only 0",
    ),
    Mutant(
        "a webhook is due by the wall clock",
        "audience/webhook_sender.py",
        "stored.due(leases.now(clock.uptime_ms()), MOST_DUE)",
        "stored.due(clock.now_ms(), MOST_DUE)",
        f"{TORTURE}clock --only 0",
    ),
    Mutant(
        "a file is due by the wall clock",
        "audience/file_tasks.py",
        "stored.due(leases.now(clock.uptime_ms()), unseen)",
        "stored.due(clock.now_ms(), unseen)",
        f"{TORTURE}clock --only 0",
    ),
    Mutant(
        "a lease holds nothing",
        "storage/site_queue.py",
        "AND id = ? AND {WAITING} AND NOT {HELD} ",
        "AND id = ? AND {WAITING} AND (1 OR NOT {HELD}) ",
        f"{IMPORTS}::test_a_claimed_import_is_not_claimed_again_before_its_lease_expires",
    ),
    Mutant(
        "a lease goes by the wall clock",
        "audience/imports.py",
        "takeable_sites(leases.now(clock.uptime_ms()))",
        "takeable_sites(clock.now_ms())",
        f"{IMPORTS}::test_a_clock_that_is_set_neither_ends_nor_extends_a_lease",
    ),
    Mutant(
        "subscribers of all sites by uuid",
        "storage/subscriber_texts.py",
        "FROM subscribers WHERE site_id = ? AND {name} = ?",
        "FROM subscribers WHERE ? > 0 AND {name} = ?",
        f"{TORTURE}tenants",
    ),
    Mutant(
        "segments of all sites by id",
        "storage/segments.py",
        'row(f"SELECT {COLUMNS} FROM segments WHERE site_id = ? AND id = ?", (site_id, segment_id))',
        'row(f"SELECT {COLUMNS} FROM segments WHERE id = ?", (segment_id,))',
        f"{TORTURE}tenants",
    ),
    Mutant(
        "webhooks of all sites by id",
        "storage/webhooks.py",
        'row(f"SELECT {COLUMNS} FROM webhooks WHERE site_id = ? AND id = ?", (site_id, webhook_id))',
        'row(f"SELECT {COLUMNS} FROM webhooks WHERE id = ?", (webhook_id,))',
        f"{TORTURE}tenants",
    ),
    Mutant(
        "one command undoes the next of the same number",
        "audience/consents.py",
        "self._order >= kept._order",
        "self._order > kept._order",
        "tests/audience/test_histories.py",
    ),
    Mutant(
        "an import counts when it is applied",
        "audience/imports.py",
        "Acceptance(claimed.number, claimed.accepted_at,",
        "Acceptance(site_counters.accepted(site_id), claimed.accepted_at,",
        f"{CONSENT}::test_a_queued_item_loses_to_a_command_accepted_after_it",
    ),
    Mutant(
        "an event of the same instant counts",
        "audience/consents.py",
        "ConsentKind.DATED_SUBSCRIBE: -1,",
        "ConsentKind.DATED_SUBSCRIBE: 2,",
        f"{CONSENT}::test_a_dated_event_counts_where_it_is_later_than_the_last_change",
    ),
    Mutant(
        "acceptance goes back with the clock",
        "storage/site_counters.py",
        "CASE WHEN site_counters.accepted_at < excluded.accepted_at",
        "CASE WHEN site_counters.accepted_at <> excluded.accepted_at",
        f"{CONSENT}::test_a_late_event_never_undoes_what_was_done_with_the_clock_set_back",
    ),
    Mutant(
        "consent is ordered by acceptance",
        "audience/consents.py",
        "return self.instant, RANKS.get(self.kind, 0), self.number",
        "return self.number, RANKS.get(self.kind, 0), self.instant",
        FAULTS + "[a subscription of long ago over an unsubscribe of a file that waits]",
    ),
    Mutant(
        "of one instant the later number counts",
        "audience/consents.py",
        "RANKS.get(self.kind, 0), self.number",
        "0, self.number",
        FAULTS + "[a subscription of the same instant as an unsubscribe of before]",
    ),
    Mutant(
        "what a clock that was ahead dated counts as it is",
        "audience/consents.py",
        "if kept.instant > now and",
        "if False and",
        FAULTS + "[an unsubscribe, while a clock was ahead, under a subscription of then]",
    ),
    Mutant(
        "who comes in subscribed has said so",
        "audience/subscriber_batches.py",
        "            self._add_unsubscribed(person, event, consents.UNCONFIRMED)\n",
        "            self._add_unsubscribed(person, event, consents.UNCONFIRMED)\n"
        "        else:\n"
        "            event = ConsentEvent(self.accepted.at, self.accepted.number, ConsentKind.SUBSCRIBE)\n"
        "            consents.put(person, event)\n",
        FAULTS + "[a wrong file in which all are subscribed over the right one]",
    ),
    Mutant(
        "a day of unsubscribing is its first instant",
        "audience/changes.py",
        "    if not isinstance(at, WholeDay):\n        return at\n",
        "    if True:\n        return at\n",
        FAULTS + "[a subscription over an unsubscribe of the same day in a file]",
    ),
    Mutant(
        "a day is one of UTC",
        "audience/changes.py",
        "ZoneInfo(time_zone)",
        'ZoneInfo("UTC")',
        FAULTS + "[a subscription of the day after in UTC, but not in the site's zone]",
    ),
    Mutant(
        "a refused unsubscribe is forgotten",
        "audience/subscriber_batches.py",
        "            self._note_unsubscribe(change)\n",
        "",
        FAULTS + "[a subscription that was queued before an unsubscribe of who was erased]",
    ),
    Mutant(
        "who moves unsubscribed is subscribed by what waits",
        "audience/subscribers.py",
        "subscriber.consent_at, subscriber.consent_number = accepted.at, accepted.number",
        "pass",
        FAULTS + "[a subscription that was queued for an address before somebody unsubscribed moves onto it]",
    ),
    Mutant(
        "a bulk action that waits mentions nobody",
        "audience/undo_decisions.py",
        "if waiting := self._waiting.get(subscriber_id):",
        "if waiting := None:",
        FAULTS
        + "[undo of an import whose people a waiting bulk action unsubscribes, and the corrected file]",
    ),
    Mutant(
        "acceptance goes back",
        "storage/site_counters.py",
        "CASE WHEN site_counters.accepted_at < excluded.accepted_at THEN",
        "CASE WHEN site_counters.accepted_at <> excluded.accepted_at THEN",
        FAULTS + "[a subscription over an unsubscribe that was accepted with the clock set back, and waited]",
    ),
    Mutant(
        "a bulk action is accepted when it is done",
        "audience/bulk_act_pieces.py",
        "        accepted = Acceptance(act.seq, act.accepted_at, accepted.source)\n",
        "",
        f"{STORIES}/test_order_of_application.py::test_what_waits_has_the_instant_of_its_acceptance",
    ),
    Mutant(
        "an import brings back who left",
        BATCHES,
        "if hash_.reason == suppressions.UNSUBSCRIBED:",
        "if False:",
        f"{CONSENT}::test_the_old_address_of_who_left_stays_known",
    ),
    Mutant(
        "any word lifts an erasure",
        BATCHES,
        "event.kind in consents.SUBSCRIBES and event",
        "event",
        f"{ERASING}::test_an_import_does_not_restore_an_erased_subscriber_but_subscribe_does",
    ),
    Mutant(
        "two senders take one webhook",
        "storage/webhooks.py",
        "AND lease_until = ? AND paused = ''",
        "AND (1 OR lease_until = ?) AND paused = ''",
        f"{WEBHOOKS}::test_of_two_senders_who_find_a_webhook_due_at_once_one_sends_it",
    ),
    Mutant(
        "a delivery that failed counts",
        "audience/webhook_sender.py",
        "if webhook_deliveries.succeeded(delivered):",
        "if delivered:",
        f"{WEBHOOKS}::test_a_range_is_kept_until_it_succeeds_and_nothing_is_skipped",
    ),
    Mutant(
        "the range of a delivery grows with each try",
        "audience/webhook_sender.py",
        "if change.number <= webhook.range_end]",
        "]",
        f"{WEBHOOKS}::test_a_range_is_kept_until_it_succeeds_and_nothing_is_skipped",
    ),
    Mutant(
        "two processes write at once",
        "storage/engines/sqlite_turns.py",
        "fcntl.LOCK_EX | flags",
        "fcntl.LOCK_SH | flags",
        "tests/storage/test_turns.py",
    ),
    Mutant(
        "a scope is not checked",
        "audience/api/endpoint.py",
        "if not key.may(scope):",
        "if False:",
        f"{ACCESS}::test_scopes",
    ),
    Mutant(
        "a secret is not compared",
        "audience/keys.py",
        "matches = hmac.compare_digest(secret, key.secret_hash)",
        "matches = True",
        f"{ACCESS}::test_a_key_works_only_with_its_own_secret",
    ),
    Mutant(
        "a revoked key works",
        "audience/keys.py",
        "if not (matches and key.id and key.is_active(clock.now_ms())):",
        "if not (matches and key.id):",
        f"{ACCESS}::test_what_another_process_does_to_a_key_counts_within_a_second",
    ),
    Mutant(
        "failures are not throttled",
        "audience/http/access.py",
        "    if wait:\n",
        "    if False:\n",
        f"{ACCESS}::test_failures_are_throttled_per_address_but_valid_keys_are_not",
    ),
    Mutant(
        "anybody forwards an address",
        "audience/http/access.py",
        "while hops and _is_trusted(address, proxies):",
        "while hops:",
        f"{ACCESS}::test_a_forwarded_address_is_used_only_from_a_trusted_proxy",
    ),
    Mutant(
        "a form needs no token",
        "audience/console/page.py",
        'if not hmac.compare_digest(sent.encode(errors="replace"), csrf_token().encode()):',
        "if not sent:",
        f"{PAGES}::test_every_post_needs_the_token_of_its_session",
    ),
    Mutant(
        "the log of writes keeps who is erased",
        "storage/engines/sqlite_log.py",
        '_checkpoint_at_once(opened, "TRUNCATE")',
        '_checkpoint_at_once(opened, "PASSIVE")',
        f"{ERASING}::test_every_trace_is_erased",
    ),
    Mutant(
        "deleted rows are not overwritten",
        SQLITE,
        '"secure_delete": 1',
        '"secure_delete": 0',
        f"{ERASING}::test_every_trace_is_erased",
    ),
    Mutant(
        "a domain of nobody is kept",
        "storage/domains.py",
        "domain = ? AND people = 0",
        "domain = ? AND people < 0",
        f"{ERASING}::test_the_domain_of_one_person_goes_with_the_address",
    ),
    Mutant(
        "refused rows of the erased stay",
        "audience/erasures.py",
        "    stored_files.erase_refused(site_id, since)\n",
        "",
        f"{TORTURE}canaries",
    ),
    Mutant(
        "the record keeps who is erased",
        "audience/change_log.py",
        "            _blank_row(site_id, number, some)\n",
        "            pass\n",
        f"{TORTURE}canaries",
    ),
    Mutant(
        "an erasure is not logged",
        "audience/erasures.py",
        "        erasure_log.append(instance, _logged(site, address_hash, subscriber, at, number))\n",
        "",
        f"{CLI}/test_restores.py::test_the_erasure_log_is_enough_if_the_database_is_lost",
    ),
    Mutant(
        "a restore brings back who left since",
        "audience/operations/restore_carryover.py",
        "    left = consent_carryover.apply(carryover.left)\n",
        "    left = 0\n",
        f"{CLI}/test_restored_consent.py::test_who_left_since_the_backup_stays_unsubscribed",
    ),
    Mutant(
        "a changed backup is restored",
        "audience/operations/backups.py",
        "if digest.hexdigest() != manifest.sha256[name]:",
        "if False:",
        f"{BACKUPS}::test_an_incomplete_backup_is_refused_and_changes_nothing",
    ),
    Mutant(
        "a backup may have a letter changed",
        "audience/operations/backups.py",
        "if digest.hexdigest() != manifest.sha256[name]:",
        "if False:",
        f"{TORTURE}backup --only 0",
    ),
    Mutant(
        "a backup lacks people",
        "audience/operations/backups.py",
        "        contents = stored.examine(copy)\n",
        "        __import__('apsw').Connection(str(copy)).execute('DELETE FROM subscribers WHERE id % 2')\n"
        "        contents = stored.examine(copy)\n",
        f"{TORTURE}backup --only 0",
    ),
    Mutant(
        "a backup may bring triggers",
        "storage/backups.py",
        "if code := sqlite_files.stored_code(opened):",
        "if code := sqlite_files.stored_code(opened)[:0]:",
        f"{BACKUPS}::test_a_backup_with_code_of_its_own_is_refused",
    ),
    Mutant(
        "a query is logged",
        "audience/http/request_log.py",
        "route=sent.url_rule.rule if sent.url_rule else None",
        "route=sent.full_path",
        f"{STORIES}/test_observed.py::test_request_data_is_only_in_the_database",
    ),
    Mutant(
        "a body has no deadline",
        "workers/web/body.py",
        "deadline.reschedule(start + self._settings.body_timeout * units)",
        "deadline.reschedule(None)",
        f"{STORIES}/test_edge.py::test_a_body_that_is_late_is_a_408",
    ),
    Mutant(
        "a body has no bounds",
        "audience/api/json_bounds.py",
        "if count > 2 * MAX_CONTAINERS:",
        "if False:",
        f"{API}/test_json_bounds.py::test_bounds_hold_across_many_texts",
    ),
    Mutant(
        "large bodies are parsed all at once",
        "audience/api/request_data.py",
        "    with place, PARSING if len(raw) > LARGE_BYTES else nullcontext():\n",
        "    with place:\n",
        f"{TORTURE}memory --only 5",
    ),
    Mutant(
        "a full-width formula is exported",
        "schemas/formats/csv_values.py",
        "FORMULA = re.compile(\"'*[=+\\\\-@\\uff1d\\uff0b\\uff0d\\uff20",
        "FORMULA = re.compile(\"'*[=+\\\\-@",
        "tests/schemas/test_csv_values.py",
    ),
    Mutant(
        "a unique event is stored twice",
        "audience/events.py",
        "if name not in seen:",
        "if True:",
        f"{API}/test_events.py::test_a_unique_event_is_stored_and_applied_once",
    ),
    Mutant(
        "silence of the DNS is an answer",
        "audience/answers/dns/resolver.py",
        "examining.result() if examining.done() else DnsHealth.CUT_OFF",
        "examining.result() if examining.done() else DnsHealth.WORKS",
        "tests/answers/test_canaries.py::test_fifty_validations_at_once_ask_the_canaries_once",
    ),
    Mutant(
        "a denial counts though all is denied",
        "audience/answers/validation/mail_route.py",
        "resolver.health(domain, well_known) is DnsHealth.WORKS",
        "resolver.health(domain, well_known) is not DnsHealth.CUT_OFF",
        f"{TORTURE}dns --only 3",
    ),
)
