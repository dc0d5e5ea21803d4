"""A story of all real processes.

No accepted subscriber is lost or applied twice, whichever process is killed.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

from tests.service import serving, until

SUBSCRIBERS = 10_000
BATCH = 250
CLIENTS = 4


def batch(number: int) -> dict[str, list[dict[str, object]]]:
    first = number * BATCH
    return {
        "subscribers": [
            {"email": f"subscriber{each}@example.com", "tags": "imported", "fields": {"number": each}}
            for each in range(first, first + BATCH)
        ]
    }


def test_processes_killed_during_an_import_lose_and_repeat_nothing(tmp_path):
    with serving(tmp_path, AUDIENCE_WEB_WORKERS="2") as service, ThreadPoolExecutor(CLIENTS) as clients:
        answers = clients.map(
            lambda number: service.call("POST", "/batch/subscribers", batch(number)),
            range(SUBSCRIBERS // BATCH),
        )
        until(lambda: service.call("GET", "/stats/site")[1]["user_count"] > 0)
        service.kill("app worker")
        service.kill("valkey-server")
        imports = [
            answer["import_id"] for status, answer in answers if status == 200 and answer["result"] == BATCH
        ]
        assert len(imports) == SUBSCRIBERS // BATCH
        rows = [until(partial(finished, service, each)) for each in imports]
        assert sum(row["created"] for row in rows) == SUBSCRIBERS
        assert sum(row["updated"] + row["unchanged"] + row["failed"] for row in rows) == 0
        assert service.call("GET", "/stats/site")[1] == {
            "user_count": SUBSCRIBERS,
            "subscriber_count": SUBSCRIBERS,
            "unsubscriber_count": 0,
        }
        assert all_numbers(service) == set(range(SUBSCRIBERS))


def finished(service, import_id):
    row = service.call("GET", f"/batch/imports/{import_id}")[1]["data"]["attributes"]
    return row if row["status"] == "finished" else None


def all_numbers(service) -> set[int]:
    """The field `number` of all subscribers, from the pages of a search; each appears once."""
    numbers: list[int] = []
    page, more = 1, True
    while more:
        answer = service.call("POST", "/fetch/search", {"page": page})[1]
        numbers += [subscriber["attributes"]["fields"]["number"] for subscriber in answer["data"]]
        page, more = page + 1, answer["meta"]["has_more"]
    assert len(numbers) == len(set(numbers))
    return set(numbers)


def test_an_import_is_accepted_while_redis_is_unreachable(tmp_path):
    with serving(tmp_path, AUDIENCE_REDIS_URL="redis://127.0.0.1:1/0") as service:
        status, answer = service.call("POST", "/batch/subscribers", batch(0))
        assert (status, answer["result"]) == (200, BATCH)
        assert until(lambda: finished(service, answer["import_id"]))["created"] == BATCH
