"""What one can do with the history of a value: read it, and go back in it."""

from dataclasses import dataclass

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.service import Branches, BranchScope, require_writable
from locframework.errors import KeyNotFound, LanguageNotFound, ValidationFailed
from locframework.fields import is_id
from locframework.keys.records import (
    HistoryItem,
    HistoryQuery,
    Key,
    KeyWrite,
    Reversion,
    Revision,
    history_item,
)
from locframework.keys.rules import check_form
from locframework.keys.store import store_of
from locframework.keys.writing.writer import KeyWriter
from locframework.languages import tag_from_path
from locframework.pagination import Page
from locframework.projects.service import Languages, Projects, scope_of
from locframework.validation import check_record

from .store import HistoryStorage


@dataclass(eq=False, repr=False)
class History:
    """The revisions of values: one for each change, kept as long as the key."""

    _storage: HistoryStorage
    _projects: Projects
    _branches: Branches
    _languages: Languages
    _writer: KeyWriter
    _access: Access

    def list_revisions(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        query: HistoryQuery = HistoryQuery(),
    ) -> Page[HistoryItem]:
        """Return revisions of all forms in a language, newest first; on a branch,
        main's until the copy, then its own. Raises KeyNotFound, LanguageNotFound."""
        project = self._projects.require(caller, "translation_read", project_id)
        check_record(query, "query")
        scope = self._branches.scope(project, query.branch)
        self._find(scope, key_id)
        tag = self._tag(scope, lang)
        found = store_of(self._storage, scope).list_revisions(key_id, tag, query)
        items = [history_item(each) for each in found.items]
        return Page(items, found.total, found.page, found.limit)

    def revert(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        asked: Reversion,
        *,
        branch: str | None = None,
    ) -> Key:
        """Write the text of a revision again; return the key with its values. Raises
        KeyNotFound, LanguageNotFound, LanguageNotAssigned, ValidationFailed for an
        unknown revision, InvalidPluralForm, BranchProtected."""
        project = self._projects.require(caller, "translation_write", project_id)
        check_record(asked)
        if asked.plural_form is not None:
            check_form(asked.plural_form, "$.pluralForm")

        def write(scope: BranchScope) -> KeyWrite:
            key, tag = self._find(scope, key_id), self._tag(scope, lang)
            self._access.require_language(caller, scope_of(scope.project), tag)
            require_writable(scope)
            found = self._revision(scope, key, tag, asked)
            form = _form_in(key, found)
            return KeyWrite(
                name=key.id,
                key_id=key.id,
                values={tag: found.value if form is None else {form: found.value}},
                keep_fresh=asked.keep_fresh,
            )

        scope = self._branches.scope(project, branch)
        return self._writer.write_key(caller, scope, write, origin="revert")

    def _find(self, scope: BranchScope, key_id: str) -> Key:
        store = store_of(self._storage, scope)
        found = store.find_keys(scope.project.id, [key_id]) if is_id(key_id) else {}
        if key_id not in found:
            raise KeyNotFound
        return found[key_id]

    def _tag(self, scope: BranchScope, lang: str) -> str:
        tag = tag_from_path(lang)
        languages = self._languages.of(scope.project)
        if tag not in {language.language_code for language in languages}:
            raise LanguageNotFound
        return tag

    def _revision(
        self, scope: BranchScope, key: Key, tag: str, asked: Reversion
    ) -> Revision:
        history = store_of(self._storage, scope).revisions_of([key.id], [tag])
        found = [
            each
            for each in history
            if each.revision == asked.revision
            and asked.plural_form in (None, _form_of(each))
        ]
        if not found:
            which = f"form {asked.plural_form}" if asked.plural_form else "value"
            message = f"the {which} has no revision {asked.revision}"
            raise ValidationFailed.at("$.revision", "revision", message)
        if len({_form_of(each) for each in found}) > 1:
            message = "several plural forms have this revision; name one"
            raise ValidationFailed.at("$.pluralForm", "required", message)
        return found[0]


def _form_of(revision: Revision) -> str:
    """Its plural form; the text of a key without plurals goes on as ``other``."""
    return revision.plural_form or "other"


def _form_in(key: Key, revision: Revision) -> str | None:
    """The plural form that the text has its place in by now."""
    if key.is_plural:
        return _form_of(revision)
    if _form_of(revision) == "other":
        return None
    message = "the key no longer has plurals"
    raise ValidationFailed.at("$.pluralForm", "plural", message)
