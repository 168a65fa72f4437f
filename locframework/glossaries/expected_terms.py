"""What a project's glossaries want of texts, for the check that looks for it."""

from collections.abc import Iterable, Mapping, Sequence

from locframework.quality.checks.prose import prose
from locframework.quality.records import AvoidedTerm, TextTerms, WantedTerm
from locframework.terminology.index import TermIndex, find_terms
from locframework.terminology.records import Found, Wanted

from .matching import ProjectTerms

_OWN = "="  # begins what stands for an id of what is wanted; no id of a term has it


class ExpectedTerms:
    """Made for one batch of texts; a source text is looked at once."""

    def __init__(self, terminology: ProjectTerms) -> None:
        self._terminology = terminology
        self._found: dict[str, list[Found]] = {}

    def of_translation(
        self,
        language_code: str,
        texts: Mapping[str | None, str],
        sources: Mapping[str | None, str],
    ) -> TextTerms | None:
        """What the translation of each source text should have, and the forbidden terms
        in each text, by plural form. None when there is neither.

        A forbidden term is no fault where it stands in place of a wanted one.
        """
        wanted = {
            source: terms
            for source in set(sources.values())
            if (terms := self._wanted(language_code, source))
        }
        indexes = [
            each.forbidden for each in self._terminology.in_language(language_code)
        ]
        avoided = {
            form: _avoided(text, find_terms(prose(text), indexes))
            for form, text in texts.items()
        }
        if wanted and any(avoided.values()):
            # what is one term's word may be part of, or all of, a better one's
            own = _index_of(wanted.values(), language_code)
            avoided = {
                form: _avoided(text, _without(find_terms(prose(text), [*indexes, own])))
                for form, text in texts.items()
            }
        return _terms(wanted, avoided)

    def of_source(self, texts: Mapping[str | None, str]) -> TextTerms | None:
        """The forbidden terms in texts of the source language, by plural form."""
        avoided = {
            form: _avoided(text, self._forbidden(self._find(text)))
            for form, text in texts.items()
        }
        return _terms({}, avoided)

    def _find(self, text: str) -> list[Found]:
        if text not in self._found:
            self._found[text] = self._terminology.find(text)
        return self._found[text]

    def _forbidden(self, found: Sequence[Found]) -> list[Found]:
        ids = {
            id_
            for id_ in {each.id for each in found}
            if self._terminology.term(id_).usage_status == "forbidden"
        }
        return [each for each in found if each.id in ids] if ids else []

    def _wanted(self, language_code: str, source: str) -> list[WantedTerm]:
        """One for each place with a term; of several terms at one, any will do."""
        places: dict[int, tuple[str, ...]] = {}
        for found in self._find(source):
            places[found.start] = (*places.get(found.start, ()), found.id)
        told: dict[WantedTerm, None] = {}
        for ids in dict.fromkeys(places.values()):
            each = [self._wanted_of(id_, language_code) for id_ in ids]
            if some := [wanted for wanted in each if wanted is not None]:
                told[_any_of(some)] = None
        return list(told)

    def _wanted_of(self, term_id: str, language_code: str) -> WantedTerm | None:
        term = self._terminology.term(term_id)
        if term.usage_status == "forbidden":
            return None
        if term.do_not_translate:
            return WantedTerm(term.term, (term.term,), term.case_sensitive)
        for each in self._terminology.in_language(language_code):
            if term_id in each.values:
                return WantedTerm(term.term, (each.values[term_id],))
        return None


def _any_of(wanted: Sequence[WantedTerm]) -> WantedTerm:
    values = dict.fromkeys(value for each in wanted for value in each.values)
    exactly = all(each.exactly for each in wanted)
    return WantedTerm(wanted[0].term, tuple(values), exactly)


def _index_of(wanted: Iterable[Sequence[WantedTerm]], language_code: str) -> TermIndex:
    values = {value for some in wanted for each in some for value in each.values}
    return TermIndex(
        (Wanted(_OWN + value, value, False) for value in values), language_code
    )


def _without(found: Sequence[Found]) -> list[Found]:
    """Without the places where something wanted stands."""
    own = {(each.start, each.end) for each in found if each.id.startswith(_OWN)}
    return [each for each in found if (each.start, each.end) not in own]


def _avoided(text: str, found: Sequence[Found]) -> list[AvoidedTerm]:
    places = dict.fromkeys((each.start, each.end) for each in found)
    return [AvoidedTerm(text[start:end], start, end) for start, end in places]


def _terms(
    wanted: Mapping[str, Sequence[WantedTerm]],
    avoided: Mapping[str | None, Sequence[AvoidedTerm]],
) -> TextTerms | None:
    avoided = {form: some for form, some in avoided.items() if some}
    return TextTerms(wanted, avoided) if wanted or avoided else None
