"""Forms by which visitors sign up."""

from functools import partial
from typing import Any

from flask import Blueprint

from audience.access.sites import Site
from audience.api import repeats
from audience.api.endpoint import actor, endpoint
from audience.api.etags import apply_patch
from audience.forms import embedding, forms
from audience.http.services import settings
from audience.looks import senders
from schemas import forms as wire
from schemas.codes import Code, Sentence
from schemas.values import FieldError, FormError

blueprint = Blueprint("forms", __name__)
LASTING = ("name", "state", "language", "confirm", "delivery")
LASTS = Sentence(Code.REQUIRED, "Send a value: this one can be changed, but not removed.")
BLANK: dict[str, Any] = {
    "fields": [], "tags": [], "wording": {}, "intro": {}, "thanks": {}, "origins": [], "next_url": "",
    "confirmed_url": "", "is_test": False,
}  # fmt: skip


def _resource(site: Site, form_id: int) -> dict[str, Any]:
    return wire.form(forms.get(site, form_id))


AGAIN = repeats.resource(_resource)
saves = partial(endpoint, scope="full", family="fetch", gives=wire.FormAnswer, query=False, again=AGAIN)


@blueprint.get("/fetch/forms")
@endpoint(scope="read", family="fetch", gives=wire.FormList)
def list_forms(site: Site) -> dict[str, Any]:
    """List the forms

    The list includes archived forms.

    Returns the forms, oldest first.
    """
    return {"data": [wire.form(row) for row in forms.list_all(site)]}


@blueprint.post("/fetch/forms")
@saves(takes=wire.SaveForm, status=201, tagged=True)
def create_form(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Make a form

    Only `name` is required. Without `wording`, the form gets the standard one, if the site has a public name.
    The form is paused unless `state` is `open`. An open form needs a mail server, a wording and a privacy
    page; a German form also needs an imprint.

    Returns the form.
    """
    obstacle = senders.obstacle(site, settings())
    return {"data": wire.form(forms.create(site, form["form"], actor(), obstacle))}


@blueprint.get("/fetch/forms/<number:form_id>")
@endpoint(scope="read", family="fetch", gives=wire.FormAnswer, tagged=True)
def get_form(site: Site, form_id: int) -> dict[str, Any]:
    """Get a form

    `wording` is what people agree to now, `version` its number.

    Returns the form.
    """
    return {"data": _resource(site, form_id)}


@blueprint.put("/fetch/forms/<number:form_id>")
@saves(takes=wire.SaveForm, current=_resource)
def update_form(site: Site, form: dict[str, Any], form_id: int) -> dict[str, Any]:
    """Change a form

    Values that you do not send stay as they are. A changed `wording` makes a new `version`; the text that
    people agreed to before is kept. You can archive a form, but not delete it.

    Returns the form as it is now.
    """
    obstacle = senders.obstacle(site, settings())
    return {"data": wire.form(forms.change(site, form_id, form["form"], actor(), obstacle))}


@blueprint.patch("/fetch/forms/<number:form_id>")
@saves(takes=wire.PatchForm, current=_resource, atomic=True)
def patch_form(site: Site, form: dict[str, Any], form_id: int) -> dict[str, Any]:
    """Change a part of a form

    The body is a JSON merge patch: values that you leave out stay, texts by language are merged, and null
    removes a value.

    Returns the form as it is now.
    """
    removed = [FieldError(f"form.{key}", LASTS) for key in LASTING if form["form"].get(key, key) is None]
    if removed:
        raise FormError(removed)
    obstacle = senders.obstacle(site, settings())
    item = BLANK | apply_patch(wire.SaveForm, "form", _resource(site, form_id), form["form"])
    return {"data": wire.form(forms.change(site, form_id, item, actor(), obstacle))}


@blueprint.get("/fetch/forms/<number:form_id>/embed")
@endpoint(scope="read", family="fetch", takes=wire.EmbedForm, gives=wire.FormHtml)
def embed_form(site: Site, form: dict[str, Any], form_id: int) -> dict[str, Any]:
    """Get the HTML of a form

    Use it on a page of your own; it has no script and no style. The HTML contains the wording: when you
    change the wording, paste the HTML again.

    Returns the HTML.
    """
    found, language = forms.get(site, form_id), form.get("language", "")
    return {"html": embedding.html(site, found, language, settings().base_url)}
