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

Files = tuple[str, ...]  # media types


@dataclass(frozen=True, kw_only=True)
class Writes:
    """How the view of an endpoint is called. `accepts` has the media types if it takes a file.

    With `again`, the request may have an Idempotency-Key: the view then runs in one transaction. If it
    returns a `Later`, the answer is made after the commit. A view that takes a file gets the `claim` on the
    key, or None, instead. `before` is called with the same arguments, outside the transaction.

    With `current`, which finds the resource that the request changes, the request may have an If-Match. An
    `atomic` view always runs in one transaction.
    """

    status: int = 200
    accepts: Files = ()
    again: Again | None = None
    before: Callable[..., object] | None = None
    current: Current | None = None
    atomic: bool = False

    def sent_request(self, site: Site | None, form: Any, body: Any) -> SentRequest | None:
        """The request with its Idempotency-Key; None without a key, or if the endpoint ignores keys."""
        return sent_request(site, form, body, bool(self.accepts)) if self.again and site else None

    def answer(self, view: View, sent: SentRequest | None, arguments: dict[str, Any]) -> tuple[Any, bool]:
        """The (answer of the view, whether this repeats an earlier request)."""
        result = self._result(view, sent, arguments)
        if isinstance(result, EarlierRequest) and self.again:
            return _answer(self.again.answer(result.ids, **arguments)), True
        return _answer(result), False

    def _result(self, view: View, sent: SentRequest | None, arguments: dict[str, Any]) -> Any:
        if self.accepts and self.again:
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
