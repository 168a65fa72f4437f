"""Has the texts of keys judged by all checks, with what the glossaries say of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from locframework.glossaries.hints import Hints
from locframework.glossaries.terminologies import Terminologies
from locframework.projects.records import Project
from locframework.quality.checks.glossary_terms import GlossaryTerms
from locframework.quality.records import Finding, TextTerms
from locframework.quality.service import Checks

from .records import Key
from .subjects import Texts, by_form, subject_of


class CheckRunners:
    """Makes a judge for every batch."""

    def __init__(self, checks: Checks, terminologies: Terminologies) -> None:
        self.checks = checks
        self._terminologies = terminologies

    def of(self, project: Project) -> CheckRunner:
        """Asks nothing by itself."""
        return CheckRunner(self.checks, self._terminologies, project)

    def prepare(self, project_id: str) -> None:
        """Have ready what the glossaries of a project say, before a transaction."""
        self._terminologies.prepare(project_id)


class CheckRunner:
    """The checks, and the project's glossaries as of one moment.

    The first text costs a statement; two more, and one a language, where there are
    glossaries that have changed since another batch.
    """

    def __init__(
        self, checks: Checks, terminologies: Terminologies, project: Project
    ) -> None:
        self._checks = checks
        self._terminologies = terminologies
        self._project = project
        self._is_loaded = False
        self._hints: Hints | None = None

    def findings(
        self,
        key: Key,
        language_code: str,
        texts: Mapping[str, Texts],
        plural_forms: tuple[str, ...],
        names: Collection[str] | None = None,
    ) -> list[Finding]:
        """What all checks, or those of these names, find; by plural form."""
        subject = subject_of(
            self._project,
            key,
            language_code,
            texts,
            plural_forms,
            self._terms(language_code, texts, names),
        )
        return by_form(self._checks.findings(subject, names))

    def _terms(
        self,
        language_code: str,
        texts: Mapping[str, Texts],
        names: Collection[str] | None,
    ) -> TextTerms | None:
        if names is not None and GlossaryTerms.name not in names:
            return None
        if not self._is_loaded:
            terminology = self._terminologies.of_project(self._project.id)
            self._hints = Hints(terminology) if terminology else None
            self._is_loaded = True
        if self._hints is None:
            return None
        source = self._project.source_language
        if language_code == source:
            return self._hints.of_source(texts[source])
        sources = texts.get(source, {})
        return self._hints.of_translation(language_code, texts[language_code], sources)
