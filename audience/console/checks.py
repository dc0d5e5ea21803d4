"""The checks: operators ask for the service's answers. Nothing that is typed here is stored."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, render_template

from audience.access import address_lists
from audience.access.sites import Site
from audience.answers.blacklist.blacklist import BlacklistResult
from audience.answers.blacklist.providers import FLAGS
from audience.answers.validation.rules import RULES
from audience.answers.validation.validation import Candidate, ValidationResult
from audience.console.custom_fields import Form
from audience.console.page import NOT_FOUND, page, read_form
from audience.errors import NotFound, Refused
from audience.http.services import services, settings

blueprint = Blueprint("checks", __name__)

Found = dict[str, Any]
WEIGHTS = {rule.reason: rule.weight for rule in RULES}
MARKS = {
    "listed": ("minus", ""), "clear": ("check", "pet"), "unknown": ("what", "och"),
    "does not apply": ("slash", "m"), "not configured": ("key", "m"), "retired": ("end", "m"),
}  # fmt: skip


@dataclass(frozen=True)
class Question:
    """A question of the page of checks. At least one of the fields in `needs` must be filled in."""

    name: str
    answer: Callable[[Site, Form], Found]
    needs: tuple[str, ...]


@blueprint.get("/sites/<site_uuid>/checks")
@page(role="viewer")
def index(site: Site) -> str:
    """Checks"""
    return _page(site, "address")


@blueprint.get("/sites/<site_uuid>/checks/<kind>")
@page(role="viewer")
def show(site: Site, kind: str) -> str:
    """One of the checks"""
    return _page(site, kind)


@blueprint.post("/sites/<site_uuid>/checks/<kind>")
@page(role="viewer")
def ask(site: Site, kind: str) -> str:
    """Answers one of the checks"""
    return _page(site, kind, dict(read_form().items()))


def _page(site: Site, kind: str, form: Form | None = None) -> str:
    if kind not in QUESTIONS:
        raise NotFound(NOT_FOUND)
    answer, problem = _answer(site, kind, form) if form is not None else ({}, "")
    return render_template(
        f"check_{kind}.html", kind=kind, kinds=kinds(), form=form or {}, found=answer, problem=problem
    )


def kinds() -> list[tuple[str, str]]:
    """The (kind, name) of each question."""
    return [(kind, question.name) for kind, question in QUESTIONS.items()]


def _answer(site: Site, kind: str, form: Form) -> tuple[Found, str]:
    """The (answer, message why there is none), one of them empty. Raises `NotFound`."""
    question = QUESTIONS.get(kind)
    if question is None:
        raise NotFound(NOT_FOUND)
    if not any(form.get(name, "").strip() for name in question.needs):
        return {}, "Fill this in, and check again."
    try:
        return question.answer(site, form), ""
    except Refused as error:
        return {}, error.message


def _address(site: Site, form: Form) -> Found:
    """Validates an address by both rule sets.

    An empty field counts as not sent: an empty user agent would count against a sign-up.
    """
    optional = {
        name: form[name].strip() for name in ("name", "user_agent", "ip") if form.get(name, "").strip()
    }
    candidate = Candidate(email=form["email"].strip(), **optional)
    lists = address_lists.for_address(site, candidate.email)
    plain = services().answers.validate(candidate, lists)
    strict = services().answers.validate_strictly(candidate, lists, None, None)
    return {"plain": plain, "strict": strict, "threshold": settings().validation_threshold, **_weights(plain)}


def _weights(result: ValidationResult) -> Found:
    """The details, the reasons with their weights, and the product for the score, as text."""
    weighed = [(reason, WEIGHTS.get(reason)) for reason in result.reasons]
    factors = [f"{1 - weight:g}" for _, weight in weighed if weight]
    return {
        "hits": result.details,
        "reasons": weighed,
        "sum": " × ".join(factors) if len(factors) > 1 else "",
    }


def _blacklist(_: Site, form: Form) -> Found:
    """The results of the blacklists as a table: providers as rows, checked values as columns."""
    domain, ip = (form.get(name, "").strip() or None for name in ("domain", "ip"))
    results = services().answers.look_up(domain, ip)
    rows = [(flag, [_mark(result, flag) for result in results]) for flag in FLAGS]
    listed = sum(mark[0] == "listed" for _, marks in rows for mark in marks)
    return {"heads": [result.query for result in results], "rows": rows, "listed": listed}


def _mark(result: BlacklistResult, flag: str) -> tuple[str, str, str]:
    """The (word, icon, CSS class) of a cell. A blacklist that did not answer never looks clear."""
    word = result.status[flag].replace("_", " ")
    return (word, *MARKS[word])


def _text(_: Site, form: Form) -> Found:
    result = services().answers.moderate(form["content"])
    return {"result": result, "hits": result.details}


def _name(_: Site, form: Form) -> Found:
    """The gender guessed from a name."""
    return {"result": services().answers.guess_gender(form["name"])}


def _place(_: Site, form: Form) -> Found:
    """The location of an IP address."""
    answers = services().answers
    location = answers.locate(form["ip"])
    tier1 = location.get("country_code2") in answers.tier1_countries
    return {"asked": form["ip"].strip(), "place": location, "is_tier1": tier1}


QUESTIONS = {
    "address": Question("Address", _address, ("email",)),
    "blacklist": Question("Blacklists", _blacklist, ("domain", "ip")),
    "text": Question("Text", _text, ("content",)),
    "name": Question("Name", _name, ("name",)),
    "place": Question("Place", _place, ("ip",)),
}
