"""Decides which files a glossary can be made of, and what they say of one term."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from locframework.errors import Problem, UnreadableFile, truncate
from locframework.quality.checks.prose import prose
from locframework.validation import forbidden

from .file_records import FileTerm, ImportResult
from .records import NOTES_MOST, TERM_MOST, VALUE_MOST
from .rules import spelling

PROBLEMS_MOST = 50
_NEVER_FOUND = "has a placeholder, a tag or an entity, and is never found in a text"
LANGUAGES_MOST = 500  # of a file
NAMED_MOST = 20  # languages and fields in a warning


class Faults:
    """Collects what is wrong with a file, by line, and gives up when it is much."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []

    def add(self, line: int, rule: str, message: str) -> None:
        self._problems.append(Problem(f"line {line}", rule, message))
        if len(self._problems) >= PROBLEMS_MOST:
            self.settle()

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


def judged(
    terms: Iterable[FileTerm],
    source_language: str,
    faults: Faults,
    result: ImportResult,
    codes: set[str],
) -> Iterator[FileTerm]:
    """The terms of a file, if a glossary may have them. Raises UnreadableFile.

    Translations into the glossary's own language are left out, and a warning tells;
    the languages of the others are added to ``codes``.
    """
    left_out = 0
    for each in terms:
        _judge(each, faults)
        if prose(each.term) != each.term:
            result.warn(f"line {each.line}: {truncate(each.term)!r} {_NEVER_FOUND}")
        texts = [t for t in each.texts if t.language_code != source_language]
        codes.update(text.language_code for text in texts)
        if len(codes) > LANGUAGES_MOST:
            message = f"there are more than {LANGUAGES_MOST} languages"
            faults.add(each.line, "language", message)
            faults.settle()
        left_out += len(each.texts) - len(texts)
        yield replace(each, notes=notes_of(each.notes), texts=tuple(texts))
    faults.settle()
    if left_out:
        noun = "translation" if left_out == 1 else "translations"
        what = f"{left_out} {noun} into {source_language}"
        result.warn(f"left out {what}, the language of the terms")


def _judge(each: FileTerm, faults: Faults) -> None:
    _judge_text(faults, each.line, "the term", each.term, TERM_MOST)
    if notes_of(each.notes):
        _judge_text(faults, each.line, "notes", each.notes or "", NOTES_MOST)
    for text in each.texts:
        what = f"the translation into {text.language_code}"
        _judge_text(faults, each.line, what, text.value, VALUE_MOST)
        if each.do_not_translate and text.value != each.term:
            message = f"{what} differs from a term that is not translated"
            faults.add(each.line, "translation", message)


def taken_as(each: FileTerm, codes: Mapping[str, str]) -> FileTerm:
    """The term with its translations in the languages that theirs are taken as."""
    if not codes:
        return each
    texts = [
        replace(text, language_code=codes.get(text.language_code, text.language_code))
        for text in each.texts
    ]
    return replace(each, texts=tuple(texts))


def in_others(each: FileTerm, source_language: str, result: ImportResult) -> FileTerm:
    """The term without a translation into the glossary's own language, which may be
    another since the file was judged; ``result`` tells of one.
    """
    texts = tuple(t for t in each.texts if t.language_code != source_language)
    if len(texts) == len(each.texts):
        return each
    what = f"the translation into {source_language}"
    result.warn(f"line {each.line}: left out {what}, now the language of the terms")
    return replace(each, texts=texts)


def notes_of(text: str | None) -> str | None:
    """Notes as a file says them: those of nothing but white space say nothing."""
    return text if text and text.strip() else None


def same(each: FileTerm) -> tuple[bool, str]:
    """What tells a term of a file from the others: case rule and spelling."""
    sensitive = each.case_sensitive
    return sensitive, spelling(each.term, case_sensitive=sensitive)


def together(first: FileTerm, other: FileTerm) -> tuple[FileTerm, str]:
    """The first with what only the other says; and what is told of it."""
    made, left_out = _together(first, other)
    told = f"line {other.line}: {truncate(other.term)!r} is also in line {first.line}"
    if left_out:
        told += f", which counts for {', '.join(left_out[:NAMED_MOST])}"
        told += " and others" if len(left_out) > NAMED_MOST else ""
    return made, told


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
