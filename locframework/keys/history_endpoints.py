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
        """List the history of a value, newest first.

        One item for each change: writes, approvals and rejections, imports, merges,
        reverts. Each plural form has its own revisions. A value that was cleared has an
        item with the status `untranslated`.
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

        Makes a new revision with the origin `revert`; without `translation_approve` it
        waits for review. `pluralForm` tells apart forms that have the same number; what
        was written before the key had plurals is `other`. With `keepFresh`, a source
        text that comes back makes no other language outdated.
        """
        key = self._history.revert(
            caller, project_id, key_id, lang, body, branch=query.branch
        )
        return FullKeyAnswer(key)
