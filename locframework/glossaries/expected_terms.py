"""The terms that a project's glossaries expect and forbid in texts."""

from collections.abc import Iterable, Mapping, Sequence

from locframework.quality.records import AvoidedTerm, TextTerms, WantedTerm
from locframework.quality.scanning import prose
from locframework.terminology.index import FoundTerm, SearchTerm, TermIndex, find_terms

from .matching import ProjectTerms

_EXPECTED = "="  # begins the ids of expected translations; no id of a term has it


class ExpectedTerms:
    """Works for one batch of texts: a source text is searched once."""

    def __init__(self, terms: ProjectTerms) -> None:
        self._terms = terms
        self._found: dict[str, list[FoundTerm]] = {}

    def of_translation(
        self,
        language_code: str,
        texts: Mapping[str | None, str],
        sources: Mapping[str | None, str],
    ) -> TextTerms | None:
        """Return the terms that the translation of each source text should have, and
        the forbidden terms in each text, by plural form. None when there is neither.

        A forbidden term inside an expected one, or equal to it, is no fault.
        """
        expected = {
            source: terms
            for source in set(sources.values())
            if (terms := self._expected(language_code, source))
        }
        indexes = [each.forbidden for each in self._terms.in_language(language_code)]
        avoided = {
            form: _avoided(text, find_terms(prose(text), indexes))
            for form, text in texts.items()
        }
        if expected and any(avoided.values()):
            indexes.append(_index_of(expected.values(), language_code))
            avoided = {
                form: _avoided(text, find_terms(prose(text), indexes))
                for form, text in texts.items()
            }
        return _text_terms(expected, avoided)

    def of_source(self, texts: Mapping[str | None, str]) -> TextTerms | None:
        """Return the forbidden terms in source texts, by plural form."""
        avoided = {
            form: _avoided(text, self._forbidden(text)) for form, text in texts.items()
        }
        return _text_terms({}, avoided)

    def _find(self, text: str) -> list[FoundTerm]:
        if text not in self._found:
            self._found[text] = self._terms.find(text)
        return self._found[text]

    def _forbidden(self, text: str) -> list[FoundTerm]:
        term = self._terms.term
        return [
            each
            for each in self._find(text)
            if term(each.id).usage_status == "forbidden"
        ]

    def _expected(self, language_code: str, source: str) -> list[WantedTerm]:
        """Return one for each place with a term; of several terms there any will do."""
        places: dict[int, list[str]] = {}
        for found in self._find(source):
            places.setdefault(found.start, []).append(found.id)
        expected: dict[WantedTerm, None] = {}
        for ids in dict.fromkeys(map(tuple, places.values())):
            options = [self._expected_of(id_, language_code) for id_ in ids]
            terms = [each for each in options if each is not None]
            if terms:
                values = dict.fromkeys(value for each in terms for value in each.values)
                exactly = all(each.exactly for each in terms)
                expected[WantedTerm(terms[0].term, tuple(values), exactly)] = None
        return list(expected)

    def _expected_of(self, term_id: str, language_code: str) -> WantedTerm | None:
        term = self._terms.term(term_id)
        if term.usage_status == "forbidden":
            return None
        if term.do_not_translate:
            return WantedTerm(term.term, (term.term,), term.case_sensitive)
        for each in self._terms.in_language(language_code):
            if term_id in each.values:
                return WantedTerm(term.term, (each.values[term_id],))
        return None


def _index_of(
    expected: Iterable[Sequence[WantedTerm]], language_code: str
) -> TermIndex:
    values = {value for some in expected for each in some for value in each.values}
    terms = (SearchTerm(_EXPECTED + value, value, False) for value in values)
    return TermIndex(terms, language_code)


def _avoided(text: str, found: Sequence[FoundTerm]) -> list[AvoidedTerm]:
    """Return the forbidden terms, but none where an expected one is."""
    expected = {(e.start, e.end) for e in found if e.id.startswith(_EXPECTED)}
    places = dict.fromkeys((each.start, each.end) for each in found)
    return [
        AvoidedTerm(text[start:end], start, end)
        for start, end in places
        if (start, end) not in expected
    ]


def _text_terms(
    expected: Mapping[str, Sequence[WantedTerm]],
    avoided: Mapping[str | None, Sequence[AvoidedTerm]],
) -> TextTerms | None:
    avoided = {form: some for form, some in avoided.items() if some}
    return TextTerms(expected, avoided) if expected or avoided else None
