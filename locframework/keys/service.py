"""What one can do with a key and its values."""

from collections.abc import Mapping, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.branches.records import BranchScope
from locframework.branches.service import Branches, require_writable
from locframework.errors import (
    KeyNotFound,
    LanguageNotFound,
    LanguageNotInProject,
    ValidationFailed,
)
from locframework.fields import is_id
from locframework.files.service import Files
from locframework.languages import fold, tag_from_path
from locframework.paging import CursorPage, Page
from locframework.projects.languages import Languages
from locframework.projects.records import Language, Project
from locframework.projects.service import Projects
from locframework.quality.records import Issue
from locframework.quality.service import Checks
from locframework.storage import Storage
from locframework.transactions import crash_point
from locframework.validation import check_record

from .bodies import new_key_write
from .query import filter_of
from .records import (
    Key,
    KeyChanges,
    KeyQuery,
    KeyWrite,
    NewKey,
    NewValue,
    StoredValue,
    TrashedKey,
    TrashQuery,
    ValueDetail,
)
from .rules import (
    check_key,
    check_texts,
    clean_tags,
    in_order,
    shown_value,
    with_forms_in_order,
)
from .store import KeyStore, store_of
from .trash import KeyTrash
from .walking import page_of, start_of
from .writer import KeyWriter


