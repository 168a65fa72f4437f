"""What is found of terms in a text."""

from __future__ import annotations

from collections.abc import Sequence

from locframework.terminology.index import SearchTerm, TermIndex, find_terms


def found(
    text: str, *terms: str, language: str = "en", strict: Sequence[str] = ()
) -> list[str]:
    """The pieces of the text in which one of the terms is found."""
    wanted = [SearchTerm(term, term, False) for term in terms]
    wanted += [SearchTerm(f"={term}", term, True) for term in strict]
    index = TermIndex(wanted, language)
    return [text[each.start : each.end] for each in find_terms(text, [index])]
