"""Texts that are still the source text."""

import re
from collections.abc import Iterator

from locframework.projects.records import Severity
from locframework.quality.records import Finding, Subject

from .noise import blanked
from .prose import prose

_WORD = re.compile(r"[^\W\d_]{2,}")
_UNCASED = 4  # letters that say something, in scripts that know no small letters


class Unchanged:
    """Compares a text with its source text.

    One word may be the same in two languages, and so may names. So a text counts only
    with two words, one of them in small letters.
    """

    name = "unchanged"
    description = "The text is the same as the source text, which looks translatable."
    severity: Severity = "warning"
    needs = "source_texts"

    def find(self, subject: Subject) -> Iterator[Finding]:
        for form, text, source in subject.compared():
            if text == source and _is_other_language(subject) and _says_much(text):
                yield Finding("is the same as the source text", 0, len(text), form)


def _is_other_language(subject: Subject) -> bool:
    here, there = subject.language_code, subject.source_language
    return here.partition("-")[0] != there.partition("-")[0]


def _says_much(text: str) -> bool:
    # prose first: it knows ICU messages, of which only the branches are language
    words = _WORD.findall(blanked(prose(text)))
    uncased = sum(len(word) for word in words if word.upper() == word.lower())
    if uncased:
        return uncased >= _UNCASED
    return len(words) > 1 and any(word.islower() for word in words)
