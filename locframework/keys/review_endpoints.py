"""Approvals and rejections over HTTP."""

from locframework.access.records import Caller
from locframework.errors import (
    BranchNotFound,
    BranchNotOpen,
    BranchProtected,
    InvalidPluralForm,
    KeyNotFound,
    LanguageNotAssigned,
    LanguageNotFound,
    NothingPending,
    PluralMismatch,
    ProjectNotFound,
    QualityCheckFailed,
    WriteRefused,
)
from locframework.http.operation import operation
from locframework.http.records import BranchQuery

from .endpoints import FullKeyAnswer
from .records import Approval, Rejection
from .review import Review

_ERRORS = (
    PluralMismatch,
    InvalidPluralForm,
    ProjectNotFound,
    BranchNotFound,
    KeyNotFound,
    LanguageNotFound,
    LanguageNotAssigned,
    BranchNotOpen,
    BranchProtected,
    NothingPending,
    WriteRefused,
)


class ReviewEndpoints:
    """Declares the operations that judge texts."""

    def __init__(self, review: Review) -> None:
        self._review = review

    @operation(
        "POST",
        "/projects/{projectId}/keys/{keyId}/values/{lang}/approve",
        permission="translation_approve",
        errors=(*_ERRORS, QualityCheckFailed),
        tag="Values",
    )
    def approve_value(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        query: BranchQuery,
        body: Approval,
    ) -> FullKeyAnswer:
        """Approve the text that waits for review.

        Approves all plural forms of the language at once, also drafts, and approved
        texts that are outdated. With `revision`, only what was read is approved: a
        number, or an object by plural form for a key with plurals. Refused with
        `quality_check_failed`, and all that was found, while one of the project's
        `blockingChecks` finds something in one of the texts.
        """
        key = self._review.approve(
            caller, project_id, key_id, lang, body, branch=query.branch
        )
        return FullKeyAnswer(key)

    @operation(
        "POST",
        "/projects/{projectId}/keys/{keyId}/values/{lang}/reject",
        permission="translation_approve",
        errors=_ERRORS,
        tag="Values",
    )
    def reject_value(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        query: BranchQuery,
        body: Rejection,
    ) -> FullKeyAnswer:
        """Reject the text that waits for review.

        The last approved text comes back, as `approved`; if there is none, the text
        stays as `draft`. Rejects all plural forms of the language at once.
        """
        key = self._review.reject(
            caller, project_id, key_id, lang, body, branch=query.branch
        )
        return FullKeyAnswer(key)
