"""Two-factor sign-in: turning it on and off, the second screen, codes that count once, the setting."""

import html
import re
import threading

import pyotp
import pytest

from audience.access import audit_log, operators, sessions, sign_in
from audience.access.audit_log import COMMAND_LINE
from audience.errors import NotFound, Refused
from storage import database
from tests.console.browser import alert, open_browser, signed_in
from tests.console.conftest import PASSWORD
from tests.two_factor import FORM, PAGE, RECOVERY_CODE, code_of, secret_on
from tests.two_factor import STEP_MS as STEP

MINUTE = 60_000
CLIENTS = 6


def hidden(response, name):
    [value] = re.findall(rf'name="{name}" value="([^"]*)"', response.text)[:1]
    return html.unescape(value)


def actions():
    return [entry.act for entry in audit_log.page(None)]


def ask(browser, **fields):
    """The second screen, after the password."""
    response = browser.post("/sign-in", **(FORM | fields))
    assert response.status_code == 200, response.text
    return response


def answer(browser, screen, code, **fields):
    return browser.post("/sign-in/code", token=hidden(screen, "token"), code=code, **fields)


def enter(browser, code):
    return answer(browser, ask(browser), code)


def test_the_page_has_the_secret_in_groups_as_a_link_and_as_a_qr_code(here):
    page = here.get(PAGE)
    secret = secret_on(page)
    [uri] = re.findall(r'href="(otpauth:[^"]*)"', page.text)
    totp = pyotp.parse_uri(html.unescape(uri))
    assert (totp.secret, totp.name, totp.issuer) == (secret, "Ann@example.com", "Audience (127.0.0.1)")
    assert "<svg" in page.text
    assert "=&#34;" not in page.text
    assert secret_on(here.get(PAGE)) == secret


def test_a_code_confirms_it_and_ten_recovery_codes_are_shown_once(here, turned_on):
    _, codes = turned_on
    assert len(set(codes)) == 10
    assert operators.get("ann@example.com").two_factor
    again = here.get(PAGE).text
    assert not RECOVERY_CODE.findall(again)
    assert "10 recovery codes" in again


@pytest.mark.parametrize("wrong", [{"code": "000000"}, {"code": ""}, {"present": "not it at all"}])
def test_nothing_is_turned_on_without_password_and_code(here, wrong):
    fields = {"present": PASSWORD, "code": code_of(secret_on(here.get(PAGE)))}
    refused = here.post(PAGE, **(fields | wrong))
    assert refused.status_code == 422
    assert alert(refused) == sign_in.NOT_TURNED_ON
    assert not operators.get("ann@example.com").two_factor
    assert secret_on(refused) == secret_on(here.get(PAGE))


def test_who_has_no_password_sets_one_first(app, site):
    browser = signed_in(app, "bob@example.com")
    assert "Set an address and a password first" in browser.get(PAGE).text
    assert browser.post(PAGE, code="123456").status_code == 422


def test_turning_on_ends_other_sessions_and_links(app, here, ann):
    other = open_browser(app)
    other.post("/sign-in", **FORM)
    link = sign_in.console_link("ann@example.com")[1]
    before = here.token
    here.post(PAGE, present=PASSWORD, code=code_of(secret_on(here.get(PAGE))))
    assert here.is_signed_in()
    assert here.token != before
    assert operators.signed_in(before) is None
    assert not other.is_signed_in()
    assert alert(open_browser(app).post("/link", token=link)) == sessions.SPENT


def test_after_the_password_there_is_no_session_before_the_code(browser, turned_on):
    screen = ask(browser)
    assert browser.token == ""
    assert not browser.is_signed_in()
    assert operators.signed_in(hidden(screen, "token")) is None
    response = answer(browser, screen, code_of(turned_on[0]))
    assert (response.status_code, response.location) == (303, "/console")
    assert browser.is_signed_in()


def test_wrong_passwords_look_as_before(browser, turned_on):
    response = browser.post("/sign-in", **(FORM | {"password": "not it at all"}))
    assert (response.status_code, alert(response)) == (422, sign_in.WRONG)


def test_the_target_and_the_choice_to_stay_survive_the_second_screen(browser, turned_on):
    screen = ask(browser, next="/console/account", remember="1")
    sent = {name: hidden(screen, name) for name in ("next", "remember")}
    wrong = answer(browser, screen, "000000", **sent)
    assert {name: hidden(wrong, name) for name in ("next", "remember", "token")} == {
        **sent, "token": hidden(screen, "token")
    }  # fmt: skip
    response = answer(browser, wrong, code_of(turned_on[0]), **sent)
    assert response.location == "/console/account"
    assert "Max-Age=2592000" in response.headers["Set-Cookie"]


def test_a_form_that_was_sent_after_the_end_of_a_session_is_kept_through_both_screens(
    app, browser, turned_on
):
    kept = "by=x&name=Herons"
    screen = ask(browser, next="/console/sites", kept=kept)
    assert hidden(screen, "kept") == kept
    wrong = answer(browser, screen, "000000", kept=kept)
    assert hidden(wrong, "kept") == kept


