"""Settings: where they come from, and which are refused."""

from dataclasses import fields, replace

import pytest

from audience.config import NOT_SETTINGS, SettingError, Settings, load

WRONG = [
    ("port", "0"), ("port", "65536"), ("port", "x"), ("port", ""), ("port", "80.5"), ("web_threads", "1"),
    ("workers", "-1"), ("body_timeout", "nan"), ("body_timeout", "x"), ("database_timeout", "0"),
    ("allow_faulty_sqlite", "maybe"), ("allow_faulty_sqlite", ""), ("rate_limit_fetch", "100"),
    ("rate_limit_fetch", "0/minute"), ("rate_limit_fetch", "x/minute"), ("rate_limit_fetch", "5/year"),
    ("auth_failures", "1/"), ("auth_failures", ""), ("rate_limit_fetch", "²/minute"),
    ("rate_limit_fetch", "٣/minute"), ("redis_url", "foo"), ("redis_url", "http://localhost"),
    ("redis_url", "redis://"), ("redis_url", "unix:"), ("redis_url", "redis://localhost:x"),
    ("redis_url", "redis://localhost:0"), ("public_url", "not a url"), ("public_url", "people.example"),
    ("public_url", "https://"), ("public_url", "https://people example"),
    ("smtp_url", "mail.example.com"), ("smtp_url", "http://mail.example.com"), ("smtp_url", "smtp://"),
    ("smtp_url", "smtps://me:pw@mail.example.com"), ("smtp_url", "smtps://me:@mail.example.com"),
    ("smtp_url", "smtps://mail.example.com:0"), ("smtp_url", "smtps://mail.example.com/path"),
    ("smtp_url", "smtps://mail.example.com?a=1"), ("smtp_url", "smtp+plain://me@localhost"),
    ("smtp_url", "smtp+plain://8.8.8.8"), ("smtp_url", "smtp+plain://[2606:4700::1111]"),
    ("confirmations_per_hour", "0"), ("import_inline_rows", "1001"), ("max_body_bytes", "1"),
    ("validation_threshold", "2"),
    ("trusted_proxies", "proxy.example"), ("trusted_proxies", "10.0.0.0/33"), ("trusted_proxies",
    "10.0.0.1,x"),
]  # fmt: skip
RIGHT = [
    ("port", "80", 80), ("host", "::1", "::1"), ("allow_faulty_sqlite", "YES", True),
    ("allow_faulty_sqlite", "off", False), ("body_timeout", "0.5", 0.5), ("rate_limit_stats", "", ""),
    ("rate_limit_stats", "5/second", "5/second"), ("dns_servers", "10.0.0.1, 10.0.0.2:53,", ("10.0.0.1",
    "10.0.0.2:53")),
    ("trusted_proxies", "10.0.0.0/8, ::1", ("10.0.0.0/8", "::1")), ("trusted_proxies", "", ()),
    ("smtp_url", "", ""), ("smtp_url", "smtps://me%40a@mail.example.com", "smtps://me%40a@mail.example.com"),
    ("smtp_url", "smtp://mail.example.com:587", "smtp://mail.example.com:587"),
    ("smtp_url", "smtp+plain://127.0.0.1:25", "smtp+plain://127.0.0.1:25"),
    ("smtp_url", "smtp+plain://[fd00::1]", "smtp+plain://[fd00::1]"), ("smtp_url", "smtp+plain://mail", "smtp+plain://mail"),
    ("import_inline_rows", "0", 0), ("redis_url", "", ""),
    ("redis_url", "redis://:pw@[::1]:6379/1", "redis://:pw@[::1]:6379/1"),
    ("redis_url", "rediss://redis", "rediss://redis"), ("redis_url", "unix:///run/r.sock", "unix:///run/r.sock"),
    ("public_url", "https://people.example:8443/a", "https://people.example:8443/a"),
]  # fmt: skip


def loaded(tmp_path, toml=None, **environ):
    if toml is not None:
        (tmp_path / "config.toml").write_text(toml, "utf-8")
    return load({"AUDIENCE_INSTANCE": str(tmp_path), **environ})


def test_without_settings_all_are_at_their_default(tmp_path):
    assert loaded(tmp_path) == replace(Settings(), instance=tmp_path)


@pytest.mark.parametrize(("name", "text", "value"), RIGHT)
def test_a_setting_from_the_environment(tmp_path, name, text, value):
    assert getattr(loaded(tmp_path, **{f"AUDIENCE_{name.upper()}": text}), name) == value


def test_the_environment_wins_over_the_file_which_wins_over_the_default(tmp_path):
    toml = (
        'port = 81\nhost = "::"\ndns_servers = ["10.0.0.1"]\nallow_faulty_sqlite = true\nbody_timeout = 5\n'
    )
    settings = loaded(tmp_path, toml, AUDIENCE_PORT="82")
    assert (settings.port, settings.host, settings.dns_servers) == (82, "::", ("10.0.0.1",))
    assert (settings.allow_faulty_sqlite, settings.body_timeout, settings.web_workers) == (True, 5.0, 2)


@pytest.mark.parametrize(("name", "text"), WRONG)
def test_a_wrong_value_is_an_error_that_names_it(tmp_path, name, text):
    variable = f"AUDIENCE_{name.upper()}"
    with pytest.raises(SettingError, match=rf"environment variable {variable}: {name} must be"):
        loaded(tmp_path, **{variable: text})


@pytest.mark.parametrize(("toml", "reason"), [
    ("port = 'x'", "port must be"), ("port = true", "port must be"), ("port = 80.5", "port must be"),
    ("host = 5", "host must be text"), ("dns_servers = [1]", "dns_servers must be"), ("prot = 80",
    "no setting prot"),
    ("body_timeout = true", "body_timeout must be"), ("[section]\nport = 80", "no setting section"),
    ("instance = 'x'", "AUDIENCE_INSTANCE"), ("port = ", "cannot be read"),
])  # fmt: skip
def test_a_wrong_file_is_an_error_that_names_it(tmp_path, toml, reason):
    with pytest.raises(SettingError, match=reason) as caught:
        loaded(tmp_path, toml)
    assert "config.toml" in str(caught.value)


@pytest.mark.parametrize("name", ["AUDIENCE_PROT", "AUDIENCE_", "AUDIENCE_PORT_"])
def test_an_unknown_variable_is_an_error_that_names_it(tmp_path, name):
    with pytest.raises(SettingError, match=f"environment variable {name}: there is no setting"):
        loaded(tmp_path, **{name: "x"})


def test_variables_that_only_the_tests_read_are_not_settings(tmp_path):
    assert NOT_SETTINGS.isdisjoint(f"AUDIENCE_{item.name.upper()}" for item in fields(Settings))
    loaded(tmp_path, **dict.fromkeys(NOT_SETTINGS, "x"))


def test_every_default_is_a_valid_value():
    for item in fields(Settings):
        if item.name != "instance":
            assert item.metadata["parse"](item.default) == item.default
        assert item.metadata["meaning"]


@pytest.mark.parametrize(("given", "url"), [
    ({}, "http://127.0.0.1:8000"), ({"host": "::1", "port": 80}, "http://[::1]:80"),
    ({"public_url": "https://people.example/"}, "https://people.example"),
])  # fmt: skip
def test_base_url(given, url):
    assert Settings(**given).base_url == url
