import pytest

from audience.answers.validation.email_tables import bundled
from audience.answers.validation.gibberish import is_mixed
from tests.rows import each_row

NAMES = """
maria.garcia john.smith jsmith johns kwilliams nguyen.van.an phuong.huynh xuzhiqiang zhangxiaoming qiuyueqing
krzysztof.brzeczyszczykiewicz szczepanski wojciechowski hrvoje.brkic srdjan mstislav vyacheslav rzhevsky
tkachenko zbigniew dvorak nnamdi.okonkwo mbappe chukwuemeka ndlovu kwabena.asante oluwaseun tlhogi.modise
abdulrahman.alsaud mohammed.benali khadija yitzchak.schwarz bjork.gudmundsdottir thorbjorn kjetil.solskjaer
aoife.nifhlatharta siobhan llewellyn ffion gwenllian eyjafjallajokull deepika.krishnamurthy venkatasubramanian
chaudhry siddharth takahashi.yuki tsukasa kyungsoo jihoon.park seungwoo tuncay.sanli cagri ibrahimovic
kaloyan.dimitrov tsvetelina vlkova hrbek schwarzenegger knutsen leilani.kamakawiwoole tupac.yupanqui wairimu
nyong.o mpho.ntombela sunshinegirl thebestbaker photography.studio müller.jürgen łukasz françois
иван.петров 山田太郎 محمد
"""
RANDOM = "xkqzjvw dfkjghsl qwrtplkj zxvbnmk jjtwrkq hgfdjkxz vbxqzt.kjhgfd sdlkfjsdlkfj bcdfghjk"


@each_row("name", NAMES.split())
def test_names_of_every_culture_are_not_gibberish(name):
    assert not bundled().names.is_gibberish(name)


@each_row("text", RANDOM.split())
def test_random_letters_are_gibberish(text):
    assert bundled().names.is_gibberish(text)


def test_several_shorter_words_are_gibberish_together():
    assert bundled().names.is_gibberish("xkqz.bcdf")


def test_short_words_are_not_gibberish():
    assert not bundled().names.is_gibberish("xkqz")
    assert not bundled().names.is_gibberish("xkqz.bcd")
    assert not bundled().names.is_gibberish("krk.hrvoje")


@pytest.mark.parametrize("text", ["x7k2m9qp", "a1b2c3d4", "9f8g7h6j5k"])
def test_alternating_letters_and_digits(text):
    assert is_mixed(text)


@pytest.mark.parametrize("text", ["maria1985", "2fast4you", "john2smith", "mp3", "r2d2", "20250101", "a1b2"])
def test_common_uses_of_digits(text):
    assert not is_mixed(text)
