"""Pre-translation over HTTP."""

from locframework.access.records import Caller
from locframework.errors import (
    BranchNotFound,
    BranchNotOpen,
    BranchProtected,
    LanguageNotAssigned,
    LanguageNotInProject,
    ProjectNotFound,
)
from locframework.http.operation import operation
from locframework.http.records import Accepted, BranchQuery
from locframework.jobs.records import JobAnswer

from .prefill import Prefill
from .prefill_records import PrefillRequest


class PrefillEndpoints:
    """Declares the operation that fills texts from memories."""

    def __init__(self, prefill: Prefill) -> None:
        self._prefill = prefill

    @operation(
        "POST",
        "/projects/{projectId}/tm/prefill",
        permission="tm_write",
        errors=(
            ProjectNotFound,
            BranchNotFound,
            BranchNotOpen,
            BranchProtected,
            LanguageNotInProject,
            LanguageNotAssigned,
        ),
        tag="Translation memories",
    )
    def start_prefill(
        self, caller: Caller, project_id: str, query: BranchQuery, body: PrefillRequest
    ) -> Accepted[JobAnswer]:
        """Fill missing texts from the memories of a project.

        A job looks for the best match of each source text, and takes it if it has at
        least `minMatchPercentage`. It writes drafts with the origin `tm`, which are not
        delivered until somebody approves them. If nothing could be found, `warnings` in
        the job's result say why: translation memory is switched off, or the project
        reads none.
        """
        job = self._prefill.start_prefill(caller, project_id, body, branch=query.branch)
        return Accepted(JobAnswer(job), f"/projects/{job.project_id}/jobs/{job.id}")
