"""What one can do with glossaries: create, change, delete, link them to projects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.rules import check_name
from locframework.access.service import Access, LinkedAccess
from locframework.errors import GlossaryNotFound, LanguageExists
from locframework.events import EventLog
from locframework.fields import Clock, new_id, slug, timestamp
from locframework.languages import folded, require_tag
from locframework.pagination import Page
from locframework.projects.rules import changed_fields
from locframework.projects.service import Projects
from locframework.transactions import get_record
from locframework.validation import check_record, given_fields

from .records import (
    Glossary,
    GlossaryChanges,
    GlossaryQuery,
    NewGlossary,
    StoredGlossary,
    TermQuery,
)
from .store import GlossaryStorage


@dataclass(eq=False, repr=False)
class Glossaries:
    """Glossaries; operations on terms and files begin with ``require``."""

    _transactions: GlossaryStorage
    _access: Access
    _linked: LinkedAccess
    _projects: Projects
    _events: EventLog
    _clock: Clock

    def __post_init__(self) -> None:
        self._store = self._transactions.glossaries
        self._terms = self._transactions.terms

    def require(
        self, caller: Caller, permission: str, reference: str
    ) -> StoredGlossary:
        """Return the glossary, by id or slug. Raises PermissionDenied, and
        GlossaryNotFound also for one that the caller cannot see (decisions 2.2)."""
        stored = self._find(reference)
        self._linked.require(caller, permission, stored.reach, GlossaryNotFound())
        return stored

    def visible(self, caller: Caller, reference: str) -> StoredGlossary:
        """Return the glossary for a caller with any permission there. Raises
        GlossaryNotFound."""
        stored = self._find(reference)
        if not self._linked.sees(caller, stored.reach):
            raise GlossaryNotFound
        return stored

    def lock(self, stored: StoredGlossary) -> StoredGlossary:
        """Lock the glossary in a transaction, and return it as it is now."""
        locked = self._store.lock(stored.id)
        if locked is None:
            raise GlossaryNotFound
        return locked

    def emit(
        self,
        caller: Caller,
        stored: StoredGlossary,
        type_: str,
        items: Sequence[Mapping[str, object]],
        project_ids: Sequence[str] = (),
    ) -> None:
        """Append an event of a glossary in the open transaction (decisions 2.7). One
        for each project: of ``project_ids``, else for all that are linked; if there are
        none, one of the organization."""
        named = [{"glossaryId": stored.id, **item} for item in items]
        for project_id in project_ids or stored.glossary.project_ids or (None,):
            self._events.append(
                f"glossary.{type_}",
                organization_id=stored.organization_id,
                project_id=project_id,
                actor=caller.actor,
                items=named,
            )

    def create_glossary(self, caller: Caller, new: NewGlossary) -> Glossary:
        """Create a glossary. Raises OrganizationNotFound, PermissionDenied,
        ValidationFailed, NameExists."""
        reference = self._access.default_organization(caller, new.organization_id)
        organization = self._access.require_organization(
            caller, "glossary_manage", reference
        )
        check_record(new)
        id_, now, name = new_id(), timestamp(self._clock()), check_name(new.name)
        glossary = Glossary(
            id=id_,
            slug=slug(name, id_),
            name=name,
            source_language=require_tag(new.source_language, "$.sourceLanguage"),
            requires_approval=new.requires_approval,
            project_ids=(),
            term_count=0,
            created_at=now,
            updated_at=now,
        )
        with self._transactions.transaction():
            self._store.insert(StoredGlossary(glossary, organization.id, revision=0))
        return glossary

    def list_glossaries(
        self, caller: Caller, query: GlossaryQuery = GlossaryQuery()
    ) -> Page[Glossary]:
        """List the glossaries that the caller may read, by name. Raises
        ProjectNotFound."""
        scopes = self._access.scopes(caller, "glossary_read")
        check_record(query, "query")
        found = self._store.list_glossaries(
            scopes,
            query,
            search=folded(query.search or ""),
            project_id=self._projects.seen_id(caller, query.project_id),
        )
        items = [self._shown(caller, each) for each in found.items]
        return Page(items, found.total, found.page, found.limit)

    def get_glossary(self, caller: Caller, reference: str) -> Glossary:
        """Return a glossary. Raises GlossaryNotFound, PermissionDenied."""
        return self._shown(caller, self.require(caller, "glossary_read", reference))

    def update_glossary(
        self, caller: Caller, reference: str, changes: GlossaryChanges
    ) -> Glossary:
        """Change a glossary; pending proposals stay if approval is no longer required.
        Raises GlossaryNotFound, PermissionDenied, ValidationFailed, NameExists;
        LanguageExists for a source language that terms are translated into."""
        stored = self.require(caller, "glossary_manage", reference)
        check_record(changes)
        with self._transactions.transaction():
            old = self.lock(stored)
            fields = given_fields(changes)
            if changes.name is not UNSET:
                name = check_name(changes.name)
                fields |= {"name": name, "slug": slug(name, old.id)}
            if changes.source_language is not UNSET:
                tag = require_tag(changes.source_language, "$.sourceLanguage")
                fields["source_language"] = tag
            new = replace(old.glossary, **fields)
            if new.source_language != old.source_language:
                self._require_no_target(new)
            if new != old.glossary:
                new = replace(new, updated_at=timestamp(self._clock()))
                self._store.update(replace(old, glossary=new))
                item = {"fields": changed_fields(old.glossary, new)}
                self.emit(caller, old, "updated", [item])
        return self._shown(caller, replace(old, glossary=new))

    def delete_glossary(self, caller: Caller, reference: str) -> Glossary:
        """Delete the glossary with its terms."""
        stored = self.require(caller, "glossary_manage", reference)
        with self._transactions.transaction():
            old = self.lock(stored)
            self._store.delete(old.id, timestamp(self._clock()))
            self.emit(caller, old, "detached", [{}])
        return old.glossary

    def attach(self, caller: Caller, project_id: str, reference: str) -> Glossary:
        """Link a glossary to a project of its organization; again changes nothing.
        Raises ProjectNotFound, PermissionDenied, GlossaryNotFound."""
        return self._set_link(caller, project_id, reference, is_linked=True)

    def detach(self, caller: Caller, project_id: str, reference: str) -> Glossary:
        """Unlink a glossary. Raises as above; GlossaryNotFound if it is not linked."""
        return self._set_link(caller, project_id, reference, is_linked=False)

    def _set_link(
        self, caller: Caller, project_id: str, reference: str, *, is_linked: bool
    ) -> Glossary:
        project = self._projects.require(caller, "project_update", project_id)
        stored = self.visible(caller, reference)
        if stored.organization_id != project.organization_id:
            raise GlossaryNotFound
        with self._transactions.transaction():
            self._projects.lock(project)
            old = self.lock(stored)
            if self._store.set_link(old.id, project.id, is_linked=is_linked):
                type_ = "attached" if is_linked else "detached"
                self.emit(caller, old, type_, [{}], [project.id])
            elif not is_linked:
                raise GlossaryNotFound
            return self._shown(caller, self._find(old.id))

    def _find(self, reference: str) -> StoredGlossary:
        return get_record(self._store, reference, GlossaryNotFound)

    def _require_no_target(self, glossary: Glossary) -> None:
        tag = glossary.source_language
        query = TermQuery(limit=1, language_code=tag)
        if self._terms.list_terms(glossary.id, query).total:
            message = f"terms are translated into {tag}: clear these translations first"
            raise LanguageExists(message)

    def _shown(self, caller: Caller, stored: StoredGlossary) -> Glossary:
        """Return the glossary with those of its projects that the caller can see."""
        seen = self._linked.seen(caller, stored.reach)
        return replace(stored.glossary, project_ids=seen)
