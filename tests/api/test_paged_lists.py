"""Lists of tags, fields and segments: whole, or in pages if the request asks for pages."""

import pytest

from tests import response_assertions

NOUNS = {
    "tags": lambda number: {"tag": {"name": f"tag {number}"}},
    "fields": lambda number: {"field": {"key": f"key_{number}"}},
    "segments": lambda number: {"segment": {"name": f"segment {number}", "rules": {"tag": "vip"}}},
}


@pytest.fixture(params=NOUNS)
def noun(request, client, other_client):
    for number in range(7):
        for each in (client, other_client):
            assert each.post(f"/fetch/{request.param}", NOUNS[request.param](number)).status_code == 201
    return request.param


def listed(client, noun, **query):
    return response_assertions.answer(client.get(f"/fetch/{noun}", query=query))


def test_a_list_is_whole_without_the_parameters_of_pages(client, noun):
    assert sorted(listed(client, noun)) == ["data"]
    assert len(listed(client, noun)["data"]) == 7


@pytest.mark.parametrize("per_page", [1, 3, 7, 500])
def test_cursors_lead_through_the_whole_list(client, noun, per_page):
    whole, rows = listed(client, noun)["data"], []
    cursor: dict[str, str] = {}
    while True:
        page = listed(client, noun, per_page=str(per_page), **cursor)
        rows += page["data"]
        assert (page["meta"]["per_page"], len(page["data"]) <= per_page) == (per_page, True)
        if not page["meta"]["has_more"]:
            break
        cursor = {"cursor": page["meta"]["next"]}
    assert (rows, page["meta"]["next"]) == (whole, None)


def test_a_cursor_alone_goes_on_by_a_hundred(client, noun):
    first = listed(client, noun, per_page="2")
    client.post(f"/fetch/{noun}", NOUNS[noun](99))
    rest = listed(client, noun, cursor=first["meta"]["next"])
    assert rest["meta"] == {"per_page": 100, "has_more": False, "next": None}
    assert first["data"] + rest["data"] == listed(client, noun)["data"][1:]


@pytest.mark.parametrize("query", [{"per_page": "0"}, {"per_page": "501"}, {"cursor": "x"},
                                   {"cursor": "LWNyZWF0ZWRfYXQgMiAxIDE"}])  # fmt: skip
def test_a_wrong_parameter_of_pages_is_refused(client, noun, query):
    answer = client.get(f"/fetch/{noun}", query=query)
    assert response_assertions.error_fields(answer) == [*query]


def test_the_cursor_of_another_list_is_refused(client, noun):
    own = listed(client, noun, per_page="2")["meta"]["next"]
    for other in NOUNS.keys() - {noun}:
        answer = client.get(f"/fetch/{other}", query={"cursor": own})
        assert response_assertions.error_fields(answer) == ["cursor"]


def test_a_strict_request_is_refused_for_an_unknown_parameter(client, noun):
    answer = client.get(f"/fetch/{noun}", query={"per_pag": "1"}, headers={"Prefer": "handling=strict"})
    assert (response_assertions.error_fields(answer), answer.json["did_you_mean"]) == (
        ["per_pag"],
        ["per_page"],
    )
