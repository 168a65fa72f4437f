"""What engines behind a server share."""

import re
from decimal import Decimal

from locframework.machine_translation.server import pieces_of, refusal
from locframework.ports import Refused, TranslationBatch, TranslationItem

MARK = re.compile(r"<([0-9]+)>")


def test_an_answer_is_texts_and_the_numbers_of_marks():
    assert pieces_of("a<0>b<12>", MARK, str.upper) == ("A", 0, "B", 12)
    assert pieces_of("<0><1>", MARK) == (0, 1)
    assert pieces_of("<x>", MARK) == ("<x>",)
    assert pieces_of("", MARK) == ()


def test_a_refusal_is_of_one_text_and_several_are_asked_for_alone():
    items = TranslationItem("1", ("a",)), TranslationItem("2", ("b",))

    def outcomes(*some):
        return refusal(TranslationBatch("en", "de", some), "no", Decimal(1)).outcomes

    assert outcomes(*items) == {}
    assert outcomes(items[1]) == {"2": Refused("no")}


def test_the_whole_message_is_told_of_a_part_alone():
    plural = "{n, plural, other {# files}}"

    assert TranslationItem("1", ("Hi ", 0), ("{x}",), " Hi {x}\n").whole == ""
    assert TranslationItem("1", (0, " files"), ("#",), plural).whole == plural
