"""Jobs over HTTP (decisions 2.6)."""

from __future__ import annotations

from locframework.access.records import Caller
from locframework.errors import JobNotCancellable
from locframework.http.operation import operation
from locframework.http.records import Accepted
from locframework.pagination import Page

from .records import Job, JobAnswer, JobQuery
from .service import Jobs


def accepted(job: Job, owner: str = "") -> Accepted[JobAnswer]:
    """Return the 202 for a job of its project, or of ``owner``: "/glossaries/<id>"."""
    owner = owner or f"/projects/{job.project_id}"
    return Accepted(JobAnswer(job), f"{owner}/jobs/{job.id}")


class JobEndpoints:
    """``/projects/{projectId}/jobs``; readable by the permission that started a job."""

    tag = "Jobs"

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    @operation("GET", "/projects/{projectId}/jobs", permission=None)
    def list_jobs(self, caller: Caller, project_id: str, query: JobQuery) -> Page[Job]:
        """List jobs.

        Newest first; those of a kind that the caller may start.
        """
        return self._jobs.list_jobs(caller, project_id, query)

    @operation("GET", "/projects/{projectId}/jobs/{jobId}", permission=None)
    def get_job(self, caller: Caller, project_id: str, job_id: str) -> JobAnswer:
        """Get a job."""
        return JobAnswer(self._jobs.get_job(caller, project_id, job_id))

    @operation(
        "POST",
        "/projects/{projectId}/jobs/{jobId}/cancel",
        permission=None,
        errors=(JobNotCancellable,),
    )
    def cancel_job(self, caller: Caller, project_id: str, job_id: str) -> JobAnswer:
        """Cancel a job.

        A queued job ends at once, a running one soon. What it has done stays.
        """
        return JobAnswer(self._jobs.cancel_job(caller, project_id, job_id))
