"""Decides which files a glossary can be made of, and what they say of one term."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from locframework.errors import Problem, UnreadableFile, shown
from locframework.validation import forbidden

from .file_records import FileTerm, ReadTerms
from .records import NOTES_MOST, TERM_MOST, VALUE_MOST
from .rules import spelling

PROBLEMS_MOST = 50


class Faults:
    """Collects what is wrong with a file, by line."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []

    def add(self, line: int, rule: str, message: str) -> None:
        if len(self._problems) < PROBLEMS_MOST:
            self._problems.append(Problem(f"line {line}", rule, message))

    def settle(self) -> None:
        """Raise UnreadableFile if anything was wrong; ``details`` lists it."""
        if not self._problems:
            return
        first = self._problems[0]
        more = len(self._problems) - 1
        told = f"{first.path}: {first.message}"
        raise UnreadableFile(
            f"{told} (and {more} more)" if more else told, self._problems
        )


def judged(read: ReadTerms, source_language: str, faults: Faults) -> ReadTerms:
    """The terms, each once, if a glossary may have them. Raises UnreadableFile.

    What the file says of a term in several places is put together; of what it says
    differently the first counts, and a warning tells. So with translations into the
    glossary's own language, which are left out.
    """
    for each in read.terms:
        _judge_text(faults, each.line, "the term", each.term, TERM_MOST)
        _judge_text(faults, each.line, "notes", each.notes or "x", NOTES_MOST)
        for text in each.texts:
            what = f"the translation into {text.language_code}"
            _judge_text(faults, each.line, what, text.value, VALUE_MOST)
            if each.do_not_translate and text.value != each.term:
                message = f"{what} differs from a term that is not translated"
                faults.add(each.line, "translation", message)
    faults.settle()
    terms, own = _without(read.terms, source_language)
    terms, doubled = _once(terms)
    return ReadTerms(terms, [*read.warnings, *own, *doubled])


def same(each: FileTerm) -> tuple[bool, str]:
    """What tells a term of a file from the others: case rule and spelling."""
    sensitive = each.case_sensitive
    return sensitive, spelling(each.term, case_sensitive=sensitive)


def _without(
    terms: Sequence[FileTerm], language_code: str
) -> tuple[list[FileTerm], list[str]]:
    kept = [
        replace(
            each,
            texts=tuple(t for t in each.texts if t.language_code != language_code),
        )
        for each in terms
    ]
    count = sum(len(each.texts) for each in terms)
    count -= sum(len(each.texts) for each in kept)
    told = f"left out {count} translations into {language_code}, which the terms are in"
    return kept, [told] if count else []


def _once(terms: Iterable[FileTerm]) -> tuple[list[FileTerm], list[str]]:
    kept: dict[tuple[bool, str], FileTerm] = {}
    warnings: list[str] = []
    for each in terms:
        first = kept.setdefault(same(each), each)
        if first is not each:
            kept[same(each)], left_out = _together(first, each)
            told = f"line {each.line}: {shown(each.term)!r} is in line {first.line} too"
            if left_out:
                told += f", which counts for {', '.join(left_out)}"
            warnings.append(told)
    return list(kept.values()), warnings


def _together(first: FileTerm, other: FileTerm) -> tuple[FileTerm, list[str]]:
    """The first with what only the other says; and what of the other is left out."""
    there = {each.language_code: each for each in first.texts}
    added, left_out = [], []
    for each in other.texts:
        differs = first.do_not_translate and each.value != first.term
        if differs or there.get(each.language_code, each) != each:
            left_out.append(each.language_code)
        elif each.language_code not in there:
            added.append(each)
    for name, mine, theirs in (
        ("doNotTranslate", first.do_not_translate or False, other.do_not_translate),
        ("usageStatus", first.usage_status, other.usage_status),
        ("notes", first.notes, other.notes),
    ):
        if mine is not None and theirs not in (None, mine):
            left_out.append(name)
    together = replace(
        first,
        usage_status=first.usage_status or other.usage_status,
        notes=first.notes or other.notes,
        texts=(*first.texts, *added),
    )
    return together, left_out


def _judge_text(faults: Faults, line: int, what: str, text: str, most: int) -> None:
    if forbidden(text):
        faults.add(line, "character", f"{what} holds U+0000 or a lone surrogate")
    elif not text.strip():
        faults.add(line, "length", f"{what} is blank")
    elif len(text) > most:
        faults.add(line, "length", f"{what} has more than {most:,} characters")
