"""What others hear of jobs that ended without their work (decisions 2.7)."""

from typing import Literal

from locframework.events import EventLog

from .records import JobError, StoredJob


def tell_ended(
    events: EventLog,
    job: StoredJob,
    status: Literal["cancelled", "failed"],
    error: JobError | None = None,
) -> None:
    """Append ``job.failed`` or ``job.cancelled``, in the transaction that ends it."""
    item: dict[str, object] = {"jobId": job.job.id, "type": job.job.type}
    if error is not None:
        item["code"] = error.code
    events.append(
        f"job.{status}",
        organization_id=job.organization_id,
        project_id=job.job.project_id,
        actor=job.caller.actor,
        items=[item],
    )