class Keys:
    """Keys and their values. ``branch`` is a branch's name or id; None is main.

    With a branch everything raises BranchNotFound and BranchNotOpen.
    """

    def __init__(
        self,
        storage: Storage,
        projects: Projects,
        branches: Branches,
        languages: Languages,
        files: Files,
        writer: KeyWriter,
        moves: KeyTrash,
        checks: Checks,
    ) -> None:
        self._storage = storage
        self._projects = projects
        self._branches = branches
        self._languages = languages
        self._files = files
        self._writer = writer
        self._moves = moves
        self._checks = checks

    def create_key(
        self,
        caller: Caller,
        project_id: str,
        new: NewKey,
        *,
        branch: str | None = None,
    ) -> Key:
        """A new key, with values if any are given; answered without ``values``.

        Needs key_create, and translation_write for values. Raises InvalidKey,
        LanguageNotInProject, PluralMismatch, InvalidPluralForm, LanguageNotAssigned,
        BranchProtected, KeyExists. Source: service.md, create a key.
        """
        project = self._projects.require(caller, "key_create", project_id)
        check_record(new)
        if new.values:
            self._projects.require_also(caller, "translation_write", project)
        codes = self._order(project) if new.values else ()
        write = new_key_write(new, codes, project.key_separator)
        scope = self._branches.scope(project, branch)
        return replace(self._write(caller, scope, write), values=UNSET)

    def get_key(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        *,
        branch: str | None = None,
    ) -> Key:
        """The key with its values in all languages. Raises KeyNotFound."""
        project = self._projects.require(caller, "translation_read", project_id)
        store = store_of(self._storage, self._branches.scope(project, branch))
        key = store.find_key_with_values(project.id, _require_id(key_id))
        if key is None:
            raise KeyNotFound
        return with_forms_in_order(key)

    def list_keys(
        self, caller: Caller, project_id: str, query: KeyQuery
    ) -> CursorPage[Key]:
        """A page of the keys that meet every condition; stable in its order.

        Walked by ``next_cursor``, every key that is in the list all the time and whose
        place in the order stays is listed once, whatever else is made, changed and
        deleted meanwhile. Raises LanguageNotInProject, ValidationFailed. A constant
        number of statements, whatever the page.
        """
        project = self._projects.require(caller, "translation_read", project_id)
        check_record(query, "query")
        start = start_of(query, project.id)
        languages = self._languages.of(project)
        codes = [language.language_code for language in languages]
        where = filter_of(query, codes, self._checks.shown(project))
        store = store_of(self._storage, self._branches.scope(project, query.branch))
        with self._storage.snapshot():
            page = page_of(store, project.id, where, query, start)
            if query.include is None or not page.items:
                return page
            values = store.values_of([key.id for key in page.items])
        order = order_of(languages)
        items = [
            self._writer.shown(key, values.get(key.id, []), order) for key in page.items
        ]
        return replace(page, items=items)

    def update_key(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        changes: KeyChanges,
        *,
        branch: str | None = None,
    ) -> Key:
        """Rename, describe, tag, name a screenshot, turn plurals on and off.

        Values stay. Needs key_update, and translation_write to turn plurals where
        there are values. Raises ValidationFailed, KeyNotFound, InvalidKey,
        BranchProtected, KeyExists.
        """
        project = self._projects.require(caller, "key_update", project_id)
        check_record(changes)
        if changes.key is not UNSET:
            check_key(changes.key, project.key_separator)
        tags = UNSET if changes.tags is UNSET else clean_tags(changes.tags)
        write = KeyWrite(
            name=key_id,
            key_id=_require_id(key_id),
            rename=changes.key,
            description=changes.description,
            tags=tags,
            is_plural=changes.is_plural,
            screenshot_file_id=changes.screenshot_file_id,
            screenshot_url=UNSET if changes.screenshot_file_id is UNSET else None,
        )
        scope = self._branches.scope(project, branch)
        if isinstance(write.screenshot_file_id, str):
            written = self._write_with_file(caller, scope, write)
        else:
            written = self._write(caller, scope, write)
        return replace(written, values=UNSET)

    def delete_key(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        *,
        branch: str | None = None,
    ) -> Key:
        """Move the key to the trash, where it can be restored for 30 days."""
        project = self._projects.require(caller, "key_delete", project_id)
        scope = self._branches.scope(project, branch)
        with self._storage.transaction():
            scope = self._branches.lock_scope(scope)
            store = store_of(self._storage, scope)
            key = _find(store, project, key_id)
            require_writable(scope)
            self._moves.trash(caller, scope, [key])
        return key

    def list_trash(
        self, caller: Caller, project_id: str, query: TrashQuery
    ) -> Page[TrashedKey]:
        """A page of what can be restored, of a branch its own."""
        project = self._projects.require(caller, "translation_read", project_id)
        check_record(query, "query")
        store = store_of(self._storage, self._branches.scope(project, query.branch))
        search = fold(query.search) if query.search else None
        return store.page_of_trash(project.id, search, query)

    def restore_key(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        *,
        branch: str | None = None,
    ) -> Key:
        """Bring a key back from the trash, with its values.

        Raises KeyNotFound when it is not there, or when main has deleted the key too
        and the branch had changed nothing of it, KeyExists when its name was taken,
        InvalidKey when another key separator made it none.
        """
        project = self._projects.require(caller, "key_delete", project_id)
        scope = self._branches.scope(project, branch)
        self._writer.findings.prepare(project.id)
        with self._storage.transaction():
            scope = self._branches.lock_scope(scope)
            store = store_of(self._storage, scope)
            found = store.trashed(project.id, [_require_id(key_id)])
            if key_id not in found:
                raise KeyNotFound
            require_writable(scope)
            languages = self._languages.of(project)
            self._moves.restore(caller, scope, languages, [found[key_id]])
            return _find(store, project, key_id)

    def get_value(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        *,
        branch: str | None = None,
    ) -> list[ValueDetail]:
        """The value in one language in detail: one element, or one a plural form.

        Empty when there is no text. Raises KeyNotFound, LanguageNotFound.
        """
        project = self._projects.require(caller, "translation_read", project_id)
        store = store_of(self._storage, self._branches.scope(project, branch))
        key = _find(store, project, key_id)
        tag = self._tag(project, lang)
        rows = store.values_of([key.id], [tag]).get(key.id, [])
        found = store.findings_of([key.id]).get((key.id, tag), []) if rows else []
        issues = self._checks.issues(project, found)
        return [value_detail(row, issues) for row in in_order(rows, {tag: 0})]

    def set_value(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        new: NewValue,
        *,
        branch: str | None = None,
    ) -> Key:
        """Write one value; "" clears it. Answers the key with all its values.

        An approver's text is approved, another's is pending_review beside the last
        approved one (service.md, States). Forms that are not named stay. Raises
        KeyNotFound, LanguageNotFound, PluralMismatch, InvalidPluralForm,
        LanguageNotAssigned, BranchProtected.
        """
        project = self._projects.require(caller, "translation_write", project_id)
        check_record(new)
        check_texts(new.value, "$.value")
        scope = self._branches.scope(project, branch)
        tag = tag_from_path(lang)
        write = KeyWrite(
            name=key_id,
            key_id=_require_id(key_id),
            values={tag: new.value},
            places={tag: "$.value"},
            keep_fresh=new.keep_fresh,
        )
        try:
            return self._write(caller, scope, write)
        except LanguageNotInProject:  # of the path, not of the body
            raise LanguageNotFound from None

    def _write_with_file(
        self, caller: Caller, scope: BranchScope, write: KeyWrite
    ) -> Key:
        self._writer.findings.prepare(scope.project.id)
        with self._storage.transaction():
            file_id = str(write.screenshot_file_id)
            url = self._files.use_files(scope.project, [file_id]).get(file_id)
            if url is None:
                message = "the project has no such file"
                raise ValidationFailed.at("$.screenshotFileId", "file", message)
            return self._written(caller, scope, replace(write, screenshot_url=url))

    def _write(self, caller: Caller, scope: BranchScope, write: KeyWrite) -> Key:
        self._writer.findings.prepare(scope.project.id)
        return self._written(caller, scope, write)

    def _written(self, caller: Caller, scope: BranchScope, write: KeyWrite) -> Key:
        with self._storage.transaction():
            scope = self._branches.lock_scope(scope)
            languages = self._languages.of(scope.project)
            [written] = self._writer.write(caller, scope, languages, [write])
            require_writable(scope)
            crash_point("keys.before_commit")
        crash_point("keys.after_commit")
        return written.key

    def _tag(self, project: Project, lang: str) -> str:
        tag = tag_from_path(lang)
        if tag not in self._order(project):
            raise LanguageNotFound
        return tag

    def _order(self, project: Project) -> dict[str, int]:
        return order_of(self._languages.of(project))


def _require_id(key_id: str) -> str:
    """Raise KeyNotFound for what cannot be the id of a key."""
    if not is_id(key_id):
        raise KeyNotFound
    return key_id


def _find(store: KeyStore, project: Project, key_id: str) -> Key:
    key = store.find_key(project.id, key_id) if is_id(key_id) else None
    if key is None:
        raise KeyNotFound
    return key


def order_of(languages: Sequence[Language]) -> dict[str, int]:
    """The place of each language in its project, by tag."""
    return {language.language_code: at for at, language in enumerate(languages)}


def value_detail(
    row: StoredValue, issues: Mapping[str | None, list[Issue]]
) -> ValueDetail:
    """The detail read of a value (decisions 2.3.6); ``issues`` by plural form."""
    known = shown_value(row)
    return ValueDetail(
        language_code=known.language_code,
        value=known.value,
        status=known.status,
        plural_form=known.plural_form,
        is_outdated=known.is_outdated,
        revision=row.revision,
        origin=row.origin,
        approved_value=row.approved_value,
        approved_at=row.approved_at,
        approved_by=row.approved_by,
        updated_at=row.updated_at,
        updated_by=row.updated_by,
        issues=issues.get(row.plural_form, []),
    )
