"""The services and settings that views use, passed in by `app.py`."""

from dataclasses import dataclass

from flask import current_app

from audience.answers.service import Answers
from audience.config import Settings
from audience.protocols import ChildProcess, Gate, ImportQueue, Limiter, Processes


@dataclass(frozen=True)
class Services:
    settings: Settings
    import_queue: ImportQueue
    limiter: Limiter
    processes: Processes
    answers: Answers
    child_process: ChildProcess
    parse_gate: Gate | None = None


def services() -> Services:
    registered: Services = current_app.extensions["audience"]
    return registered


def settings() -> Settings:
    return services().settings
