"""One test for all rows of a table that leave no trace: hundreds of tests would each make their instance."""

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import Any


def each_row(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Callable[..., None]], Any]:
    """Runs a test for each row, on the same fixtures, and tells all rows that fail. It takes what
    `pytest.mark.parametrize` takes.
    """
    is_single = isinstance(names, str)
    keys = (names,) if isinstance(names, str) else names
    table = [dict(zip(keys, (row,) if is_single else row, strict=True)) for row in rows]

    def decorate(test: Callable[..., None]) -> Any:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            errors = []
            for row in table:
                try:
                    test(**fixtures, **row)
                except Exception as error:
                    error.add_note(f"The row: {str(row)[:1000]}")
                    errors.append(error)
            if errors:
                raise ExceptionGroup(f"{len(errors)} of {len(table)} rows fail", errors)

        asked = signature(test)
        left = [each for name, each in asked.parameters.items() if name not in table[0]]
        run.__dict__["__signature__"] = asked.replace(parameters=left)
        return run

    return decorate
