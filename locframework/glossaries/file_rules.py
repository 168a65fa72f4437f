"""Decides which files a glossary can be made of."""

from locframework.errors import Problem, UnreadableFile
from locframework.validation import forbidden

from .file_records import ReadTerms
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


def judged(read: ReadTerms, faults: Faults) -> ReadTerms:
    """The terms, if a glossary may have them. Raises UnreadableFile."""
    lines: dict[tuple[bool, str], int] = {}
    for each in read.terms:
        same = (
            each.case_sensitive,
            spelling(each.term, case_sensitive=each.case_sensitive),
        )
        before = lines.setdefault(same, each.line)
        if before != each.line:
            message = f"the term is there already, in line {before}"
            faults.add(each.line, "duplicate", message)
        _judge_text(faults, each.line, "the term", each.term, TERM_MOST)
        _judge_text(faults, each.line, "notes", each.notes or "x", NOTES_MOST)
        for text in each.texts:
            what = f"the translation into {text.language_code}"
            _judge_text(faults, each.line, what, text.value, VALUE_MOST)
            if each.do_not_translate and text.value != each.term:
                message = f"{what} differs from a term that is not translated"
                faults.add(each.line, "translation", message)
    faults.settle()
    return read


def _judge_text(faults: Faults, line: int, what: str, text: str, most: int) -> None:
    if forbidden(text):
        faults.add(line, "character", f"{what} holds U+0000 or a lone surrogate")
    elif not text.strip():
        faults.add(line, "length", f"{what} is blank")
    elif len(text) > most:
        faults.add(line, "length", f"{what} has more than {most:,} characters")
