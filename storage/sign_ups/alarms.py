"""The alarms of sites about their sign-ups. Instants are in milliseconds."""

from typing import NamedTuple

from peewee import ForeignKeyField

from storage.base_models import BaseModel, SiteModel
from storage.records import Records


class Alarm(NamedTuple):
    """A site's alarm, on since `held_at`, or off if that is 0. Owners were last mailed about it at `told_at`.

    Confirmations sent before `judged_from` do not count when the alarm is next decided on.
    """

    held_at: int = 0
    judged_from: int = 0
    told_at: int = 0


class SignUpAlarmModel(BaseModel, table="sign_up_alarms", record=Alarm):
    site = ForeignKeyField(SiteModel, primary_key=True, on_delete="CASCADE")


ALARMS = Records(SignUpAlarmModel, Alarm)


def get(site_id: int) -> Alarm:
    return ALARMS.get(site_id=site_id) or Alarm()


def put(site_id: int, alarm: Alarm) -> None:
    """Stores the alarm of a site. Replaces an earlier one."""
    ALARMS.add_many([alarm], ("site_id",), site_id=site_id)
