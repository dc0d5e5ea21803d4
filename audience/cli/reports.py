"""`audience report`: numbers, drawn in the terminal."""

import json

import click

from audience import reports, sites
from audience.cli import output
from audience.cli.charts import draw, printable
from audience.cli.instance import on_instance
from audience.cli.output import as_json
from audience.cli.segments import site_option
from audience.config import Settings
from schemas import reports as wire
from schemas.wire import load


@click.group()
def report() -> None:
    """Reports: how the audience grows, and what it is made of. docs/reports.md lists the types."""


@report.command(name="list")
@site_option
@as_json
@on_instance
def list_reports(_: Settings, site_uuid: str, as_json: bool) -> None:
    """List the reports of a site.

    Example: audience report list --site 6f1c...
    """
    rows = reports.every(sites.named(site_uuid))
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
    """Run a report, and draw what it finds.

    Example: audience report show 2 --site 6f1c...
    """
    answer = reports.run(sites.named(site_uuid), report_id)
    if as_json:
        click.echo(json.dumps(wire.answer(answer)))
        return
    click.echo(printable(answer.report_name))
    for line in draw(answer.data):
        click.echo(line)


@report.command()
@click.argument("name")
@click.argument("report_type", type=click.Choice(list(reports.TYPES)), metavar="TYPE")
@click.option("--chart", "chart_style", help="The chart style; each type has its own.")
@click.option("--segment", "segment_id", help="Id of a segment whose people alone count.")
@click.option("--set", "given", multiple=True, metavar="NAME=VALUE", help="A setting; may be repeated.")
@site_option
@as_json
@on_instance
def create(
    _: Settings,
    name: str,
    report_type: str,
    chart_style: str | None,
    segment_id: str | None,
    given: tuple[str, ...],
    site_uuid: str,
    as_json: bool,
) -> None:
    """Save a report of a TYPE.

    Example: audience report create Plans Reporting::Reports::VisitorsByFieldReport --set field=plan --site 6f
    """
    item = {"name": name, "report_type": report_type, "chart_style": chart_style, "segment_id": segment_id}
    settings = dict(each.partition("=")[::2] for each in given)
    form = load(wire.SaveReport(), {"report": item | {"settings": settings}})
    row = reports.create(sites.named(site_uuid), form["report"])
    click.echo(json.dumps(wire.report(row)) if as_json else f"Report {row.id} is saved.")


@report.command()
@click.argument("report_id")
@site_option
@as_json
@on_instance
def delete(_: Settings, report_id: str, site_uuid: str, as_json: bool) -> None:
    """Delete a report.

    Example: audience report delete 2 --site 6f1c...
    """
    reports.delete(sites.named(site_uuid), report_id)
    output.show({"deleted": report_id}, as_json, ["Deleted."])
