"""The body of /readyz."""

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.codes import Code, Sentence

NOT_READY = Sentence(Code.NOT_READY, "Not ready: the operator must repair what `checks` lists.")


def readiness(problems: Mapping[str, str | None], warnings: Sequence[str]) -> dict[str, Any]:
    """The body of /readyz. `checks` has "ok" or the problem by name. `error`, `warnings` are optional."""
    outcome = {"error": NOT_READY, "code": NOT_READY.code} if any(problems.values()) else {"status": "ok"}
    checks = {name: problem or "ok" for name, problem in problems.items()}
    return {**outcome, "checks": checks} | ({"warnings": list(warnings)} if warnings else {})
