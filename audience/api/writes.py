"""How an endpoint writes: once for an Idempotency-Key, and only what an If-Match expects."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import request

from audience.access.sites import Site
from audience.api import etags
from audience.api.etags import Current
from audience.api.repeats import Again, Later, sent_request
from audience.http.access import View
from audience.repeats import repeats
from audience.repeats.repeats import Claim, EarlierRequest, Ids, SentRequest


@dataclass(frozen=True, kw_only=True)
class Writes:
    """The arguments of `endpoint`, explained there, that decide how its view is called. `is_file`: the view
    takes a file.
    """

    status: int
    is_file: bool
    again: Again | None
    before: Callable[..., object] | None
    current: Current | None
    atomic: bool

    def sent_request(self, site: Site | None, form: Any, body: Any) -> SentRequest | None:
        """The request with its Idempotency-Key; None without a key, or if the endpoint ignores keys."""
        return sent_request(site, form, body, self.is_file) if self.again and site else None

    def answer(self, view: View, sent: SentRequest | None, arguments: dict[str, Any]) -> tuple[Any, bool]:
        """The (answer of the view, whether this repeats an earlier request)."""
        result = self._result(view, sent, arguments)
        if isinstance(result, EarlierRequest) and self.again:
            return _answer(self.again.answer(result.ids, **arguments)), True
        return _answer(result), False

    def _result(self, view: View, sent: SentRequest | None, arguments: dict[str, Any]) -> Any:
        if self.is_file and self.again:
            return _receive(view, sent, arguments, self.status)
        if sent and (done := repeats.find(sent)):
            return done
        if self.before:
            self.before(**arguments)
        if not (sent or self.atomic or (self.current and etags.IF_MATCH in request.headers)):
            return view(**arguments)

        def act() -> Any:
            if self.current:
                etags.check(self.current, arguments)
            return view(**arguments)

        return repeats.once(arguments["site"], sent, act, self._status_and_ids)

    def _status_and_ids(self, result: Any) -> tuple[int, Ids]:
        if isinstance(result, Later):
            return self.status, result.ids
        return self.status, self.again.ids(result) if self.again else {}


def _answer(result: Any) -> Any:
    return result.answer() if isinstance(result, Later) else result


def _receive(view: View, sent: SentRequest | None, arguments: dict[str, Any], status: int) -> Any:
    """Calls a view that takes a file. Returns its result, or the earlier request if this is a repetition.

    The view writes in several transactions. It gets the claim on the key, or None without a key.
    """
    claim = Claim(sent, status) if sent else None
    if claim and (done := claim.begin()):
        return done
    try:
        return view(**arguments, claim=claim)
    except BaseException:
        if claim:
            claim.release()
        raise
