"""Faults of consent, its order and its undo."""

from tests.mutant_tables.mutant import Mutant

API = "tests/api"
STORIES = "tests/stories"
FAULTS = f"{STORIES}/test_consent_faults.py::test_nobody_is_brought_back_by"
CONSENT = f"{API}/test_consent_order.py"
ERASING = f"{API}/test_erasing.py"
UNDONE = "tests/audience/undo/test_undone_consent.py"
BY_VALUE = "tests/audience/undo/test_undo_by_value.py"
BATCHES = "audience/changes/batches.py"
MUTANTS = (
    Mutant(
        "one command undoes the next of the same number",
        "audience/changes/consents.py",
        "self.order >= stored_event.order",
        "self.order > stored_event.order",
        "tests/audience/test_histories.py",
    ),
    Mutant(
        "an import counts when it is applied",
        "audience/imports/imports.py",
        "Acceptance(accepted.number, accepted.at,",
        "Acceptance(site_counters.newest_accepted_number(site_id), accepted.at,",
        f"{CONSENT}::test_a_queued_item_loses_to_a_command_accepted_after_it",
    ),
    Mutant(
        "an event of the same instant counts",
        "audience/changes/consents.py",
        "ConsentKind.DATED_SUBSCRIBE: -1,",
        "ConsentKind.DATED_SUBSCRIBE: 2,",
        f"{CONSENT}::test_a_dated_event_counts_where_it_is_later_than_the_last_change",
    ),
    Mutant(
        "acceptance goes back with the clock",
        "storage/access/site_counters.py",
        "CASE WHEN site_counters.accepted_at < excluded.accepted_at",
        "CASE WHEN site_counters.accepted_at <> excluded.accepted_at",
        f"{CONSENT}::test_a_late_event_never_undoes_what_was_done_with_the_clock_set_back",
    ),
    Mutant(
        "consent is ordered by acceptance",
        "audience/changes/consents.py",
        "return self.instant, RANKS.get(self.kind, 0), self.number",
        "return self.number, RANKS.get(self.kind, 0), self.instant",
        FAULTS + "[a subscription of long ago over an unsubscribe of a file that waits]",
    ),
    Mutant(
        "of one instant the later number counts",
        "audience/changes/consents.py",
        "RANKS.get(self.kind, 0), self.number",
        "0, self.number",
        FAULTS + "[a subscription of the same instant as an unsubscribe of before]",
    ),
    Mutant(
        "what a clock that was ahead dated counts as it is",
        "audience/changes/consents.py",
        "if stored_event.instant > now and",
        "if False and",
        FAULTS + "[an unsubscribe, while a clock was ahead, under a subscription of then]",
    ),
    Mutant(
        "who comes in subscribed has said so",
        "audience/changes/batches.py",
        "            self._add_unsubscribed(subscriber, event, consents.UNCONFIRMED)\n",
        "            self._add_unsubscribed(subscriber, event, consents.UNCONFIRMED)\n"
        "        else:\n"
        "            event = ConsentEvent(self.accepted.at, self.accepted.number, ConsentKind.SUBSCRIBE)\n"
        "            consents.put(subscriber, event)\n",
        FAULTS + "[a wrong file in which all are subscribed over the right one]",
    ),
    Mutant(
        "a day of unsubscribing is its first instant",
        "audience/changes/changes.py",
        "    if not isinstance(at, WholeDay):\n        return at\n",
        "    if True:\n        return at\n",
        FAULTS + "[a subscription over an unsubscribe of the same day in a file]",
    ),
    Mutant(
        "a day is one of UTC",
        "audience/changes/changes.py",
        "ZoneInfo(time_zone)",
        'ZoneInfo("UTC")',
        FAULTS + "[a subscription of the day after in UTC, but not in the site's zone]",
    ),
    Mutant(
        "a refused unsubscribe is forgotten",
        "audience/changes/batches.py",
        "            self._note_unsubscribe(change)\n",
        "",
        FAULTS + "[a subscription that was queued before an unsubscribe of who was erased]",
    ),
    Mutant(
        "who moves unsubscribed has the consent of before",
        "audience/subscribers/subscribers.py",
        "subscriber.consent_at, subscriber.consent_number = accepted.at, accepted.number",
        "pass",
        f"{CONSENT}::test_a_subscribe_dated_before_who_unsubscribed_moved_to_the_address_is_not_theirs",
    ),
    Mutant(
        "adding somebody who is there changes them",
        "audience/subscribers/subscribers.py",
        'existing = find(site, item["email"])',
        "existing = None",
        "tests/console/test_additions.py::test_somebody_who_is_there_is_linked_and_stays_as_they_are",
    ),
    Mutant(
        "a bulk action that waits mentions nobody",
        "audience/undo/mentions.py",
        'by_id |= dict.fromkeys(ids, Source("bulk_act", action_id))',
        "pass",
        FAULTS
        + "[undo of an import whose people a waiting bulk action unsubscribes, and the corrected file]",
    ),
    Mutant(
        "an import that waits mentions nobody",
        "audience/undo/mentions.py",
        "    if batch:\n",
        "    if batch := None:\n",
        "tests/audience/undo/test_undo_by_value.py::test_all_of_the_corrected_file_are_there",
    ),
    Mutant(
        "a repeated subscribe that is all of an import is not undone",
        "audience/changes/log.py",
        "not (entries or entries.unchanged or unnumbered)",
        "not (entries or entries.unchanged)",
        f"{UNDONE}::test_also_where_repeating_that_is_all_that_the_import_did",
    ),
    Mutant(
        "undo puts back a value that was changed since",
        "audience/undo/decisions.py",
        "if json_equal(values.setdefault(key, _value(subscriber, key)), value):",
        "if values.setdefault(key, _value(subscriber, key)) is not values:",
        f"{BY_VALUE}::test_a_value_that_a_later_write_repeated_goes_back_and_a_changed_one_stays",
    ),
    Mutant(
        "undo takes a number for the truth value that it equals",
        "audience/undo/decisions.py",
        "if json_equal(values.setdefault(key, _value(subscriber, key)), value):",
        "if values.setdefault(key, _value(subscriber, key)) == value:",
        f"{BY_VALUE}::test_a_number_is_not_the_truth_value_that_it_equals",
    ),
    Mutant(
        "who signed up by themselves goes with the import",
        "audience/undo/decisions.py",
        "        if by is None:\n",
        '        if by is None or by.kind == "operator":\n',
        f"{BY_VALUE}::test_who_signed_up_by_themselves_since_stays",
    ),
    Mutant(
        "undo subscribes whom something else unsubscribed, too",
        "audience/undo/decisions.py",
        "            numbers.add(subscriber.unsubscribe_number)\n",
        "            numbers.add(subscriber.consent_number)\n",
        f"{BY_VALUE}::test_every_other_unsubscribe_counts",
    ),
    Mutant(
        "an unsubscribe that comes late leaves no number",
        "audience/changes/consents.py",
        "subscriber[UNSUBSCRIBE_NUMBER] = event.number\n        if",
        "subscriber[UNSUBSCRIBE_NUMBER] = max(event.number, subscriber[UNSUBSCRIBE_NUMBER] or 0)\n        if",
        "tests/audience/undo/test_undo_by_value.py::test_every_other_unsubscribe_counts",
    ),
    Mutant(
        "the record lacks an unsubscribe that was outweighed",
        "audience/changes/log.py",
        "for row, shown_at, event in batch.consents.ignored]",
        "for row, shown_at, event in ()]",
        "tests/audience/undo/test_ignored_unsubscribes.py::test_it_counts_with_its_date",
    ),
    Mutant(
        "undo goes back to what another undone import said",
        "audience/undo/prior_consents.py",
        "self._before.get((id_, before.number), before)",
        "before",
        "tests/audience/undo/test_ignored_unsubscribes.py::test_three_wrong_files_undone_in_any_order_subscribe_nobody",
    ),
    Mutant(
        "the second row of an import forgets another unsubscribe",
        "audience/changes/consents.py",
        "        if event.unsubscribes and not (repeats and subscriber[UNSUBSCRIBE_NUMBER]):\n",
        "        if event.unsubscribes:\n",
        f"{BY_VALUE}::test_also_where_the_import_has_them_twice",
    ),
    Mutant(
        "acceptance goes back",
        "storage/access/site_counters.py",
        "CASE WHEN site_counters.accepted_at < excluded.accepted_at THEN",
        "CASE WHEN site_counters.accepted_at <> excluded.accepted_at THEN",
        FAULTS + "[a subscription over an unsubscribe that was accepted with the clock set back, and waited]",
    ),
    Mutant(
        "a bulk action is accepted when it is done",
        "audience/bulk/chunks.py",
        "        accepted = Acceptance(action.seq, action.accepted_at, accepted.source)\n",
        "",
        f"{STORIES}/test_order_of_application.py::test_what_waits_has_the_instant_of_its_acceptance",
    ),
    Mutant(
        "an import resubscribes who left",
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
)
