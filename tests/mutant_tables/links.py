"""Faults of links and the pages for people."""

from tests.mutant_tables.mutant import Mutant

API = "tests/api"
CLI = "tests/cli"
LINKS = "tests/audience/links/test_links.py"
VISITS = "tests/pages/test_links.py"
MUTANTS = (
    Mutant(
        "a restore revives a revoked link",
        "audience/operations/restore_carryover.py",
        "    link_generations.carry_over(carryover.links)\n",
        "",
        f"{CLI}/test_restores.py::test_no_link_that_was_revoked_since_the_backup_is_good_again",
    ),
    Mutant(
        "a restore without the database revives a revoked link",
        "audience/operations/restore_carryover.py",
        "    link_generations.repeat(carryover.of_links)\n    _raise_numbers(carryover)\n    with",
        "    _raise_numbers(carryover)\n    with",
        f"{CLI}/test_restores.py::test_no_link_that_was_revoked_since_the_backup_is_good_again",
    ),
    Mutant(
        "an old link means nobody after the mended file",
        "audience/subscribers/writes.py",
        "        former_links.put_holders(batch.site_id, holders)\n",
        "        pass\n",
        f"{LINKS}::test_import_mail_undo_import_the_mended_file_old_link",
    ),
    Mutant(
        "a revoked link unsubscribes",
        "audience/links/unsubscribing.py",
        "link.standing is Standing.REVOKED",
        "link.standing is None",
        f"{LINKS}::test_links_are_old_after_a_rotation_and_revoked_after_a_revocation",
    ),
    Mutant(
        "a key that only reads gets links",
        "audience/api/links.py",
        'g.key.may("mailer")',
        'g.key.may("read")',
        f"{API}/test_links.py::test_links_are_for_the_scopes_mailer_and_full",
    ),
    Mutant(
        "an unsubscribe is undone after the hour",
        "audience/links/undoing.py",
        "is_only and is_in_time and ",
        "is_only and ",
        "tests/pages/test_undo.py::test_unsubscribing_is_undone_within_the_hour",
    ),
    Mutant(
        "an undo goes over a later consent event",
        "audience/links/undoing.py",
        "_is_last(subscriber, ticket) and subscriber.unsubscribe_number == ticket.number",
        "subscriber.unsubscribed_at is not None",
        "tests/pages/test_undo.py::test_undo_ends_with_the_next_consent_event",
    ),
    Mutant(
        "an undo by the page goes over an unsubscribe that was applied since",
        "audience/links/undoing.py",
        " and subscriber.unsubscribe_number == ticket.number",
        "",
        "tests/pages/test_undo.py::test_an_unsubscribe_accepted_before_and_applied_since_is_not_undone",
    ),
    Mutant(
        "a page shows a whole address",
        "audience/links/visits.py",
        'f"{local[:1]}…{at}{domain}"',
        "email",
        f"{VISITS}::test_the_page_asks_and_shows_a_masked_address_alone",
    ),
    Mutant(
        "an old link to preferences shows the new address",
        "audience/links/visits.py",
        "link.purpose != PREFERENCES or link.is_for(subscriber.email_key)",
        "True",
        f"{VISITS}::test_a_preferences_link_of_a_former_address_only_unsubscribes_and_shows_none",
    ),
)
