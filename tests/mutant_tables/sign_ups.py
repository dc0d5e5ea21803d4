"""Faults of sign-ups."""

from tests.mutant_tables.mutant import Mutant

ALARMS = "tests/audience/sign_ups/test_alarms.py"
CONFIRMING = "tests/audience/sign_ups/test_confirming.py"
HANDING_OVER = "tests/audience/sign_ups/test_handing_over.py"
SENDING = "tests/audience/sign_ups/test_sending.py"
LIMITS = "tests/audience/sign_ups/test_sending_limits.py"
LINKS = "tests/pages/test_link_requests.py"
LINK_LIMITS = "tests/pages/test_link_request_limits.py"
RESTORES = "tests/cli/test_restores.py"
MUTANTS = (
    Mutant(
        "what was asked for before somebody left still subscribes them",
        "audience/subscribers/writes.py",
        "    _end_sign_ups(batch)\n",
        "",
        f"{CONFIRMING}::test_an_open_sign_up_ends_in_the_transaction_of_leaving",
    ),
    Mutant(
        "a confirmation counts though the address was unsubscribed by a date since",
        "audience/sign_ups/confirming.py",
        "number > sign_up.number",
        "number < 0",
        f"{CONFIRMING}::test_leaving_ends_what_is_open",
    ),
    Mutant(
        "a link confirms again after leaving",
        "audience/sign_ups/confirming.py",
        "        if sign_up.status == CONFIRMED:\n            return ConfirmOutcome.ALREADY\n"
        "        if not sign_up.is_open:\n            return ConfirmOutcome.ENDED\n",
        "",
        f"{CONFIRMING}::test_a_second_time_writes_nothing_also_after_leaving",
    ),
    Mutant(
        "a confirmation overwrites a name",
        "audience/sign_ups/confirming.py",
        'if had.get(name) in (None, "")',
        "if text",
        f"{CONFIRMING}::test_names_are_filled_in_only_where_they_are_blank",
    ),
    Mutant(
        "an erasure leaves who is only a sign-up",
        "audience/erasures/erasures.py",
        "    sign_ups.erase(site_id, [*erased_at, *first])\n",
        "",
        f"{CONFIRMING}::test_who_is_only_a_sign_up_is_erased",
    ),
    Mutant(
        "the dots of a Gmail address make another mailbox",
        "audience/sign_ups/mailboxes.py",
        'local.replace(".", "") or local',
        "local",
        f"{ALARMS}::test_500_spellings_of_one_mailbox_get_six_mails_a_day",
    ),
    Mutant(
        "each site has its own six mails a day for a mailbox",
        "audience/sign_ups/mailboxes.py",
        'return _hash(f"mailbox {site.uuid} {mailbox}"), _hash(f"mailbox {mailbox}")',
        'return (_hash(f"mailbox {site.uuid} {mailbox}"),) * 2',
        f"{LIMITS}::test_a_mailbox_has_six_a_day_over_all_sites",
    ),
    Mutant(
        "another try counts the mailbox again",
        "audience/sign_ups/decisions.py",
        "    if sign_up.tries:\n        return GO\n",
        "",
        f"{SENDING}::test_what_the_server_does_not_take_now_goes_later_under_one_id",
    ),
    Mutant(
        "who declined is asked again",
        "audience/sign_ups/decisions.py",
        "mailboxes.has_declined(site, sign_up.email)",
        "False",
        f"{SENDING}::test_who_declined_is_not_asked_again",
    ),
    Mutant(
        "who leaves while a mail goes is sent it",
        "audience/sign_ups/sending.py",
        "return stored.has(site_id=site.id, id=sign_up.id, status=WAITING)",
        "return True",
        f"{SENDING}::test_whoever_leaves_while_it_goes_is_not_sent_it",
    ),
    Mutant(
        "workers that are killed send a third mail",
        "audience/sign_ups/sending.py",
        "if was_stopped and sign_up.reason == MAYBE_SENT",
        "if False",
        f"{SENDING}::test_workers_that_are_killed_twice_once_it_was_taken_send_no_third",
    ),
    Mutant(
        "workers that are killed send the links a third time",
        "audience/sign_ups/link_requests.py",
        " or request.tries == MAYBE_SENT_TWICE",
        "",
        f"{LINKS}::test_workers_that_are_killed_once_it_was_taken_send_no_third",
    ),
    Mutant(
        "declining a test declines for the mailbox that was typed",
        "audience/sign_ups/confirming.py",
        "        if not sign_up.is_test:\n            mailboxes.note",
        "        if True:\n            mailboxes.note",
        f"{CONFIRMING}::test_declining_a_test_ends_only_the_test",
    ),
    Mutant(
        "one that was released over the limits of its mailbox is lost",
        "audience/sign_ups/decisions.py",
        "if sign_up.reason == RELEASED else",
        "if False else",
        f"{LIMITS}::test_what_is_released_while_its_mailbox_has_an_email_stays_failed",
    ),
    Mutant(
        "sending again by hand repeats a Message-ID",
        "audience/sign_ups/handing_over.py",
        "{sign_up.nonce} {sign_up.expires_at}",
        "{sign_up.nonce}",
        f"{SENDING}::test_sending_again_by_hand_is_another_message",
    ),
    Mutant(
        "a copy under another name mails people",
        "audience/sign_ups/decisions.py",
        "sign_up.base_url != base_url",
        "False",
        f"{SENDING}::test_what_was_asked_for_under_another_name_of_the_service_is_held",
    ),
    Mutant(
        "a link of before a restore confirms",
        "audience/webhooks/outgoing.py",
        ' | {"nonce": str(uuid.uuid4())}',
        "",
        f"{RESTORES}::test_sign_ups_wait_for_an_operator_and_links_that_were_sent_confirm_nothing",
    ),
    Mutant(
        "mails to strangers go on",
        "audience/sign_ups/alarms.py",
        "sum(newest) < LEAST_CONFIRMED",
        "False",
        f"{ALARMS}::test_a_slow_attack_is_held_after_some_55",
    ),
    Mutant(
        "the alarm of a small site stays on",
        "audience/sign_ups/alarms.py",
        " or alarm.held_at < now - LOOKED_BACK_MS",
        "",
        f"{ALARMS}::test_a_site_of_one_sign_up_a_day_opens_too",
    ),
    Mutant(
        "a lane has more of a kind in hand than it may",
        "workers/lanes.py",
        "numbers[kind.name] < kind.at_once",
        "True",
        "tests/workers/test_lanes.py::test_of_a_kind_no_more_than_it_may_and_others_go_on",
    ),
    Mutant(
        "two threads that claim at once have more of a kind in hand than a lane may",
        "workers/lanes.py",
        "number >= at_once",
        "number > at_once",
        "tests/workers/test_lanes.py::test_of_a_kind_no_more_though_they_are_claimed_at_the_same_moment",
    ),
    Mutant(
        "receivers that do not answer hold up emails",
        "audience/sign_ups/sending.py",
        "MOST_HAND_OVERS = 2",
        "MOST_HAND_OVERS = 8",
        "tests/audience/sign_ups/test_handing_over.py::test_receivers_that_do_not_answer_hold_up_no_email",
    ),
    Mutant(
        "a launch is held",
        "audience/sign_ups/alarms.py",
        "now - GROWN_MS, JUDGED",
        "now, JUDGED",
        f"{ALARMS}::test_a_launch_is_no_alarm",
    ),
    Mutant(
        "the trickle goes to one network",
        "storage/sign_ups/sign_ups.py",
        "AND other.network = held.network AND other.id <> held.id",
        "AND other.id < 0",
        f"{ALARMS}::test_while_it_is_on_a_trickle_goes_to_networks_seen_once",
    ),
    Mutant(
        "a receiver's answer about a sign-up is kept",
        "audience/webhooks/deliveries.py",
        "(draft.kind == CHANGES and failure and",
        "(failure and",
        f"{HANDING_OVER}::test_after_three_days_it_has_failed_and_the_log_has_no_answer_of_the_receiver",
    ),
    Mutant(
        "a webhook is deleted though a form delivers by it",
        "audience/webhooks/webhooks.py",
        "    _check_unused(site.id, webhook)\n",
        "",
        f"{HANDING_OVER}::test_a_webhook_that_a_form_delivers_by_stays",
    ),
    Mutant(
        "each try of a hand-over is another message",
        "audience/sign_ups/handing_over.py",
        "{sign_up.nonce} {sign_up.expires_at}",
        "{sign_up.nonce} {sign_up.tries}",
        f"{HANDING_OVER}::test_what_is_not_taken_goes_again_under_one_id",
    ),
    Mutant(
        "a custom field that somebody has is overwritten by 0 being blank",
        "audience/sign_ups/confirming.py",
        'had.get(name) in (None, "")',
        "not had.get(name)",
        f"{CONFIRMING}::test_custom_fields_are_filled_in_only_where_they_are_blank",
    ),
    Mutant(
        "links are mailed beyond the six emails of a mailbox",
        "audience/sign_ups/mailboxes.py",
        "    if _after(all_times, OF_INSTANCE, now) > now:\n        return False\n    if not",
        "    if not",
        f"{LINK_LIMITS}::test_confirmations_and_links_of_all_sites_are_six_a_day",
    ),
    Mutant(
        "links go out under another name of the service",
        "audience/sign_ups/link_requests.py",
        " or request.base_url != base_url",
        "",
        f"{LINKS}::test_in_a_copy_and_under_another_name_of_the_service_none_goes",
    ),
    Mutant(
        "links go to who is erased meanwhile",
        "audience/erasures/erasures.py",
        "    link_requests.erase(site_id, [*erased_at, *first])\n",
        "",
        f"{LINKS}::test_who_is_erased_while_it_goes_is_not_sent_it",
    ),
)
