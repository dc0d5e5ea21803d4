"""The head of every endpoint's response, byte for byte, except for values that change from call to call.

`python -m tests.response_heads` records the heads of the present code in `workers/data/response_heads.json`.
"""

import base64
import json
import re
import socket
import sys
import tempfile
from pathlib import Path

from tests.api.endpoints import ENDPOINTS, Endpoint
from tests.service import PATIENCE_SECONDS, Service, serving

RECORDED = Path(__file__).parent / "workers" / "data" / "response_heads.json"
PAGES = [
    Endpoint("GET", path, "public", status=200)
    for path in ("/healthz", "/docs", "/docs/api", "/api/openapi.json", "/metrics")
]
REFUSED = [
    Endpoint("GET", "/nowhere", "read"),
    Endpoint("GET", "/api/v1/nowhere", "read"),
    Endpoint("PATCH", "/api/v1/fetch/tags", "read"),
    Endpoint("GET", "/api/v1/fetch/tags", "none"),
    Endpoint("HEAD", "/healthz", "public"),
    Endpoint("OPTIONS", "/api/v1/fetch/tags", "read"),
    Endpoint("GET", "/api/v1/fetch/export", "read"),
]
CHANGING = re.compile(rb"(?im)^(x-request-id|date|content-length|etag|last-modified): .*?\r$")


def heads(service: Service) -> dict[str, list[str]]:
    """The status line and headers of each response, in order. Values that change are replaced by `...`."""
    service.call("POST", "/fetch/subscribers", {"subscriber": {"email": "ada@example.com", "tags": "first"}})
    service.call("POST", "/fetch/segments", {"segment": {"name": "VIP", "rules": {"tag": "vip"}}})
    api = [(f"/api/v1{each.path}", each) for each in ENDPOINTS]
    return {
        f"{each.method} {path} {each.scope}": head(service, path, each)
        for path, each in [*api, *((each.path, each) for each in PAGES + REFUSED)]
    }


def head(service: Service, path: str, endpoint: Endpoint) -> list[str]:
    keys = f"{service.first['publishable_key']}:{service.first['secret_key']}"
    body = json.dumps(endpoint.body).encode() if endpoint.body else b""
    query = "&".join(f"{name}={value}" for name, value in (endpoint.query or {}).items())
    lines = [f"{endpoint.method} {path}?{query} HTTP/1.1", "Host: audience", "Connection: close"]
    if endpoint.scope not in ("public", "none"):
        lines.append(f"Authorization: Basic {base64.b64encode(keys.encode()).decode()}")
    if body:
        lines.append(f"Content-Length: {len(body)}")
    with socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE_SECONDS) as client:
        client.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        received = b""
        while b"\r\n\r\n" not in received:
            received += client.recv(65536) or b"\r\n\r\n"
    shown = CHANGING.sub(rb"\1: ...\r", received.partition(b"\r\n\r\n")[0] + b"\r")
    return shown.decode().replace("\r", "").split("\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), log=sys.stderr) as service:
        RECORDED.write_text(json.dumps(heads(service), indent=1) + "\n")
