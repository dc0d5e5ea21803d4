"""Tables that pages of the documentation show of the code, between `<!-- NAME -->` and `<!-- /NAME -->`."""

from collections.abc import Callable, Iterable
from dataclasses import Field, fields
from typing import Any

from audience.answers.moderation.reasons import ModerationReason
from audience.answers.reasons import Reason
from audience.answers.validation.reasons import ValidationReason
from audience.answers.validation.rules import RULES, Fatal, ValidationRule
from audience.answers.validation.validation import Ruleset
from audience.config import Settings
from audience.reports.report_types import TYPES
from audience.segments.subjects import GROUPS, OPERATORS, SUBJECTS
from audience.telemetry import GAUGES, METRICS, MetricKind, MetricSpec
from schemas.codes import REQUEST_CODES, VALUE_CODES


def fill_in(markdown: str) -> str:
    """The page with its tables, each in place of what stands between its marks."""
    for name, table in TABLES.items():
        before, mark, marked = markdown.partition(f"<!-- {name} -->\n")
        if mark:
            markdown = before + table() + marked.partition(f"<!-- /{name} -->")[2]
    return markdown


def settings() -> str:
    return _table(
        ("Setting", "Default", "Meaning"),
        (
            (
                _code(f"AUDIENCE_{item.name.upper()}"),
                _code(default_text(item).replace(",", ", ")),  # a long line would push what follows aside
                item.metadata["meaning"],
            )
            for item in fields(Settings)
        ),
    )


def validation() -> str:
    rules = {rule.reason: (f"{rule.weight:g}", invalid_by_itself(rule)) for rule in RULES}
    return _table(
        ("Code", "Weight", "Invalid by itself", "Meaning", "What to do"),
        (_reason(reason, *rules.get(reason, ("", _without_rule(reason)))) for reason in ValidationReason),
    )


def moderation() -> str:
    return _table(
        ("Code", "Invalid by itself", "Meaning", "What to do"),
        (_reason(reason, "yes" if reason.fatal else "no") for reason in ModerationReason),
    )


def request_codes() -> str:
    return _table(
        ("Code", "Status", "What to do"),
        ((_code(code), str(status), remedy) for code, (status, remedy) in REQUEST_CODES.items()),
    )


def value_codes() -> str:
    return _table(("Code", "What to do"), ((_code(code), remedy) for code, remedy in VALUE_CODES.items()))


def metrics() -> str:
    counted = ((_counted(metric), _codes(metric.labels), metric.meaning) for metric in METRICS)
    gauges = ((_code(f"audience_{name}"), "", meaning) for name, meaning in GAUGES.items())
    return _table(("Name", "By", "Counts"), (*counted, *gauges))


def groups() -> str:
    operands = {name: "rule" if name == "not" else "[rules]" for name in GROUPS}
    return _table(
        ("Rule", "Holds when"),
        ((_code(f'{{"{name}": {operands[name]}}}'), meaning) for name, meaning in GROUPS.items()),
    )


def subjects() -> str:
    return _table(
        ("Subject", "Is", "Operators", "Example"),
        (
            (_code(name), subject.meaning, _codes(subject.operators), _code(subject.example))
            for name, subject in SUBJECTS.items()
        ),
    )


def operators() -> str:
    return _table(
        ("Operator", "Takes", "Meaning"),
        ((_code(name), operator.operand, operator.meaning) for name, operator in OPERATORS.items()),
    )


def types() -> str:
    return _table(
        ("Type", "Counts", "Settings", "Chart styles"),
        (
            (
                _code(name),
                report.meaning,
                ", ".join(_code(key) + " (needed)" * (key in report.needs) for key in report.settings),
                _codes(report.chart_styles),
            )
            for name, report in TYPES.items()
        ),
    )


TABLES: dict[str, Callable[[], str]] = {  # with `commands`, which `app.py` adds
    table.__name__: table
    for table in (
        settings,
        validation,
        moderation,
        request_codes,
        value_codes,
        metrics,
        groups,
        subjects,
        operators,
        types,
    )
}


def default_text(setting: Field[Any]) -> str:
    """The default as an environment variable has it."""
    default = "instance" if setting.name == "instance" else setting.default
    if isinstance(default, tuple):
        return ",".join(default)
    return str(default).lower() if isinstance(default, bool) else str(default)


def invalid_by_itself(rule: ValidationRule) -> Fatal:
    """The rule sets, with their default threshold, in which this rule alone makes an address invalid."""
    refused = {
        Fatal.ALWAYS: Ruleset(),
        Fatal.STRICT: Ruleset(strict=True, wiggleroom=True),
        Fatal.OPINION: Ruleset(strict=True),
        Fatal.ON_REQUEST: Ruleset(strict=True, block_free_providers=True),
    }
    return next((name for name, ruleset in refused.items() if not ruleset.accepts([rule])), Fatal.NEVER)


def _without_rule(reason: ValidationReason) -> str:
    return "retired" if reason.meaning.startswith("Retired: ") else "decides before every rule"


def _reason(reason: Reason, *cells: str) -> tuple[str, ...]:
    return (_code(reason), *cells, reason.meaning, reason.advice)


def _counted(metric: MetricSpec) -> str:
    return _code(f"audience_{metric.name}{'_total' if metric.kind is MetricKind.COUNTER else ''}")


def _codes(texts: Iterable[str]) -> str:
    return ", ".join(_code(text) for text in texts)


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (head, ("---",) * len(head), *rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
