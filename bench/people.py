"""Made-up people, the same in every bench: two of twenty tags, four custom values.

Neighbours in number are none in any index: counted addresses would share the pages that they are written to.
"""

from typing import Any

TAGS = [f"tag{number}" for number in range(20)]
FIELDS = ["plan", "age", "city", "renewal"]
PLANS = ["pro", "free", "Team", "café"]
CITIES = ["Oslo", "Zürich", "Paris", "Rome"]


def email(number: int) -> str:
    return f"p{_scattered(number):x}@example{number % 500}.com"


def _scattered(number: int) -> int:
    """Another number for each, by the golden ratio (Knuth, The Art of Computer Programming 6.4)."""
    return number * 0x9E3779B97F4A7C15 % 2**52


def item(number: int, age: int = 0) -> dict[str, Any]:
    """An item of an import; another `age` makes one other value."""
    other = number + 1 + number // len(TAGS) % (len(TAGS) - 1)
    return {
        "email": email(number),
        "first_name": f"Ann{_scattered(number) % 1_009}",
        "last_name": f"Lee{_scattered(number) % 50_021}",
        "tags": [TAGS[number % len(TAGS)], TAGS[other % len(TAGS)]],
        "fields": {
            "plan": PLANS[number * 7 // 3 % len(PLANS)],
            "age": (number + age) % 90,
            "city": CITIES[number % len(CITIES)],
            "renewal": f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}",
        },
    }
