"""A form that could not be taken now: the page that says so keeps it, to be sent again as it was."""

from flask import request

from audience.http.errors import FAULTY_DISK, UNAVAILABLE
from audience.protocols import REFUSAL

FORM = "application/x-www-form-urlencoded"
WORDS = {
    UNAVAILABLE: "Others are writing just now, or the database cannot be reached.",
    FAULTY_DISK: "The disk of the service is full or faulty: tell whoever runs it.",
}


def kept_form() -> list[tuple[str, str]]:
    """The fields that this request sent; none of a form with a file, and of one that was not taken."""
    if request.method != "POST" or request.mimetype != FORM or REFUSAL in request.environ:
        return []
    return list(request.form.items(multi=True))
