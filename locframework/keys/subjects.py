"""Makes what checks look at out of keys and values, and tells what they found."""

from collections.abc import Iterable, Mapping

from locframework.formats.records import PLURAL_FORMS
from locframework.projects.records import Project, Severity
from locframework.quality.records import Finding, Subject, TextTerms

from .records import Key, KeyFinding, ProjectIssue, StoredValue

Texts = dict[str | None, str]
"""By plural form; none is empty."""

_ORDER = {form: at for at, form in enumerate((None, *PLURAL_FORMS))}


def texts_of(values: Iterable[StoredValue]) -> dict[str, Texts]:
    """The newest texts by language; a proposal to clear one is no text."""
    texts: dict[str, Texts] = {}
    for value in values:
        if value.value:
            texts.setdefault(value.language_code, {})[value.plural_form] = value.value
    return texts


def subject_of(
    project: Project,
    key: Key,
    language_code: str,
    texts: Mapping[str, Texts],
    plural_forms: tuple[str, ...],
    terms: TextTerms | None = None,
) -> Subject:
    """What checks look at, of a key with ``texts`` in this language at least."""
    source = project.source_language
    of_source = {} if language_code == source else texts.get(source, {})
    return Subject(
        key=key.key,
        language_code=language_code,
        texts=_in_order(texts[language_code]),
        source_language=source,
        source_texts=_in_order(of_source),
        is_plural=key.is_plural,
        plural_forms=plural_forms,
        description=key.description,
        tags=key.tags,
        terms=terms,
    )


def by_form(found: list[Finding]) -> list[Finding]:
    """By plural form, then as they were: by check, as each told them."""
    if len(found) < 2:
        return found
    return sorted(found, key=lambda each: _ORDER[each.plural_form])


def issue_of(found: KeyFinding, severity: Severity) -> ProjectIssue:
    """A finding as it is shown."""
    finding = found.finding
    return ProjectIssue(
        key_id=found.key_id,
        key=found.key,
        language_code=found.language_code,
        plural_form=finding.plural_form,
        check=finding.check,
        severity=severity,
        message=finding.message,
        start=finding.start,
        end=finding.end,
    )


def _in_order(texts: Texts) -> Texts:
    if len(texts) < 2:
        return texts
    return {form: texts[form] for form in sorted(texts, key=_ORDER.__getitem__)}
