"""Made-up people, the same in every bench: two of twenty tags, four custom values."""

from typing import Any

TAGS = [f"tag{number}" for number in range(20)]
FIELDS = ["plan", "age", "city", "renewal"]
PLANS = ["pro", "free", "Team", "café"]
CITIES = ["Oslo", "Zürich", "Paris", "Rome"]


def email(number: int) -> str:
    return f"person{number}@example{number % 500}.com"


def item(number: int, age: int = 0) -> dict[str, Any]:
    """An item of an import; another `age` makes one other value."""
    other = number + 1 + number // len(TAGS) % (len(TAGS) - 1)
    return {
        "email": email(number),
        "first_name": "Ann",
        "last_name": "Lee",
        "tags": [TAGS[number % len(TAGS)], TAGS[other % len(TAGS)]],
        "fields": {
            "plan": PLANS[number * 7 // 3 % len(PLANS)],
            "age": (number + age) % 90,
            "city": CITIES[number % len(CITIES)],
            "renewal": f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}",
        },
    }