def test_one_time_links_ask_for_the_code_too(app, browser, turned_on):
    screen = browser.follow_link("ann@example.com")
    assert (screen.status_code, browser.is_signed_in()) == (200, False)
    assert answer(browser, screen, code_of(turned_on[0])).status_code == 303
    link = operators.reset("ann@example.com", COMMAND_LINE)
    other = open_browser(app)
    screen = other.post("/password", token=link, password=PASSWORD)
    assert (screen.status_code, other.is_signed_in()) == (200, False)
    assert answer(other, screen, code_of(turned_on[0], 1)).status_code == 303


@pytest.mark.parametrize(("steps", "status"), [(-2, 422), (-1, 303), (0, 303), (1, 303), (2, 422)])
def test_a_code_is_good_one_step_early_or_late(browser, turned_on, later, steps, status):
    later(2 * STEP)
    assert enter(browser, code_of(turned_on[0], steps)).status_code == status


def test_a_code_counts_once_and_none_before_it_counts_after_it(app, browser, turned_on):
    secret = turned_on[0]
    assert enter(browser, code_of(secret, 1)).status_code == 303
    for steps in (1, 0, -1):
        refused = enter(open_browser(app), code_of(secret, steps))
        assert (refused.status_code, alert(refused)) == (422, sign_in.WRONG_CODE)


def test_the_code_that_turned_it_on_signs_nobody_in(app, here):
    code = code_of(secret_on(here.get(PAGE)))
    assert here.post(PAGE, present=PASSWORD, code=code).status_code == 200
    assert enter(open_browser(app), code).status_code == 422


