"""The console in a browser behind nginx, and where a port of another number leads to it."""

import contextlib
import json
import socket
import subprocess
import threading
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from tests.conftest import program
from tests.console.browser import SET_UP
from tests.nginx import PUBLIC, nginx
from tests.service import PATIENCE_SECONDS, command, environment, serving

WRONG_HOST = 421


@contextlib.contextmanager
def browsing(*rules):
    """A page of Chromium, in which names lead where the rules say, whatever the certificate."""
    flags = ["--no-sandbox", f"--host-resolver-rules={', '.join(rules)}"]
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=program("chromium"), args=flags) as chromium,
        chromium.new_context(ignore_https_errors=True) as context,
    ):
        context.set_default_timeout(PATIENCE_SECONDS * 1000)
        yield context.new_page()


def link(service, **settings):
    """A one-time link, as the command prints it."""
    done = subprocess.run(
        command("console", "--json"),
        env=environment(service.instance, service.port, **settings),
        capture_output=True,
        text=True,
        check=True,
    )
    return str(json.loads(done.stdout)["link"])


def set_up(page, address):
    """Follows the first link, and fills in its page; the names of the cookies then."""
    page.goto(address)
    for label, name in (("Your e-mail", "email"), ("Password", "password"), ("Name of your", "name")):
        page.get_by_label(label).fill(SET_UP[name])
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/console/sites/**")
    page.get_by_role("link", name="Subscribers", exact=True).wait_for()
    return [cookie["name"] for cookie in page.context.cookies()]


def pipe(source, target):
    with contextlib.suppress(OSError):
        while piece := source.recv(65_536):
            target.sendall(piece)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def pass_on(client, port):
    """Passes on a connection, unless the browser opened it in advance and the service has stopped."""
    with contextlib.suppress(OSError), client, socket.create_connection(("127.0.0.1", port)) as service:
        back = threading.Thread(target=pipe, args=(service, client))
        back.start()
        pipe(client, service)
        back.join()


def relay(listener, port):
    with contextlib.suppress(OSError):
        while True:
            threading.Thread(target=pass_on, args=(listener.accept()[0], port)).start()


@contextlib.contextmanager
def another_port(port):
    """A port whose bytes go to `port` as they are: what `ssh -L` and a container's port mapping do."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=relay, args=(listener, port), daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def test_behind_nginx_it_answers_under_the_public_address_alone(tmp_path):
    settings: Any = {"AUDIENCE_PUBLIC_URL": PUBLIC, "AUDIENCE_TRUSTED_PROXIES": "127.0.0.1"}
    with serving(tmp_path / "instance", **settings) as service, nginx(tmp_path, service.port) as port:
        names = (f"MAP {name}:443 127.0.0.1:{port}" for name in ("audience.example.com", "evil.example.com"))
        with browsing(*names) as page:
            address = link(service, **settings)
            assert address.startswith(f"{PUBLIC}/console/")
            assert set_up(page, address) == ["__Secure-audience_console"]
            assert page.goto("https://evil.example.com/console").status == WRONG_HOST
            assert page.get_by_text(f"{PUBLIC}/console").is_visible()


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])  # the latter in a container
def test_where_another_port_leads_to_it_it_answers_as_localhost(tmp_path, host):
    settings: Any = {"AUDIENCE_HOST": host}
    with (
        serving(tmp_path / "instance", **settings) as service,
        another_port(service.port) as port,
        browsing(f"MAP evil.example.com 127.0.0.1:{port}") as page,
    ):
        address = link(service, **settings).replace(f":{service.port}/", f":{port}/")
        assert set_up(page, address) == [f"audience_console_{port}"]
        assert page.goto(f"http://evil.example.com:{port}/console").status == WRONG_HOST
