"""What the log of deliveries keeps of the answers of receivers: nothing of whoever is erased."""

import pytest

from audience.erasures import erasures
from audience.operations import site_lane
from audience.undo import undos
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks.deliveries import without_addresses
from tests.audience.undo.test_undos import put
from tests.receiver import status
from tests.rows import each_row
from tests.webhook_steps import make, send_all

ANN = "ann@example.com"


@pytest.fixture
def site(client):
    return client.site


def echoes(code, then=lambda: None):
    """Answers what it was sent, after `then`."""

    def answer(request):
        then()
        sent = request.server.receiver.received[-1].body.decode()
        status(code, sent)(request)

    return answer


def answers(site):
    found, _ = webhook_deliveries.page(site, 1, 1)
    return [each.answer for each in found]


def test_the_answer_of_a_failure_is_kept_until_somebody_of_the_site_is_erased(
    client, site, receiver, settings
):
    make(site, receiver)
    client.create(ANN, first_name="Annabel")
    client.create("bob@example.com")
    receiver.always = echoes(400)
    send_all()
    assert "Annabel" in answers(site)[0]
    erasures.erase(site, settings.instance, ANN)
    assert answers(site) == [""]


def test_the_answer_of_a_success_is_not_kept(client, site, receiver):
    make(site, receiver)
    client.create(ANN, first_name="Annabel")
    receiver.always = echoes(200)
    send_all()
    assert answers(site) == [""]


def test_an_answer_that_comes_after_the_erasure_is_not_kept(client, site, receiver, settings):
    make(site, receiver)
    client.create(ANN, first_name="Annabel")
    receiver.script = [echoes(400, lambda: erasures.erase(site, settings.instance, ANN))]
    send_all()
    assert answers(site) == [""]
    assert webhook_deliveries.page(site, 1, 1)[0][0].status == 400


def test_whom_an_undo_removes_is_in_no_answer(site, receiver):
    make(site, receiver)
    import_id = put(site, {"email": ANN, "first_name": "Annabel"})
    receiver.always = echoes(400)
    send_all()
    assert "Annabel" in answers(site)[0]
    undos.undo_import(site, import_id, 30)
    site_lane.drain(site.id, 30)
    assert answers(site) == [""]


@each_row(
    "address",
    [
        "o'brien@example.com", "o{b}=rien@example.com", "obrien\uff20example.com", "obrien\ufe6bexample.com",
        "obrien%40example.com", "obrien%2540example.com", "obrien%EF%BC%A0example.com",
        "obrien%ef%b9%abexample.com", "obrien\\u0040example.com", "obrien\\uFF20example.com",
        "obrien&#64;x", "obrien&#x40;x", "obrien&commat;x", "obrien=40rien.example",
        "obrien&amp;#64;rien.example", "obrien=3D40rien.example", "obrien%26%2364%3Brien.example",
        "obrien\\u0026#64;rien.example",
    ],
)  # fmt: skip
def test_what_looks_like_an_address_is_hidden_whole(address):
    shown = without_addresses(f'{{"error": "refused: {address}", "email":"{address}", "tag":"vip"}}')
    assert "rien" not in shown
    assert "o'" not in shown
    assert '"error": "refused: ' in shown
    assert '"tag":"vip"' in shown
