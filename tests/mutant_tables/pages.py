"""Faults of the pages of forms and confirmations, and of the step between."""

from tests.mutant_tables.mutant import Mutant

CHECKS, STEPS = "audience/sign_ups/checks.py", "audience/sign_ups/steps.py"
FORMS, CONFIRMATIONS = "audience/pages/forms.py", "audience/pages/confirmations.py"
TEST, NETWORKS = "tests/pages/test_forms.py", "tests/pages/test_form_networks.py"
TEST_STEPS = "tests/audience/sign_ups/test_steps.py"
MUTANTS = (
    Mutant(
        "a challenge need not be solved",
        STEPS,
        "StepOutcome.SOLVED if _is_solved(site, step, solution) else StepOutcome.AGAIN",
        "StepOutcome.SOLVED",
        f"{TEST_STEPS}::test_a_solved_challenge_counts_for_its_step_alone",
    ),
    Mutant(
        "a step is good in every network",
        STEPS,
        "age > LIFE_MS or network != step.network",
        "age > LIFE_MS",
        f"{TEST_STEPS}::test_a_step_is_good_for_a_quarter_of_an_hour_and_one_network",
    ),
    Mutant(
        "the button of a step counts at once",
        STEPS,
        "age >= LEAST_MS",
        "age >= 0",
        f"{TEST_STEPS}::test_the_button_counts_after_three_seconds",
    ),
    Mutant(
        "the trap of a form catches nobody",
        FORMS,
        "is_trapped=bool(sent.get(TRAP))",
        "is_trapped=False",
        f"{TEST}::test_the_trap_takes_the_script_away_and_holds",
    ),
    Mutant(
        "browsers hold the answer to a step back",
        FORMS,
        "return allow_redirect(page, form.next_url)",
        "return page",
        f"{TEST}::test_the_step_alone_may_be_answered_with_the_next_page",
    ),
    Mutant(
        "a header of anybody's ends the limits of networks",
        "audience/pages/visitors.py",
        "_forwards() and checks.is_private(address)",
        "_forwards()",
        f"{NETWORKS}::test_beside_a_named_proxy_whoever_says_that_they_forward_is_counted",
    ),
    Mutant(
        "a form tells that an address is on the deny list",
        CHECKS,
        "Reason.DENIED in result.reasons and not _is_denied_alone(answers.lists + lists, typed)",
        "Reason.DENIED in result.reasons",
        "tests/audience/sign_ups/test_checks.py::test_a_denied_domain_is_named_and_a_denied_address_is_not",
    ),
    Mutant(
        "a stranger's link is shown on the page of a confirmation",
        CONFIRMATIONS,
        "        if not _has_link(text)\n",
        "",
        "tests/pages/test_confirmations.py::test_a_name_with_a_link_in_it_is_not_shown",
    ),
)
