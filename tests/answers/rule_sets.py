"""What a rule alone does in each rule set, by its weight and whether it is fatal."""

from audience.answers.validation.rules import Fatal, ValidationRule
from audience.answers.validation.validation import Ruleset


def invalid_by_itself(rule: ValidationRule) -> Fatal:
    """The rule sets, with their default threshold, in which this rule alone makes an address invalid."""
    refused = {
        Fatal.ALWAYS: Ruleset(),
        Fatal.STRICT: Ruleset(strict=True, wiggleroom=True),
        Fatal.OPINION: Ruleset(strict=True),
        Fatal.ON_REQUEST: Ruleset(strict=True, block_free_providers=True),
    }
    return next((name for name, ruleset in refused.items() if not ruleset.accepts([rule])), Fatal.NEVER)
