"""An operator at the console of a running service, who sends files."""

import io
import json
import re
import subprocess
import urllib.request
from http.cookiejar import CookieJar
from urllib.parse import urlencode

import openpyxl

from tests.console.browser import SET_UP
from tests.service import command, environment
from tests.torture.world import ROOT, World

BOUNDARY = "torture"
TOKEN = re.compile(r'name="csrf" value="([^"]+)"')


class Operator:
    """The administrator of an instance, signed in or set up with the link that the command line prints."""

    def __init__(self, world: World) -> None:
        env = environment(world.instance, world.service.port, **world.settings)
        printed = subprocess.run(
            command("console", "--json"), env=env, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        link = str(json.loads(printed)["link"])
        self._origin = link.partition("/console")[0]
        self._host = self._origin.partition("://")[2]
        self._http = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        page, _, token = link.removeprefix(self._origin).partition("#")
        self._post(page, urlencode(SET_UP | {"token": token}).encode())

    def get(self, page: str) -> str:
        with self._http.open(self._origin + page, timeout=30) as answer:
            text: str = answer.read().decode()
        return text

    def send_file(self, name: str, content: bytes) -> str:
        """Sends a file. Returns the page that shows it."""
        [form] = re.findall(r'href="(/console/sites/[^"/]+)/imports"', self.get("/console/"))[:1]
        page = f"{form}/imports/new"
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        [token] = set(TOKEN.findall(self.get(page)))
        kind = f"multipart/form-data; boundary={BOUNDARY}"
        said = self._post(page, body, **{"Content-Type": kind, "X-CSRF-Token": token})
        return str(json.loads(said)["page"])

    def look(self, page: str, **answers: str) -> None:
        """Answers the questions of a file's page, and has its outcome counted."""
        [token] = set(TOKEN.findall(self.get(page)))
        fields = {"csrf": token, "look": "1", "headed": "1"} | answers
        self._post(page, urlencode(fields).encode())

    def _post(self, page: str, body: bytes, **headers: str) -> str:
        sent = {"Origin": self._origin} | headers
        request = urllib.request.Request(f"http://{self._host}{page}", body, sent)
        with self._http.open(request, timeout=30) as answer:
            text: str = answer.read().decode()
        return text


def workbook(rows: list[list[str]]) -> bytes:
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.worksheets[0].append(row)
    book.save(file)
    return file.getvalue()
