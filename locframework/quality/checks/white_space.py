"""White space at the ends of a text that its source text does not have."""

from collections.abc import Iterator

from locframework.projects.records import Severity
from locframework.quality.records import Finding, Subject

_UNSPACED = frozenset(("ja", "km", "lo", "my", "th", "yue", "zh"))


class WhiteSpace:
    """Compares the white space at both ends with that of the source text."""

    name = "white_space"
    description = "White space at the beginning or end differs from the source text."
    severity: Severity = "warning"
    needs = "source_texts"

    def find(self, subject: Subject) -> Iterator[Finding]:
        for form, text, source in subject.compared():
            # isspace() of one character is all that most texts are asked
            if text[:1].isspace() or source[:1].isspace():
                wanted = len(source) - len(source.lstrip())
                found = len(text) - len(text.lstrip())
                if text[:found] != source[:wanted]:
                    message = f"begins with {_told(text[:found], source[:wanted])}"
                    yield Finding(message, 0, found, form)
            if text[-1:].isspace() or source[-1:].isspace():
                there, here = len(source.rstrip()), len(text.rstrip())
                if text[here:] == source[there:]:
                    continue
                if _may_drop(subject.language_code, text[here:], source[there:]):
                    continue
                message = f"ends with {_told(text[here:], source[there:])}"
                yield Finding(message, here, len(text), form)


def _may_drop(language_code: str, found: str, wanted: str) -> bool:
    """Whether a space is left out where the language writes none between words."""
    base = language_code.partition("-")[0]
    return base in _UNSPACED and not found and not wanted.strip(" ")


def _told(found: str, wanted: str) -> str:
    return f"{_name(found)}, the source text with {_name(wanted)}"


def _name(space: str) -> str:
    if not space:
        return "no white space"
    lines = space.count("\n")
    if lines:
        told = "a line break" if lines == 1 else f"{lines} line breaks"
        return told if lines == len(space) else f"{told} and spaces"
    if set(space) == {" "}:
        return "a space" if len(space) == 1 else f"{len(space)} spaces"
    return "other white space"
