"""Keys and values over HTTP."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal

from msgspec import Meta, Struct

from locframework.access.records import Caller
from locframework.errors import (
    BranchNotOpen,
    BranchProtected,
    InvalidKey,
    InvalidPluralForm,
    KeyExists,
    LanguageNotAssigned,
    LanguageNotInProject,
    NothingPending,
    NotOnBranch,
    PluralMismatch,
    QualityCheckFailed,
    UseCursor,
    WriteRefused,
)
from locframework.http.operation import operation
from locframework.http.records import Accepted, BranchQuery, Deleted, Wrapped
from locframework.jobs.endpoints import accepted
from locframework.jobs.records import JobAnswer
from locframework.pagination import Page

from .bulk import BulkKeys
from .bulk_review import BulkReviews, ReviewRequest
from .dismissals import Dismissals
from .records import (
    BULK_MOST,
    REASON_LENGTH,
    Approval,
    BulkReview,
    ItemResult,
    Key,
    KeyChanges,
    KeyConditions,
    KeyDetail,
    KeyPage,
    KeyQuery,
    NewDismissal,
    NewKey,
    NewKeys,
    NewValue,
    NewValues,
    Rejection,
    ReviewItem,
    TrashedKey,
    TrashQuery,
    ValueDetail,
)
from .service import Keys, Review

_VALUE_ERRORS = (
    LanguageNotInProject,
    PluralMismatch,
    InvalidPluralForm,
    LanguageNotAssigned,
    WriteRefused,
)

_KEYS = "/projects/{projectId}/keys"
_KEY = _KEYS + "/{keyId}"
_VALUE = _KEY + "/values/{lang}"
_DISMISSAL = _VALUE + "/dismissals/{check}"

_read = partial(operation, permission="translation_read")


KeyAnswer = Annotated[Key, Wrapped("key")]
KeyDetailAnswer = Annotated[KeyDetail, Wrapped("detail")]


class ValueAnswer(Struct, frozen=True):
    """The value in one language.

    ``value`` is that of a key without plurals, null when there is no text; ``forms``
    lists those of a plural key, one for each form that has a text.
    """

    value: ValueDetail | None
    forms: list[ValueDetail]


def _value_answer(found: Sequence[ValueDetail]) -> ValueAnswer:
    forms = [detail for detail in found if detail.plural_form is not None]
    singular = [detail for detail in found if detail.plural_form is None]
    return ValueAnswer(next(iter(singular), None), forms)


ResultsAnswer = Annotated[list[ItemResult], Wrapped("results")]


class KeyEndpoints:
    """Declares the operations of the keys area."""

    tag = "Keys"

    def __init__(self, keys: Keys, bulk: BulkKeys) -> None:
        self._keys = keys
        self._bulk = bulk

    @operation(
        "POST",
        _KEYS,
        permission="key_create",
        status=201,
        errors=(InvalidKey, *_VALUE_ERRORS, BranchProtected, KeyExists),
    )
    def create_key(
        self, caller: Caller, project_id: str, query: BranchQuery, body: NewKey
    ) -> KeyAnswer:
        """Create a key.

        Values can be given in the same call, which then needs `translation_write` too.
        One refused value refuses the whole request. Without `translation_approve`,
        values become `pending_review`.
        """
        return self._keys.create_key(caller, project_id, body, branch=query.branch)

    @_read("GET", _KEYS, errors=(BranchNotOpen, LanguageNotInProject, UseCursor))
    def list_keys(self, caller: Caller, project_id: str, query: KeyQuery) -> KeyPage:
        """List keys.

        All conditions must hold. `search` finds the literal text, ignoring case, in
        key, file key, description and values; `tag` may be repeated; `include=values`
        adds the values of each key, `include=details` what it has beyond its record.

        Each page shows one moment. To read a whole list while others write, follow
        `nextCursor`: a key that is in the list all the time is then returned exactly
        once, as long as its place in the order stays the same. That is always so when
        sorted by `createdAt`, by `key` unless it is renamed, and by `updatedAt` unless
        it is changed; a key that moved may be returned again, or not at all. A page by
        its number is counted from the beginning of the list at that moment, so keys
        that are added or deleted before it shift it. `total` is exact up to 10,000;
        of longer lists it is 10,000, `totalIsExact` is false, and pages that begin
        after the 10,000th key are read by cursor. An export shows one moment as a
        whole.
        """
        return self._keys.list_keys(caller, project_id, query)

    @_read("GET", _KEY)
    def get_key(
        self, caller: Caller, project_id: str, key_id: str, query: BranchQuery
    ) -> KeyAnswer:
        """Get a key with its values in all languages."""
        return self._keys.get_key(caller, project_id, key_id, branch=query.branch)

    @_read("GET", _KEY + "/detail")
    def get_key_detail(
        self, caller: Caller, project_id: str, key_id: str, query: BranchQuery
    ) -> KeyDetailAnswer:
        """Get what a key has beyond its record.

        `maxLength` is how many characters a text may have; the check `length` reports
        longer ones. `disabledChecks` are the checks that are not run on the key.
        `fileKey` is what files call the key, where that is no legal key.
        """
        return self._keys.get_detail(caller, project_id, key_id, branch=query.branch)

    @operation(
        "PATCH",
        _KEY,
        permission="key_update",
        errors=(
            InvalidKey,
            LanguageNotAssigned,
            BranchProtected,
            KeyExists,
            WriteRefused,
        ),
    )
    def update_key(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        query: BranchQuery,
        body: KeyChanges,
    ) -> KeyAnswer:
        """Rename, describe or tag a key, or turn its plurals or checks on or off.

        What the body leaves out stays as it is; so do the values. `disabledChecks` are
        not run on the key, and what they found before is gone. Turning `isPlural` on
        moves each text to the form `other`, turning it off keeps only that form; if
        there are texts, this needs translation_write too.
        """
        return self._keys.update_key(
            caller, project_id, key_id, body, branch=query.branch
        )

    @operation(
        "DELETE", _KEY, permission="key_delete", errors=(BranchProtected, WriteRefused)
    )
    def delete_key(
        self, caller: Caller, project_id: str, key_id: str, query: BranchQuery
    ) -> Deleted:
        """Move a key to the trash.

        It can be restored for 30 days, with its values.
        """
        key = self._keys.delete_key(caller, project_id, key_id, branch=query.branch)
        return Deleted(key.id)

    @_read("GET", _KEYS + "/trash", errors=(BranchNotOpen,))
    def list_trash(
        self, caller: Caller, project_id: str, query: TrashQuery
    ) -> Page[TrashedKey]:
        """List the keys in the trash.

        The one deleted last comes first. Each can be restored for 30 days after
        `deletedAt`, unless another key has taken its name. `search` finds a part of the
        key or description. A branch has its own trash, with what was deleted there.
        """
        return self._keys.list_trash(caller, project_id, query)

    @operation(
        "POST",
        _KEY + "/restore",
        permission="key_delete",
        errors=(InvalidKey, BranchProtected, KeyExists, WriteRefused),
    )
    def restore_key(
        self, caller: Caller, project_id: str, key_id: str, query: BranchQuery
    ) -> KeyAnswer:
        """Restore a key from the trash, with its values.

        Refused with `invalid_key` if the project's key separator has changed meanwhile,
        so that the name is no longer allowed.
        """
        return self._keys.restore_key(caller, project_id, key_id, branch=query.branch)

    @operation(
        "POST", _KEYS + "/bulk", permission="key_create", errors=(BranchProtected,)
    )
    def create_keys(
        self, caller: Caller, project_id: str, query: BranchQuery, body: NewKeys
    ) -> ResultsAnswer:
        """Create up to 500 keys.

        Answers 200 with an outcome for each item. `onExisting`: `skip` (default) leaves
        an existing key alone, `update` writes what the item names (needs `key_update`),
        `fail` fails the item.

        These errors fail only their item: `validation_failed` (something is too long,
        or an earlier item has the same key), `invalid_key`, `key_exists`,
        `language_not_in_project`, `language_not_assigned`, `plural_mismatch`,
        `invalid_plural_form`, `permission_denied` (plurals turned on or off without
        `translation_write`) and `write_refused`. The whole request is refused, and
        nothing is written, if a member has the wrong type, if there are no items or
        more than 500, if a permission is missing that any item needs
        (`translation_write` for `values`), or because of the branch or a protected
        main.
        """
        return self._bulk.create_keys(caller, project_id, body, branch=query.branch)

    @_read("GET", _VALUE, tag="Values")
    def get_value(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        query: BranchQuery,
    ) -> ValueAnswer:
        """Get a value with its review state.

        The newest text, the last approved one beside it, and who wrote them; what
        checks found in it, and what of that is dismissed.
        """
        return _value_answer(
            self._keys.get_value(caller, project_id, key_id, lang, branch=query.branch)
        )

    @operation(
        "PUT",
        _VALUE,
        permission="translation_write",
        errors=(
            PluralMismatch,
            InvalidPluralForm,
            LanguageNotAssigned,
            BranchProtected,
            WriteRefused,
        ),
        tag="Values",
    )
    def set_value(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        query: BranchQuery,
        body: NewValue,
    ) -> KeyAnswer:
        """Write a value.

        A string, or an object by plural form; forms that are not named stay as they
        are, "" clears. `lang` may have a file extension.
        """
        return self._keys.set_value(
            caller, project_id, key_id, lang, body, branch=query.branch
        )

    @operation(
        "PUT",
        "/projects/{projectId}/values",
        permission="translation_write",
        errors=(BranchProtected,),
        tag="Values",
    )
    def set_values(
        self, caller: Caller, project_id: str, query: BranchQuery, body: NewValues
    ) -> ResultsAnswer:
        """Write up to 500 values.

        Answers 200 with an outcome for each item. An item names its key by `keyId` or
        by `key`.

        These errors fail only their item: `validation_failed` (a text that is too long,
        a key that is named in both ways or in none), `key_not_found`,
        `language_not_in_project`, `language_not_assigned`, `plural_mismatch`,
        `invalid_plural_form` and `write_refused`. The whole request is refused, and
        nothing is written, if a member has the wrong type, if there are no items or
        more than 500, if the permission is missing, or because of the branch or a
        protected main.
        """
        return self._bulk.set_values(caller, project_id, body, branch=query.branch)


_ERRORS = (
    PluralMismatch,
    InvalidPluralForm,
    LanguageNotAssigned,
    BranchProtected,
    NothingPending,
    WriteRefused,
)


class BulkApproval(Struct, frozen=True):
    """The body that approves many texts: ``items``, or what ``filter`` finds."""

    items: (
        Annotated[list[ReviewItem], Meta(min_length=1, max_length=BULK_MOST)] | None
    ) = None
    filter: KeyConditions | None = None

    def __post_init__(self) -> None:
        if (self.items is None) == (self.filter is None):
            raise ValueError("needs one of items and filter")


class BulkRejection(BulkApproval, frozen=True):
    """The body that rejects many texts."""

    reason: Annotated[str, Meta(max_length=REASON_LENGTH)] | None = None


_BULK_ERRORS = (
    BranchNotOpen,
    BranchProtected,
    LanguageNotAssigned,
    LanguageNotInProject,
)


class ReviewEndpoints:
    """Declares the operations that judge texts."""

    tag = "Values"

    def __init__(
        self,
        review: Review,
        bulk: BulkKeys,
        reviews: BulkReviews,
        dismissals: Dismissals,
    ) -> None:
        self._review = review
        self._bulk = bulk
        self._reviews = reviews
        self._dismissals = dismissals

    @operation(
        "POST",
        _VALUE + "/approve",
        permission="translation_approve",
        errors=(*_ERRORS, QualityCheckFailed),
    )
    def approve_value(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        query: BranchQuery,
        body: Approval,
    ) -> KeyAnswer:
        """Approve the text that waits for review.

        Approves all plural forms of the language at once, also drafts, and approved
        texts that are outdated. With `revision`, only what was read is approved: a
        number, or an object by plural form for a key with plurals. Refused with
        `quality_check_failed`, and all that was found, while one of the project's
        `blockingChecks` finds something in one of the texts.
        """
        return self._review.approve(
            caller, project_id, key_id, lang, body, branch=query.branch
        )

    @operation(
        "POST", _VALUE + "/reject", permission="translation_approve", errors=_ERRORS
    )
    def reject_value(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        query: BranchQuery,
        body: Rejection,
    ) -> KeyAnswer:
        """Reject the text that waits for review.

        The last approved text comes back, as `approved`; if there is none, the text
        stays as `draft`. Rejects all plural forms of the language at once.
        """
        return self._review.reject(
            caller, project_id, key_id, lang, body, branch=query.branch
        )

    @operation(
        "POST",
        "/projects/{projectId}/values/approve",
        permission="translation_approve",
        errors=_BULK_ERRORS,
    )
    def approve_values(
        self, caller: Caller, project_id: str, query: BranchQuery, body: BulkApproval
    ) -> ResultsAnswer | Accepted[JobAnswer]:
        """Approve many texts.

        With `items`, up to 500 that name a key and a language, answers 200 with an
        outcome for each; an item fails alone, as a single approval would. With
        `filter`, conditions as those of the list of keys, answers 202 with a job of the
        type `review`. It decides on the texts in `languageCode`, which the filter must
        have; without `status` and `isOutdated`, on those that wait for review. Its
        result counts `approved`, `rejected` and `skippedCount`; `skipped` lists the
        first hundred that were left, with the error code as `reason`.
        """
        return self._decide("approve", caller, project_id, query, body)

    @operation(
        "POST",
        "/projects/{projectId}/values/reject",
        permission="translation_approve",
        errors=_BULK_ERRORS,
    )
    def reject_values(
        self, caller: Caller, project_id: str, query: BranchQuery, body: BulkRejection
    ) -> ResultsAnswer | Accepted[JobAnswer]:
        """Reject many texts.

        As approving many; `reason` is kept with each.
        """
        return self._decide("reject", caller, project_id, query, body, body.reason)

    def _decide(
        self,
        decision: Literal["approve", "reject"],
        caller: Caller,
        project_id: str,
        query: BranchQuery,
        body: BulkApproval,
        reason: str | None = None,
    ) -> list[ItemResult] | Accepted[JobAnswer]:
        if body.items is not None:
            review = BulkReview(decision, body.items, reason)
            return self._bulk.review(caller, project_id, review, branch=query.branch)
        assert body.filter is not None
        request = ReviewRequest(decision, body.filter, reason)
        start = self._reviews.start_review
        return accepted(start(caller, project_id, request, branch=query.branch))

    @operation(
        "POST",
        _VALUE + "/withdraw",
        permission="translation_write",
        errors=(LanguageNotAssigned, BranchProtected, NothingPending, WriteRefused),
    )
    def withdraw_value(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        query: BranchQuery,
    ) -> KeyAnswer:
        """Take back a text of your own that waits for review.

        The last approved text comes back, as `approved`; if there is none, the value is
        cleared. Withdraws your texts in all plural forms of the language at once.
        """
        return self._review.withdraw(
            caller, project_id, key_id, lang, branch=query.branch
        )

    @operation(
        "PUT",
        _DISMISSAL,
        permission="translation_approve",
        errors=(LanguageNotAssigned, BranchProtected),
        etag=_VALUE,
    )
    def dismiss_finding(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        check: str,
        query: BranchQuery,
        body: NewDismissal,
    ) -> ValueAnswer:
        """Dismiss what a check found in a value.

        It is then no issue of the value, in none of its plural forms, and does not
        block its approval; `dismissedIssues` shows it with the `reason`. It returns
        when the source text or the value changes. A dismissal on a branch comes to main
        with a merge. `not_found` if the check finds nothing there.
        """
        found = self._dismissals.dismiss(
            caller, project_id, key_id, lang, check, body, branch=query.branch
        )
        return _value_answer(found)

    @operation(
        "DELETE",
        _DISMISSAL,
        permission="translation_approve",
        errors=(LanguageNotAssigned, BranchProtected, NotOnBranch),
        etag=_VALUE,
    )
    def withdraw_dismissal(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        check: str,
        query: BranchQuery,
    ) -> ValueAnswer:
        """Withdraw a dismissal.

        What the check found is an issue of the value again. `not_found` if it is not
        dismissed, `not_on_branch` if it is dismissed on main.
        """
        found = self._dismissals.withdraw(
            caller, project_id, key_id, lang, check, branch=query.branch
        )
        return _value_answer(found)
