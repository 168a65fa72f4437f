"""Runs the quality checks on what is written, before it is written."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from locframework.errors import QualityCheckFailed
from locframework.formats.records import PLURAL_FORMS
from locframework.glossaries.matching import ExpectedTerms, ProjectTerms, TermCache
from locframework.keys.records import (
    KeyFinding,
    KeyLanguage,
    ProjectIssue,
    StoredKey,
    StoredValue,
    ValueSlot,
)
from locframework.keys.store import KeyStore
from locframework.projects.records import Language, Project, Severity
from locframework.quality.check import Checks, Dismissed, Finding, Subject, TextTerms
from locframework.quality.checks import GlossaryTerms

from .unit_of_work import KeyEdit, UnitOfWork

Texts = dict[str | None, str]
"""Texts by plural form; none is empty."""

_ORDER = {form: at for at, form in enumerate((None, *PLURAL_FORMS))}


class CheckedKey(Struct, frozen=True, gc=False):
    """A key to check, in some languages or in all."""

    key: StoredKey
    values: Iterable[StoredValue]
    language_codes: Collection[str] | None = None
    is_new: bool = False  # no findings of it are stored


FindingChanges = Mapping[KeyLanguage, Sequence[Finding]]
"""Findings to store: what replaces those of a key in a language."""


Known = dict[tuple[object, ...], list[Finding]]
"""What checks have found in texts, by all that they look at but glossaries."""


class CheckRunner:
    """Runs the checks of a project on texts of its keys.

    The terms of its glossaries are those of the first text that is checked: a
    statement then, and two more, and one a language, where they have changed.
    """

    def __init__(
        self,
        checks: Checks,
        terminologies: TermCache,
        project: Project,
        languages: Iterable[Language],
        *,
        is_verified: bool = False,
        known: Known | None = None,
    ) -> None:
        """``is_verified``: ``is_current`` is asked before findings are stored.

        ``known``: findings that are not looked for again; others are added.
        """
        self._known = known
        self._is_verified = is_verified
        self._checks = checks
        self._terminologies = terminologies
        self._project = project
        self._forms = {each.language_code: each.plural_forms for each in languages}
        self._is_loaded = False
        self._terminology: ProjectTerms | None = None
        self._hints: ExpectedTerms | None = None
        self._blocking: dict[str, Severity] = {}
        if project.blocking_checks:
            shown = checks.shown(project)
            names = set(project.blocking_checks)
            self._blocking = {name: shown[name] for name in shown if name in names}

    @property
    def blocks(self) -> bool:
        """Whether a finding can stop an approval in this project."""
        return bool(self._blocking)

    def is_current(self) -> bool:
        """Return whether the glossaries are as they were read."""
        return not self._is_loaded or self._terminologies.is_current(
            self._project.id, self._terminology
        )

    def blocked(
        self,
        key: StoredKey,
        stored: Iterable[StoredValue],
        written: Mapping[ValueSlot, str],
        dismissed: Callable[[], Dismissed],
    ) -> Collection[ValueSlot]:
        """Return the slots whose written text cannot be approved.

        ``stored`` are the other values of the key. ``dismissed`` is called once
        something is found.
        """
        if not self._blocking or not any(written.values()):
            return ()
        texts = texts_of(stored)
        for (code, form), text in written.items():
            texts.setdefault(code, {}).pop(form, None)
            if text:
                texts[code][form] = text
        return {
            (code, finding.plural_form)
            for code in {code for code, _ in written}
            for finding in self._find_open(key, code, texts, dismissed)
        }

    def require_approvable(
        self,
        key: StoredKey,
        stored: Iterable[StoredValue],
        pending: Sequence[StoredValue],
        dismissed: Callable[[], Dismissed],
    ) -> None:
        """Raise QualityCheckFailed if a blocking check finds something in ``pending``.

        These are values of one language, and among ``stored``, all values of the key.
        """
        if not self._blocking:
            return
        texts = texts_of(stored)
        slots = {(row.language_code, row.plural_form) for row in pending}
        issues = [
            issue_of(
                KeyFinding(key.id, key.key, code, each), self._blocking[each.check]
            )
            for code in {code for code, _ in slots}
            for each in self._find_open(key, code, texts, dismissed)
            if (code, each.plural_form) in slots
        ]
        if issues:
            names = ", ".join(sorted({issue.check for issue in issues}))
            raise QualityCheckFailed(
                f"checks that block approval found something: {names}",
                {"issues": msgspec.to_builtins(issues)},
            )

    def changed_findings(
        self, store: KeyStore, checked: Collection[CheckedKey]
    ) -> FindingChanges:
        """Return what the checks find where it differs from the stored findings."""
        ids = [each.key.id for each in checked if not each.is_new]
        stored = store.findings_of(ids) if ids else {}
        changed: dict[KeyLanguage, Sequence[Finding]] = {}
        for each in checked:
            texts, codes = texts_of(each.values), each.language_codes
            for code in texts if codes is None else codes:
                found = self._find(each.key, code, texts, None)
                if found != stored.pop((each.key.id, code), []):
                    changed[each.key.id, code] = found
        if stored:  # of other languages, and of those that no longer have a text
            whole = {each.key.id for each in checked if each.language_codes is None}
            changed |= {at: [] for at in stored if at[0] in whole}
        return changed

    def _find_open(
        self,
        key: StoredKey,
        code: str,
        texts: Mapping[str, Texts],
        dismissed: Callable[[], Dismissed],
    ) -> list[Finding]:
        """Return what blocking checks find, without what was dismissed."""
        found = self._find(key, code, texts, self._blocking)
        if found:
            gone = dismissed()
            found = [one for one in found if (one.texts_hash, one.check) not in gone]
        return found

    def _find(
        self,
        key: StoredKey,
        code: str,
        texts: Mapping[str, Texts],
        names: Collection[str] | None,
    ) -> list[Finding]:
        if not texts.get(code) or code not in self._forms:
            return []
        if key.disabled_checks:
            every = self._checks.names if names is None else names
            names = [name for name in every if name not in key.disabled_checks]
        source = self._project.source_language
        sources = {} if code == source else texts.get(source, {})
        known = place = None
        if self._known is not None:
            place = (
                *(key.key, key.description, key.tags, key.max_length, key.is_plural),
                *(key.format_flags, code, None if names is None else tuple(names)),
                *(*texts[code].items(), None, *sources.items()),
            )
            known = self._known.get(place)
        subject = Subject(
            key=key.key,
            language_code=code,
            texts=_in_order(texts[code]) if key.is_plural else texts[code],
            source_language=source,
            source_texts=_in_order(sources) if key.is_plural else sources,
            is_plural=key.is_plural,
            plural_forms=self._forms[code],
            description=key.description,
            tags=key.tags,
            max_length=key.max_length,
            terms=self._terms(code, texts, names) if known is None else None,
            format_flags=key.format_flags,
        )
        found = self._checks.findings(subject, names) if known is None else known
        if self._known is not None and place is not None:
            self._known[place] = found
        if not found:
            return []
        if len(found) > 1:
            found.sort(key=lambda each: _ORDER[each.plural_form])
        hash_ = _hash_of(key, subject)
        return [replace(each, texts_hash=hash_) for each in found]

    def _terms(
        self, code: str, texts: Mapping[str, Texts], names: Collection[str] | None
    ) -> TextTerms | None:
        if names is not None and GlossaryTerms.name not in names:
            return None
        if not self._is_loaded:
            terms = self._terminologies.of_project(
                self._project.id, is_verified=self._is_verified
            )
            self._terminology, self._hints = (
                terms,
                ExpectedTerms(terms) if terms else None,
            )
            self._is_loaded = True
        if self._hints is None:
            return None
        source = self._project.source_language
        if code == source:
            return self._hints.of_source(texts[source])
        return self._hints.of_translation(code, texts[code], texts.get(source, {}))


def check_unit(
    runner: CheckRunner, keys: UnitOfWork, edits: Iterable[KeyEdit], source: str
) -> FindingChanges:
    """Return the findings that a write changes. Reads only.

    A text is checked when it changes, when its source text does, and when a field of
    its key does.
    """
    changed: dict[str, tuple[KeyEdit, Collection[str] | None]] = {}
    values: dict[str, Iterable[StoredValue]] = {}
    for edit in edits:
        codes = edit.changed_languages(source)
        if codes is None or codes:
            changed[edit.key.id] = edit, codes
            values[edit.key.id] = edit.values.values()
    if changed and not keys.is_whole:
        rest = [
            id_
            for id_, (edit, codes) in changed.items()
            if codes is None and edit.stored is not None
        ]
        for id_, rows in (keys.store.values_of(rest) if rest else {}).items():
            slots = {(row.language_code, row.plural_form): row for row in rows}
            edit = changed[id_][0]
            for slot in edit.written:
                slots.pop(slot, None)
            values[id_] = [*(slots | edit.values).values()]
    checked: list[CheckedKey] = []
    for id_, (edit, languages) in changed.items():
        is_new = edit.stored is None or not edit.has_findings
        checked.append(CheckedKey(edit.key, values[id_], languages, is_new=is_new))
    return runner.changed_findings(keys.store, checked)


def texts_of(values: Iterable[StoredValue]) -> dict[str, Texts]:
    """Return the newest texts by language; a proposal to clear one is no text."""
    texts: dict[str, Texts] = {}
    for value in values:
        if value.value:
            texts.setdefault(value.language_code, {})[value.plural_form] = value.value
    return texts


def issue_of(found: KeyFinding, severity: Severity) -> ProjectIssue:
    """Return a finding as responses show it."""
    one = found.finding
    where = found.key_id, found.key, found.language_code, one.plural_form
    return ProjectIssue(*where, one.check, severity, one.message, one.start, one.end)


def _hash_of(key: StoredKey, subject: Subject) -> int:
    """Return what identifies the texts of a key in a language, with their source texts.

    It fits into a column of 64 bits.
    """
    texts = [*subject.texts.items()], [*subject.source_texts.items()]
    content = msgspec.json.encode((key.id, subject.language_code, *texts))
    digest = hashlib.blake2b(content, digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _in_order(texts: Texts) -> Texts:
    return {form: texts[form] for form in sorted(texts, key=_ORDER.__getitem__)}
