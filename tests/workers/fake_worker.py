"""A small program in place of `app`: `fake_worker.py serve|web|worker`, with files for imports.

`INSTANCE/inbox/SITE-ANYTHING` is a waiting import; draining it moves its name to `INSTANCE/drained`.
"""

import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from audience import config, jobs
from audience.jobs import SITE, Job, Kind

settings = config.load()
INBOX = settings.instance / "inbox"
DRAINED = settings.instance / "drained"


def drain(site_id: int) -> bool:
    for path in sorted(INBOX.glob(f"{site_id}-*")):
        if path.name.endswith("slow"):
            time.sleep(1.0)
        with DRAINED.open("a") as file:
            file.write(f"{path.name} {os.getpid()}\n")
        path.unlink(missing_ok=True)
    return False


def asgi():
    from workers.log import configure
    from workers.web import server
    from workers.web.gateway import Gateway
    from workers.web.threads import Threads

    configure(settings.log_level)
    server.exit_with_parent()
    return Gateway(application(), admit, settings, Threads(settings.web_threads))


def admit(environ):
    """Files of up to 4 MB; nothing at `/unread`."""
    return None if environ["PATH_INFO"] == "/unread" else 4_000_000


def application():
    def application(environ, start_response):
        status, answer = "200 OK", b""
        if environ["PATH_INFO"] == "/unread":
            status = "401 Unauthorized"
        elif environ["REQUEST_METHOD"] == "POST":
            refusal = environ.get("audience.refusal")
            status = "400 Bad Request" if refusal else "200 OK"
            said = type(refusal).__name__ if refusal else str(len(environ["wsgi.input"].read()))
            answer = said.encode()
            with (settings.instance / "called").open("ab") as file:
                file.write(answer + b"\n")
        elif environ["PATH_INFO"] in ("/large", "/larger"):
            answer = b"x" * (20_000_000 if environ["PATH_INFO"] == "/larger" else 5_000_000)
        elif environ["PATH_INFO"] == "/unsized":
            start_response(status, [("Content-Type", "text/plain")])
            return [b"he", b"llo"]
        elif environ["PATH_INFO"] in ("/endless", "/broken"):
            start_response(status, [("Content-Type", "text/plain")])
            return Chunks(environ["PATH_INFO"])
        elif environ["PATH_INFO"] == "/crash":
            raise RuntimeError("someone@example.org")
        else:
            answer = repr({key: value for key, value in environ.items() if isinstance(value, str)}).encode()
        start_response(status, [("Content-Type", "text/plain"), ("Content-Length", str(len(answer)))])
        return [answer[:3_000_000], answer[3_000_000:]]

    return application


class Chunks:
    """A body of 20 MB without a Content-Length; `/broken` fails on the way.

    The file `made` counts the chunks. The file `closed` is there once the body was told that no more is
    needed.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def __iter__(self) -> Iterator[bytes]:
        for number in range(200):
            if self.path == "/broken" and number == 20:
                raise RuntimeError("someone@example.org")
            (settings.instance / "made").write_text(str(number))
            yield b"x" * 100_000

    def close(self) -> None:
        (settings.instance / "closed").touch()


def open_database() -> None:
    INBOX.mkdir(exist_ok=True)


def main(command: str) -> None:
    if command == "web":
        from workers.web import server

        server.serve(settings, "fake_worker:asgi")
    elif command == "worker":
        from workers import worker

        worker.run(settings, open_database, [Kind("import", SITE, lambda *_: 0)])
    else:
        from workers import instance_lock, supervisor

        try:
            with instance_lock.hold_instance_lock(settings.instance):
                supervisor.serve(
                    settings, [sys.executable, __file__], lambda url: print("ready", url, flush=True)
                )
        except instance_lock.CannotServe as error:
            sys.exit(f"refused: {error}")


class Engine:
    """Replaces `audience.jobs`: one kind, in one lane, whose jobs are the files of the inbox."""

    def due_sites(self) -> list[int]:
        return sorted({int(path.name.split("-")[0]) for path in INBOX.iterdir()})

    def due_kinds(self, site_id: int) -> set[str]:
        return {"import"} if site_id in self.due_sites() else set()

    def claim(self, _kinds: Any, site_id: int) -> Job | None:
        return Job(site_id, 1, "import", 1, 1, "") if site_id in self.due_sites() else None

    def step(self, _kinds: Any, job: Job, _deadline: float) -> bool:
        return drain(job.site_id)

    def work(self, _kinds: Any, site_id: int, _seconds: float) -> bool:
        return drain(site_id)

    def elect(self, _token: str) -> bool:
        return True

    def prepare(self, _kinds: Any) -> None:
        INBOX.mkdir(exist_ok=True)

    def resign(self, _token: str) -> None:
        pass


if __name__ == "__main__":
    INBOX.mkdir(parents=True, exist_ok=True)
    engine = Engine()
    for name in ("due_sites", "due_kinds", "claim", "step", "work", "elect", "prepare", "resign"):
        setattr(jobs, name, getattr(engine, name))
    main(sys.argv[1])
