"""All faults, in the order in which they are seeded."""

from tests.mutant_tables import consent, erasing, forms, links, mail, pages, service, sign_ups

MUTANTS = (
    *service.MUTANTS,
    *consent.MUTANTS,
    *erasing.MUTANTS,
    *links.MUTANTS,
    *mail.MUTANTS,
    *forms.MUTANTS,
    *pages.MUTANTS,
    *sign_ups.MUTANTS,
)
