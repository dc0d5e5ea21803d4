"""Deletes a custom field: a bulk action whose job removes the values of all subscribers, then the field.

The field exists until no subscriber has a value of it. Values that are set meanwhile are removed, too.
"""

from audience import clock, jobs
from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.bulk import actions
from audience.bulk.actions import CHUNK_ROWS, BulkAction
from audience.errors import Refused
from audience.forms import forms
from audience.jobs import DB, Job
from audience.segments import names as segment_names
from audience.subscribers import custom_fields, field_values
from audience.subscribers.custom_fields import CustomField
from schemas.codes import Code, Sentence
from storage import database
from storage.access import site_counters
from storage.bulk import actions as stored
from storage.bulk.actions import FAILED, FINISHED
from storage.subscribers import custom_fields as stored_fields
from storage.subscribers import field_values as stored_values

IN_USE = Sentence(Code.IN_USE, "The field is used by the {}. Change or delete that first.")


@database.writes_site
def begin(site: Site, field_id: int, actor: Actor) -> CustomField:
    """Queues the deletion of a custom field, or continues one that has failed. Returns the field. Raises
    `NotFound`, and `Refused` if a segment, a report or a form uses the field.
    """
    field = custom_fields.get(site, field_id)
    users = segment_names.users_of_field(site.id, field.key) + forms.users_of_field(site.id, field.key)
    if users:
        raise Refused(IN_USE.format(", the ".join(users)))
    earlier = [action for action in stored.field_deletions(site.id) if action.field == field.key]
    if any(action.is_open for action in earlier):
        return field
    if earlier and earlier[-1].status == FAILED:
        stored.retry(site.id, earlier[-1].id)
        return field
    accepted = site_counters.take_acceptance_number(site.id, clock.now_ms())
    action_id = stored.add_field_deletion(site.id, field.key, actor.name, actor.client_network, *accepted)
    action = actions.require(site.id, action_id)
    audit_log.record(actor, actions.audit_text(action, actions.STARTED), site, actions.subject(action), 0)
    return field


@database.session()
def open_by_key(site: Site) -> dict[str, BulkAction]:
    """The deletions that wait or run, by the key of the field."""
    return {action.field: action for action in stored.field_deletions(site.id) if action.is_open}


def choose_or_end(site: Site, job: Job, action: BulkAction) -> bool:
    """Chooses the subscribers who have a value of the field now. If no subscriber has one, deletes the field
    and ends the action. Returns whether the action has ended.
    """
    field_values.merge(site.id)
    with database.snapshot():
        ids = list(stored_values.holders(site.id, action.field))
    with database.write(site.id):
        jobs.hold(job, DB)
        if not ids and stored_fields.delete_unused(site.id, action.field):
            actions.end(site, actions.require(site.id, action.id), FINISHED)
            return True
        chunks = [ids[start : start + CHUNK_ROWS] for start in range(0, len(ids), CHUNK_ROWS)]
        stored.choose_more(site.id, action.id, chunks)
    return False
