"""Translation memories, their target languages and their use in projects."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic

from msgspec import UNSET, structs
from msgspec.structs import replace

from locframework.access.records import Caller, Reach
from locframework.access.rules import check_name
from locframework.access.service import Access, LinkedAccess
from locframework.errors import (
    LanguageExists,
    LanguageNotFound,
    TmNotFound,
    ValidationFailed,
)
from locframework.fields import Clock, id_from_reference, new_id, slug, timestamp
from locframework.jobs.work import pause_after
from locframework.languages import (
    folded,
    language_info,
    require_tag,
    same_language,
    tag_from_path,
)
from locframework.pagination import Page, PageRequest, page_of
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.transactions import crash_point, get_record
from locframework.validation import check_record, given_fields

from .records import (
    Assignment,
    MemoryChanges,
    MemoryLanguage,
    MemoryQuery,
    MemoryWriting,
    NewAssignment,
    NewMemory,
    NewMemoryLanguage,
    StoredMemory,
    TranslationMemory,
)
from .store import MemoryStorage
from .tm_sync import TmSync, languages_of

ENTRIES_PER_STEP = 2000  # whose translations in a removed language are deleted


@dataclass(eq=False, repr=False)
class Memories:
    """Translation memories of organizations. A caller bound to projects reaches those
    that are assigned to one of theirs."""

    _storage: MemoryStorage
    _access: Access
    _linked: LinkedAccess
    _projects: Projects
    _sync: TmSync
    _clock: Clock
    _forget: Callable[[str], None]  # called with the id of each deleted memory

    def __post_init__(self) -> None:
        self._store = self._storage.memories

    def require(self, caller: Caller, permission: str, reference: str) -> StoredMemory:
        """Return the memory, by id or slug. Raise PermissionDenied, and TmNotFound also
        for one that the caller cannot reach."""
        stored = self._find(reference)
        reach = self.reach(caller, stored)
        self._linked.require(caller, permission, reach, TmNotFound())
        return stored

    def visible(self, caller: Caller, reference: str) -> StoredMemory:
        """Return the memory, for a caller with any permission that reaches it."""
        stored = self._find(reference)
        if not self._linked.sees(caller, self.reach(caller, stored)):
            raise TmNotFound
        return stored

    def reach(self, caller: Caller, stored: StoredMemory) -> Reach:
        """Return the organization of the memory, and its projects if they matter."""
        bound = any(grant.project_ids is not None for grant in caller.grants)
        linked = self._store.projects_of(stored.id) if bound else ()
        return Reach(stored.organization_id, tuple(linked))

    def may(self, caller: Caller, permission: str, stored: StoredMemory) -> bool:
        """Return whether ``require`` would let the caller pass."""
        return self._linked.may(caller, permission, self.reach(caller, stored))

    def begin(self, tm_id: str) -> MemoryWriting:
        """Lock the memory in a transaction, to write its entries."""
        writing = self._store.begin(tm_id)
        if writing is None:
            raise TmNotFound
        return writing

    def create_memory(self, caller: Caller, new: NewMemory) -> TranslationMemory:
        """Create a memory with its first target languages. Raise OrganizationNotFound,
        PermissionDenied, ValidationFailed, LanguageExists, NameExists."""
        reference = self._access.default_organization(caller, new.organization_id)
        organization = self._access.require_organization(caller, "tm_manage", reference)
        check_record(new)
        id_, name, now = new_id(), check_name(new.name), timestamp(self._clock())
        memory = TranslationMemory(
            id=id_,
            slug=slug(name, id_),
            name=name,
            source_language=require_tag(new.source_language, "$.sourceLanguage"),
            min_match_percentage=new.min_match_percentage,
            penalties=new.penalties,
            requires_approval=new.requires_approval,
            entry_count=0,
            created_at=now,
            updated_at=now,
        )
        tags = [
            require_tag(code, f"$.languageCodes[{at}]")
            for at, code in enumerate(new.language_codes)
        ]
        _require_target(memory, tags)
        with self._storage.transaction():
            self._store.insert(StoredMemory(memory, organization.id))
            self._store.add_languages(languages_of(id_, dict.fromkeys(tags)))
        return memory

    def list_memories(
        self, caller: Caller, query: MemoryQuery = MemoryQuery()
    ) -> Page[TranslationMemory]:
        """Return those that the caller may read, by name. Raise ProjectNotFound."""
        check_record(query, "query")
        scopes = self._access.scopes(caller, "tm_read")
        return self._store.list_memories(
            scopes,
            query,
            search=folded(query.search or ""),
            project_id=self._projects.seen_id(caller, query.project_id),
        )

    def get_memory(self, caller: Caller, reference: str) -> TranslationMemory:
        """Return a memory. Raise TmNotFound, PermissionDenied."""
        return self.require(caller, "tm_read", reference).memory

    def update_memory(
        self, caller: Caller, reference: str, changes: MemoryChanges
    ) -> TranslationMemory:
        """Change a memory. Raise TmNotFound, PermissionDenied, ValidationFailed,
        NameExists."""
        found = self.require(caller, "tm_manage", reference)
        check_record(changes)
        with self._storage.transaction():
            old = self._store.lock(found.id)
            if old is None:
                raise TmNotFound
            fields = given_fields(changes)
            if changes.name is not UNSET:
                name = check_name(changes.name)
                fields |= {"name": name, "slug": slug(name, old.id)}
            if changes.penalties is not UNSET:
                penalties = given_fields(changes.penalties)
                fields["penalties"] = replace(old.memory.penalties, **penalties)
            new = replace(old.memory, **fields)
            if new != old.memory:
                new = replace(new, updated_at=timestamp(self._clock()))
                self._store.update(StoredMemory(new, old.organization_id))
        return new

    def delete_memory(self, caller: Caller, reference: str) -> TranslationMemory:
        """Delete the memory with its entries; no project uses it any more."""
        found = self.require(caller, "tm_manage", reference)
        with self._storage.transaction():
            self._store.lock(found.id)
            self._store.delete(found.id, timestamp(self._clock()))
            self._storage.after_commit(partial(self._forget, found.id))
        return found.memory

    # target languages

    def list_languages(
        self, caller: Caller, tm_id: str, page: PageRequest = PageRequest()
    ) -> Page[MemoryLanguage]:
        """Return target languages as they were added, or as asked. Raise TmNotFound."""
        stored = self.require(caller, "tm_read", tm_id)
        check_record(page, "query")
        found = self._store.list_languages([stored.id])
        return page_of(found, page)

    def add_language(
        self, caller: Caller, tm_id: str, new: NewMemoryLanguage
    ) -> MemoryLanguage:
        """Add a target language (service.md). Raise TmNotFound, ValidationFailed;
        LanguageExists also for the source language."""
        stored = self.require(caller, "tm_manage", tm_id)
        check_record(new)
        tag = require_tag(new.language_code, "$.languageCode")
        label = language_info(tag).label
        if new.label is not UNSET:
            label = check_name(new.label, "$.label")
        language = MemoryLanguage(new_id(), stored.id, tag, label)
        _require_target(stored.memory, [tag])
        with self._storage.transaction():
            self.begin(stored.id)
            if self._find_language(stored, tag) is not None:
                raise LanguageExists(f"the memory has the language {tag} already")
            self._sync.add_languages(stored.id, [language])
        return language

    def remove_language(self, caller: Caller, tm_id: str, lang: str) -> MemoryLanguage:
        """Remove a language with its translations, and learned entries without others.
        In steps of 2,000 entries; after an interruption, the caller removes it again.
        Raise TmNotFound, LanguageNotFound."""
        stored = self.require(caller, "tm_manage", tm_id)
        tag = tag_from_path(lang)
        position = 0
        while True:
            begun = monotonic()
            with self._storage.transaction():
                writing = self.begin(stored.id)
                language = self._find_language(stored, tag)
                if language is None:
                    raise LanguageNotFound
                next_position = self._store.delete_language(
                    writing, tag, position, ENTRIES_PER_STEP
                )
            if next_position is None:
                return language
            position = next_position
            crash_point("tm_language.after_step")
            pause_after(begun)

    # use in projects

    def list_assignments(
        self, caller: Caller, project_id: str, page: PageRequest = PageRequest()
    ) -> Page[Assignment]:
        """Return a project's assignments by priority. Raise ProjectNotFound."""
        project = self._projects.require(caller, "project_read", project_id)
        check_record(page, "query")
        found = [each.assignment for each in self._store.list_assigned(project.id)]
        return page_of(found, page)

    def get_assignment(self, caller: Caller, project_id: str, tm_id: str) -> Assignment:
        """Return how a project uses a memory. Raise ProjectNotFound, TmNotFound."""
        project = self._projects.require(caller, "project_read", project_id)
        return self._require_assignment(project, tm_id)

    def assign(
        self,
        caller: Caller,
        project_id: str,
        tm_id: str,
        new: NewAssignment = NewAssignment(),
    ) -> Assignment:
        """Let the project use the memory, or change how.

        A memory that begins to learn gets the project's target languages, and a job
        reads the existing values. Both must be of one organization and source language.
        Raise ProjectNotFound, TmNotFound, ValidationFailed.
        """
        project = self._projects.require(caller, "project_update", project_id)
        check_record(new)
        stored = self.visible(caller, tm_id)
        if stored.organization_id != project.organization_id:
            raise TmNotFound
        assignment = Assignment(stored.id, **structs.asdict(new))
        with self._storage.transaction():
            project = self._projects.lock(project)
            mine, theirs = stored.memory.source_language, project.source_language
            if not same_language(mine, theirs):
                raise ValidationFailed.at(
                    "path.tmId",
                    "language",
                    f"the memory's source language is {mine}, the project's {theirs}",
                )
            self.begin(stored.id)
            old = self._find_assignment(project, stored.id)
            before = "none" if old is None else old.write_mode
            self._store.assign(project.id, stored.id, assignment)
            if before == "none" and new.write_mode != "none":
                self._sync.add_project_languages(project, stored.memory)
            if new.write_mode not in ("none", before):
                self._sync.start_job(project, stored.id)
        return assignment

    def unassign(self, caller: Caller, project_id: str, tm_id: str) -> Assignment:
        """Stop a project from using the memory. Raise ProjectNotFound, TmNotFound."""
        project = self._projects.require(caller, "project_update", project_id)
        with self._storage.transaction():
            self._projects.lock(project)
            found = self._require_assignment(project, tm_id)
            self.begin(found.tm_id)
            self._store.assign(project.id, found.tm_id, None)
        return found

    def _find(self, reference: str) -> StoredMemory:
        return get_record(self._store, reference, TmNotFound)

    def _find_language(self, stored: StoredMemory, tag: str) -> MemoryLanguage | None:
        languages = self._store.list_languages([stored.id])
        return next((each for each in languages if each.language_code == tag), None)

    def _find_assignment(
        self, project: Project, tm_id: str | None
    ) -> Assignment | None:
        assigned = self._store.list_assigned(project.id)
        return next((e.assignment for e in assigned if e.memory.id == tm_id), None)

    def _require_assignment(self, project: Project, reference: str) -> Assignment:
        found = self._find_assignment(project, id_from_reference(reference))
        if found is None:
            raise TmNotFound
        return found


def _require_target(memory: TranslationMemory, tags: Sequence[str]) -> None:
    if memory.source_language in tags:
        message = f"{memory.source_language} is the memory's source language"
        raise LanguageExists(message)
