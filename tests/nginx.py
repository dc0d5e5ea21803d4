"""nginx before a service, with the configuration that the repository gives."""

import contextlib
import socket
import subprocess
from pathlib import Path

from tests.conftest import program
from tests.service import free_port, until

NGINX = Path(__file__).parents[1] / "deploy" / "nginx.conf"
PUBLIC = "https://audience.example.com"
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


@contextlib.contextmanager
def nginx(folder, service_port, plain_port=0):
    """Runs nginx with the configuration of the repository and a certificate of its own. Yields its port."""
    port = free_port()
    subject = ["-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=audience.example.com"]
    written = ["-keyout", folder / "audience.key", "-out", folder / "audience.pem"]
    subprocess.run(["openssl", "req", *subject, *written], check=True, capture_output=True)
    server = NGINX.read_text("utf-8")
    for ours, here in (
        ("listen 80;", f"listen 127.0.0.1:{plain_port or free_port()};"),
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("127.0.0.1:8000", f"127.0.0.1:{service_port}"),
        ("/etc/ssl/certs/", f"{folder}/"),
        ("/etc/ssl/private/", f"{folder}/"),
        ("/var/log/nginx/", f"{folder}/"),
    ):
        assert ours in server
        server = server.replace(ours, here)
    kept = "".join(f"{name}_temp_path {folder}/{name};" for name in TEMPORARY)
    kept += f"access_log {folder}/access.log;"
    whole = f"daemon off; pid {folder}/pid; events {{}}\nhttp {{ {kept}\n{server} }}"
    folder.joinpath("nginx.conf").write_text(whole, "utf-8")
    log = folder / "error.log"
    process = subprocess.Popen([program("nginx"), "-e", log, "-c", folder / "nginx.conf"])
    try:
        until(lambda: is_open(port))
        yield port
    finally:
        process.terminate()
        process.wait(30)


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
