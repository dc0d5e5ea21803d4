"""A workbook whose sheet has the name of one of people who left, in the console."""

from tests.cli.test_sheet_names import ANN, workbook
from tests.console.test_file_uploads import keep, root, work

__all__ = ["root"]


def test_such_a_sheet_is_asked_about(manager, root):
    book = workbook(("nonsubscribed_email_audience_ex", ANN))
    path = keep(manager, root, book, "Contacts.xlsx")
    work(manager)
    shown = manager.get(path).text
    assert "The name of the sheet says that nobody in it is subscribed" in shown
    assert "consent=unsubscribed" not in shown
    manager.post(path, look="1", headed="1", left="1")
    work(manager)
    assert "The name of the sheet" not in manager.get(path).text
