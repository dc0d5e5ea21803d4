"""An operator's own lists in `instance/moderation` and `instance/validation`, beside the bundled ones."""

import pytest

from audience.answers.service import Answers
from audience.answers.validation.allow_deny import AllowDenyLists
from audience.answers.validation.validation import Candidate
from audience.config import SettingError, Settings
from tests.answers.judged import JudgedDomains


@pytest.fixture
def answers(tmp_path):
    def with_lists(**lists):
        for name, text in lists.items():
            file = tmp_path / f"{name.replace('__', '/')}.txt"
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, "utf-8")
        return Answers(Settings(instance=tmp_path), JudgedDomains())

    return with_lists


def reasons(answers, email):
    return [str(reason) for reason in answers.validate(Candidate(email=email), AllowDenyLists()).reasons]


def test_words_are_added_and_taken_away(answers):
    own = answers(
        moderation__insults="# ours\nBanana Head\n\n-bollocks\n-хуйня\n", moderation__adult="stripper\n-orgy"
    )
    assert own.moderate("You b4nana-head, banana head!").details == {"profanity": "banana head"}
    assert own.moderate("a stripper").reasons == ("adult",)
    assert own.moderate("bollocks, an orgy, хуйня").reasons == ()
    assert own.moderate("хуйню").reasons == ("profanity",)
    assert own.moderate("shit").reasons == ("profanity",)


def test_domains_and_roles_are_added_and_taken_away(answers):
    own = answers(
        validation__disposable="throw.away.org\n-mailinator.com",
        validation__free="webmail.firm.org\n-gmx.de",
        validation__roles="bridge\n-info",
    )
    assert reasons(own, "ann@x.throw.away.org") == ["disposable"]
    assert reasons(own, "ann@mailinator.com") == []
    assert reasons(own, "ann@webmail.firm.org") == ["free_provider"]
    assert reasons(own, "ann@gmx.de") == []
    assert reasons(own, "bridge@firm.org") == ["role_address"]
    assert reasons(own, "info@firm.org") == []
    assert reasons(own, "sales@firm.org") == ["role_address"]


def test_without_files_nothing_changes(answers):
    assert reasons(answers(), "ann@mailinator.com") == ["disposable"]
    assert answers().moderate("bollocks").reasons == ("profanity",)


@pytest.mark.parametrize(
    ("name", "text"),
    [("validation__disposable", "no domain"), ("validation__free", "-"), ("moderation__insults", "x" * 300)],
)
def test_an_entry_that_is_none_is_told_with_its_file(answers, name, text):
    with pytest.raises(SettingError, match=name.partition("__")[2]):
        answers(**{name: text}).check()
