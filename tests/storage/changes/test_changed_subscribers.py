"""The index of whom the rows of the record changed."""

from audience.access import sites
from audience.changes.entries import Entries
from storage import database
from storage.changes import changed_subscribers
from storage.changes import log as stored


def test_a_row_of_words_alone_is_forgotten_without_the_next_which_has_its_number(app):
    site = sites.create("Example")
    with database.write(site.id):
        number = stored.add(site.id, 0, 1, ("import", 1), Entries(repeated=[(7, None, 0, 0)]).pack())
        changed_subscribers.add_unnumbered(site.id, number, [7])
        [words] = stored.oldest(site.id, 1)
        stored.add(site.id, 1, 1, ("import", 2), Entries(changed=[(7, {}, {})]).pack())
        changed_subscribers.add(site.id, number, [7])
        changed_subscribers.remove(site.id, words, [7])
        assert changed_subscribers.rows_of(site.id, [7]) == {number: [7]}
        changed_subscribers.remove(site.id, stored.at_numbers(site.id, [number])[0], [7])
        assert changed_subscribers.rows_of(site.id, [7]) == {}
