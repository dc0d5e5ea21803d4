"""Health on the wire."""

from collections.abc import Mapping
from typing import Any

NOT_READY = "Not ready: what `checks` names needs the operator."


def readiness(problems: Mapping[str, str | None]) -> dict[str, Any]:
    """`checks` is `ok` or the problem, by name; `error` where there is one."""
    checks = {name: problem or "ok" for name, problem in problems.items()}
    if any(problems.values()):
        return {"error": NOT_READY, "checks": checks}
    return {"status": "ok", "checks": checks}
