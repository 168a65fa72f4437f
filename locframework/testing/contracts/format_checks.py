"""What the contract of formats looks at: texts, warnings, refusals."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from locframework.errors import Problem, UnreadableFile
from locframework.formats.records import Catalogue, Entry, Text, WrittenFile

_FORBIDDEN = re.compile("[\0\ud800-\udfff]")

Texts = dict[str, Text | None]


def texts_of(entries: Iterable[Entry]) -> Texts:
    """Text by key, plural forms as a plain dict; the flag has to fit the text."""
    found: Texts = {}
    for entry in entries:
        assert entry.key not in found, f"{entry.key} is there twice"
        value = entry.value
        if value is not None:
            assert entry.is_plural is isinstance(value, Mapping), entry.key
        found[entry.key] = dict(value) if isinstance(value, Mapping) else value
    return found


def is_told(written: WrittenFile, key: str) -> bool:
    """Whether a warning names this very key, not only a longer one."""
    name = re.compile(rf"(?<![\w.:/|-]){re.escape(key)}(?![\w-]|[.:/|]\w)")
    return any(name.search(warning) for warning in written.warnings)


def without_lines(catalogues: Iterable[Catalogue]) -> list[object]:
    """The catalogues but for the places in the file."""
    return [
        (
            one.language_code,
            one.detail,
            [msgspec.structs.replace(entry, line=None) for entry in one.entries],
        )
        for one in catalogues
    ]


def check_refusal(refusal: UnreadableFile) -> None:
    """It lists Problems, and all that it says can be shown to a person."""
    problems = refusal.details
    assert isinstance(problems, list)
    assert problems
    for problem in problems:
        assert isinstance(problem, Problem)
        assert problem.path
        assert problem.rule
        assert problem.message
        assert len(problem.message) <= 500
    check_strings([refusal.message, problems])


def check_catalogues(catalogues: Sequence[Catalogue]) -> None:
    """What was read can be stored: no NUL, no lone surrogate, details are JSON."""
    check_strings(catalogues)
    for one in catalogues:
        texts_of(one.entries)


def check_strings(value: object) -> None:
    """No string holds a NUL or a lone surrogate, and all is JSON-shaped."""
    for text in _strings_in(msgspec.to_builtins(value)):
        assert not _FORBIDDEN.search(text), ascii(text[:80])


def _strings_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from (name, *_strings_in(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings_in(inner)
