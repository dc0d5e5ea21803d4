"""The names of the commands. Free of marshmallow, so that every room may import it."""

from enum import StrEnum


class CommandName(StrEnum):
    ADD_TAG = "add_tag"
    ADD_TAG_VIA_EVENT = "add_tag_via_event"
    REMOVE_TAG = "remove_tag"
    ADD_FIELD = "add_field"
    REMOVE_FIELD = "remove_field"
    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"
    CHANGE_EMAIL = "change_email"
