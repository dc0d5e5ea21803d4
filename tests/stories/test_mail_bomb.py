"""A story: hundreds of sign-ups of one mailbox, whose Redis is killed midway, send it hardly an email."""

from bench import instances, load
from bench.more import sign_ups
from storage import database
from tests import depth
from tests.answers.dns_servers import FakeServer
from tests.answers.internet import Internet
from tests.mail_server import MailServer
from tests.mail_server import serving as serving_mail
from tests.service import serving, until

NUMBER, SITES, NETWORKS = 500 if depth.whole else 150, 3, 40


@database.session()
def waiting():
    return database.column("SELECT id FROM sign_ups WHERE status = 'waiting'")


def test_spellings_of_one_mailbox_over_three_sites_from_forty_networks(tmp_path):
    """Each site sends one in ten minutes; the caps of a day are tried by the clock in `test_alarms.py`."""
    instances.make(tmp_path, 0)
    targets, networks = sign_ups.open_forms(tmp_path, SITES), sign_ups.networks(NETWORKS)
    with serving_mail(MailServer()) as mail_server, FakeServer(Internet()) as names:
        settings = {
            "AUDIENCE_SMTP_URL": mail_server.url,
            "AUDIENCE_DNS_SERVERS": names.address,
            "AUDIENCE_TRUSTED_PROXIES": "127.0.0.1",
        }
        with serving(tmp_path, None, ("serve",), **settings) as service, sign_ups.open_database(tmp_path):
            for number in range(NUMBER):
                if number == NUMBER // 2:
                    service.kill("valkey-server")
                site, form = targets[number % SITES]
                dots = "".join(f"{letter}{'.' * (number >> at & 1)}" for at, letter in enumerate("harbour"))
                visitor = (f"{dots.strip('.')}+{number}@gmail.com", networks[number % NETWORKS])
                requests = [ask(site, form, *visitor) for ask in (sign_ups.fill_in, sign_ups.send)]
                load.send(service.port, requests, [])
            until(lambda: not waiting())
    assert len(mail_server.taken) == SITES
