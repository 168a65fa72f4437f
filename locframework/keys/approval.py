"""The one place that keeps a text from being approved for what checks find in it."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from locframework.errors import QualityCheckFailed
from locframework.projects.records import Language, Project
from locframework.quality.records import Finding

from .check_runner import CheckRunners
from .records import Key, KeyFinding, StoredValue, ValueSlot
from .subjects import Texts, issue_of, texts_of


class ApprovalBlockers:
    """The checks that a project blocks with; those that are off block nothing."""

    def __init__(
        self, judges: CheckRunners, project: Project, languages: Iterable[Language]
    ) -> None:
        self._judge = judges.of(project)
        self._languages = languages
        shown = judges.checks.shown(project) if project.blocking_checks else {}
        names = set(project.blocking_checks)
        self._severities = {name: shown[name] for name in shown if name in names}

    @property
    def blocks(self) -> bool:
        """Whether anything that checks find can hold a text."""
        return bool(self._severities)

    def held(
        self,
        key: Key,
        there: Iterable[StoredValue],
        written: Mapping[ValueSlot, str],
    ) -> frozenset[ValueSlot]:
        """Which of the texts that are written beside ``there`` cannot be approved."""
        if not self._severities or not any(written.values()):
            return frozenset()
        texts = texts_of(there)
        for (code, form), text in written.items():
            texts.setdefault(code, {}).pop(form, None)
            if text:
                texts[code][form] = text
        codes = {code for code, _ in written}
        found = self._found(key, texts, codes)
        return frozenset((one.language_code, one.finding.plural_form) for one in found)

    def require_approvable(
        self, key: Key, there: Iterable[StoredValue], waiting: Sequence[StoredValue]
    ) -> None:
        """Let texts of one language be approved, or refuse all of them.

        ``there`` are all texts of the key. Raises QualityCheckFailed, which lists what
        was found in those that wait.
        """
        if not self._severities:
            return
        places = {(row.language_code, row.plural_form) for row in waiting}
        found = self._found(key, texts_of(there), {code for code, _ in places})
        issues = [
            issue_of(each, self._severities[each.finding.check])
            for each in found
            if (each.language_code, each.finding.plural_form) in places
        ]
        if issues:
            names = ", ".join(sorted({issue.check for issue in issues}))
            told = {"issues": msgspec.to_builtins(issues)}
            raise QualityCheckFailed(
                f"checks that block approval found something: {names}", told
            )

    def _found(
        self, key: Key, texts: Mapping[str, Texts], codes: Collection[str]
    ) -> list[KeyFinding]:
        return [
            KeyFinding(key.id, key.key, language.language_code, finding)
            for language in self._languages
            if language.language_code in codes and texts.get(language.language_code)
            for finding in self._of_language(key, texts, language)
        ]

    def _of_language(
        self, key: Key, texts: Mapping[str, Texts], language: Language
    ) -> list[Finding]:
        code, forms = language.language_code, language.plural_forms
        return self._judge.findings(key, code, texts, forms, self._severities)
