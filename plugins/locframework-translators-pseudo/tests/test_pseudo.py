"""The pseudo translators keep the contract, and texts that look foreign."""

import pytest
from locframework_translators_pseudo import PseudoPlugin, PseudoTranslator

from locframework.ports import TranslationBatch, TranslationItem
from locframework.testing.contracts.translators import TranslatorContract


class TestPseudo(TranslatorContract):
    @pytest.fixture(params=[False, True])
    def translator(self, request):
        return PseudoTranslator(is_bidi=request.param)


def shown(translator, *pieces):
    item = TranslationItem("1", pieces, tuple("{}" for p in pieces if p == 0))
    [outcome] = translator.translate(
        TranslationBatch("en", "de", (item,)), 1
    ).outcomes.values()
    return "".join(map(str, outcome.pieces))


def test_a_text_gets_accents_brackets_and_a_third_more_length():
    assert shown(PseudoTranslator(), "Save the file") == "[Šàṽé ţĥé ƒîļé ····]"
    assert shown(PseudoTranslator(), "Save ", 0) == "[Šàṽé 0 ··]"


def test_the_other_one_is_shown_from_right_to_left():
    plain, bidi = PseudoPlugin().loc_provide_translators()

    assert (plain.name, bidi.name) == ("pseudo", "pseudo-bidi")
    assert shown(bidi, "Save") == "\u202e[Šàṽé ··]\u202c"
