"""The check of glossary terms keeps its port's contract, and says what it misses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec.structs import replace

from locframework.quality.check import (
    AvoidedTerm,
    Check,
    Subject,
    TextTerms,
    WantedTerm,
)
from locframework.quality.checks import GlossaryTerms
from locframework.testing.contracts.checks import CheckContract

from .subjects import subject

Subjects = Mapping[str, Subject]


def told(source, text, *wanted, language="de"):
    """A subject of which the glossaries say that."""
    terms = TextTerms({source: wanted})
    return replace(subject(source, text, language), terms=terms)


PIER = WantedTerm("pier", ("Anleger", "Landungsbrücke"))
NAME = WantedTerm("Skerry", ("Skerry",), exactly=True)


class TestGlossaryTerms(CheckContract):
    check: ClassVar[Check] = GlossaryTerms()
    good: ClassVar[Subjects] = {
        "nothing known": subject("the pier", "der Kai"),
        "nothing wanted": told("the pier", "der Kai"),
        "there": told("the pier", "der Anleger", PIER),
        "another of its translations": told("the pier", "die Landungsbrücke", PIER),
        "another case": told("the pier", "ANLEGER", PIER),
        "another ending": told("the piers", "die Landungsbrücken", PIER),
        "in a longer word": told("the pier fee", "die Anlegergebühr", PIER),
        "to the letter": told("by Skerry", "mit Skerry", NAME),
        "Russian": told(
            "pier", "у причалов", WantedTerm("p", ("причал",)), language="ru"
        ),
        "Thai": told("pier", "ไปท่าเรือ", WantedTerm("p", ("ท่าเรือ",)), language="th"),
        "wanted of another text": replace(
            subject("the ship", "das Schiff"), terms=TextTerms({"the pier": [PIER]})
        ),
    }
    bad: ClassVar[Subjects] = {
        "missing": told("the pier", "der Kai", PIER),
        "one of two": told("Skerry pier", "Skerry-Kai", NAME, PIER),
        "not to the letter": told("by Skerry", "mit skerry", NAME),
        "forbidden": replace(
            subject("the quay", "der Kai"),
            terms=TextTerms(avoided={None: [AvoidedTerm("Kai", 4, 7)]}),
        ),
    }


def test_what_is_said_of_a_term_names_it_and_its_translations():
    missing = told("Skerry pier", "Kai", NAME, PIER)
    forbidden = replace(
        subject("the quay", "der Kai"),
        terms=TextTerms(avoided={None: [AvoidedTerm("Kai", 4, 7)]}),
    )

    assert [each.message for each in GlossaryTerms().find(missing)] == [
        "“Skerry” is not to be translated, says the glossary",
        "“pier” is “Anleger” or “Landungsbrücke” in the glossary",
    ]
    [found] = GlossaryTerms().find(forbidden)
    assert found.message == "“Kai” is forbidden by the glossary"
    assert (found.start, found.end) == (4, 7)
