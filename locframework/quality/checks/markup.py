"""Tags that a translation has lost or added."""

import re
from collections.abc import Iterator

from locframework.projects.records import Severity
from locframework.quality.marks import Mark, differences
from locframework.quality.records import Finding, Subject

from .icu import has_branches

# Attributes do not count, but a tag has to look like one: "a < b and c > d" has none.
TAG = re.compile(
    r"<(/?)([A-Za-z0-9][\w:.-]*)"
    r"(?:\s+[\w:@.-]+(?:\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>=]+))?)*"
    r"\s*(/?)>"
)
_VOID = frozenset(("br", "hr", "img", "input", "wbr"))


class Markup:
    """Compares the tags, in any order and without their attributes."""

    name = "markup"
    description = "The HTML or XML tags differ from those of the source text."
    severity: Severity = "error"
    needs = "source_texts"

    def find(self, subject: Subject) -> Iterator[Finding]:
        for form, text, source in subject.compared():
            if "<" in text or "<" in source:
                wanted, found = _tags(source), _tags(text)
                if has_branches(source) or has_branches(text):
                    wanted, found = _each_once(wanted), _each_once(found)
                missing, extra = differences(wanted, found)
                for name in missing:
                    yield Finding(f"the tag {name} is missing", 0, len(text), form)
                for tag in extra:
                    message = f"the tag {tag.name} is not in the source text"
                    yield Finding(message, tag.start, tag.end, form)


def _tags(text: str) -> list[Mark]:
    return [Mark(_name(tag), tag.start(), tag.end()) for tag in TAG.finditer(text)]


def _name(tag: re.Match[str]) -> str:
    closing, name, empty = tag.groups()
    is_void = name.lower() in _VOID
    return f"<{closing}{name.lower()[:100]}{'' if is_void else empty}>"


def _each_once(tags: list[Mark]) -> list[Mark]:
    """Languages differ in how many branches they have, so the number says nothing."""
    return list({tag.name: tag for tag in reversed(tags)}.values())
