"""`audience report`: reports, drawn in the terminal."""

import shutil
import sys
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import click

from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site
from audience.cli import output
from audience.cli.instance import on_site
from audience.cli.output import printable
from audience.config import Settings
from audience.reports import reports
from audience.reports.report_types import TYPES
from schemas import reports as wire
from schemas.base import load

MAX_LABEL_LENGTH = 32
MAX_WIDTH = 100


@click.group()
def report() -> None:
    """Reports on growth and composition. docs/reports.md lists the types."""


@report.command(name="list")
@on_site
def list_reports(_: Settings, site: Site, as_json: bool) -> None:
    """List the reports of a site.

    Example: audience report list --site 6f1c...
    """
    rows = reports.list_all(site)
    lines = (f"{row.id:>6}  {printable(row.name):<32}  {row.report_type}" for row in rows)
    output.show([wire.report(row) for row in rows], as_json, lines)


@report.command()
@click.argument("report_id")
@on_site
def show(_: Settings, report_id: str, site: Site, as_json: bool) -> None:
    """Run a report and draw its chart.

    Example: audience report show 2 --site 6f1c...
    """
    answer = reports.run(site, report_id)
    output.show(wire.answer(answer), as_json, (printable(answer.report_name), *draw(answer.data)))


@report.command()
@click.argument("name")
@click.argument("report_type", type=click.Choice(list(TYPES)), metavar="TYPE")
@click.option(
    "--chart", "chart_style", help="Chart style; the type of the report determines which styles are possible."
)
@click.option(
    "--segment", "segment_id", help="Id of a segment to count instead of all subscribers of the site."
)
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="A setting; repeatable.")
@on_site
def create(
    _: Settings,
    name: str,
    report_type: str,
    chart_style: str | None,
    segment_id: str | None,
    assignments: tuple[str, ...],
    site: Site,
    as_json: bool,
) -> None:
    """Save a report. docs/reports.md lists each TYPE.

    Example: audience report create Plans Reporting::Reports::VisitorsByFieldReport --set field=plan --site 6f
    """
    item = {"name": name, "report_type": report_type, "chart_style": chart_style, "segment_id": segment_id}
    settings = dict(assignment.partition("=")[::2] for assignment in assignments)
    form = load(wire.SaveReport(), {"report": item | {"settings": settings}})
    row = reports.create(site, form["report"], COMMAND_LINE)
    output.show(wire.report(row), as_json, [f"Saved report {row.id}."])


@report.command()
@click.argument("report_id")
@on_site
def delete(_: Settings, report_id: str, site: Site, as_json: bool) -> None:
    """Delete a report.

    Example: audience report delete 2 --site 6f1c...
    """
    reports.delete(site, report_id, COMMAND_LINE)
    output.show({"deleted": report_id}, as_json, ["Deleted."])


def draw(data: dict[str, Any]) -> Iterator[str]:
    """Yields lines that show a report's data: its `value`, or a bar for each of its `points`, by series."""
    if "value" in data:
        yield f"{data['value']:,}"
        return
    points = data["points"]
    if not points:
        yield "No data yet."
        return
    labels = min(MAX_LABEL_LENGTH, max(len(point["x"]) for point in points))
    numbers = max(len(f"{point['y']:,}") for point in points)
    width = max(10, min(MAX_WIDTH, shutil.get_terminal_size().columns) - labels - numbers - 4)
    highest = max(1, *(abs(point["y"]) for point in points))
    for name, series in groupby(points, lambda point: point["g"]):
        yield printable(name)
        for point in series:
            bar = _block() * round(width * abs(point["y"]) / highest)
            label = printable(point["x"])[:MAX_LABEL_LENGTH]
            yield f"  {label:<{labels}} {point['y']:>{numbers},} {bar}".rstrip()


def _block() -> str:
    return "█" if (sys.stdout.encoding or "").lower().startswith("utf") else "#"
