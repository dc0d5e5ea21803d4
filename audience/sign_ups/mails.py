"""The kinds of jobs that send emails: confirmations, links, and what the owners are told of an alarm."""

from audience.config import Settings
from audience.jobs import Kind
from audience.mail.relay import Relay
from audience.sign_ups import alarm_mails, link_requests, sending


def kinds(settings: Settings, relay: Relay) -> tuple[Kind, ...]:
    return (
        *sending.kinds(settings, relay),
        link_requests.kind(settings, relay),
        alarm_mails.kind(settings, relay),
    )
