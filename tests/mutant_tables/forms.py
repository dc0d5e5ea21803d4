"""Faults of forms."""

from tests.mutant_tables.mutant import Mutant

DEFINITIONS, FORMS = "audience/forms/definitions.py", "audience/forms/forms.py"
EMBEDDING, ORIGINS = "audience/forms/embedding.py", "audience/forms/origins.py"
TEST = "tests/audience/forms/test_forms.py"
MUTANTS = (
    Mutant(
        "a form leads to a website of somebody else",
        DEFINITIONS,
        "origin_of(url) not in form.origins",
        "not url.startswith(form.origins)",
        f"{TEST}::test_what_it_cannot_be_is_refused",
    ),
    Mutant(
        "an origin ends the directive of a policy",
        ORIGINS,
        'if HOST.fullmatch(host) else ""',
        'if host else ""',
        f"{TEST}::test_an_origin_is_what_browsers_send",
    ),
    Mutant(
        "a wording is changed under its old version",
        FORMS,
        "version=before.version + 1",
        "version=before.version",
        f"{TEST}::test_every_version_of_the_wording_is_kept",
    ),
    Mutant(
        "a form opens though nothing can be sent",
        DEFINITIONS,
        "{delivery_problem: bool(delivery_problem), ",
        "{",
        f"{TEST}::test_it_opens_with_mail_a_privacy_page_and_in_german_an_imprint",
    ),
    Mutant(
        "an open form becomes German without an imprint",
        FORMS,
        "definitions.check_open(stored_looks.get(site.id), form, obstacle)",
        "definitions.check_open(stored_looks.get(site.id), before, obstacle)",
        f"{TEST}::test_one_that_is_open_is_held_to_it_in_each_language",
    ),
    Mutant(
        "a wording is markup in somebody's page",
        EMBEDDING,
        "escape(form.wording[chosen])",
        "form.wording[chosen]",
        f"{TEST}::test_the_html_has_the_wording_its_version_and_no_script",
    ),
)
