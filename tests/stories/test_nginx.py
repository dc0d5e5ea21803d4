"""A story: nginx as the repository has it leads to HTTPS, speaks HTTP/2, and logs no token of a link."""

import http.client
import subprocess

from tests.conftest import program
from tests.nginx import PUBLIC, nginx
from tests.service import free_port, serving

HOST = PUBLIC.removeprefix("https://")
TOKEN = "a-token-that-acts-for-a-subscriber"


def test_it_leads_to_https_speaks_http_2_and_logs_no_token(tmp_path):
    plain = free_port()
    settings = {"AUDIENCE_PUBLIC_URL": PUBLIC, "AUDIENCE_TRUSTED_PROXIES": "127.0.0.1"}
    paths = [f"/{page}/{TOKEN}" for page in ("unsubscribe", "preferences", "confirm")]
    with (
        serving(tmp_path / "instance", None, **settings) as service,
        nginx(tmp_path, service.port, plain) as port,
    ):
        for path in paths:
            connection = http.client.HTTPConnection("127.0.0.1", plain)
            connection.request("GET", path, headers={"Host": HOST})
            answer = connection.getresponse()
            assert (answer.status, answer.getheader("Location")) == (301, f"{PUBLIC}{path}")
            connection.close()
        asked = [
            program("curl"),
            "-sk",
            "--http2",
            "-o",
            "/dev/null",
            "-w",
            "%{http_version} %{http_code}\\n",
        ]
        asked += ["--resolve", f"{HOST}:{port}:127.0.0.1", "-D", tmp_path / "heads"]
        for path in (*paths, "/healthz"):
            done = subprocess.run(
                [*asked, f"https://{HOST}:{port}{path}"], capture_output=True, text=True, check=True
            )
            assert done.stdout.split()[0] == "2"
            assert "strict-transport-security: max-age=31536000" in (tmp_path / "heads").read_text("utf-8")
        assert done.stdout.split()[1] == "200"
    logged = "".join(file.read_text("utf-8") for file in tmp_path.glob("*.log"))
    assert "/healthz" in logged
    assert TOKEN not in logged
