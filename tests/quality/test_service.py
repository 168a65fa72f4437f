"""All checks together, and what they do when one fails."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.projects.records import Severity
from locframework.quality.check import (
    AvoidedTerm,
    Checks,
    Finding,
    Subject,
    TextTerms,
    WantedTerm,
)
from locframework.quality.checks import BUILT_IN
from locframework.testing.contracts.checks import subjects

SUBJECT = Subject("cart.pay", "de", {None: "Zahlen"}, "en", {None: "Pay"})
SIGNS = st.text(st.sampled_from("%s{}<>b/1. ,$t(n)aé"), min_size=1, max_size=20)


class Own:
    """A check that finds what it is told to."""

    name = "own"
    description = "Finds what it is told to."
    severity: Severity = "warning"

    def __init__(self, found, needs=""):
        self._found = found
        self.needs = needs

    def find(self, subject):
        return self._found


def broken(error):
    yield Finding("before it broke", 0, 1)
    raise error


def test_findings_carry_the_name_of_their_check(find):
    found = find("Hello {name}!", "Hallo {nam}. ")

    assert [(each.check, each.message) for each in found] == [
        ("placeholders", "the placeholder {name} is missing"),
        ("placeholders", "the placeholder {nam} is not in the source text"),
        ("punctuation", "ends with full stop, the source text with exclamation mark"),
        ("white_space", "ends with a space, the source text with no white space"),
    ]


def test_a_finding_says_where_in_code_points(find):
    text = "👍🏽 {b}"

    [missing, extra] = find("{a}", text)

    assert (missing.start, missing.end) == (0, len(text))
    assert text[extra.start : extra.end] == "{b}"


@given(text=SIGNS | st.builds("{}".format, SIGNS))
def test_the_source_text_itself_has_what_it_needs(text):
    checks = Checks({check.name: check for check in _comparing()})

    found = checks.findings(Subject("a", "de", {None: text}, "en", {None: text}))

    assert found == []


@given(subject=subjects())
def test_the_source_language_is_compared_with_nothing(subject):
    checks = Checks({check.name: check for check in _comparing()})
    alone = Subject("a", "en", subject.texts, "en")

    assert checks.findings(alone) == []


@given(subject=subjects())
def test_a_check_finds_nothing_where_what_it_needs_is_empty(subject):
    for check in BUILT_IN:
        needs = check.needs
        if not getattr(subject, needs):
            assert [*check.find(subject)] == []


@pytest.mark.parametrize("needs", ["source_texts", "tags", "terms", "is_plural"])
def test_a_check_is_not_asked_where_what_it_needs_is_empty(needs):
    checks = Checks({"own": Own([Finding("found", 0, 1)], needs)})
    empty = Subject("cart.pay", "en", {None: "Pay"}, "en")
    full = Subject(
        "cart.pay", "de", {None: "Zahlen"}, "en", {None: "Pay"},
        is_plural=True, tags=("button",), terms=TextTerms(),
    )  # fmt: skip

    found = checks.findings(empty), checks.findings(full)

    assert [len(each) for each in found] == [0, 1]


@pytest.mark.parametrize(
    "change",
    [
        lambda subject: subject.texts.clear(),
        lambda subject: subject.source_texts.clear(),
        lambda subject: subject.compared.clear(),
        lambda subject: subject.terms.wanted.clear(),
        lambda subject: subject.terms.avoided.clear(),
    ],
)
def test_a_check_cannot_change_what_the_next_ones_see(change):
    changing = Own(())
    changing.find = change
    comparing = {check.name: check for check in BUILT_IN}
    wanted = TextTerms(
        {"Pay {a}": [WantedTerm("pay", ("zahlen",))]},
        {None: [AvoidedTerm("Los", 0, 3)]},
    )
    subject = Subject(
        "a", "de", {None: "Los"}, "en", {None: "Pay {a}"}, terms=wanted
    )  # fmt: skip

    found = Checks({"a_first": changing, **comparing}).findings(subject)

    assert found == Checks(comparing).findings(subject)
    assert len(found) == 3


def test_a_check_that_needs_what_no_subject_has_is_logged(caplog):
    checks = Checks({"own": Own([Finding("found", 0, 1)], "sources")})

    found = checks.findings(SUBJECT)

    assert found == []
    assert "check own failed on key cart.pay in de" in caplog.text


@pytest.mark.parametrize("error", [RuntimeError("no"), SystemExit(1), RecursionError()])
def test_a_check_that_fails_is_logged_and_has_found_nothing(error, caplog):
    good = Own([Finding("good", 0, 1)])
    checks = Checks({"bad": Own(broken(error)), "good": good})

    found = checks.findings(SUBJECT)

    assert [each.message for each in found] == ["good"]
    assert "check bad failed on key cart.pay in de" in caplog.text


def test_a_failure_is_told_in_full_once(caplog):
    checks = Checks({"bad": Own([Finding("beyond", 0, 99)])})

    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            checks.findings(SUBJECT)

    assert [bool(record.exc_info) for record in caplog.records] == [True, False, False]


@pytest.mark.parametrize(
    "finding",
    [
        Finding("beyond the text", 0, 7),
        Finding("before it", -1, 2),
        Finding("turned", 3, 2),
        Finding("in another form", 0, 1, "one"),
        Finding("", 0, 1),
        Finding("\ud800", 0, 1),
        Finding("\0", 0, 1),
        Finding(None, 0, 1),
        Finding("half", 0.5, 1),
        "a text",
    ],
)
def test_a_finding_that_no_text_can_have_is_dropped(finding):
    assert Checks({"own": Own([finding])}).findings(SUBJECT) == []


def test_twenty_findings_of_a_check_are_kept_with_short_messages():
    checks = Checks({"own": Own([Finding("x" * 1000, 0, 1)] * 100)})

    found = checks.findings(SUBJECT)

    assert len(found) == 20
    assert {len(each.message) for each in found} == {300}


def _comparing():
    names = {"markup", "numbers", "placeholders", "punctuation", "white_space"}
    return [check for check in BUILT_IN if check.name in names]
