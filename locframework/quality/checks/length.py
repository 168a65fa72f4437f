"""Texts that are longer than their key allows."""

from collections.abc import Iterator

from locframework.projects.records import Severity
from locframework.quality.records import Finding, Subject


class Length:
    """Finds texts longer than ``maxLength`` of their key."""

    name = "length"
    description = "The text has more characters than maxLength of its key."
    severity: Severity = "error"
    needs = "max_length"

    def find(self, subject: Subject) -> Iterator[Finding]:
        limit = subject.max_length
        if limit is None:
            return
        for form, text in subject.texts.items():
            if len(text) > limit:
                message = f"has {len(text)} characters, {limit} are allowed"
                yield Finding(message, limit, len(text), form)
