"""Terms that a text has otherwise than the glossaries say, or that they forbid."""

from collections.abc import Iterator, Sequence

from locframework.projects.records import Severity
from locframework.quality.records import Finding, Subject, WantedTerm
from locframework.terminology.words import Searched

from .prose import prose

_SHOWN = 60


class GlossaryTerms:
    """Looks for what glossaries want of a text, and for what they forbid.

    A term of the source text is missing when the text has none of its translations, in
    any case and with any ending, nor one as part of a longer word. Placeholders and
    tags are no words.
    """

    name = "glossary_terms"
    description = "A glossary term is missing, or a forbidden one is used."
    severity: Severity = "warning"
    needs = "terms"

    def find(self, subject: Subject) -> Iterator[Finding]:
        if subject.terms is None:
            return
        for form, text, source in subject.compared():
            if every := subject.terms.wanted.get(source):
                searched = Searched(prose(text), subject.language_code)
                for wanted in every:
                    if not _has_one(searched, wanted) and not _is_code(wanted):
                        yield Finding(_missing(wanted), 0, len(text), form)
        for form, avoided in subject.terms.avoided.items():
            for each in avoided:
                message = f"{_shown(each.text)} is forbidden by the glossary"
                yield Finding(message, each.start, each.end, form)


def _has_one(text: Searched, wanted: WantedTerm) -> bool:
    return any(text.has(value, exactly=wanted.exactly) for value in wanted.values)


def _is_code(wanted: WantedTerm) -> bool:
    """Whether a translation has placeholders itself: other checks look for them."""
    return any(prose(value) != value for value in wanted.values)


def _missing(wanted: WantedTerm) -> str:
    if wanted.values == (wanted.term,):
        return f"{_shown(wanted.term)} is not to be translated, says the glossary"
    return f"{_shown(wanted.term)} is {_any_of(wanted.values)} in the glossary"


def _any_of(values: Sequence[str]) -> str:
    return " or ".join(_shown(value) for value in values[:3])


def _shown(text: str) -> str:
    short = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return f"“{' '.join(short.split())}”"
