"""Validating e-mail addresses, by the plain or the strict rule set."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from audience.answers.validation.allow_deny import AllowDenyLists
from audience.answers.validation.evidence import Candidate, Evidence, Sources
from audience.answers.validation.reasons import ValidationReason
from audience.answers.validation.rules import RULES, Fatal, ValidationRule, details, score

__all__ = ["Candidate", "Ruleset", "Sources", "ValidationResult", "validate"]


@dataclass(frozen=True, kw_only=True)
class Ruleset:
    """The options of a validation. An address with a score below `threshold` is invalid, unless
    `temporary_bounce` is the only reason. An entry of `lists` decides before any rule.

    Only the strict rule set has the other options. `block_free_providers` is True to reject free providers,
    None to report them, False to ignore them. With `wiggleroom`, the rules that are `OPINION` do not reject.
    """

    strict: bool = False
    block_free_providers: bool | None = None
    wiggleroom: bool | None = None
    threshold: float = 0.5
    lists: AllowDenyLists = field(default_factory=AllowDenyLists)

    def reports(self, rule: ValidationRule) -> bool:
        """Whether the answer names the reason of the rule, if it fires."""
        return not (self.strict and self.block_free_providers is False and rule.fatal is Fatal.ON_REQUEST)

    def accepts(self, fired: Sequence[ValidationRule]) -> bool:
        """Whether an address is valid if just these rules fired."""
        if all(rule.reason is ValidationReason.TEMPORARY_BOUNCE for rule in fired):
            return True
        fatal = {Fatal.ALWAYS}
        if self.strict:
            fatal.add(Fatal.STRICT)
            fatal |= set() if self.wiggleroom else {Fatal.OPINION}
            fatal |= {Fatal.ON_REQUEST} if self.block_free_providers else set()
        return score(fired) >= self.threshold and not any(rule.fatal in fatal for rule in fired)


@dataclass(frozen=True, kw_only=True)
class ValidationResult:
    """The result of a validation. `reasons` are in the order of `RULES`. `score` is from 0.0 (certainly bad)
    to 1.0 (certainly good).

    `suggestion` is the address that was probably meant. `details` has, by reason, the part of the address
    because of which it was found.
    """

    valid: bool
    reasons: tuple[ValidationReason, ...]
    score: float
    suggestion: str | None = None
    details: dict[str, str] = field(default_factory=dict)


def validate(candidate: Candidate, ruleset: Ruleset, sources: Sources) -> ValidationResult:
    """Validates a candidate, whose values may be any text. The DNS is asked only if the rules that need no
    DNS accept the candidate.
    """
    evidence = Evidence(candidate, sources)
    listed = ruleset.lists.decide(evidence.loose_address)
    if listed == "allow":
        return ValidationResult(valid=True, reasons=(ValidationReason.ALLOWED,), score=1.0)
    if listed == "deny":
        return ValidationResult(valid=False, reasons=(ValidationReason.DENIED,), score=0.0)
    rules = list(filter(ruleset.reports, RULES))
    fired = [rule for rule in rules if not rule.asks_dns and rule.fires(evidence)]
    asks = ruleset.accepts(fired)
    if asks:
        fired += [rule for rule in rules if rule.asks_dns and rule.fires(evidence)]
    return ValidationResult(
        valid=ruleset.accepts(fired),
        reasons=tuple(rule.reason for rule in fired),
        score=score(fired),
        suggestion=evidence.nearest if asks and evidence.suggestion is None else evidence.suggestion,
        details=details(fired, evidence),
    )
