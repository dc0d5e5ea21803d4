"""The blueprints of the pages for people, without a prefix."""

from flask import Blueprint, Flask

from audience.pages import confirmations, files, forms, link_requests, links
from audience.pages.page import put_headers

NAME = "pages"


def register(app: Flask) -> None:
    pages = Blueprint(NAME, __name__, template_folder="templates")
    for part in (links, link_requests, files, forms, confirmations):
        pages.register_blueprint(part.blueprint)
    pages.after_request(put_headers)
    app.register_blueprint(pages)
