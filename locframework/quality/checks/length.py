"""Texts that are longer than their key allows."""

from collections.abc import Iterator

from locframework.projects.records import Severity
from locframework.quality.records import Finding, Subject
from locframework.quality.rules import length_limit


class Length:
    """Holds texts to the tag ``max-length:30`` of their key."""

    name = "length"
    description = "The text has more characters than the tag max-length of its key."
    severity: Severity = "error"
    needs = "tags"

    def find(self, subject: Subject) -> Iterator[Finding]:
        if not subject.tags:
            return
        limit = length_limit(subject.tags)
        if limit is None:
            return
        for form, text in subject.texts.items():
            if len(text) > limit:
                message = f"has {len(text)} characters, {limit} are allowed"
                yield Finding(message, limit, len(text), form)