@pytest.mark.parametrize("is_recovery", [False, True])
def test_of_many_at_once_one_code_signs_one_in(app, turned_on, is_recovery):
    secret, recovery = turned_on
    code = recovery[0] if is_recovery else code_of(secret)
    browsers = [open_browser(app) for _ in range(CLIENTS)]
    screens = [ask(browser) for browser in browsers]
    ready, statuses = threading.Barrier(CLIENTS), []

    def send(number):
        ready.wait(30)
        statuses.append(answer(browsers[number], screens[number], code).status_code)

    threads = [threading.Thread(target=send, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(statuses) == [303] + [422] * (CLIENTS - 1)
    assert actions().count("recovery code used") == is_recovery


def test_a_recovery_code_counts_once_in_any_spelling(app, browser, turned_on):
    first, second, *_ = turned_on[1]
    assert enter(browser, first).status_code == 303
    assert enter(open_browser(app), first).status_code == 422
    assert enter(open_browser(app), second.lower().replace("-", " ")).status_code == 303
    assert actions().count("recovery code used") == 2
    assert "8 recovery codes" in browser.get(PAGE).text


def test_recovery_codes_and_the_secret_are_not_stored(turned_on):
    secret, codes = turned_on
    with database.session():
        stored = repr(database.rows("SELECT * FROM operators") + database.rows("SELECT * FROM audit_log"))
    assert not [each for each in (secret, *codes) if each in stored or each.replace("-", "") in stored]


def test_a_spaced_code_is_read(browser, turned_on):
    code = code_of(turned_on[0])
    assert enter(browser, f" {code[:3]} {code[3:]}").status_code == 303


@pytest.mark.parametrize("code", ["", "١٢٣٤٥٦", "\ud800", "1" * 10_000, "0x1234", "-12345"])
def test_no_odd_text_is_a_code(browser, turned_on, code):
    assert enter(browser, code.encode("utf-8", "replace").decode()).status_code == 422


@pytest.mark.parametrize("token", ["", "x"])
def test_without_the_first_screen_there_is_no_second(browser, turned_on, token):
    response = browser.post("/sign-in/code", token=token, code=code_of(turned_on[0]))
    assert (response.status_code, alert(response)) == (422, sign_in.STEP_OVER)
    assert 'name="password"' in response.text
    assert 'name="password"' in browser.get("/sign-in/code").text


def test_who_comes_too_late_is_told_so_however_many_there_are(browser, turned_on):
    for _ in range(25):
        assert alert(browser.post("/sign-in/code", token="x", code="000000")) == sign_in.STEP_OVER


def test_administrators_see_who_has_it(administrator, turned_on):
    assert administrator.get("/operators").text.count("two-factor sign-in") == 1


def test_a_link_or_a_session_is_no_second_step(app, browser, turned_on, here):
    link = sign_in.console_link("ann@example.com")[1]
    for token in (link, here.token):
        response = browser.post("/sign-in/code", token=token, code=code_of(turned_on[0]))
        assert alert(response) == sign_in.STEP_OVER
    screen = ask(browser)
    for path in ("/link", "/password"):
        token = hidden(screen, "token")
        assert alert(browser.post(path, token=token, password=PASSWORD)) == sessions.SPENT


def test_the_second_step_lasts_ten_minutes_and_is_valid_once(app, browser, turned_on, later):
    secret = turned_on[0]
    late, screen = ask(browser), ask(open_browser(app))
    assert answer(open_browser(app), screen, code_of(secret)).status_code == 303
    later(STEP)
    assert alert(answer(browser, screen, code_of(secret))) == sign_in.STEP_OVER
    later(10 * MINUTE)
    assert alert(answer(browser, late, code_of(secret))) == sign_in.STEP_OVER


def test_whoever_signs_in_elsewhere_leaves_the_second_step_of_others(app, browser, turned_on):
    screen = ask(browser)
    ask(open_browser(app))
    assert answer(browser, screen, code_of(turned_on[0])).status_code == 303


@pytest.mark.parametrize("change", ["password", "reset", "removed", "two-factor"])
def test_a_second_step_ends_with_what_it_came_from(browser, turned_on, site, change):
    operators.add("other@example.com", True, {site: "owner"}, COMMAND_LINE)
    screen = ask(browser)
    if change == "password":
        sign_in.set_password_with_link(operators.reset("ann@example.com", COMMAND_LINE), PASSWORD, "")
    elif change == "reset":
        operators.reset("ann@example.com", COMMAND_LINE)
    elif change == "removed":
        operators.remove("ann@example.com", COMMAND_LINE)
    else:
        operators.reset_two_factor("ann@example.com", COMMAND_LINE)
    assert alert(answer(browser, screen, code_of(turned_on[0]))) == sign_in.STEP_OVER
    assert not browser.is_signed_in()


def test_a_sign_in_replaces_the_session_that_the_browser_had(browser, turned_on):
    browser.post("/link", token="x")
    enter(browser, code_of(turned_on[0]))
    before = browser.token
    enter(browser, code_of(turned_on[0], 1))
    assert browser.token != before
    assert operators.signed_in(before) is None


@pytest.mark.parametrize(("spent", "status"), [("code", 429), ("sign-in", 303)])
def test_tries_of_codes_are_counted_by_name_apart_from_those_of_passwords(
    app, browser, turned_on, spent, status
):
    limiter, screen = app.extensions["audience"].limiter, ask(browser)
    for limit, kind in ((sign_in.TRIES, f"{spent} name"), (sign_in.SLOW_TRIES, f"{spent} slowly")):
        for _ in range(21):
            limiter.hit(limit, kind, "ann@example.com")
    assert answer(browser, screen, code_of(turned_on[0])).status_code == status


def test_tries_of_codes_are_counted_by_address_with_those_of_passwords(app, browser, turned_on):
    limiter, screen = app.extensions["audience"].limiter, ask(browser)
    for _ in range(30):
        limiter.hit("30/minute", "sign-in", "127.0.0.1")
    assert answer(browser, screen, code_of(turned_on[0])).status_code == 429


def test_it_is_turned_off_by_password_and_code(app, here, turned_on):
    other = open_browser(app)
    enter(other, code_of(turned_on[0]))
    for wrong in ({"code": "000000"}, {"present": "not it at all"}, {"code": code_of(turned_on[0])}):
        fields = {"present": PASSWORD, "code": code_of(turned_on[0], 1)}
        refused = here.post(f"{PAGE}/off", **(fields | wrong))
        assert (refused.status_code, alert(refused)) == (422, sign_in.STAYS_ON)
    done = here.post(f"{PAGE}/off", present=PASSWORD, code=code_of(turned_on[0], 1))
    assert (done.status_code, here.is_signed_in(), other.is_signed_in()) == (303, True, False)
    assert open_browser(app).post("/sign-in", **FORM).status_code == 303
    assert here.post(f"{PAGE}/off", present=PASSWORD, code="000000").status_code == 422


def test_a_recovery_code_turns_it_off_and_the_next_secret_is_another(here, turned_on):
    secret, codes = turned_on
    assert here.post(f"{PAGE}/off", present=PASSWORD, code=codes[0]).status_code == 303
    assert secret_on(here.get(PAGE)) != secret
    assert actions()[:3] == ["signed in", "two-factor sign-in turned off", "recovery code used"]


def test_it_is_not_turned_on_twice(here, turned_on):
    refused = here.post(PAGE, present=PASSWORD, code="000000")
    assert (refused.status_code, alert(refused)) == (422, sign_in.ON_ALREADY)


def test_a_reset_ends_it_and_the_sessions(app, here, turned_on):
    operators.reset_two_factor("ann@example.com", COMMAND_LINE)
    assert not here.is_signed_in()
    assert open_browser(app).post("/sign-in", **FORM).status_code == 303
    assert "two-factor sign-in reset" in actions()
    with pytest.raises(Refused, match=re.escape(operators.NO_TWO_FACTOR)):
        operators.reset_two_factor("ann@example.com", COMMAND_LINE)
    with pytest.raises(NotFound):
        operators.reset_two_factor("eve@example.com", COMMAND_LINE)
