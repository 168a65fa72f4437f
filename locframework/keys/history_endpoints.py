"""The history of values over HTTP."""

from locframework.access.records import Caller
from locframework.errors import (
    BranchNotFound,
    BranchNotOpen,
    BranchProtected,
    InvalidPluralForm,
    KeyNotFound,
    LanguageNotAssigned,
    LanguageNotFound,
    ProjectNotFound,
    WriteRefused,
)
from locframework.http.operation import operation
from locframework.http.records import BranchQuery
from locframework.paging import Page

from .endpoints import FullKeyAnswer
from .history import History
from .revisions import HistoryItem, HistoryQuery, Reversion

_FOUND = (
    ProjectNotFound,
    BranchNotFound,
    KeyNotFound,
    LanguageNotFound,
    BranchNotOpen,
)


class HistoryEndpoints:
    """Declares the operations on the revisions of values."""

    def __init__(self, history: History) -> None:
        self._history = history

    @operation(
        "GET",
        "/projects/{projectId}/keys/{keyId}/values/{lang}/history",
        permission="translation_read",
        errors=_FOUND,
        tag="Values",
    )
    def list_revisions(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        query: HistoryQuery,
    ) -> Page[HistoryItem]:
        """List what a value was, newest first.

        One item for each change: writes, approvals and rejections, imports, merges,
        reverts. Plural forms have revisions of their own. A value that was cleared
        has an item with the status `untranslated`.
        """
        return self._history.list_revisions(caller, project_id, key_id, lang, query)

    @operation(
        "POST",
        "/projects/{projectId}/keys/{keyId}/values/{lang}/revert",
        permission="translation_write",
        errors=(
            *_FOUND,
            InvalidPluralForm,
            LanguageNotAssigned,
            BranchProtected,
            WriteRefused,
        ),
        tag="Values",
    )
    def revert_value(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        query: BranchQuery,
        body: Reversion,
    ) -> FullKeyAnswer:
        """Write the text of a revision again.

        A new revision of the origin `revert`; without `translation_approve` it waits
        for review. `pluralForm` tells forms apart that have the same number; what was
        written before the key had plurals is `other`.
        `keepFresh`: a source text that comes back outdates no other language.
        """
        key = self._history.revert(
            caller, project_id, key_id, lang, body, branch=query.branch
        )
        return FullKeyAnswer(key)
