"""Plural keys that lack a form that their language needs."""

from collections.abc import Iterator

from locframework.languages import rare_plural_forms
from locframework.projects.records import Severity
from locframework.quality.records import Finding, Subject


class PluralForms:
    """Asks for every plural form that common whole numbers take."""

    name = "plural_forms"
    description = "A plural form that the language needs has no text."
    severity: Severity = "error"
    needs = "is_plural"

    def find(self, subject: Subject) -> Iterator[Finding]:
        texts = subject.texts
        if not subject.is_plural or texts.keys() >= set(subject.plural_forms):
            return
        rare = rare_plural_forms(subject.language_code)
        wanted = [form for form in subject.plural_forms if form not in rare]
        missing = [form for form in wanted if form not in texts]
        if missing and texts:
            # a form without a text has no place of its own to be shown at
            form = "other" if "other" in texts else list(texts)[-1]
            message = f"has no text for the plural form {', '.join(missing)}"
            yield Finding(message, 0, len(texts[form]), form)
