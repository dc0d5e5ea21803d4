"""Why a column is taken for what it is, in the words of the answer."""


class Because:
    """Why a column is taken for what it is; sentences of the answer."""

    CHOSEN = "You said so."
    NAMED = "Its name says so."
    ALIAS = "Its name is another word for that."
    PRESET = "{} writes it so."
    BOOKKEEPING = "Not imported: it is bookkeeping."
    NAMELESS = "Not imported: it has no name."
    CUSTOM = "Its name is not known, so it is a custom field."
    DOUBTFUL = (
        "Its name is not known, so it is a custom field. If it says who left, map it to `unsubscribed`, "
        "or to `subscribed` if its no means left."
    )
    UNCONFIRMED = (
        "Its name is not known, so it is a custom field. If who has none never confirmed, say so in a column "
        "`status`, with `unconfirmed`: they come in subscribed otherwise."
    )
    TAGGED = (
        "Some of its tags say that people have left, but tags take nobody out: put `unsubscribed` into a "
        "column `status` of their rows; they come in subscribed otherwise."
    )
    UNKNOWN = (CUSTOM, DOUBTFUL, UNCONFIRMED)
    SECOND = "Another column already means {}, so it is a custom field."
    BY_VALUES = "Its name may mean something else, but its values are about consent."
    NO_CONSENT = (
        "Its name may be about consent, but its values are not, so it is a custom field. "
        "If it says who left, map it to `status`, or to `unsubscribed` if its yes means left."
    )
