"""The reasons why a column has its meaning, in the words of the answer."""


class Because:
    """The reasons why a column has its meaning, each a sentence of the answer."""

    CHOSEN = "You said so."
    NAMED = "Its name says so."
    ALIAS = "Recognised by its name."
    PRESET = "{} writes it so."
    BOOKKEEPING = "Not imported: only the program that wrote the file uses it."
    NAMELESS = "Not imported: it has no name."
    KEPT = "A column of the program, kept as a custom field."
    CUSTOM = "Its name is not known, so it is a custom field."
    SECOND = "Another column already means {}, so it is a custom field."
