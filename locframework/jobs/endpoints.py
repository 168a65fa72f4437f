"""Jobs over HTTP (decisions 2.6)."""

from functools import partial

from locframework.access.records import Caller
from locframework.errors import JobNotCancellable
from locframework.http.operation import operation
from locframework.http.records import Accepted
from locframework.pagination import Page

from .records import Job, JobAnswer, JobQuery
from .service import Jobs

_ALL = "/projects/{projectId}/jobs"
CANCELS = "it stops a job that may be running"
"""Why cancelling has no dry run."""

_jobs = partial(operation, permission=None)


def accepted(job: Job, owner: str = "") -> Accepted[JobAnswer]:
    """Return the 202 for a job of its project, or of ``owner``: "/glossaries/<id>"."""
    owner = owner or f"/projects/{job.project_id}"
    return Accepted(JobAnswer(job), f"{owner}/jobs/{job.id}")


class JobEndpoints:
    """``/projects/{projectId}/jobs``; readable by the permission that started a job."""

    tag = "Jobs"

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    @_jobs("GET", _ALL)
    def list_jobs(self, caller: Caller, project_id: str, query: JobQuery) -> Page[Job]:
        """List the jobs of a kind that the caller may start, newest first."""
        return self._jobs.list_jobs(caller, project_id, query)

    @_jobs("GET", f"{_ALL}/{{jobId}}")
    def get_job(self, caller: Caller, project_id: str, job_id: str) -> JobAnswer:
        """Get a job."""
        return JobAnswer(self._jobs.get_job(caller, project_id, job_id))

    @_jobs(
        "POST",
        f"{_ALL}/{{jobId}}/cancel",
        errors=(JobNotCancellable,),
        dry_run=CANCELS,
    )
    def cancel_job(self, caller: Caller, project_id: str, job_id: str) -> JobAnswer:
        """Cancel a job, a running one soon; what it has done stays."""
        return JobAnswer(self._jobs.cancel_job(caller, project_id, job_id))
