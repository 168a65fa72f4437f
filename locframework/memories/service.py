"""What one can do with translation memories. ``require`` begins all that is below."""

from collections.abc import Callable, Sequence
from functools import partial

from locframework.access.linked import LinkedAccess
from locframework.access.records import Caller, Reach
from locframework.access.rules import require_caller
from locframework.access.service import Access
from locframework.errors import TmNotFound
from locframework.fields import Clock, id_from_reference, timestamp
from locframework.languages import folded
from locframework.pagination import Page
from locframework.projects.service import Projects
from locframework.transactions import Transactions
from locframework.validation import check_record, require_record

from .records import (
    KeptMemory,
    MemoryChanges,
    MemoryQuery,
    MemoryWriting,
    NewMemory,
    TranslationMemory,
)
from .rules import changed_memory, new_languages, new_memory
from .store import MemoryStore


class Memories:
    """Translation memories of organizations.

    A caller bound to projects reaches those that are assigned to one of theirs.
    ``forget`` are told of each that was deleted (matcher and concordancer keep copies).
    """

    def __init__(
        self,
        store: MemoryStore,
        transactions: Transactions,
        access: Access,
        linked: LinkedAccess,
        projects: Projects,
        clock: Clock,
        forget: Sequence[Callable[[str], None]],
    ) -> None:
        self._store = store
        self._transactions = transactions
        self._access = access
        self._linked = linked
        self._projects = projects
        self._clock = clock
        self._forget = forget

    def require(self, caller: Caller, permission: str, reference: str) -> KeptMemory:
        """The memory, by id or slug, for a caller with the permission on it.

        Raises TmNotFound, the same for one that does not exist and for one that the
        caller cannot reach, and PermissionDenied.
        """
        kept = self._find(reference)
        reach = self.reach(caller, kept)
        self._linked.require(caller, permission, reach, TmNotFound())
        return kept

    def visible(self, caller: Caller, reference: str) -> KeptMemory:
        """The memory, for a caller with any permission that reaches it."""
        kept = self._find(reference)
        if not self._linked.sees(caller, self.reach(caller, kept)):
            raise TmNotFound
        return kept

    def reach(self, caller: Caller, kept: KeptMemory) -> Reach:
        """Where the memory is, as far as it matters to the caller."""
        bound = any(
            grant.project_ids is not None for grant in require_caller(caller).grants
        )
        linked = self._store.projects_of(kept.memory.id) if bound else ()
        return Reach(kept.organization_id, tuple(linked))

    def may(self, caller: Caller, permission: str, kept: KeptMemory) -> bool:
        """Whether ``require`` would let pass."""
        return self._linked.may(caller, permission, self.reach(caller, kept))

    def judge(self, caller: Caller, kept: KeptMemory) -> Callable[[str], bool]:
        """``may``, for whoever asks by permission alone."""
        return lambda permission: self.may(caller, permission, kept)

    def begin(self, tm_id: str) -> MemoryWriting:
        """In a transaction: lock the memory, to write its entries."""
        writing = self._store.begin(tm_id)
        if writing is None:
            raise TmNotFound
        return writing

    def create_memory(self, caller: Caller, new: NewMemory) -> TranslationMemory:
        """A new memory, with its first target languages if any are named.

        Raises OrganizationNotFound, PermissionDenied, ValidationFailed,
        LanguageExists.
        """
        require_record(new)
        reference = self._access.default_organization(caller, new.organization_id)
        organization = self._access.require_organization(caller, "tm_manage", reference)
        check_record(new)
        memory = new_memory(new, timestamp(self._clock()))
        languages = new_languages(memory, new.language_codes, "$.languageCodes")
        with self._transactions.transaction():
            self._store.insert(KeptMemory(memory, organization.id))
            self._store.add_languages(languages)
        return memory

    def list_memories(
        self, caller: Caller, query: MemoryQuery
    ) -> Page[TranslationMemory]:
        """Those the caller may read, by name.

        Raises ProjectNotFound for a ``project_id`` that the caller cannot see.
        """
        check_record(query, "query")
        scopes = self._access.scopes(caller, "tm_read")
        return self._store.list_memories(
            scopes,
            query,
            search=folded(query.search or ""),
            project_id=self._projects.seen_id(caller, query.project_id),
        )

    def get_memory(self, caller: Caller, reference: str) -> TranslationMemory:
        """Raises TmNotFound, PermissionDenied."""
        return self.require(caller, "tm_read", reference).memory

    def update_memory(
        self, caller: Caller, reference: str, changes: MemoryChanges
    ) -> TranslationMemory:
        """Raises TmNotFound, PermissionDenied, ValidationFailed."""
        found = self.require(caller, "tm_manage", reference)
        check_record(changes)
        with self._transactions.transaction():
            self._store.lock(found.memory.id)
            old = self._find(found.memory.id)
            new = changed_memory(old.memory, changes, timestamp(self._clock()))
            if new is not old.memory:
                self._store.update(KeptMemory(new, old.organization_id))
        return new

    def delete_memory(self, caller: Caller, reference: str) -> TranslationMemory:
        """Delete the memory and all it holds; no project uses it any more."""
        found = self.require(caller, "tm_manage", reference)
        with self._transactions.transaction():
            self._store.lock(found.memory.id)
            self._store.delete(found.memory.id, timestamp(self._clock()))
            for forget in self._forget:
                self._transactions.after_commit(partial(forget, found.memory.id))
        return found.memory

    def _find(self, reference: str) -> KeptMemory:
        id_ = id_from_reference(reference)
        found = self._store.find(id_) if id_ is not None else None
        if found is None:
            raise TmNotFound
        return found
