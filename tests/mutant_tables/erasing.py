"""Faults of what is erased, searched, backed up and restored."""

from tests.mutant_tables.mutant import TORTURE, Mutant

API = "tests/api"
CLI = "tests/cli"
ERASING = f"{API}/test_erasing.py"
BACKUPS = f"{CLI}/test_refused_backups.py"
SEARCHES = "tests/console/test_file_searches.py"
SQLITE = "storage/engines/sqlite.py"
MUTANTS = (
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
        "storage/subscribers/field_values.py",
        '    execute_many(delete_from("distinct_values", ("site_id", "id")), unused)\n',
        "",
        f"{ERASING}::test_the_domain_of_one_person_goes_with_the_address",
    ),
    Mutant(
        "refused rows of the erased stay",
        "audience/erasures/erasures.py",
        "    stored_files.erase_refused(site_id, [*erased_at, *first])\n",
        "",
        f"{TORTURE}canaries",
    ),
    Mutant(
        "an erasure searches no file that waits",
        "audience/erasures/erasures.py",
        "    stored_uploads.ask_search(site_id, number)\n",
        "",
        f"{SEARCHES}::test_a_file_with_somebody_erased_is_deleted",
    ),
    Mutant(
        "a file is searched for one form of a domain",
        "audience/imports/file_searches.py",
        "keys.add(addresses.identity(address))",
        "keys.add(address.lower())",
        f"{SEARCHES}::test_both_forms_of_a_domain_are_found",
    ),
    Mutant(
        "a file is searched for addresses in no encoding",
        "audience/imports/file_searches.py",
        "(text, *redaction.addresses_in(text))",
        "(text,)",
        f"{SEARCHES}::test_a_file_with_somebody_erased_is_deleted",
    ),
    Mutant(
        "a file with somebody erased stays",
        "audience/imports/file_searches.py",
        "        file_uploads.remove_file(site, instance, upload)\n",
        "",
        f"{SEARCHES}::test_a_file_with_somebody_erased_is_deleted",
    ),
    Mutant(
        "a file that cannot be searched stays",
        "audience/imports/file_searches.py",
        "        return UNREADABLE\n",
        '        return ""\n',
        f"{SEARCHES}::test_a_file_that_breaks_the_search_is_deleted_unless_the_machine_did",
    ),
    Mutant(
        "who is erased during a search is not searched for",
        "audience/imports/file_searches.py",
        "later if suppressions.erasures_from(site.id, later) else 0",
        "0",
        f"{SEARCHES}::test_who_is_erased_during_a_search_is_searched_for_next",
    ),
    Mutant(
        "the file of an import is left by a worker that was killed",
        "audience/imports/file_tasks.py",
        "    if upload and upload.import_id:\n",
        "    if upload and upload.task:\n",
        "tests/console/test_file_tasks.py::test_what_is_applied_before_its_worker_is_killed_is_imported_once",
    ),
    Mutant(
        "the copy of a killed backup stays",
        "audience/privacy/secret_files.py",
        "            shutil.rmtree(file.parent)\n",
        "            pass\n",
        "tests/cli/test_backups.py::test_what_a_killed_backup_leaves_goes_with_the_next_one",
    ),
    Mutant(
        "a backup removes the copy of another that is at work",
        "audience/privacy/secret_files.py",
        "            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)\n",
        "",
        "tests/cli/test_backups.py::test_two_backups_at_once_into_one_folder",
    ),
    Mutant(
        "the record keeps who is erased",
        "audience/changes/log.py",
        "            _blank_row(site_id, number, erased_ids)\n",
        "            pass\n",
        f"{TORTURE}canaries",
    ),
    Mutant(
        "an erasure is not logged",
        "audience/erasures/erasures.py",
        "consents.log_lines(site.id, number, _subjects(site, hashes, subscriber, at))",
        "[]",
        f"{CLI}/test_restores.py::test_the_erasure_log_is_enough_if_the_database_is_lost",
    ),
    Mutant(
        "a restore resubscribes who left since",
        "audience/operations/restore_carryover.py",
        "consent_carryover.repeat(site.id, last, owners, old, in_backup, again)",
        "0",
        f"{CLI}/test_restored_consent.py::test_who_left_since_the_backup_stays_unsubscribed",
    ),
    Mutant(
        "an unsubscribe is not logged",
        "audience/changes/log.py",
        "    consent_log.note(batch, created, changed)\n",
        "",
        f"{CLI}/test_consent_log.py::test_who_unsubscribed_since_the_backup_stays_so_though_the_database_is_lost",
    ),
    Mutant(
        "a subscribe is logged before its commit",
        "storage/erasures/log.py",
        "[change for change in self.changes if change.kind != SUBSCRIBED]",
        "self.changes",
        f"{CLI}/test_consent_log.py::test_a_subscribe_whose_line_is_lost_counts_as_unsubscribed",
    ),
    Mutant(
        "the line of what had waited hides that somebody left by themselves",
        "audience/operations/consent_carryover.py",
        "if change in old and before not in old:",
        "if False:",
        f"{CLI}/test_restored_consent.py"
        "::test_an_unsubscribe_of_the_same_instant_as_what_waits_counts_by_its_own_number",
    ),
    Mutant(
        "what had failed in a backup counts for nobody who was unsubscribed in it",
        "audience/operations/consent_carryover.py",
        "not (is_unsubscribed and line in in_backup)",
        "not (is_unsubscribed and line in old)",
        f"{CLI}/test_restored_consent.py"
        "::test_an_unsubscribe_of_what_had_failed_counts_over_one_of_before_that_is_undone",
    ),
    Mutant(
        "a backup is restored that is older than the log",
        "audience/operations/backups.py",
        "if carryover.missing_days and not carryover.is_new:",
        "if False:",
        f"{CLI}/test_consent_log.py::test_a_backup_that_is_older_than_the_log_is_refused_but_when_asked_for",
    ),
    Mutant(
        "a daily backup is kept for longer than the log",
        "audience/operations/daily_backups.py",
        " or backup.made_at < oldest",
        "",
        "tests/console/test_daily_backups.py"
        "::test_none_is_older_than_the_consent_log_though_no_new_one_is_made",
    ),
    Mutant(
        "a trial does not compare",
        "audience/operations/backups.py",
        "if rows - applied.erased != there:",
        "if False:",
        f"{CLI}/test_checked_backups.py::test_one_that_loses_people_as_it_is_restored_is_told",
    ),
    Mutant(
        "a server's dump is used before the erasures since are repeated",
        "storage/instance/backups.py",
        "phase = '{state.RESTORING}'",
        "phase = ''",
        "tests/operations/test_server_backups.py::test_an_interrupted_one_goes_on_and_is_not_used_before",
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
        "        contents = Contents([], {})",
        "        copy = __import__('apsw').Connection(str(folder / data))\n"
        "        copy.execute('DELETE FROM subscribers WHERE id % 2')\n"
        "        contents = Contents([], {})",
        f"{TORTURE}backup --only 0",
    ),
    Mutant(
        "a backup may bring triggers",
        "storage/instance/backups.py",
        "if code := sqlite_files.stored_code(opened):",
        "if code := sqlite_files.stored_code(opened)[:0]:",
        f"{BACKUPS}::test_a_backup_with_code_of_its_own_is_refused",
    ),
)
