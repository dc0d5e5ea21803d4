"""`audience doctor`: what is wrong with the instance, and what to do about it."""

from collections.abc import Iterable
from dataclasses import asdict

import click

from audience.cli.instance import Instance
from audience.cli.output import as_json, show
from audience.doctor import examine
from audience.findings import Case, Finding, State


@click.command()
@click.option("--offline", is_flag=True, help="Do not ask the blacklist providers.")
@click.option("--recount", is_flag=True, help="Compare the counts of every site with its people.")
@click.option("--fix", is_flag=True, help="Mend file permissions and, with --recount, counts.")
@as_json
@click.pass_obj
def doctor(instance: Instance, offline: bool, recount: bool, fix: bool, as_json: bool) -> None:
    """Examine the instance, running or not; exit code 1 when something is bad.

    Example: audience doctor --recount
    """
    case = Case(instance.settings, instance.processes, instance.connect, offline, recount, fix)
    findings = []
    for finding in examine(case):
        findings.append(finding)
        show(None, False, () if as_json else lines(finding))
    if as_json:
        show({"worst": worst(findings), "findings": [asdict(each) for each in findings]}, True, ())
    if worst(findings) is State.BAD:
        raise click.exceptions.Exit(1)


def lines(finding: Finding) -> Iterable[str]:
    yield f"{finding.state:<5} {finding.check:<12} {finding.found}"
    if finding.advice:
        yield f"{'':<18} {finding.advice}"


def worst(findings: Iterable[Finding]) -> State:
    return max((each.state for each in findings), key=list(State).index)
