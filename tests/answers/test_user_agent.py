from audience.answers.validation.email_tables import bundled
from audience.answers.validation.user_agent import Visitor
from tests.rows import each_row

CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0"
AGENTS = [
    (CHROME, Visitor.BROWSER),
    ("Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0", Visitor.BROWSER),
    ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
     "Version/17.5 Mobile/15E148 Safari/604.1", Visitor.BROWSER),
    ("Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile Safari/537.36",
     Visitor.BROWSER),
    ("Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0)", Visitor.BROWSER),
    ("Opera/9.80 (Android; Opera Mini/7.5) Presto/2.8.119 Version/11.10", Visitor.BROWSER),
    ("Shop/4.2 CFNetwork/1494.0.7 Darwin/23.4.0", Visitor.BROWSER),
    (CHROME.replace("Chrome/", "HeadlessChrome/"), Visitor.HEADLESS),
    ("Mozilla/5.0 (Unknown; Linux) AppleWebKit/538.1 PhantomJS/2.1.1 Safari/538.1", Visitor.HEADLESS),
    ("curl/8.5.0", Visitor.HTTP_LIBRARY),
    ("python-requests/2.32.3", Visitor.HTTP_LIBRARY),
    ("Go-http-client/2.0", Visitor.HTTP_LIBRARY),
    ("okhttp/4.12.0", Visitor.HTTP_LIBRARY),
    ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", Visitor.BOT),
    ("Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)", Visitor.BOT),
    ("x", Visitor.BOT),
    ("", Visitor.EMPTY),
    ("   ", Visitor.EMPTY),
]  # fmt: skip


@each_row(("user_agent", "visitor"), AGENTS)
def test_visitor(user_agent, visitor):
    assert bundled().user_agents.visitor(user_agent) is visitor
