"""Notifies the workers after a request that changed something of which a webhook must be told. Without a
notification, they would find it later.
"""

from flask import Flask, Response, g

from audience.changes import log as change_log
from audience.http.services import services


def register(app: Flask) -> None:
    app.before_request(begin)
    app.after_request(end)


def begin() -> None:
    """Begins to note the sites that the request changes."""
    g.changed_sites = change_log.note_sites()


def end(response: Response) -> Response:
    """Notifies the workers of each changed site."""
    for site_id in g.pop("changed_sites", ()):
        services().import_queue.notify(site_id)
    return response
