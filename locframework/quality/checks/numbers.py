"""Numbers that a translation has lost or added."""

import re
from collections import Counter
from collections.abc import Iterator

from locframework.projects.records import Severity
from locframework.quality.marks import Mark, differences
from locframework.quality.records import Finding, Subject

from .icu import has_branches
from .noise import blanked

_RUN = re.compile(r"\d+")
# Digits with what groups them or parts the decimals: dot, comma, apostrophes, the
# Arabic signs, spaces of several widths. No letter or digit stands before it; that is
# asked behind its first digit, as a search for digits alone is twice as fast.
_NUMBER = re.compile(
    r"\d(?<![A-Za-z\d]\d)\d*(?:[.,'\u2019\u066b\u066c \u00a0\u2009\u202f]\d+)*"
)
_ASCII_NUMBER = re.compile(_NUMBER.pattern, re.ASCII)  # twice as fast
_HALF_DAYS = re.compile(r"\d\s?[ap]\.?\s?m\b", re.IGNORECASE)  # 5 pm is 17 o'clock
# 1万 is 10,000, 5천 is 5,000, 1 लाख is 100,000; करोड़ has two spellings in Unicode
_MYRIADS = re.compile(r"\d\s?(?:[万萬만億亿억천千]|लाख|करो[ड\u095c])")
_POINT = re.compile(r"(?<![^\s($€£])[.,\u066b]")  # .5 is 0.5, and one,5 is not
_POINT_FIRST = re.compile(_POINT.pattern + r"\d")
_PARTED_ONCE = re.compile(r"\d?[.,\u066b]\d+")
_HOUR = re.compile(r"(?<=\d)h(?=\d)", re.IGNORECASE)  # 10h30 is 10:30
_SPELLED_OUT = frozenset("012")  # often a word in one language and not in another
_GROUP = 3  # digits between two signs that group
_SHOWN = 40


class Numbers:
    """Compares the numbers, however a language writes and groups them."""

    name = "numbers"
    description = "The numbers differ from those of the source text."
    severity: Severity = "warning"
    needs = "source_texts"

    def find(self, subject: Subject) -> Iterator[Finding]:
        for form, text, source in subject.compared():
            here, there = blanked(text), blanked(source)
            if _spelled_alike(here, there):
                continue  # as nearly always: nothing more to work out
            if has_branches(text) or has_branches(source):
                continue
            if _is_told_otherwise(source) or _is_told_otherwise(text):
                continue
            here, there = _HOUR.sub(":", here), _HOUR.sub(":", there)
            for message, start, end in _found(here, there):
                yield Finding(message, start, end, form)


def _is_told_otherwise(text: str) -> bool:
    """Whether it says numbers by what stands behind their digits."""
    return bool(_HALF_DAYS.search(text) or _MYRIADS.search(text))


def _spelled_alike(text: str, source: str) -> bool:
    found, wanted = _spelled(text), _spelled(source)
    return found == wanted or sorted(found) == sorted(wanted)


def _spelled(text: str) -> list[str]:
    """The numbers as they stand there, and each point that begins one."""
    found = (_ASCII_NUMBER if text.isascii() else _NUMBER).findall(text)
    return found and found + _POINT_FIRST.findall(text)


def _found(text: str, source: str) -> Iterator[tuple[str, int, int]]:
    wanted, found = _numbers(source), _numbers(text)
    missing, extra = differences(wanted, found)
    if _runs(source, wanted) == _runs(text, found):
        return  # a date in another order
    if not wanted:
        return  # "May" is "5月", "ten" may be "10"
    for name in missing:
        if name not in _SPELLED_OUT:
            yield f"the number {name[:_SHOWN]} is missing", 0, len(text)
    for number in extra:
        if number.name not in _SPELLED_OUT:
            message = f"the number {number.name[:_SHOWN]} is not in the source text"
            yield message, number.start, number.end


def _numbers(text: str) -> list[Mark]:
    marks: list[Mark] = []
    for number in _NUMBER.finditer(text):
        start, end = number.span()
        if _POINT.match(text, start - 1, start):
            start -= 1
        marks.append(Mark(_value(text[start:end]), start, end))
    return marks


def _runs(text: str, numbers: list[Mark]) -> Counter[str]:
    """The digits that stand together, each by its value; of .5 these are 0 and 5."""
    runs = Counter(
        _value(run)
        for number in numbers
        for run in _RUN.findall(text[number.start : number.end])
    )
    runs["0"] += sum(not text[number.start].isdigit() for number in numbers)
    return runs


def _value(number: str) -> str:
    """The number in ASCII, without zeros before it: the same in every script.

    One or two digits at the end are decimals, three or more a group of a large number,
    but for what follows a zero or nothing. Zeros at the end stay: 3.10 is not 3.1.
    """
    *groups, last = (_digits(run) for run in _RUN.findall(number))
    is_under_one = groups in ([], ["0"]) and _PARTED_ONCE.fullmatch(number)
    if is_under_one or (groups and len(last) < _GROUP):
        return f"{_whole(''.join(groups))}.{last}"
    return _whole("".join((*groups, last)))


def _digits(run: str) -> str:
    return "".join(str(int(sign)) for sign in run)


def _whole(digits: str) -> str:
    return digits.lstrip("0") or "0"
