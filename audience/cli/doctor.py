"""`audience doctor`: the faults of an instance, each with advice."""

from collections.abc import Iterable
from dataclasses import asdict

import click

from audience.cli.instance import Instance
from audience.cli.output import as_json, show
from audience.operations.diagnostics import Context, Finding, State
from audience.operations.probes import examine


@click.command()
@click.option("--offline", is_flag=True, help="Do not query the DNS.")
@click.option(
    "--recount",
    is_flag=True,
    help="Compare the counters and values of each site with the site's subscribers.",
)
@click.option("--fix", is_flag=True, help="Repair file permissions and, with --recount, counters and values.")
@as_json
@click.pass_obj
def doctor(instance: Instance, offline: bool, recount: bool, fix: bool, as_json: bool) -> None:
    """Examine the instance, running or not; exit code 1 if a finding is bad.

    Example: audience doctor --recount
    """
    context = Context(instance.as_served(), instance.processes(), offline, recount, fix)
    findings = []
    for finding in examine(context, instance.openers.database):
        findings.append(finding)
        show(None, False, () if as_json else lines(finding))
    if as_json:
        show({"worst": worst(findings), "findings": [asdict(finding) for finding in findings]}, True, ())
    if worst(findings) is State.BAD:
        raise click.exceptions.Exit(1)


def lines(finding: Finding) -> Iterable[str]:
    yield f"{finding.state:<5} {finding.check:<12} {finding.found}"
    if finding.advice:
        yield f"{'':<18} {finding.advice}"


def worst(findings: Iterable[Finding]) -> State:
    """The worst state among the findings, of which there must be at least one."""
    return max((finding.state for finding in findings), key=list(State).index)
