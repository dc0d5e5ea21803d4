"""Faults in sending emails."""

from tests.mutant_tables.mutant import Mutant

SESSION, SENDERS = "audience/mail/session.py", "audience/looks/senders.py"
RELAY_TEST, SENDERS_TEST = "tests/mail/test_relay.py", "tests/audience/looks/test_senders.py"
CERTIFICATE_TEST = f"{RELAY_TEST}::test_a_certificate_of_another_name_or_authority_is_refused"

MUTANTS = (
    Mutant(
        "STARTTLS verifies no certificate",
        SESSION,
        "self.starttls(context=ssl.create_default_context())",
        "self.starttls()",
        CERTIFICATE_TEST,
    ),
    Mutant(
        "a mail server without STARTTLS is sent to in plain text",
        SESSION,
        "raise Unfit(NO_STARTTLS)",
        "return",
        f"{RELAY_TEST}::test_without_starttls_nothing_is_sent",
    ),
    Mutant(
        "emails go to the internet in plain text",
        SESSION,
        "self._server.scheme == PLAIN and any(",
        "self._server.scheme == PLAIN and all(",
        f"{RELAY_TEST}::test_nothing_goes_unencrypted_to_the_internet",
    ),
    Mutant(
        "a message that is no longer wanted is sent",
        SESSION,
        "if not is_wanted():",
        "if not is_wanted:",
        f"{RELAY_TEST}::test_the_last_look_stops_it_before_the_content",
    ),
    Mutant(
        "a mail server may take for ever",
        SESSION,
        "self._timer.start()",
        "pass",
        f"{RELAY_TEST}::test_the_whole_ends_however_long_each_command_may_take",
    ),
    Mutant(
        "a drop after the content counts as a refusal",
        SESSION,
        "return MailResult(failed, sentence(error))",
        "return MailResult(REFUSED, sentence(error))",
        f"{RELAY_TEST}::test_a_drop_after_the_content_comes_again_under_the_same_id",
    ),
    Mutant(
        "what a mail server answers is kept with addresses",
        "audience/mail/results.py",
        'redaction.without_addresses(line, lambda _: "(an address)")',
        "line",
        f"{RELAY_TEST}::test_what_is_kept_of_an_answer_has_no_address",
    ),
    Mutant(
        "a name adds lines to an email",
        "audience/mail/messages.py",
        "key: _line(value) for",
        "key: value for",
        "tests/mail/test_messages.py::test_nothing_gets_into_the_headers_or_adds_a_line",
    ),
    Mutant(
        "an owner sends as anybody",
        SENDERS,
        '"mail_from" in changed and not is_administrator',
        '"mail_from" in changed and False',
        f"{SENDERS_TEST}::test_nobody_sends_as_anybody",
    ),
    Mutant(
        "tests go out without end",
        SENDERS,
        "raise TooMany(ENOUGH, HOUR_MS // 1000)",
        "pass",
        "tests/console/test_senders.py::test_the_sixth_of_an_hour_waits",
    ),
    Mutant(
        "a test goes to anybody",
        SENDERS,
        "raise Refused(NO_OPERATOR)",
        "pass",
        f"{SENDERS_TEST}::test_a_test_goes_to_operators_alone",
    ),
)
