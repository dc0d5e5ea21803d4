"""Moderate content (docs/contract.md, Answers)."""

import html

import pytest

from tests import response_assertions

PATHS = ["/experimental/content_moderation", "/experimental/moderation"]


def moderate(answers_client, content, path=PATHS[0]):
    answer = response_assertions.answer(answers_client.post(path, {"content": content}))
    response_assertions.keys(answer, "valid", "reasons", "safe_original_content")
    assert type(answer["valid"]) is bool
    assert type(answer["safe_original_content"]) is str
    return answer


@pytest.mark.parametrize("path", PATHS)
def test_the_published_example_via_both_paths(answers_client, path):
    assert moderate(answers_client, "Hi <script>alert(1)</script>", path) == {
        "valid": False,
        "reasons": ["xss", "script_tag"],
        "safe_original_content": "Hi &lt;script&gt;alert(1)&lt;/script&gt;",
    }


@pytest.mark.parametrize(("content", "valid", "reasons"), [
    ("Hello, world", True, []),
    ("I <3 you, and a<b", True, []),
    ("Write to <bob@example.com>", True, []),
    ("Zażółć gęślą jaźń 你好 😀", True, []),
    ("<b>bold</b>", True, ["html"]),
    ('"><img src=x onerror=alert(1)>', False, ["xss"]),
    ("&lt;script&gt;alert(1)&lt;/script&gt;", False, ["xss", "script_tag"]),
    ("look at example.com", False, ["link"]),
    ("https://example.org/x", False, ["link"]),
    ("sh1t happens", False, ["profanity"]),
    ("I live in Scunthorpe", True, []),
    ("My number is 555-123-4567, call me", True, ["phone_number"]),
    ("", False, ["empty"]),
    (" \n\t\u200b", False, ["empty"]),
    ("\0\ud800", False, ["empty"]),
    (5, True, []),
    (True, True, []),
])  # fmt: skip
def test_reasons(answers_client, content, valid, reasons):
    answer = moderate(answers_client, content)
    assert (answer["valid"], answer["reasons"]) == (valid, reasons)


@pytest.mark.parametrize("content", [
    "<!-- x --> <!doctype y> </z> <unfinished", "\"'`&<>", "a\0b\x07c\r\nd\te", "\ud800x\udfff",
    "&amp;lt;", "<<<<",
])  # fmt: skip
def test_the_safe_text_contains_no_markup_characters_and_is_stable(answers_client, content):
    safe = moderate(answers_client, content)["safe_original_content"]
    assert not set(safe) & set("<>\"'\0\x07\r\ud800\udfff")
    assert moderate(answers_client, safe)["safe_original_content"] == safe


def test_no_visible_text_is_lost(answers_client):
    text = "I <3 you <!-- and --> <bob@example.com> 'quoted' \"so\" & a<b"
    assert html.unescape(moderate(answers_client, text)["safe_original_content"]) == text


@pytest.mark.parametrize(
    ("content", "kept"), [("x" * 10_000, 10_000), ("x" * 10_001, 10_000), ("é" * 100_000, 10_000)]
)
def test_ten_thousand_characters_are_accepted(answers_client, content, kept):
    answer = moderate(answers_client, content)
    assert answer["safe_original_content"] == content[:kept]
    assert answer["valid"] is (len(content) <= kept)
    assert answer["reasons"] == ([] if len(content) <= kept else ["too_long"])


def test_ten_thousand_characters_are_counted_unescaped(answers_client):
    safe = moderate(answers_client, "<" * 10_000)["safe_original_content"]
    assert len(safe) == 40_000
    answer = moderate(answers_client, safe)
    assert "too_long" not in answer["reasons"]
    assert answer["safe_original_content"] == safe
