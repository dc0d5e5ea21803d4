"""The migration that writes out the zone of the bounds of saved segments."""

import runpy

from schemas.values import read_date
from storage import database
from storage.engines import postgresql, sqlite

RULES = {
    "all": [
        {"created_at": {"gt": "2026-01-01", "lte": "2026-02-01T10:30"}},
        {
            "any": [
                {"updated_at": {"gte": "2026-01-01 10:00:00.5"}},
                {"not": {"last_event_at": {"lt": "2026-W05"}}},
            ]
        },
        {
            "unsubscribed_at": {
                "gt": "2026-01-01T00:00:00Z",
                "lt": "2026-01-01T10:00:00 0200",
                "within_days": 3,
            }
        },
        {"field": "born", "gt": "2000-01-01"},
        {"email": {"contains": "2026-01-01é"}},
    ]
}
NAME = "0034_bounds_in_utc.py"
PLAIN = {"status": "subscribed"}
WRITTEN = {
    "all": [
        {"created_at": {"gt": "2026-01-01T00:00:00Z", "lte": "2026-02-01T10:30:00Z"}},
        {
            "any": [
                {"updated_at": {"gte": "2026-01-01T10:00:00.500000Z"}},
                {"not": {"last_event_at": {"lt": "2026-01-26T00:00:00Z"}}},
            ]
        },
        *RULES["all"][2:],
    ]
}


def test_bounds_of_saved_segments_say_that_they_are_of_utc(client, request):
    for rules in (RULES, PLAIN):
        saved = client.post("/fetch/segments", {"segment": {"name": "Some", "rules": rules}})
        assert saved.status_code == 201, saved.text
    engine = sqlite if request.config.getoption("engine") == "sqlite" else postgresql
    migration = runpy.run_path(str(engine.MIGRATIONS / NAME))
    with database.write(database.SHARED):
        migration["up"](None, database.database)
    found = [row["attributes"]["rules"] for row in client.get("/fetch/segments").json["data"]]
    assert found == [PLAIN, WRITTEN]


def test_what_is_written_out_is_the_same_instant():
    migration = runpy.run_path(str(sqlite.MIGRATIONS / NAME))
    for bound in ("2026", "2026-08", "2026-234", "20260821", "2026-W34-5", "0001-01-01", "2026-08-21T24:00"):
        written = migration["_in_utc"](bound)
        assert (written[-1:], read_date(written)) == ("Z", read_date(bound))
