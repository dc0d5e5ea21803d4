"""The script of docs/leaving.md sends headers that mail programs read."""

import re
import runpy
import smtplib
from pathlib import Path
from typing import Any

TOKEN = "AQABm0_wUQGiHVdnrHXjist49jGGsRgAAAAA.LLpCVJQkO7sF5jZWb2Tm0vm_UHg489bJIwq3cpuYlLI"
URL = f"https://people.example/unsubscribe/{TOKEN}"
SCRIPT = re.compile(r"```py\n(.*?)```", re.DOTALL)
DOCS = Path(__file__).parents[2] / "docs/leaving.md"


class Relay(smtplib.SMTP):
    """Keeps what it is sent."""

    def ehlo_or_helo_if_needed(self):
        """It is reached without a connection."""

    def sendmail(self, from_addr: Any, to_addrs: Any, msg: Any, *_: Any, **__: Any) -> Any:
        self.sent = msg
        return {}


def test_the_script_sends_the_link_as_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = f"email,unsubscribed_at,unsubscribe_url,preferences_url\na@b.example,,{URL},{URL}\n"
    Path("export.csv").write_text(rows, encoding="utf-8")
    relay = Relay()
    Path("send.py").write_text(SCRIPT.findall(DOCS.read_text(encoding="utf-8"))[0], encoding="utf-8")
    runpy.run_path("send.py", {"smtp": relay})
    assert f"\r\nList-Unsubscribe: <{URL}>\r\n".encode() in relay.sent
