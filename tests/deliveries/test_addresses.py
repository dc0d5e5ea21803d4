"""Which URLs and addresses a webhook may be sent to."""

from functools import partial
from ipaddress import ip_address

import pytest

from audience.deliveries.addresses import AddressRefused, check_url, is_public
from audience.deliveries.names import NameUnknown
from tests.rows import each_row

PUBLIC = (
    "1.1.1.1", "8.8.8.8", "93.184.215.14", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1",
    "192.0.1.1", "198.17.255.255", "223.255.255.255",
    "2001:4860:4860::8888", "2606:4700::1111", "2a00:1450::1",
    "::ffff:8.8.8.8",  # mapped
    "64:ff9b::808:808",  # NAT64
)  # fmt: skip
REFUSED = (
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.1.1",
    "172.16.0.1", "172.31.255.255", "192.0.2.1", "192.168.1.1", "192.88.99.1", "198.18.0.1", "198.51.100.1",
    "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "192.0.0.1", "192.0.0.9", "192.0.0.170",  # protocols
    "::", "::1", "100::1", "2001:db8::1", "3fff::1", "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1",
    "fec0::1", "ff02::1", "ff0e::1", "4000::1",
    "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:224.0.0.1",  # mapped
    "::127.0.0.1", "::8.8.8.8",  # compatible
    "2002:7f00:1::1", "2002:a00:1::1", "2002:808:808::1",  # 6to4
    "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001::1",  # Teredo
    "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b::a9fe:a9fe", "64:ff9b::c000:c0",  # NAT64
    "64:ff9b:1::808:808", "64:ff9b:1:7f00:0:100::",  # NAT64 of a network
)  # fmt: skip
METADATA = {
    "metadata.google.internal": ["169.254.169.254"],
    "metadata.goog": ["fd20:ce::254"],
    "metadata.azure.internal": ["169.254.169.254"],
    "wireserver.azure.example": ["168.63.129.16"],
    "instance-data.ec2.internal": ["169.254.169.254"],
    "ec2.ipv6.example": ["fd00:ec2::254"],
    "ecs.metadata.example": ["169.254.170.2"],
    "metadata.alibaba.example": ["100.100.100.200"],
    "metadata.oraclecloud.example": ["192.0.0.192"],
    "metadata.tencentyun.com": ["169.254.0.23"],
    "rancher-metadata": ["169.254.169.250"],
}


def nobody(host: str, seconds: float) -> list[str]:
    raise NameUnknown


def at(*addresses: str):
    return lambda *_: list(addresses)


@each_row("address", PUBLIC)
def test_a_public_address_may_be_called(address):
    assert is_public(ip_address(address))
    check_url("https://hooks.example.com/", private_addresses=False, look_up=at(address))


@each_row("address", REFUSED)
def test_any_other_address_is_refused(address):
    assert not is_public(ip_address(address))
    with pytest.raises(AddressRefused, match="Address refused"):
        check_url("https://hooks.example.com/", private_addresses=False, look_up=at(address))


@each_row(("host", "addresses"), METADATA.items())
def test_the_metadata_of_clouds_is_refused(host, addresses):
    with pytest.raises(AddressRefused, match="Address refused") as refused:
        check_url(f"https://{host}/latest", private_addresses=False, look_up=lambda *_: METADATA[host])
    assert not any(part in refused.value.message for part in (host, *addresses))


def test_one_address_that_is_not_public_refuses_the_name():
    with pytest.raises(AddressRefused):
        check_url("https://a.example/", private_addresses=False, look_up=at("8.8.8.8", "1.1.1.1", "10.0.0.1"))


@each_row(
    "host", ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0", "[::1]", "[::ffff:7f00:1]"]
)
def test_an_address_is_refused_however_it_is_spelt(host):
    with pytest.raises(AddressRefused, match="Address refused"):
        check_url(f"https://{host}/", private_addresses=False)


@each_row("host", ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_private_addresses_may_be_allowed(scheme, host):
    check_url(f"{scheme}://{host}:8080/hook?a=b", private_addresses=True)


def test_what_is_secret_goes_to_public_addresses_encrypted_only():
    check = partial(check_url, private_addresses=True, is_secret=True)
    for addresses in (["8.8.8.8"], ["10.0.0.1", "8.8.8.8"]):
        check("https://a.example/", look_up=at(*addresses))
        with pytest.raises(AddressRefused, match="begins with https"):
            check("http://a.example/", look_up=at(*addresses))
    check("http://a.example/", look_up=at("10.0.0.1", "::1"))


def test_a_name_that_is_not_found_proves_nothing():
    check_url("https://hooks.example.com/", private_addresses=False, look_up=nobody)


@each_row(
    "url",
    [
        "", "hooks.example.com", "/hook", "https://", "https:///hook", "https:hook", "https://?a",
        "https://a b/", "https://a\n.example/", "https://ä.example/", "https://a.example/ä", "https://a.example\\@b.example/",
        "https://a.example:0/", "https://a.example:65536/", "https://a.example:x/", "https://[::1/",
        "https://[a]/", "https://a.example/" + "a" * 2000, "ftp://a.example/", "file:///etc/passwd",
        "//a.example/", "http://a.example/", "https://user@a.example/", "https://user:password@a.example/",
        "https://@a.example/", "https://a.example/#part", "https://a.example/#",
    ],
)  # fmt: skip
def test_any_other_url_is_refused(url):
    with pytest.raises(AddressRefused) as refused:
        check_url(url, private_addresses=False, look_up=at("8.8.8.8"))
    assert "example.com/hook" in refused.value.message or "a.example" not in refused.value.message


@pytest.mark.parametrize("url", ["ftp://localhost/", "https://u:p@localhost/", "https://localhost/#a", "a"])
def test_private_addresses_change_nothing_else(url):
    with pytest.raises(AddressRefused):
        check_url(url, private_addresses=True)


@pytest.mark.parametrize(
    "url",
    ["https://a.example", "HTTPS://A.Example:8443/x?y=%20", "https://8.8.8.8/", "https://[2606:4700::1111]/"],
)
def test_what_is_good_passes(url):
    check_url(url, private_addresses=False, look_up=at("8.8.8.8"))
