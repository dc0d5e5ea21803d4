"""`audience api`: calls the API of the running service (docs/endpoints.md)."""

import base64
import contextlib
import json
import sys
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import click

from audience.cli.instance import Instance
from audience.privacy import secret_files

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
SECONDS = 300  # for an answer
NO_KEY = "{} has no key: name a file by --key-file, as `audience key create --json` prints it"
NO_HEADER = "a header has characters that no header can have"
NO_ANSWER = "the service at {} does not answer ({}): start it with `audience serve`"


def _pairs(separator: str) -> Any:
    """A Click callback that splits each value of an option at its first `separator`, into pairs.

    It raises `BadParameter` for a value without the separator.
    """

    def split(_: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> list[tuple[str, str]]:
        pairs = [text.partition(separator) for text in texts]
        if not all(name and found for name, found, _value in pairs):
            raise click.BadParameter(f"write NAME{separator}VALUE")
        return [(name, value.strip()) for name, _found, value in pairs]

    return split


@click.command()
@click.argument("method", metavar="METHOD", type=click.Choice(METHODS, case_sensitive=False))
@click.argument("path")
@click.option("-q", "--query", multiple=True, metavar="NAME=VALUE", callback=_pairs("="), help="A parameter.")
@click.option("-d", "--data", metavar="JSON", help="The body; - reads it from standard input.")
@click.option("-H", "--header", multiple=True, metavar="NAME:VALUE", callback=_pairs(":"), help="A header.")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    help="JSON file with the key to use, if not the first site's.",
)
@click.pass_obj
def api(
    instance: Instance, /, method: str, path: str, data: str | None, key_file: Path | None, **more: Any
) -> None:
    """Call the API of the running service, with the first site's key. The exit status is 1 for an error.

    Example: audience api GET /stats/site
    """
    settings = instance.as_served()
    url = urlsplit(f"{settings.base_url}/api/v1/{quote(path.strip('/'))}?{urlencode(more['query'])}")
    key = _key(key_file or settings.instance / secret_files.FIRST_SITE)
    headers = {"Authorization": key, "Content-Type": "application/json"} | dict(more["header"])
    body = sys.stdin.buffer.read() if data == "-" else data and data.encode(errors="surrogateescape")
    connect: Callable[..., HTTPConnection] = HTTPSConnection if url.scheme == "https" else HTTPConnection
    try:
        with contextlib.closing(connect(url.netloc, timeout=SECONDS)) as connection:
            connection.request(method, f"{url.path}?{url.query}", body, headers)
            response = connection.getresponse()
            answer = response.read()
    except (OSError, HTTPException) as error:
        raise click.ClickException(NO_ANSWER.format(settings.base_url, error)) from None
    except ValueError:  # its text has the header
        raise click.UsageError(NO_HEADER) from None
    click.echo(answer.rstrip(b"\n"))
    if response.status >= 300:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            raise click.ClickException("{error} ({code})".format(**json.loads(answer)))
        raise click.ClickException(f"the answer has the status {response.status}")


def _key(file: Path) -> str:
    """The value of the header `Authorization`, from the key in a JSON file. Raises `ClickException`."""
    try:
        values = json.loads(file.read_text("utf-8"))
        pair = f"{values['publishable_key']}:{values['secret_key']}"
    except (OSError, ValueError, KeyError, TypeError):
        raise click.ClickException(NO_KEY.format(file)) from None
    return f"Basic {base64.b64encode(pair.encode()).decode()}"
