"""Keeps translation memories in step with the projects that they learn from.

A write notes the keys of main that it changes. Before its transaction commits, the
entries of these keys are computed again from the current values. A job does the same
for all keys of a project when the project or a language is new to a memory.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.errors import MemoriesAssigned, ProjectNotFound
from locframework.events import SYSTEM, Event
from locframework.fields import Clock, Timestamp, new_id, timestamp
from locframework.jobs.records import Progress, StoredJob
from locframework.jobs.service import Jobs
from locframework.jobs.work import Work
from locframework.keys.branch_copies import states_of
from locframework.keys.records import KeyState, StoredValue
from locframework.languages import language_info, same_language
from locframework.projects.records import Project
from locframework.proposals.records import TermTranslation
from locframework.transactions import get_record

from .records import (
    SOURCE_LENGTH,
    AssignedMemory,
    KeyLink,
    MemoryEntry,
    MemoryLanguage,
    MemoryWriting,
    StoredTranslation,
    Texts,
    TranslationMemory,
    WriteMode,
)
from .store import MemoryStorage

JOB_TYPE = "tm_learn"
PERMISSION = "project_update"
KEYS_PER_STEP = 500
LANGUAGE_EVENTS = ("language.added", "language.removed", "project.updated")
_CALLER = Caller(actor=SYSTEM)


class SourcedTranslation(Struct, frozen=True, gc=False):
    """A translation as the value of a key has it, and since when."""

    translation: TermTranslation
    at: Timestamp


class Segment(Struct, frozen=True, gc=False):
    """What one plural form of a key contributes to an entry."""

    key_id: str
    plural_form: str | None
    texts: Texts
    translations: Mapping[str, SourcedTranslation]  # by language code; at least one


class TmSync:
    """Computes entries from the values of keys, when these change and in jobs.

    A job may run again at any time.

    A translation that the same or a newer text of a person or file has set is left
    alone. Entries that a project has contributed to stay when the project leaves the
    memory.
    """

    type = JOB_TYPE

    def __init__(self, storage: MemoryStorage, jobs: Jobs, clock: Clock) -> None:
        self._storage = storage
        self._store = storage.memories
        self._jobs = jobs
        self._clock = clock
        # the keys that the thread's transaction has changed, by project id
        self._changed = threading.local()

    def on_key_event(self, event: Event) -> None:
        """Note the keys of an event of main, in its transaction."""
        project_id = event.project_id
        if project_id is None or event.branch is not None:
            return
        if event.type.startswith(("key.", "translation.")):
            name = (TmSync, project_id)
            self._storage.before_commit(name, lambda: self._begin(project_id))
            noted: dict[str, None] = vars(self._changed)[project_id]
            noted.update((str(item["keyId"]), None) for item in event.items)

    def _begin(self, project_id: str) -> Callable[[], None]:
        vars(self._changed)[project_id] = {}
        return lambda: self._sync_changed(project_id)

    def _sync_changed(self, project_id: str) -> None:
        key_ids = list(vars(self._changed).pop(project_id))
        memories = learning_memories(self._store.list_assigned(project_id))
        project = self._storage.projects.find(project_id) if memories else None
        if project is not None:
            for at in range(0, len(key_ids), KEYS_PER_STEP):
                self.sync_keys(project, memories, key_ids[at : at + KEYS_PER_STEP])

    def on_language_event(self, event: Event) -> None:
        """Bring memories up to date in the transaction of an event of languages. Raise
        MemoriesAssigned for a source language that is not that of the memories."""
        project_id = event.project_id or ""
        is_update = event.type == "project.updated"
        if is_update and not any(
            "sourceLanguage" in cast("Sequence[str]", item.get("fields", ()))
            for item in event.items
        ):
            return
        assigned = self._store.list_assigned(project_id)
        project = self._storage.projects.find(project_id)
        if project is None or not assigned:
            return
        tag = project.source_language
        others = [
            each.memory.id
            for each in assigned
            if not same_language(each.memory.source_language, tag)
        ]
        if is_update and others:
            raise MemoriesAssigned(
                "the source language of translation memories that the project uses is"
                f" not {tag}: unassign {', '.join(others)} first"
            )
        memories = learning_memories(assigned)
        for each in memories:
            self._store.lock(each.memory.id)
            codes: list[str] = []
            if event.type == "language.added":
                codes = [str(item["languageCode"]) for item in event.items]
            elif is_update:
                # the former source language, of another region, can be a target now
                codes = [
                    code
                    for code in self._codes_of(project_id)
                    if same_language(code, each.memory.source_language)
                ]
            self.add_project_languages(project, each.memory, codes)
        if memories and event.type != "language.added":  # a new one has no values yet
            self.start_job(project)

    def add_project_languages(
        self,
        project: Project,
        memory: TranslationMemory,
        codes: Iterable[str] | None = None,
    ) -> None:
        """Add languages of a project to a locked memory; None: all of its targets."""
        if codes is None:
            codes = self._codes_of(project.id)
        known = {each.language_code for each in self._store.list_languages([memory.id])}
        known |= {memory.source_language, project.source_language}
        new = languages_of(memory.id, [code for code in codes if code not in known])
        self.add_languages(memory.id, new, except_project=project.id)

    def add_languages(
        self,
        tm_id: str,
        languages: Sequence[MemoryLanguage],
        *,
        except_project: str | None = None,
    ) -> None:
        """Add new languages to a locked memory, and start a job for each project with
        them that the memory learns from."""
        self._store.add_languages(languages)
        codes = {each.language_code for each in languages}
        for project_id in self._store.projects_of(tm_id) if codes else ():
            there = self._codes_of(project_id)
            if project_id == except_project or not codes.intersection(there):
                continue
            memories = learning_memories(self._store.list_assigned(project_id))
            project = self._storage.projects.find(project_id)
            if project is not None and any(e.memory.id == tm_id for e in memories):
                self.start_job(project, tm_id)

    def start_job(self, project: Project, tm_id: str | None = None) -> None:
        """Start a job in the open transaction, for one memory or all that learn."""
        if project.key_count or any(self._store.find_links(project_id=project.id)):
            params = {} if tm_id is None else {"tmId": tm_id}
            self._jobs.start(_CALLER, project, JOB_TYPE, PERMISSION, params)

    def sync_keys(
        self,
        project: Project,
        memories: Sequence[AssignedMemory],
        key_ids: Collection[str],
    ) -> None:
        """Compute the entries of these keys in memories that learn, in a transaction.
        Statements grow with the keys / 500."""
        states = states_of(self._storage.keys, project.id, key_ids)
        for assigned in memories:
            writing = self._store.begin(assigned.memory.id)
            if writing is None:
                continue
            languages = self._store.list_languages([writing.tm_id])
            codes = {language.language_code for language in languages}
            mode = assigned.assignment.write_mode
            segments = segments_of(states.values(), project, mode, codes)
            self._sync_entries(writing, project, segments, codes, key_ids)

    def _sync_entries(
        self,
        writing: MemoryWriting,
        project: Project,
        segments: Sequence[Segment],
        codes: Collection[str],
        key_ids: Collection[str],
    ) -> None:
        store, now = self._store, timestamp(self._clock())
        links = list(store.find_links(tm_id=writing.tm_id, key_ids=key_ids))
        ids = store.entry_ids_by_text(writing.tm_id, {each.texts for each in segments})
        by_entry: dict[str, list[Segment]] = {link.entry_id: [] for link in links}
        by_entry |= {entry_id: [] for entry_id in ids.values()}
        new: dict[Texts, list[Segment]] = {}
        for segment in segments:
            if segment.texts in ids:
                by_entry[ids[segment.texts]].append(segment)
            else:
                new.setdefault(segment.texts, []).append(segment)
        if by_entry:
            found = store.find_links(tm_id=writing.tm_id, entry_ids=by_entry)
            others = [link for link in found if link.key_id not in {*key_ids}]
            left = self._add_other_segments(writing.tm_id, others, codes, by_entry)
            if left:  # a project that contributed to them does so no more
                store.detach_entries(writing, left)
                links = [link for link in links if link.entry_id not in left]
            self._update_entries(writing, by_entry, now)
        entries = [
            MemoryEntry(
                id=new_id(),
                tm_id=writing.tm_id,
                source_text=text,
                context=context,
                created_at=now,
                updated_at=now,
                translations=tuple(
                    found.translation for _, found in sorted(best_of(some).items())
                ),
            )
            for (text, context), some in new.items()
        ]
        if entries:
            store.add_entries(writing, entries, learned=True)
            ids |= {(each.source_text, each.context): each.id for each in entries}
        store.replace_links(
            writing,
            links,
            [
                KeyLink(project.id, each.key_id, each.plural_form, ids[each.texts])
                for each in segments
            ],
        )

    def _add_other_segments(
        self,
        tm_id: str,
        links: Collection[KeyLink],
        codes: Collection[str],
        by_entry: Mapping[str, list[Segment]],
    ) -> set[str]:
        """Add what other keys contribute to these entries to ``by_entry``; return the
        entries linked to a project that left the memory."""
        left: set[str] = set()
        found: list[tuple[str, Segment]] = []
        for project_id in {link.project_id for link in links}:
            entry_ids = {
                (link.key_id, link.plural_form): link.entry_id
                for link in links
                if link.project_id == project_id
            }
            project = self._storage.projects.find(project_id)
            assigned = learning_memories(self._store.list_assigned(project_id))
            modes = {e.memory.id: e.assignment.write_mode for e in assigned}
            if project is None or tm_id not in modes:
                left.update(entry_ids.values())
                continue
            key_ids = {key_id for key_id, _ in entry_ids}
            states = states_of(self._storage.keys, project_id, key_ids)
            for each in segments_of(states.values(), project, modes[tm_id], codes):
                if (each.key_id, each.plural_form) in entry_ids:
                    found.append((entry_ids[each.key_id, each.plural_form], each))
        # a key may have another text by now, which a job has yet to read
        texts = {segment.texts for _, segment in found}
        ids = self._store.entry_ids_by_text(tm_id, texts) if texts else {}
        for entry_id, segment in found:
            if ids.get(segment.texts) == entry_id:
                by_entry[entry_id].append(segment)
        return left

    def _update_entries(
        self,
        writing: MemoryWriting,
        by_entry: Mapping[str, Sequence[Segment]],
        now: Timestamp,
    ) -> None:
        rows = self._store.translations_of(writing.tm_id, list(by_entry))
        changed: list[StoredTranslation] = []
        removed: list[tuple[str, str]] = []
        empty: list[str] = []
        for entry_id, segments in by_entry.items():
            old = {row.translation.language_code: row for row in rows.get(entry_id, ())}
            best, is_empty = best_of(segments), True
            for code in {**old, **best}:
                before = old.get(code)
                after = updated(entry_id, before, best.get(code), now)
                if after is None:
                    removed.append((entry_id, code))
                    continue
                is_empty = False
                if after is not before:
                    changed.append(after)
            if is_empty:
                empty.append(entry_id)
        if empty:
            gone = self._store.remove_entries(writing, empty, only_learned=True)
            removed = [each for each in removed if each[0] not in gone]
        if changed or removed:
            self._store.write_translations(writing, changed, now, removed)

    def run(self, job: StoredJob, work: Work) -> None:
        """Take 500 keys a step, also those that were deleted while the memory did not
        learn."""
        names = self._storage.keys.names_of(job.project_id)
        links = self._store.find_links(project_id=job.project_id)
        ids = sorted({*names.values(), *(link.key_id for link in links)})
        done = 0
        tm_id = job.params.get("tmId")
        while done < len(ids):
            work.check_cancelled()
            with work.step() as step:
                projects = self._storage.projects
                project = get_record(projects, job.project_id, ProjectNotFound)
                assigned = self._store.list_assigned(project.id)
                memories = [
                    each
                    for each in learning_memories(assigned)
                    if tm_id in (None, each.memory.id)
                ]
                some = ids[done : done + KEYS_PER_STEP]
                self.sync_keys(project, memories, some)
                done += len(some)
                step.progress = Progress(done, len(ids))
        with work.finish() as outcome:
            outcome.result = {"keys": len(ids)}

    def _codes_of(self, project_id: str) -> list[str]:
        languages = self._storage.projects.list_languages(project_id)
        return [each.language_code for each in languages]


def languages_of(tm_id: str, codes: Iterable[str]) -> list[MemoryLanguage]:
    """Return new target languages of a memory, with their English names."""
    return [
        MemoryLanguage(new_id(), tm_id, code, language_info(code).label)
        for code in codes
    ]


def learning_memories(assigned: Iterable[AssignedMemory]) -> list[AssignedMemory]:
    """Return those that learn, in the order in which every writer locks them."""
    learning = [each for each in assigned if each.assignment.write_mode != "none"]
    return sorted(learning, key=lambda each: each.memory.id)


def segments_of(
    states: Iterable[KeyState],
    project: Project,
    mode: WriteMode,
    language_codes: Collection[str],
) -> list[Segment]:
    """Return what keys contribute to a memory with these target languages, form by
    form."""
    source_language = project.source_language
    segments: list[Segment] = []
    for state in states:
        rows: dict[str | None, dict[str, StoredValue]] = {}
        for row in state.values:
            rows.setdefault(row.plural_form, {})[row.language_code] = row
        for form, by_code in rows.items():
            source_row = by_code.pop(source_language, None)
            source = _translation_of(source_row, mode) if source_row else None
            text = source.translation.value if source else ""
            if source is None or not text.strip() or len(text) > SOURCE_LENGTH:
                continue
            found = {
                code: translation
                for code, row in by_code.items()
                if code in language_codes
                and (translation := _translation_of(row, mode)) is not None
                and translation.translation.value.strip()
                and _is_up_to_date(translation, row, source)
            }
            if found:
                texts = text, context_of(state.key.key, form)
                segments.append(Segment(state.key.id, form, texts, found))
    return segments


def context_of(key: str, plural_form: str | None) -> str:
    """Return the context of a key's entry: ``bags``, or ``bags[one]`` for a form but
    ``other``."""
    return key if plural_form in (None, "other") else f"{key}[{plural_form}]"


def _translation_of(row: StoredValue, mode: WriteMode) -> SourcedTranslation | None:
    """The approved text of a value; with the mode ``all`` else one pending review."""
    code = row.language_code
    if row.approved_value is not None and row.approved_at is not None:
        value = TermTranslation(
            code, row.approved_value, "approved", row.approved_at, None
        )
        at = row.updated_at if row.status == "approved" else row.approved_at
        return SourcedTranslation(value, at)
    if mode == "all" and row.status == "pending_review":
        draft = TermTranslation(code, row.value, "draft", None, None)
        return SourcedTranslation(draft, row.updated_at)
    return None


def _is_up_to_date(
    found: SourcedTranslation, row: StoredValue, source: SourcedTranslation
) -> bool:
    """Whether it translates the current source text. ``row.is_outdated`` is of the
    newest text. An approved text beside a newer proposal is outdated if the source text
    was written later."""
    if row.status == "approved" or found.translation.status == "draft":
        return not row.is_outdated
    return found.at >= source.at


def best_of(segments: Iterable[Segment]) -> dict[str, SourcedTranslation]:
    """Return the translation of each language: approved before others, then the latest,
    then by key."""
    ranked = sorted(
        (
            (found.translation.status == "approved", found.at),
            (segment.key_id, segment.plural_form or ""),
            code,
            found,
        )
        for segment in segments
        for code, found in segment.translations.items()
    )
    return {code: found for _, _, code, found in ranked}


def updated(
    entry_id: str,
    old: StoredTranslation | None,
    new: SourcedTranslation | None,
    now: Timestamp,
) -> StoredTranslation | None:
    """Return an entry's translation when keys have ``new``; ``old`` if unchanged. What
    was set by hand later than the keys stays, and so does a proposal. The same value
    stays by hand, and is approved if that of a key is."""
    if new is None:
        if old is None or not old.is_learned:
            return old
        if old.translation.proposed_value is None:
            return None
        rest = replace(
            old.translation, value="", status="pending_review", approved_at=None
        )
        return StoredTranslation(entry_id, rest, now)
    translation = new.translation
    if old is not None and not old.is_learned:
        if old.updated_at >= new.at:
            return old
        if old.translation.value == translation.value:
            if old.translation.status == "approved" or translation.status == "draft":
                return old
            approved = replace(
                old.translation, status="approved", approved_at=translation.approved_at
            )
            return StoredTranslation(entry_id, approved, now)
    if old is not None:
        proposed = old.translation.proposed_value
        if proposed != translation.value:
            translation = replace(translation, proposed_value=proposed)
        if old.is_learned and old.translation == translation:
            return old
    return StoredTranslation(entry_id, translation, now, is_learned=True)
