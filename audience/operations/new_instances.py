"""Messages of a command that finds no instance, or has created one."""

from audience.config import Settings
from audience.errors import AudienceError
from storage import database

NO_INSTANCE = (
    "there is no instance in {place}: set {setting} to yours, or run `audience serve` to make one here"
)
MADE = (
    "Made a new instance in {place}: start it with `audience serve`. If you already have an instance, set "
    "{setting} to its folder."
)


class NoInstance(AudienceError):
    """There is no instance yet, and the command does not create one."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(_name_location(NO_INSTANCE, settings))


def announcement(settings: Settings) -> str:
    """The message for a command that has created an instance."""
    return _name_location(MADE, settings)


def _name_location(sentence: str, settings: Settings) -> str:
    if database.files(settings.database):
        setting = "AUDIENCE_INSTANCE (on PostgreSQL also AUDIENCE_DATABASE_URL)"
        return sentence.format(place=settings.instance, setting=setting)
    return sentence.format(place="the database that AUDIENCE_DATABASE_URL names", setting="it")
