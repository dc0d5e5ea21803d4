"""`audience report`: reports, drawn in the terminal."""

import json

import click

from audience.access import sites
from audience.access.audit_log import COMMAND_LINE
from audience.cli import output
from audience.cli.charts import draw, printable
from audience.cli.instance import on_instance
from audience.cli.options import site_option
from audience.cli.output import as_json
from audience.config import Settings
from audience.reports import reports
from audience.reports.report_types import TYPES
from schemas import reports as wire
from schemas.base import load


@click.group()
def report() -> None:
    """Reports on growth and composition. docs/reports.md lists the types."""


@report.command(name="list")
@site_option
@as_json
@on_instance
def list_reports(_: Settings, site_uuid: str, as_json: bool) -> None:
    """List the reports of a site.

    Example: audience report list --site 6f1c...
    """
    rows = reports.list_all(sites.get_by_uuid(site_uuid))
    if as_json:
        click.echo(json.dumps([wire.report(row) for row in rows]))
    for row in () if as_json else rows:
        click.echo(f"{row.id:>6}  {printable(row.name):<32}  {row.report_type}")


@report.command()
@click.argument("report_id")
@site_option
@as_json
@on_instance
def show(_: Settings, report_id: str, site_uuid: str, as_json: bool) -> None:
    """Run a report and draw it.

    Example: audience report show 2 --site 6f1c...
    """
    answer = reports.run(sites.get_by_uuid(site_uuid), report_id)
    if as_json:
        click.echo(json.dumps(wire.answer(answer)))
        return
    click.echo(printable(answer.report_name))
    for line in draw(answer.data):
        click.echo(line)


@report.command()
@click.argument("name")
@click.argument("report_type", type=click.Choice(list(TYPES)), metavar="TYPE")
@click.option("--chart", "chart_style", help="Chart style; the type determines which are possible.")
@click.option("--segment", "segment_id", help="Id of a segment to count instead of the site.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="A setting; repeatable.")
@site_option
@as_json
@on_instance
def create(
    _: Settings,
    name: str,
    report_type: str,
    chart_style: str | None,
    segment_id: str | None,
    assignments: tuple[str, ...],
    site_uuid: str,
    as_json: bool,
) -> None:
    """Save a report of a TYPE in docs/reports.md.

    Example: audience report create Plans Reporting::Reports::VisitorsByFieldReport --set field=plan --site 6f
    """
    item = {"name": name, "report_type": report_type, "chart_style": chart_style, "segment_id": segment_id}
    settings = dict(assignment.partition("=")[::2] for assignment in assignments)
    form = load(wire.SaveReport(), {"report": item | {"settings": settings}})
    row = reports.create(sites.get_by_uuid(site_uuid), form["report"], COMMAND_LINE)
    click.echo(json.dumps(wire.report(row)) if as_json else f"Saved report {row.id}.")


@report.command()
@click.argument("report_id")
@site_option
@as_json
@on_instance
def delete(_: Settings, report_id: str, site_uuid: str, as_json: bool) -> None:
    """Delete a report.

    Example: audience report delete 2 --site 6f1c...
    """
    reports.delete(sites.get_by_uuid(site_uuid), report_id, COMMAND_LINE)
    output.show({"deleted": report_id}, as_json, ["Deleted."])
