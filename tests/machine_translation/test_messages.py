"""Messages are taken apart for engines, and put together again."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locframework.machine_translation.messages import (
    BrokenAnswer,
    UnreadableMessage,
    take_apart,
)
from locframework.quality.scanning import icu_plurals, placeholders, styles_of

ENGLISH = {"one": True, "other": False}
RUSSIAN = {"one": False, "few": False, "many": False, "other": False}
JAPANESE = {"other": False}
MESSAGES = [
    "Save",
    "Hello {name}, you have {count, plural, one {# new message} other {# messages}}.",
    "{n, plural, offset:1 =0 {nobody} one {you} other {you and # others}} liked it",
    "{g, select, male {He said %s} female {She said %s} other {They said %s}}",
    "{a, select, x {{n, plural, one {# file} other {# files}}} other {<i>None</i>}}",
    "{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}} floor",
    "%(count)d of %(total)s files, 100%% sure",
    "Hi {{name}}, see $t(common.terms) and https://example.com/a?b={id}",
    "Written by :name at %1 for @:user and __count__ [[x]]",
    'Read <a href="{url}">the <em>terms</em></a> &amp; go',
    "one apple|many apples",
    "'{'literal'}' and {x}",
    "{n, plural, one {Ticket '#'{id}} other {# tickets from '#'{id}}}",
    "  spaces around  \n",
    "{0, number, #.##} and {when, date, long}",
]


def answers_of(message, change=lambda text: text):
    return [
        [change(piece) if isinstance(piece, str) else piece for piece in leaf.pieces]
        for leaf in message.leaves
    ]


@pytest.mark.parametrize("text", MESSAGES)
def test_a_message_whose_parts_do_not_change_is_as_it_was(text):
    message = take_apart(text, ENGLISH)

    assert message.build(answers_of(message)) == text


@pytest.mark.parametrize("text", MESSAGES)
def test_what_is_sent_holds_nothing_that_must_stay(text):
    for leaf in take_apart(text, RUSSIAN).leaves:
        sent = "".join(piece for piece in leaf.pieces if isinstance(piece, str))
        assert not re.search(r"[{}<>%]|plural|select|other$|https|\$t", sent)


@pytest.mark.parametrize("text", MESSAGES)
def test_a_translation_keeps_the_placeholders(text):
    message = take_apart(text, ENGLISH)

    built = message.build(answers_of(message, str.swapcase))

    assert sorted(p.name for p in placeholders(built)) == sorted(
        p.name for p in placeholders(text)
    )


def test_a_plural_gets_the_forms_of_the_language():
    message = take_apart(MESSAGES[1], RUSSIAN)

    built = message.build(answers_of(message))

    [(_, _, names)] = icu_plurals(built)
    assert names == {"one", "few", "many", "other"}
    assert [leaf.plural_form for leaf in message.leaves] == [
        "one",
        "few",
        "many",
        "other",
        None,
    ]
    japanese = take_apart(MESSAGES[1], JAPANESE)
    assert "{count, plural, other {# messages}}" in japanese.build(answers_of(japanese))


def test_a_branch_that_may_stand_for_other_numbers_writes_its_number():
    text = "{n, plural, one {One file} other {# files}}"

    english, russian = (take_apart(text, forms) for forms in (ENGLISH, RUSSIAN))

    assert english.build(answers_of(english)) == text
    assert "one {# files} few {# files}" in russian.build(answers_of(russian))


def test_branches_for_numbers_and_the_offset_stay():
    message = take_apart(MESSAGES[2], JAPANESE)

    built = message.build(answers_of(message))

    assert built.startswith(
        "{n, plural, offset:1 =0 {nobody} other {you and # others}}"
    )


def test_terms_are_kept():
    message = take_apart(
        "Open Acme Cloud in acme cloudy", ENGLISH, terms=["Acme Cloud"]
    )

    [leaf] = message.leaves
    assert leaf.pieces == ("Open ", 0, " in acme cloudy")
    assert message.build([[0, " in der Acme-Wolke"]]) == "Acme Cloud in der Acme-Wolke"


def test_a_message_of_thousands_of_plurals_is_refused_at_once():
    text = "{n, plural, other {" * 2000 + "x" + "}}" * 2000

    with pytest.raises(UnreadableMessage, match="more than 200"):
        take_apart(text, ENGLISH)


def test_a_message_without_its_end_is_no_message():
    with pytest.raises(UnreadableMessage, match="has no end"):
        take_apart("{n, plural, one {x}", ENGLISH)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (["Lies die ", 1, "Bedingungen", 2], "not once"),
        (["Lies ", 0, "die ", 1, "Bedingungen", 2, 3, 3], "not once"),
        (["Lies ", 0, 9, 1, 2, 3], "not once"),
        (["Lies ", 0, "die ", 1, "Bedingungen", 3, 2], "tags in an order"),
        (["Lies ", 3, "die ", 1, "Bedingungen", 2, 0], "tags in an order"),
        ([0, 1, 2, 3], "is empty"),
        (["Lies <b>", 0, 1, 2, 3], "has <b> otherwise"),
        (["Lies {x}", 0, 1, 2, 3], "has {x} otherwise"),
        (["x" * 500, 0, 1, 2, 3], "characters for"),
        (["\0", 0, 1, 2, 3], "no text may have"),
    ],
)
def test_an_answer_that_would_break_the_message_is_refused(answer, why):
    message = take_apart("Read <a href='x'>the <em>terms</em></a>", ENGLISH)

    with pytest.raises(BrokenAnswer, match=why):
        message.build([answer])


@pytest.mark.parametrize(
    ("text", "answers", "built"),
    [
        ("The {item}", [["L'", 0]], "L’{item}"),
        ("The '{'x", [["L'", 0, "'x"]], "L’'{'’x"),
        ("'{'{name}'}' is", [[0, 1, 2, " est"]], "'{'{name}'}' est"),
        ("{g, select, other {bit}}", [["po'"]], "{g, select, other {po’}}"),
        (
            "{n, plural, one {to #} other {to # }}",
            [["qu'", 0], ["qu'", 0, "'"]],
            "{n, plural, one {qu’#} other {qu’#' }}",
        ),
    ],
)
def test_an_apostrophe_quotes_neither_a_mark_nor_the_end_of_a_branch(
    text, answers, built
):
    assert take_apart(text, ENGLISH).build(answers) == built


def test_plurals_within_each_other_have_a_limit():
    text = "{n, plural, other {" * 19 + "x" + "}}" * 19

    with pytest.raises(UnreadableMessage, match="more than 1000 branches"):
        take_apart(text, RUSSIAN)


@pytest.mark.parametrize(
    "text", ["a" * 60_000 + "%", "<a>" * 10_000 + "</b>" * 8_000], ids=["word", "tags"]
)
def test_a_long_text_takes_time_in_proportion_to_its_length(text):
    message = take_apart(text, ENGLISH)

    assert message.build(answers_of(message)) == text


words = st.text("ab'<>{}%#|$&:@_ \n\"0", max_size=12)


@settings(max_examples=300)
@given(
    text=st.lists(st.one_of(words, st.sampled_from(MESSAGES)), max_size=4).map("".join),
    seed=st.integers(0, 10**6),
)
def test_whatever_is_answered_a_message_that_is_built_keeps_what_its_source_has(
    text, seed
):
    try:
        message = take_apart(text, ENGLISH)
    except UnreadableMessage:
        return
    chance = random.Random(seed)
    answers = []
    for leaf in message.leaves:
        answer = list(leaf.pieces)
        for _ in range(chance.randint(0, 2)):
            new = chance.choice(["x", "{y}", "%s", "<b>", "'", 0, "#", "{", "|"])
            answer.insert(chance.randrange(len(answer) + 1), new)
        if chance.random() < 0.3:
            chance.shuffle(answer)
        answers.append(answer)

    try:
        built = message.build(answers)
    except BrokenAnswer:
        return

    if "plural" not in text:
        styles = styles_of(text, placeholders(text))
        found, wanted = (
            sorted(each.name for each in placeholders(one, styles))
            for one in (built, text)
        )
        assert found == wanted
        assert built.count("{") == text.count("{")
