"""What one can do with a key and its values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from msgspec import UNSET, UnsetType, convert
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.branches.service import Branches, BranchScope, require_writable
from locframework.errors import (
    KeyNotFound,
    LanguageNotFound,
    LanguageNotInProject,
    ValidationFailed,
)
from locframework.fields import is_id
from locframework.files.service import Files
from locframework.formats.records import Detail
from locframework.languages import fold, tag_from_path
from locframework.pagination import Page, read_page
from locframework.projects.records import Project, Severity
from locframework.projects.rules import require_checks
from locframework.projects.service import Languages, Projects
from locframework.quality.check import Checks, Finding, Issue
from locframework.validation import check_record

from .key_fields import given_fields
from .query import cursor_of, filter_of, fingerprint_of, position_of
from .records import (
    PROVENANCE,
    Approval,
    Dismissal,
    DismissedIssue,
    Key,
    KeyChanges,
    KeyDetail,
    KeyPage,
    KeyQuery,
    KeyWrite,
    NewKey,
    NewValue,
    Provenance,
    Rejection,
    ReviewDecision,
    StoredKey,
    StoredValue,
    TrashedKey,
    TrashQuery,
    ValueDetail,
)
from .rules import (
    check_forms,
    check_key,
    check_texts,
    clean_tags,
    in_order,
    new_key_write,
    public_key,
    with_forms_in_order,
)
from .store import KeyStorage, KeyStore, store_of
from .writing.trash import KeyTrash, raise_first
from .writing.writer import KeyWriter, Work, order_of, shown_key


@dataclass(eq=False, repr=False)
class Keys:
    """Keys and their values. ``branch`` is a branch's name or id; None is main.

    With a branch everything raises BranchNotFound and BranchNotOpen.
    """

    _storage: KeyStorage
    _projects: Projects
    _branches: Branches
    _languages: Languages
    _files: Files
    _writer: KeyWriter
    _trash: KeyTrash
    _checks: Checks

    def create_key(
        self, caller: Caller, project_id: str, new: NewKey, *, branch: str | None = None
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
        return replace(self._writer.write_key(caller, scope, write), values=UNSET)

    def get_key(
        self, caller: Caller, project_id: str, key_id: str, *, branch: str | None = None
    ) -> Key:
        """The key with its values in all languages. Raises KeyNotFound."""
        project = self._projects.require(caller, "translation_read", project_id)
        store = store_of(self._storage, self._branches.scope(project, branch))
        key = store.find_key_with_values(project.id, _require_id(key_id))
        if key is None:
            raise KeyNotFound
        return public_key(with_forms_in_order(key))

    def get_detail(
        self, caller: Caller, project_id: str, key_id: str, *, branch: str | None = None
    ) -> KeyDetail:
        """Return what a key has beyond its record. Raises KeyNotFound."""
        project = self._projects.require(caller, "translation_read", project_id)
        store = store_of(self._storage, self._branches.scope(project, branch))
        key = _find(store, project, key_id)
        return _details_of(store, project, [key])[key.id]

    def list_keys(
        self, caller: Caller, project_id: str, query: KeyQuery = KeyQuery()
    ) -> KeyPage:
        """Return a page of the keys that meet every condition.

        Following ``next_cursor`` lists every key once that stays in the list and keeps
        its position, whatever else is created, changed and deleted meanwhile. Raises
        LanguageNotInProject, ValidationFailed, UseCursor. A constant number of
        statements.
        """
        project = self._projects.require(caller, "translation_read", project_id)
        check_record(query, "query")
        fingerprint = fingerprint_of(query, project.id)
        cursor = cursor_of(query, fingerprint)
        languages = self._languages.of(project)
        codes = [language.language_code for language in languages]
        where = filter_of(query, codes, self._checks.shown(project))
        store = store_of(self._storage, self._branches.scope(project, query.branch))
        with self._storage.snapshot():
            found = read_page(
                query,
                cursor,
                fingerprint,
                lambda limit, offset, after: store.list_keys(
                    project.id,
                    where,
                    query.sort,
                    limit=limit,
                    offset=offset,
                    after=after,
                ),
                partial(position_of, sort=query.sort),
            )
            values, details = {}, {}
            if query.include == "values" and found.items:
                values = store.values_of([key.id for key in found.items])
            if query.include == "details":
                details = _details_of(store, project, found.items)
        order = order_of(languages)
        return KeyPage(
            [
                public_key(key)
                if query.include != "values"
                else shown_key(key, values.get(key.id, []), order)
                for key in found.items
            ],
            found.total,
            found.page,
            found.limit,
            found.total_is_exact,
            found.next_cursor,
            details if query.include == "details" else UNSET,
        )

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
        fields = given_fields(changes)
        if changes.tags is not UNSET:
            fields["tags"] = clean_tags(changes.tags)
        if changes.disabled_checks is not UNSET:
            names = changes.disabled_checks
            require_checks(names, self._checks.names, "disabledChecks")
            fields["disabled_checks"] = tuple(dict.fromkeys(names))
        key_id = _require_id(key_id)
        scope = self._branches.scope(project, branch)
        file_id, before = changes.screenshot_file_id, None
        if file_id is None:
            fields["screenshot_url"] = None
        elif file_id is not UNSET:
            fields["screenshot_url"] = self._files.url_of(project, file_id)
            if fields["screenshot_url"] is None:
                raise _no_such_file()
            before = partial(self._use_file, project, file_id)
        write = KeyWrite(name=key_id, key_id=key_id, fields=fields)
        written = self._writer.write_key(caller, scope, write, before=before)
        return replace(written, values=UNSET)

    def delete_key(
        self, caller: Caller, project_id: str, key_id: str, *, branch: str | None = None
    ) -> Key:
        """Move the key to the trash, where it can be restored for 30 days."""
        project = self._projects.require(caller, "key_delete", project_id)

        def work(scope: BranchScope) -> Work[Key]:
            keys = self._writer.load(scope, [_require_id(key_id)], ())
            key = keys.key(key_id)
            if key is None:
                raise KeyNotFound
            require_writable(scope)
            raise_first(self._trash.check_trash(caller, scope, [key]))

            def apply() -> Key:
                self._trash.trash(caller, scope, [key])
                return key

            return lambda _: keys.is_unchanged(), apply

        return self._writer.run(self._branches.scope(project, branch), work)

    def list_trash(
        self, caller: Caller, project_id: str, query: TrashQuery = TrashQuery()
    ) -> Page[TrashedKey]:
        """A page of what can be restored, of a branch its own."""
        project = self._projects.require(caller, "translation_read", project_id)
        check_record(query, "query")
        store = store_of(self._storage, self._branches.scope(project, query.branch))
        search = fold(query.search) if query.search else None
        return store.page_of_trash(project.id, search, query)

    def restore_key(
        self, caller: Caller, project_id: str, key_id: str, *, branch: str | None = None
    ) -> Key:
        """Bring a key back from the trash, with its values.

        Raises KeyNotFound when it is not there, or when main has deleted the key too
        and the branch had changed nothing of it, KeyExists when its name was taken,
        InvalidKey when another key separator made it none.
        """
        project = self._projects.require(caller, "key_delete", project_id)

        def work(scope: BranchScope) -> Work[Key]:
            store = store_of(self._storage, scope)
            ids = [_require_id(key_id)]
            found = store.find_keys(project.id, ids, in_trash=True)
            if key_id not in found:
                raise KeyNotFound
            require_writable(scope)
            key = found[key_id]
            keys = self._writer.load(scope, (), [key.key])
            raise_first(self._trash.check_restore(caller, scope, [key]))

            def apply() -> Key:
                languages = self._languages.of(scope.project)
                self._trash.restore(caller, scope, languages, [key])
                return public_key(_find(store, project, key_id))

            return lambda _: keys.is_unchanged(), apply

        self._writer.prepare_checks(project.id)
        return self._writer.run(self._branches.scope(project, branch), work)

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
        return self.details_of(self._branches.scope(project, branch), key_id, lang)

    def details_of(
        self, scope: BranchScope, key_id: str, lang: str
    ) -> list[ValueDetail]:
        """Return what ``get_value`` does, for a caller who may see it."""
        store = store_of(self._storage, scope)
        key, tag, found = self.find_findings(scope, key_id, lang)
        rows = store.values_of([key.id], [tag]).get(key.id, [])
        given = store.dismissals_of(scope.project.id, [key.id]) if found else []
        dismissals = {each.finding: each for each in given}
        severities = self._checks.shown(scope.project)
        made: dict[str, Provenance] = {}
        if any(row.origin == "ai" for row in rows):
            details = store.details_of(scope.project.id, PROVENANCE, tag, [key.id])
            made = {each.module: convert(each.detail, Provenance) for each in details}
        return [
            value_detail(
                row,
                made.get(row.plural_form or "", UNSET) if row.origin == "ai" else UNSET,
                [
                    shown_issue(each, severities[each.check], dismissals)
                    for each in found
                    if each.plural_form == row.plural_form
                ],
            )
            for row in in_order(rows, {tag: 0})
        ]

    def find_findings(
        self, scope: BranchScope, key_id: str, lang: str
    ) -> tuple[StoredKey, str, list[Finding]]:
        """Return a key, a language tag, and what checks found there, if it is shown.

        Raises KeyNotFound, LanguageNotFound.
        """
        store = store_of(self._storage, scope)
        key, tag = _find(store, scope.project, key_id), self._tag(scope.project, lang)
        found = store.findings_of([key.id]).get((key.id, tag), [])
        shown = self._checks.shown(scope.project)
        return key, tag, [each for each in found if each.check in shown]

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
            return self._writer.write_key(caller, scope, write)
        except LanguageNotInProject:  # of the path, not of the body
            raise LanguageNotFound from None

    def _use_file(self, project: Project, file_id: str) -> None:
        if not self._files.use_files(project, [file_id]):
            raise _no_such_file()

    def _tag(self, project: Project, lang: str) -> str:
        tag = tag_from_path(lang)
        if tag not in self._order(project):
            raise LanguageNotFound
        return tag

    def _order(self, project: Project) -> dict[str, int]:
        return order_of(self._languages.of(project))


def _no_such_file() -> ValidationFailed:
    message = "the project has no such file"
    return ValidationFailed.at("$.screenshotFileId", "file", message)


def _require_id(key_id: str) -> str:
    """Raise KeyNotFound for what cannot be the id of a key."""
    if not is_id(key_id):
        raise KeyNotFound
    return key_id


def _find(store: KeyStore, project: Project, key_id: str) -> StoredKey:
    found = store.find_keys(project.id, [key_id]) if is_id(key_id) else {}
    if key_id not in found:
        raise KeyNotFound
    return found[key_id]


def shown_issue(
    found: Finding, severity: Severity, dismissals: Mapping[tuple[int, str], Dismissal]
) -> Issue:
    """Return a finding as it is shown beside its text: a DismissedIssue, if it is one
    of those dismissed."""
    issue = found.check, severity, found.message, found.start, found.end
    given = dismissals.get((found.texts_hash, found.check))
    if given is None:
        return Issue(*issue)
    return DismissedIssue(*issue, given.reason, given.dismissed_by, given.dismissed_at)


def _details_of(
    store: KeyStore, project: Project, keys: Sequence[StoredKey]
) -> dict[str, KeyDetail]:
    """Return what keys have beyond their records, by id. One statement."""
    files: dict[str, dict[str, Detail]] = {key.id: {} for key in keys}
    for each in store.details_of(project.id, None, "", list(files)):
        files[each.key_id][each.family] = each.detail
    details = {}
    for key in keys:
        detail = convert(key, KeyDetail, from_attributes=True)
        details[key.id] = replace(detail, file_details=files[key.id])
    return details


def value_detail(
    row: StoredValue, provenance: Provenance | UnsetType, issues: Sequence[Issue]
) -> ValueDetail:
    """Return the detail of a value (decisions 2.3.7)."""
    *fields, _, _, _ = ValueDetail.__struct_fields__
    return ValueDetail(
        **{name: getattr(row, name) for name in fields},
        issues=[each for each in issues if not isinstance(each, DismissedIssue)],
        dismissed_issues=[each for each in issues if isinstance(each, DismissedIssue)],
        provenance=provenance,
    )


@dataclass(eq=False, repr=False)
class Review:
    """Approvals and rejections: all plural forms of a language at once."""

    _projects: Projects
    _branches: Branches
    _writer: KeyWriter

    def approve(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        asked: Approval = Approval(),
        *,
        branch: str | None = None,
    ) -> Key:
        """Approve the pending values of a language; return the key with its values.

        Drafts can be approved, and approved values that are outdated: they are up to
        date again. Raises InvalidPluralForm, KeyNotFound, PluralMismatch,
        LanguageNotFound, LanguageNotAssigned, BranchProtected, NothingPending,
        QualityCheckFailed.
        """
        return self._decide(caller, project_id, key_id, lang, asked, branch)

    def reject(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        asked: Rejection = Rejection(),
        *,
        branch: str | None = None,
    ) -> Key:
        """Reject the pending values of a language: the last approved text returns.

        Where there is none, the text stays, as a draft. Raises as ``approve``.
        """
        return self._decide(caller, project_id, key_id, lang, asked, branch)

    def withdraw(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        *,
        branch: str | None = None,
    ) -> Key:
        """Take back the caller's own pending values of a language; needs
        translation_write.

        The last approved text returns; where there is none, the value is cleared.
        Raises KeyNotFound, LanguageNotFound, LanguageNotAssigned, BranchProtected,
        NothingPending.
        """
        project = self._projects.require(caller, "translation_write", project_id)
        decision = ReviewDecision(tag_from_path(lang), "withdraw")
        return self._write(caller, project, key_id, decision, branch)

    def _decide(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        asked: Approval | Rejection,
        branch: str | None,
    ) -> Key:
        project = self._projects.require(caller, "translation_approve", project_id)
        check_record(asked)
        check_forms(asked.revision)
        decision = ReviewDecision(
            tag_from_path(lang),
            "approve" if isinstance(asked, Approval) else "reject",
            revision=asked.revision,
            reason=asked.reason or None if isinstance(asked, Rejection) else None,
        )
        return self._write(caller, project, key_id, decision, branch)

    def _write(
        self,
        caller: Caller,
        project: Project,
        key_id: str,
        decision: ReviewDecision,
        branch: str | None,
    ) -> Key:
        write = KeyWrite(name=key_id, key_id=_require_id(key_id), decision=decision)
        scope = self._branches.scope(project, branch)
        return self._writer.write_key(caller, scope, write)
