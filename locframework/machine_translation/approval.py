"""Approves what a run of machine translation made, and nobody changed since."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec
from msgspec import Struct, field

from locframework.access.records import Caller, Renewed
from locframework.access.service import Access
from locframework.branches.service import Branches, BranchScope, require_writable
from locframework.errors import (
    JobNotFound,
    LocError,
    ProjectNotFound,
)
from locframework.jobs.records import Job, Progress, StoredJob
from locframework.jobs.service import Jobs
from locframework.jobs.store import Item
from locframework.jobs.work import Work
from locframework.keys.branch_copies import states_of
from locframework.keys.bulk_review import (
    JOB_TYPE,
    PERMISSION,
    BulkReviews,
    ReviewResult,
    ReviewSkipped,
)
from locframework.keys.records import PROVENANCE, KeyWrite, ReviewDecision, StoredValue
from locframework.keys.store import store_of
from locframework.keys.writing.writer import KeyWriter
from locframework.pagination import PageRequest
from locframework.projects.service import Projects, scope_of
from locframework.transactions import crash_point, get_record

from .records import RunParams, text_hash
from .run import JOB_TYPE as RUN_TYPE
from .run import RunStorage

OUTCOMES_PER_STEP = 200


class ApprovalParams(Struct, frozen=True, rename="camel"):
    """The parameters of a job."""

    run_id: str
    branch: str | None  # its id; None: main


class ApprovalStep(Struct, rename="camel"):
    """The progress of a job: the pages of outcomes that are done."""

    pages: int = 0
    result: ReviewResult = field(default_factory=ReviewResult)


@dataclass(eq=False, repr=False)
class RunApprovals:
    """Starts such jobs, and runs them and the other jobs that review texts."""

    type = JOB_TYPE

    _storage: RunStorage
    _access: Access
    _projects: Projects
    _branches: Branches
    _jobs: Jobs
    _writer: KeyWriter
    _renewed: Renewed
    _reviews: BulkReviews

    def start_approval(self, caller: Caller, project_id: str, run_id: str) -> Job:
        """Queue a job; needs translation_approve and the languages of the run. Raise
        ProjectNotFound, JobNotFound, LanguageNotAssigned, BranchNotOpen,
        BranchProtected."""
        project = self._projects.require(caller, PERMISSION, project_id)
        run = self._storage.jobs.find(project.id, run_id)
        if run is None or run.job.type != RUN_TYPE:
            raise JobNotFound
        params = msgspec.convert(run.params, RunParams)
        if params.request.dry_run:
            raise JobNotFound("the job is a dry run, which makes no drafts")
        for code in params.request.language_codes:
            self._access.require_language(caller, scope_of(project), code)
        require_writable(self._branches.scope(project, params.branch))
        given = msgspec.to_builtins(ApprovalParams(run.job.id, params.branch))
        with self._storage.transaction():
            return self._jobs.start(caller, project, JOB_TYPE, PERMISSION, given)

    def run(self, job: StoredJob, work: Work) -> None:
        """Approve 200 outcomes a step. Raise PermissionDenied, BranchProtected, …"""
        if "runId" not in job.params:
            self._reviews.run(job, work)
            return
        params = msgspec.convert(job.params, ApprovalParams)
        step = ApprovalStep()
        if job.step is not None:
            step = msgspec.convert(job.step, ApprovalStep)
        while True:
            work.check_cancelled()
            request = PageRequest(step.pages + 1, OUTCOMES_PER_STEP)
            page = self._storage.jobs.page_of_items(params.run_id, request)
            if not page.items:
                break
            step = msgspec.convert(msgspec.to_builtins(step), ApprovalStep)
            with work.step() as noted:
                self._approve(job, params, page.items, step.result)
                step.pages += 1
                done = min(page.total, step.pages * OUTCOMES_PER_STEP)
                noted.note = msgspec.to_builtins(step)
                noted.progress = Progress(done, page.total)
            crash_point("review.after_step")
        with work.finish() as outcome:
            outcome.result = msgspec.to_builtins(step.result)

    def _approve(
        self,
        job: StoredJob,
        params: ApprovalParams,
        items: Iterable[Item],
        result: ReviewResult,
    ) -> None:
        project = get_record(self._storage.projects, job.project_id, ProjectNotFound)
        scope = self._branches.scope(project, params.branch)
        caller = self._renewed(job.caller)
        caller = self._access.require_still(caller, scope_of(project), PERMISSION)
        require_writable(scope)
        made = {
            (str(item["keyId"]), str(item["languageCode"])): item
            for item in items
            if item["outcome"] == "translated"
        }
        store = store_of(self._storage, scope)
        states = states_of(store, project.id, {id_ for id_, _ in made})
        drafts = self._drafts(scope, made)
        writes: dict[tuple[str, str], KeyWrite] = {}
        for (id_, code), item in made.items():
            if id_ not in states:
                result.skip(_skipped(item, "key_not_found"))
                continue
            rows = [
                row
                for row in states[id_].values
                if row.language_code == code and row.status != "approved"
            ]
            if not rows:
                continue  # somebody approved it, or the page before
            runs = [_run_of(row, drafts) for row in rows]
            # all forms are approved at once: those of earlier runs too
            if max(runs) != params.run_id or "" in runs:
                result.skip(_skipped(item, "changed_later"))
                continue
            decision = ReviewDecision(code, "approve")
            name = states[id_].key.key
            writes[id_, code] = KeyWrite(name=name, key_id=id_, decision=decision)
        languages = self._storage.projects.list_languages(project.id)
        written = self._writer.write_each(
            caller, scope, languages, list(writes.values())
        )
        for place, outcome in zip(writes, written, strict=True):
            if isinstance(outcome, LocError):
                result.skip(_skipped(made[place], outcome.code))
            else:
                result.approved += 1

    def _drafts(
        self, scope: BranchScope, made: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str, str], tuple[str, str]]:
        """Return the run that made a text, and the text's hash, by key, language and
        plural form."""
        store = store_of(self._storage, scope)
        ids: dict[str, set[str]] = {}
        for id_, code in made:
            ids.setdefault(code, set()).add(id_)
        return {
            (each.key_id, code, each.module): (
                str(each.detail["jobId"]),
                str(each.detail["textHash"]),
            )
            for code, some in ids.items()
            for each in store.details_of(scope.project.id, PROVENANCE, code, some)
        }


def _skipped(item: Item, reason: str) -> ReviewSkipped:
    place = str(item["keyId"]), str(item["key"]), str(item["languageCode"])
    return ReviewSkipped(*place, reason)


def _run_of(
    row: StoredValue, drafts: Mapping[tuple[str, str, str], tuple[str, str]]
) -> str:
    """Return the run that made a draft; "" if it is none, or was changed. Ids of later
    runs are greater."""
    place = row.key_id, row.language_code, row.plural_form or ""
    run_id, made_hash = drafts.get(place, ("", ""))
    return run_id if row.status == "draft" and text_hash(row.value) == made_hash else ""
