"""What `app.py` hands to the views."""

from dataclasses import dataclass

from flask import current_app

from audience.config import Settings
from audience.judges import Judges
from audience.ports import Doorbell, Limiter, Vitals


@dataclass(frozen=True)
class Wiring:
    settings: Settings
    doorbell: Doorbell
    limiter: Limiter
    vitals: Vitals
    judges: Judges


def wiring() -> Wiring:
    found: Wiring = current_app.extensions["audience"]
    return found


def settings() -> Settings:
    return wiring().settings
