"""The resolver against real servers and against servers that misbehave."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset
import pytest

from audience.answers.dns.resolver import DnsResolver
from audience.answers.dns.transport import Server, parse_server
from audience.config import SettingError
from audience.errors import ServiceUnavailable
from audience.protocols import DnsAnswer, DnsStatus
from tests.answers.dns_servers import HOST, NOISE, FakeServer, nsd, refusal, reply
from tests.conftest import program
from tests.service import free_port, until
from workers.gate import CountingGate

MANY = "".join(f"many A 127.0.{n}.2\n" for n in range(60))
RECORDS = (
    "www A 192.0.2.1\nwww A 192.0.2.2\nwww AAAA 2001:db8::1\nalias CNAME www\nnull MX 0 .\n"
    "@ MX 10 mail.example.org.\n@ MX 20 mail2\n"
    'text TXT "one " "half"\nloop CNAME loop2\nloop2 CNAME loop\n' + MANY
)


@pytest.fixture(scope="module")
def server():
    with nsd(program("nsd"), {"example.org": RECORDS}, broken=["broken.org"]) as address:
        yield address


@pytest.mark.parametrize(
    ("name", "kind", "answer"),
    [
        ("www.example.org", "A", ("ok", {"192.0.2.1", "192.0.2.2"})),
        ("WWW.example.org.", "A", ("ok", {"192.0.2.1", "192.0.2.2"})),
        ("www.example.org", "AAAA", ("ok", {"2001:db8::1"})),
        ("alias.example.org", "A", ("ok", {"192.0.2.1", "192.0.2.2"})),
        ("example.org", "MX", ("ok", {"10 mail.example.org", "20 mail2.example.org"})),
        ("null.example.org", "MX", ("ok", {"0 ."})),
        ("text.example.org", "TXT", ("ok", {"one half"})),
        ("www.example.org", "MX", ("no_data", set())),
        ("alias.example.org", "MX", ("no_data", set())),
        ("nobody.example.org", "A", ("nxdomain", set())),
        ("www.broken.org", "A", ("servfail", set())),
        ("elsewhere.net", "A", ("unavailable", set())),  # REFUSED
        ("loop.example.org", "A", ("unavailable", set())),
        ("many.example.org", "A", ("ok", {f"127.0.{n}.2" for n in range(60)})),  # over TCP
        ("two..dots.org", "A", ("unavailable", set())),
        ("x" * 64 + ".org", "A", ("unavailable", set())),
    ],
)
def test_answers_of_a_real_server(server, resolver_of, name, kind, answer):
    [got] = resolver_of(server).ask([(name, kind)])
    assert (got.status, set(got.records)) == answer


def test_answers_are_in_the_order_of_the_questions(server, resolver_of):
    questions = [("nobody.example.org", "A"), ("null.example.org", "MX"), ("nobody.example.org", "A")]
    got = resolver_of(server).ask(questions)
    assert [answer.status for answer in got] == ["nxdomain", "ok", "nxdomain"]
    assert resolver_of(server).ask([]) == []


def test_more_questions_than_sockets(server, resolver_of):
    names = [f"n{number}.example.org" for number in range(500)]
    got = resolver_of(server, timeout=20).ask([(name, "A") for name in names])
    assert {answer.status for answer in got} == {DnsStatus.NXDOMAIN}


def test_an_unknown_record_type_raises(resolver_of):
    with pytest.raises(dns.rdatatype.UnknownRdatatype):
        resolver_of().ask([("example.org", "NONSENSE")])


@pytest.mark.parametrize("content", [None, "", "# nothing\nsearch example.org\n", "nameserver\n", "\x00"])
def test_without_a_server_answers_are_unavailable(tmp_path, resolver_of, content):
    file = tmp_path / "resolv.conf"
    if content is not None:
        file.write_text(content)
    [got] = resolver_of(system=str(file)).ask([("example.org", "A")])
    assert got == DnsAnswer(DnsStatus.UNAVAILABLE)


def test_resolv_conf_is_read_again_when_it_changes(tmp_path):
    file = tmp_path / "resolv.conf"
    file.write_text("nameserver 192.0.2.1\nnameserver 2001:db8::1\n")
    resolver = DnsResolver(system=str(file))
    assert resolver._system.read() == (Server("192.0.2.1"), Server("2001:db8::1"))
    file.write_text("nameserver 192.0.2.2\n")
    os.utime(file, ns=(1, 1))
    assert resolver._system.read() == (Server("192.0.2.2"),)


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("192.0.2.1", Server("192.0.2.1", 53)),
        ("192.0.2.1:5353", Server("192.0.2.1", 5353)),
        ("2001:db8::1", Server("2001:db8::1", 53)),
        ("[2001:db8::1]", Server("2001:db8::1", 53)),
        ("[2001:db8::1]:5353", Server("2001:db8::1", 5353)),
    ],
)
def test_parse_server(text, server):
    assert parse_server(text) == server


@pytest.mark.parametrize(
    "text", ["", "dns.example", "192.0.2.1:", "192.0.2.1:x", "192.0.2.1:0", "[::1]:99999"]
)
def test_a_malformed_server_is_an_error(text):
    with pytest.raises(SettingError, match="dns_servers"):
        parse_server(text)


def test_the_next_server_is_queried_if_one_is_unreachable_or_refuses(resolver_of):
    with (
        FakeServer(lambda query: [refusal(query, dns.rcode.REFUSED)]) as refuses,
        FakeServer(lambda query: [refusal(query, dns.rcode.SERVFAIL)]) as fails,
        FakeServer(lambda query: [reply(query, "192.0.2.7")]) as works,
    ):
        unreachable = f"{HOST}:{free_port()}"
        resolver = resolver_of(unreachable, refuses.address, fails.address, works.address, timeout=10)
        assert resolver.ask([("a.example.org", "A")])[0].records == ("192.0.2.7",)
        alone = resolver_of(unreachable, refuses.address, fails.address, timeout=10)
        assert alone.ask([("a.example.org", "A")])[0].status == DnsStatus.SERVFAIL


def test_the_next_server_is_queried_if_one_is_silent(resolver_of):
    with FakeServer(lambda _: []) as silent, FakeServer(lambda query: [reply(query, "192.0.2.7")]) as works:
        [got] = resolver_of(silent.address, works.address, timeout=1).ask([("a.example.org", "A")])
        assert got.records == ("192.0.2.7",)
        assert silent.seen == ["a.example.org"]


def test_a_lost_datagram_is_sent_again(resolver_of):
    lost = []

    def lose_one(query):
        lost.append(query.id)
        return [reply(query, "192.0.2.7")] if len(lost) > 1 else []

    with FakeServer(lose_one) as server:
        assert resolver_of(server.address, timeout=1).ask([("a.org", "A")])[0].records == ("192.0.2.7",)


def test_an_unanswered_question_does_not_affect_the_others(resolver_of):
    def some(query):
        return [] if "silent" in query.question[0].name.to_text() else [reply(query, "192.0.2.7")]

    with FakeServer(some) as server:
        got = resolver_of(server.address).ask(
            [("silent.org", "A"), ("a.org", "A"), ("b.org", "A")], timeout=1.0
        )
    assert [answer.status for answer in got] == ["unavailable", "ok", "ok"]


@pytest.mark.parametrize("noise", NOISE.values(), ids=NOISE)
def test_anything_but_a_response_is_ignored(resolver_of, noise):
    with FakeServer(lambda query: [noise(query), reply(query, "192.0.2.7")]) as server:
        assert resolver_of(server.address).ask([("a.org", "A")])[0].records == ("192.0.2.7",)


def test_a_truncated_answer_without_tcp_is_unavailable(resolver_of):
    def cut(query):
        message = reply(query)
        message.flags |= dns.flags.TC
        return [message]

    with FakeServer(cut) as server:
        assert resolver_of(server.address).ask([("a.org", "A")])[0].status == DnsStatus.UNAVAILABLE


def test_a_referral_is_unavailable(resolver_of):
    def refer(query):
        message = dns.message.make_response(query)
        message.flags &= ~dns.flags.RA
        return [message]

    with FakeServer(refer) as server:
        assert resolver_of(server.address).ask([("a.org", "A")])[0].status == DnsStatus.UNAVAILABLE


def test_concurrent_equal_questions_are_one_query(resolver_of):
    started, go = threading.Barrier(20), threading.Event()

    def when_all_wait(query):
        go.wait(10)
        return [reply(query, "192.0.2.7")]

    with FakeServer(when_all_wait) as server, ThreadPoolExecutor(20) as pool:
        resolver = resolver_of(server.address, timeout=30)

        def ask(_):
            started.wait(10)
            return resolver.ask([("a.org", "A"), ("A.ORG.", "A")])

        futures = [pool.submit(ask, number) for number in range(20)]
        until(lambda: len(resolver._pending) == 1)
        go.set()
        answers = [answer for future in futures for answer in future.result(30)]
        assert {answer.records for answer in answers} == {("192.0.2.7",)}
        assert server.seen == ["a.org"]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_has_its_own_thread(server, resolver_of):
    resolver = resolver_of(server, timeout=10)
    assert resolver.ask([("www.example.org", "A")])[0].status == DnsStatus.OK
    child = os.fork()
    if not child:
        with resolver._lock:
            pass
        [got] = resolver.ask([("www.example.org", "AAAA")])
        os._exit(0 if got.records == ("2001:db8::1",) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert resolver.ask([("null.example.org", "MX")])[0].status == DnsStatus.OK


def test_a_full_gate_refuses_at_once_what_would_wait_and_not_what_is_cached(resolver_of):
    gate = CountingGate(1)
    with FakeServer(lambda query: [reply(query, "192.0.2.7")]) as server:
        resolver = resolver_of(server.address, gate=gate)
        asked = [("a.example.org", "A")]
        known = resolver.ask(asked)
        assert gate.enter()
        assert resolver.ask(asked) == known
        with pytest.raises(ServiceUnavailable):
            resolver.ask([("b.example.org", "A")])
        gate.leave()
        assert resolver.ask([("c.example.org", "A")]) == known


@pytest.mark.parametrize(("owner", "kind"), [("elsewhere.net.", "A"), ("www.example.org.", "AAAA")])
def test_an_answer_to_something_else_is_none(resolver_of, owner, kind):
    record = "192.0.2.1" if kind == "A" else "2001:db8::1"

    def stray(query):
        message = dns.message.make_response(query, recursion_available=True)
        message.answer.append(dns.rrset.from_text(owner, 60, "IN", kind, record))
        return [message]

    with FakeServer(stray) as server:
        assert resolver_of(server.address).ask([("www.example.org", "A")]) == [
            DnsAnswer(DnsStatus.UNAVAILABLE)
        ]
