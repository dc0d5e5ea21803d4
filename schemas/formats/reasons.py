"""The reasons why a column has its meaning, in the words of the answer."""


class Because:
    """The reasons why a column has its meaning, each a sentence of the answer."""

    CHOSEN = "You said so."
    NAMED = "The name of the column says so."
    ALIAS = "Recognised by the name of the column."
    PRESET = "{} exports it under this name."
    BOOKKEEPING = "Not imported: only the program that wrote the file uses it."
    NAMELESS = "Not imported: the column has no name."
    KEPT = "A column of the program, kept as a custom field."
    CUSTOM = "The name is not known, so the column becomes a custom field."
    SECOND = "Another column already means {}, so this one becomes a custom field."
