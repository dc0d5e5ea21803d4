"""errors.csv of a file in which everyone has left says so itself (docs/files.md, Over HTTP)."""

import pytest

from tests.api.sent_files import CSV, LINES, errors, import_file


@pytest.mark.parametrize(
    ("text", "content_type"),
    [
        ("email,plan\nnobody,pro\nragged,pro,x\n", CSV),
        ("email,status\nnobody,active\n", CSV),
        ('{"email": "nobody", "plan": "pro"}\n', LINES),
    ],
)
def test_corrected_rows_come_in_as_left_without_a_parameter(client, text, content_type):
    import_file(client, text, content_type, query={"consent": "unsubscribed", "tag": "old"})
    row = errors(client)[0] | {"email": "ann@example.com", "error_message": ""}
    row.pop(None, None)
    import_file(client, f"{','.join(row)}\n{','.join(row.values())}\n")
    assert client.counts() == (1, 0, 1)
    assert len(client.find("ann@example.com")["attributes"]["cached_tag_ids"]) == 1


def test_refused_rows_of_any_other_file_have_its_columns(client):
    import_file(client, "email,plan\nnobody,pro\n")
    assert list(errors(client)[0]) == ["email", "plan", "row_number", "error_code", "error_message", "code"]
