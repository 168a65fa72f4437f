"""Two honest checks. Their mutants: mutants/check.py."""

import re

from locframework.ports import Finding, Subject
from locframework.testing.contracts.checks import CheckContract, Span

FIELD = re.compile(r"\{\w+\}")
WORD = re.compile(r"\w+")


class Fields:
    """A field such as ``{name}`` that the source text does not have."""

    name = "foreign_fields"
    description = "Finds fields that the source text does not have."
    severity = "error"

    def find(self, subject):
        for form, text, source in subject.compared:
            there = set(FIELD.findall(source))
            for found in FIELD.finditer(text):
                if found[0] not in there:
                    message = f"{found[0][:50]} is not in the source text"
                    yield Finding(message, found.start(), found.end(), form)


class TestFields(CheckContract):
    check = Fields()
    good = {  # noqa: RUF012
        "none": Subject("a", "de", {None: "Sichern"}, "en", {None: "Save"}),
        "the same": Subject("a", "de", {None: "{a} {b}"}, "en", {None: "{b} {a}"}),
        "in all forms": Subject(
            "a", "de", {"one": "{n}", "other": "{n}"}, "en", {"other": "{n}"}, True
        ),
        "the source": Subject("a", "en", {None: "{n}"}, "en"),
    }
    bad = {  # noqa: RUF012
        "another": Subject("a", "de", {None: "Hallo {b}"}, "en", {None: "Hi {a}"}),
        "two": Subject("a", "de", {None: "{x} und {y}"}, "en", {None: "and"}),
        "one form": Subject(
            "a", "de", {"one": "x", "other": "{n}"}, "en", {"one": "x"}, True
        ),
    }
    spans = {  # noqa: RUF012
        "another": [Span(6, 9)],
        "two": [Span(0, 3), Span(8, 11)],
        "one form": [Span(0, 3, "other")],
    }


class Doubled:
    """The same word twice, whatever its case; it needs no source text."""

    name = "doubled_words"
    description = "Finds a word that follows itself."
    severity = "warning"

    def find(self, subject):
        for form, text in subject.texts.items():
            last = None
            for word in WORD.finditer(text):
                is_next = last and text[last.end() : word.start()].isspace()
                if is_next and last[0].lower() == word[0].lower():
                    yield Finding("a word is there twice", *word.span(), form)
                last = word


class TestDoubled(CheckContract):
    check = Doubled()
    good = {  # noqa: RUF012
        "once": Subject("a", "de", {None: "das Haus"}, "en", {None: "the house"}),
        "a comma": Subject("a", "de", {None: "ja, ja"}, "en", {None: "yes, yes"}),
        "not beside": Subject("a", "de", {None: "das ist das"}, "en", {None: "it"}),
    }
    bad = {  # noqa: RUF012
        "twice": Subject("a", "de", {None: "das das"}, "en", {None: "the"}),
        "in the source": Subject("a", "en", {None: "Go the the way"}, "en"),
    }
    spans = {"twice": [Span(4, 7)]}  # noqa: RUF012
