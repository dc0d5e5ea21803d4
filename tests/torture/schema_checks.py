"""A further check for schemathesis: the credentials of the row `schema` are never refused."""

import os
from typing import Any

import schemathesis


@schemathesis.check
def good_key_is_known(
    _: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case[Any]
) -> None:
    """Fails on a 401 to the good key, unless the request names a site."""
    request = response.request
    if response.status_code == 401 and request.headers.get("Authorization") == os.environ["TORTURE_KEY"]:
        body = request.body or b""
        named = f"{request.url}{body.decode(errors='replace') if isinstance(body, bytes) else body}"
        assert "site_uuid" in named, f"401 to the good key: {case.method} {case.path}"
