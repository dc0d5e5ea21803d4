"""The display name of a custom field."""

from audience.subscribers.custom_fields import name_of
from tests.rows import each_row


@each_row(("key", "name"), [
    ("thisIsAKey", "This Is A Key"), ("this-is-a-key", "This Is A Key"), ("this_is_a_key", "This Is A Key"),
    ("plan", "Plan"), ("Plan", "Plan"), ("a", "A"), ("userID", "User ID"), ("HTMLPage", "HTML Page"),
    ("age2Go", "Age2 Go"), ("address.city", "Address City"), ("$price", "Price"), ("__private__", "Private"),
    ("größteZahl", "Größte Zahl"), ("名前", "名前"), ("5", "5"), ("2nd", "2nd"),
    ("_", "_"), ("$-.", "$-."), ("ALL_CAPS", "ALL CAPS"), ("mixed-Case_andDots.x", "Mixed Case And Dots X"),
])  # fmt: skip
def test_name_of(key, name):
    assert name_of(key) == name
