"""The files that people import, taken back: everything is as before."""

import shutil

import pytest

from audience.subscribers import custom_fields, tags
from storage import database
from storage.subscribers import field_values
from tests.change_mirror import state
from tests.cli.test_everyday_files import CASES, FOLDER

FILES = [name for name, wanted in CASES.items() if not wanted.error or wanted.out]


def everything(site):
    """All that an import may change, but for when."""
    people = {uuid: {**person, "updated_at": 0} for uuid, person in state(site).items()}
    with database.session():
        gone = database.rows("SELECT address_hash, reason, since, number FROM suppressions ORDER BY 1")
        values = sorted((row[:4], *ids) for row, ids in field_values.all_sets(site.id) if ids)
    names = {tag.name for tag in tags.list_all(site)}, {field.key for field in custom_fields.list_all(site)}
    return people, gone, values, names


@pytest.mark.parametrize("name", FILES)
def test_an_everyday_file_is_taken_back(run, client, name, tmp_path):
    wanted = CASES[name]
    for number, email in enumerate(wanted.people):
        if number % 2:
            client.create(email, first_name="Known", tags="vip", fields={"plan": "known"})
    before = everything(client.site)
    counts = client.counts()
    file = shutil.copy(FOLDER / name, tmp_path)
    words = ("--site", client.site.uuid, "--allow-refused", *wanted.answer, *wanted.out)
    run("import", file, *words, asked=True)
    done = run("imports", "undo", 1, "--json")
    now = everything(client.site)
    assert done["removed"] + done["restored"] + done["kept"] == done["total"]
    if done["unsubscribed_kept"]:  # nobody comes back
        assert done["kept"] == done["unsubscribed_kept"]
        return
    assert done["kept"] == 0
    known_as_left = {each for each in now[1] if each[1] == "unsubscribed"}
    assert (now[0], set(now[1]) - known_as_left, now[2:]) == (before[0], set(before[1]), before[2:])
    assert client.counts() == counts
