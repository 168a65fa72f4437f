"""Placeholders that a translation has lost, added or misspelt."""

import re
from collections.abc import Iterator, Sequence

from locframework.projects.records import Severity
from locframework.quality.marks import Mark, differences
from locframework.quality.records import Finding, Subject

from .scanning import Placeholder, has_signs, placeholders

_PERCENT = re.compile("%%?")
_PLACED = re.compile(r"%[1-9]\d?\$.|\{\d{1,3}\}")
_EXACT = frozenset(("zero", "one", "two"))  # forms that may say their number in words


class Placeholders:
    """Compares the placeholders; they may come in any order, and be numbered.

    The plural forms zero, one and two may leave out the number: "One file".
    """

    name = "placeholders"
    description = "The placeholders differ from those of the source text."
    severity: Severity = "error"
    needs = "source_texts"

    def find(self, subject: Subject) -> Iterator[Finding]:
        for form, text, source in subject.compared():
            if has_signs(text) or has_signs(source):
                yield from _compare(form, text, source, subject)


def _compare(
    form: str | None, text: str, source: str, subject: Subject
) -> Iterator[Finding]:
    there, here = placeholders(source), placeholders(text)
    wanted, found = _marks(there, here), _marks(here, there)
    missing, extra = differences(wanted, found)
    if form in _EXACT:
        missing = _but_the_number(missing, there)
    if form is not None and extra:
        known = {
            mark.name
            for each in subject.source_texts.values()
            for mark in _marks(placeholders(each), here)
        }
        extra = [mark for mark in extra if mark.name not in known]
    for name in missing:
        yield Finding(f"the placeholder {name} is missing", 0, len(text), form)
    for mark in extra:
        message = f"the placeholder {mark.name} is not in the source text"
        yield Finding(message, mark.start, mark.end, form)
    if "%%" in source and not _single_percents(source, there):
        for at in _single_percents(text, here):
            message = "a single %, which the source text writes %%"
            yield Finding(message, at, at + 1, form)


def _single_percents(text: str, there: Sequence[Placeholder]) -> list[int]:
    """Where a text has a percent sign that printf would read on from."""
    within = {at for each in there for at in range(each.start, each.end)}
    found = (each.start() for each in _PERCENT.finditer(text) if each[0] == "%")
    return [at for at in found if at not in within]


def _marks(one: Sequence[Placeholder], other: Sequence[Placeholder]) -> list[Mark]:
    """The placeholders to compare: those with a name once, ``%s`` and ``{}`` each.

    Where the other text numbers its arguments, they are numbered here as well.
    """
    numbers = any(_PLACED.fullmatch(each.name) for each in other)
    marks: dict[object, Mark] = {}
    taken = {"%": 0, "{": 0}  # arguments, of either style
    for each in one:
        name, style = each.name, each.name[0]
        if each.is_next and numbers:
            taken[style] += 1
            at = taken[style]
            name = f"%{at}${name[1:]}" if style == "%" else f"{{{at - 1}}}"
        is_each = each.is_next and not numbers
        marks.setdefault(
            each.start if is_each else name, Mark(name, each.start, each.end)
        )
    return list(marks.values())


def _but_the_number(missing: list[str], there: Sequence[Placeholder]) -> list[str]:
    """``missing`` without the number; of one that is alone, that is taken to be it."""
    numbers = {each.name for each in there if each.is_number}
    if not numbers and len(missing) == 1:
        return []
    return [name for name in missing if name not in numbers]
