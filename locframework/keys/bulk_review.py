"""Jobs that approve or reject all texts that a filter finds."""

from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from locframework.access.records import Caller, Renewed
from locframework.access.service import Access
from locframework.branches.service import Branches, BranchScope, require_writable
from locframework.errors import (
    LocError,
    ProjectNotFound,
    ValidationFailed,
)
from locframework.jobs.records import Job, Progress, StoredJob
from locframework.jobs.service import Jobs
from locframework.jobs.work import Work
from locframework.languages import require_tag
from locframework.pagination import Position
from locframework.projects.service import Languages, Projects, scope_of
from locframework.quality.check import Checks
from locframework.transactions import crash_point, get_record
from locframework.validation import check_record

from .query import filter_of
from .records import (
    REASON_LENGTH,
    KeyConditions,
    KeyWrite,
    ReviewDecision,
)
from .store import KeyStorage, store_of
from .writing.writer import KeyWriter

JOB_TYPE = "review"
PERMISSION = "translation_approve"
KEYS_PER_STEP = 200
SKIPPED_LIMIT = 100


class ReviewRequest(Struct, frozen=True):
    """Which texts are approved or rejected: of the keys that meet ``filter``, those in
    its language. ``reason`` is that of a rejection."""

    decision: Literal["approve", "reject"]
    filter: KeyConditions = KeyConditions()
    reason: Annotated[str, Meta(max_length=REASON_LENGTH)] | None = None


class ReviewParams(Struct, frozen=True):
    """The parameters of a job."""

    request: ReviewRequest
    branch: str | None  # its id; None: main


class ReviewSkipped(Struct, frozen=True, rename="camel"):
    """The texts of a key in a language that were left; ``reason`` is an error code, or
    ``changed_later`` or ``key_not_found`` where a run of machine translation is
    approved."""

    key_id: str
    key: str | None
    language_code: str
    reason: str


class ReviewResult(Struct, rename="camel"):
    """The ``result`` of a job: of each key and language, one."""

    approved: int = 0
    rejected: int = 0
    skipped_count: int = 0
    skipped: list[ReviewSkipped] = []  # the first hundred

    def skip(self, skipped: ReviewSkipped) -> None:
        """Count the texts of a key, and list them if they are among the first."""
        self.skipped_count += 1
        if len(self.skipped) < SKIPPED_LIMIT:
            self.skipped.append(skipped)


class ReviewStep(Struct, rename="camel"):
    """The progress of a job: the last key that is done, and the result so far."""

    after: tuple[str, str] | None = None  # its name and id
    done: int = 0
    total: int = 0
    is_over: bool = False
    result: ReviewResult = field(default_factory=ReviewResult)


@dataclass(eq=False, repr=False)
class BulkReviews:
    """Starts such jobs, and runs them."""

    _storage: KeyStorage
    _access: Access
    _projects: Projects
    _branches: Branches
    _languages: Languages
    _jobs: Jobs
    _writer: KeyWriter
    _checks: Checks
    _renewed: Renewed

    def start_review(
        self,
        caller: Caller,
        project_id: str,
        request: ReviewRequest,
        *,
        branch: str | None = None,
    ) -> Job:
        """Queue a job that approves or rejects what a filter finds.

        The filter names a language. Without ``status`` and ``isOutdated`` it means what
        waits for review. Raises ProjectNotFound, PermissionDenied, ValidationFailed,
        LanguageNotInProject, LanguageNotAssigned, BranchNotOpen, BranchProtected.
        """
        project = self._projects.require(caller, PERMISSION, project_id)
        check_record(request)
        scope = self._branches.scope(project, branch)
        conditions = self._checked(caller, scope, request.filter)
        request = replace(request, filter=conditions)
        given = msgspec.to_builtins(ReviewParams(request, scope.branch_id))
        with self._storage.transaction():
            return self._jobs.start(caller, project, JOB_TYPE, PERMISSION, given)

    def _checked(
        self, caller: Caller, scope: BranchScope, conditions: KeyConditions
    ) -> KeyConditions:
        """Return the conditions with what they leave out."""
        code = conditions.language_code
        if code is None:
            message = "is needed: texts of one language are reviewed"
            raise ValidationFailed.at("$.filter.languageCode", "required", message)
        if conditions.status is None and conditions.is_outdated is None:
            conditions = replace(conditions, status="pending_review")
        if conditions.status == "untranslated":
            message = "untranslated: there is no text to review"
            raise ValidationFailed.at("$.filter.status", "status", message)
        languages = self._languages.of(scope.project)
        codes = [each.language_code for each in languages]
        shown = self._checks.shown(scope.project)
        filter_of(conditions.query(), codes, shown, "$.filter")  # or it raises
        tag = require_tag(code, "$.filter.languageCode")
        self._access.require_language(caller, scope_of(scope.project), tag)
        require_writable(scope)
        return replace(conditions, language_code=tag)

    def run(self, job: StoredJob, work: Work) -> None:
        """Decide on the texts of 200 keys a step, in the order of their names. Raises
        PermissionDenied, BranchProtected, …"""
        params = msgspec.convert(job.params, ReviewParams)
        step = ReviewStep()
        if job.step is not None:
            step = msgspec.convert(job.step, ReviewStep)
        while not step.is_over:
            work.check_cancelled()
            step = msgspec.convert(msgspec.to_builtins(step), ReviewStep)
            with work.step() as noted:
                self._review_next(job, params, step)
                noted.note = msgspec.to_builtins(step)
                noted.progress = Progress(step.done, max(step.done, step.total))
            crash_point("review.after_step")
        with work.finish() as outcome:
            outcome.result = msgspec.to_builtins(step.result)

    def _review_next(
        self, job: StoredJob, params: ReviewParams, step: ReviewStep
    ) -> None:
        asked = params.request
        project = get_record(self._storage.projects, job.project_id, ProjectNotFound)
        scope = self._branches.scope(project, params.branch)
        caller = self._renewed(job.caller)
        caller = self._access.require_still(caller, scope_of(project), PERMISSION)
        require_writable(scope)
        languages = self._storage.projects.list_languages(project.id)
        codes = [each.language_code for each in languages]
        found = store_of(self._storage, scope).list_keys(
            project.id,
            filter_of(asked.filter.query(), codes, self._checks.shown(project)),
            "key",
            limit=KEYS_PER_STEP,
            after=None if step.after is None else Position(*step.after),
        )
        keys, code = found.items, str(asked.filter.language_code)
        decision = ReviewDecision(code, asked.decision, reason=asked.reason or None)
        writes = [
            KeyWrite(name=key.key, key_id=key.id, decision=decision) for key in keys
        ]
        written = self._writer.write_each(caller, scope, languages, writes)
        for key, outcome in zip(keys, written, strict=True):
            if isinstance(outcome, LocError):
                left = ReviewSkipped(key.id, key.key, code, outcome.code)
                step.result.skip(left)
            elif asked.decision == "approve":
                step.result.approved += 1
            else:
                step.result.rejected += 1
        step.total = step.total or found.total
        step.done += len(keys)
        step.is_over = len(keys) < KEYS_PER_STEP
        if keys:
            step.after = keys[-1].key, keys[-1].id
