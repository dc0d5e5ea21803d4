"""The questions asked at sign-up (spec sections 4.1 to 4.6)."""

from typing import Any

from flask import Blueprint

from audience import address_lists
from audience.api.endpoint import endpoint
from audience.api.wiring import wiring
from audience.checks.validation import Candidate
from audience.sites import Site
from schemas import answers as wire

blueprint = Blueprint("answers", __name__, url_prefix="/experimental")


@blueprint.post("/validation")
@endpoint("utility", takes=wire.ValidateEmail, gives=wire.Validation, site="optional")
def validate(site: Site | None, form: dict[str, Any]) -> dict[str, Any]:
    """Validate an address"""
    lists = address_lists.naming(site, form["email"])
    return wire.validation(wiring().judges.validate(Candidate(**form), lists))


@blueprint.post("/<letters:name>_ruleset")
@endpoint("utility", takes=wire.ValidateEmailStrictly, gives=wire.StrictValidation, site="optional")
def validate_strictly(site: Site | None, form: dict[str, Any], **_path: str) -> dict[str, Any]:
    """Validate an address by the stricter rule set

    The path is `strict_ruleset`; any other letters in place of `strict` are the same.
    """
    options = {name: form.pop(name, None) for name in ("block_free_providers", "wiggleroom")}
    lists = address_lists.naming(site, form["email"])
    verdict = wiring().judges.validate_strictly(Candidate(**form), lists, **options)
    return wire.strict_validation(verdict, options["block_free_providers"])


@blueprint.post("/content_moderation")
@blueprint.post("/moderation")
@endpoint("utility", takes=wire.ModerateContent, gives=wire.Moderation, site="unused")
def moderate(form: dict[str, Any]) -> dict[str, Any]:
    """Moderate text, and clean it"""
    return wire.moderation(wiring().judges.moderate(form["content"]))


@blueprint.post("/gender")
@endpoint("utility", takes=wire.GuessGender, gives=wire.Gender, site="unused")
def guess_gender(form: dict[str, Any]) -> dict[str, Any]:
    """Guess a gender from a name"""
    return wire.gender(wiring().judges.guess_gender(form["name"]))


@blueprint.get("/geolocation")
@endpoint("utility", takes=wire.GeolocateIp, gives=wire.Place, site="unused")
def geolocate(form: dict[str, Any]) -> dict[str, Any]:
    """Geolocate an IPv4 address; empty where nothing is known"""
    return wiring().judges.locate(form["ip"])


@blueprint.route("/blacklist", methods=["GET", "POST"])
@blueprint.route("/blacklist.json", methods=["GET", "POST"])
@endpoint("utility", takes=wire.SearchBlacklists, gives=wire.Blacklists, site="unused")
def search_blacklists(form: dict[str, Any]) -> dict[str, Any]:
    """Look a domain or an IPv4 address up in blacklists"""
    return wire.blacklist(wiring().judges.look_up(form["domain"], form["ip_address"]))
