"""Jobs and their leases. A claim is one statement, so no two processes get one job.

Hand-written SQL: runners claim, extend and report all the time. A look-up takes 5 µs
so, and 150 µs through a model.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import structs

from locframework.ports import (
    Caller,
    Job,
    JobError,
    JobFilter,
    JobQueue,
    Page,
    PageRequest,
    Progress,
    StoredJob,
    Timestamp,
    last_lease_end,
)

from .database import Order, Store, insert_one, json_or_null, json_text, of_given
from .engine import Row

_JOB = (
    "id, project_id, type, status, done, total, result, error, created_by, created_at,"
    " started_at, finished_at"
)
_STORED = (
    f"{_JOB}, organization_id, permission, params, caller, owner, lease_until,"
    " attempt, cancel_requested, step, step_attempt, subject_id"
)
_JOB_COLUMNS = 12
_JSON = ("result", "error", "params", "caller", "step")
_OPEN = "status IN ('queued', 'running')"  # word for word as in the index jobs_open
RUNNING = f"{_OPEN} AND status = 'running'"
CLAIMABLE = f"""{_OPEN} AND (status = 'queued' OR lease_until IS NULL
    OR lease_until <= ? OR lease_until > ?)"""
_CURRENT = "id = ? AND attempt = ? AND status = 'running'"
_ORDER = Order({"createdAt": "created_at"}, tie="id", default="-createdAt")
_ITEMS = Order({"number": "number"}, tie="number", default="number")

_object = msgspec.json.Decoder(Mapping[str, object])
_error = msgspec.json.Decoder(JobError)
_caller = msgspec.json.Decoder(Caller)


class JobTable(Store):
    """The job store (locframework/jobs/store.py, JobStore)."""

    def add(self, *jobs: StoredJob) -> None:
        sql = insert_one("jobs", _STORED)
        self._database.run_many(sql, [_row(job) for job in jobs])

    def find(self, owner_id: str | None, job_id: str) -> StoredJob | None:
        row = self._database.row(f"SELECT {_STORED} FROM jobs WHERE id = ?", (job_id,))
        found = _stored(row) if row else None
        if found is not None and owner_id not in (
            None,
            found.job.project_id or found.subject_id,
        ):
            return None
        return found

    def list_jobs(
        self,
        owner_id: str | None,
        where: JobFilter,
        page: PageRequest,
        *,
        of_subject: bool = False,
    ) -> Page[Job]:
        allowed = where.permissions
        listed = None if allowed is None else self._database.listed(allowed)
        asked = of_given(
            {
                f"{'subject_id' if of_subject else 'project_id'} = ?": owner_id,
                self._database.among("permission"): listed,
                "status = ?": where.status,
                "type = ?": where.type,
            }
        )
        source = f"jobs WHERE {asked.sql or 'TRUE'}"
        return self._page(page, _job, _JOB, source, asked.params, _ORDER)

    def claim(
        self, types: Sequence[str], owner: str, now: Timestamp, lease_until: Timestamp
    ) -> StoredJob | None:
        first = f"""SELECT id FROM jobs
            WHERE {CLAIMABLE} AND {self._database.among("type")}
            ORDER BY created_at, id LIMIT 1"""
        which = (now, last_lease_end(now), self._database.listed(types))
        if self._database.row(first, which) is None:
            return None  # an idle look takes no lock
        with self._database.transaction():
            row = self._database.row(
                f"""UPDATE jobs SET status = 'running', owner = ?, lease_until = ?,
                    started_at = COALESCE(started_at, ?), attempt = attempt + 1
                    WHERE id = ({first}{self._database.engine.skip_locked})
                    RETURNING {_STORED}""",
                (owner, lease_until, now, *which),
            )
        return _stored(row) if row else None

    def extend(
        self,
        job_id: str,
        attempt: int,
        lease_until: Timestamp,
        progress: Progress | None = None,
        step: Mapping[str, object] | None = None,
        items: Sequence[Mapping[str, object]] = (),
    ) -> bool:
        self._add_items(job_id, items)
        changes, params = "lease_until = ?", [lease_until]
        if progress is not None:
            changes += ", done = ?, total = ?"
            params += structs.astuple(progress)
        if step is not None:
            self._database.require_transaction()
            changes += ", step = ?, step_attempt = attempt"
            params.append(json_text(step))
        return self._write(
            f"UPDATE jobs SET {changes} WHERE {_CURRENT}", (*params, job_id, attempt)
        )

    def hold_queued(self, project_id: str, type_: str) -> bool:
        self._database.require_transaction()
        row = self._database.row(
            f"""SELECT id FROM jobs WHERE {_OPEN} AND status = 'queued' AND type = ?
                AND project_id = ? ORDER BY created_at, id LIMIT 1
                {self._database.engine.skip_locked}""",
            (type_, project_id),
        )
        return row is not None

    def finish(
        self, job: Job, attempt: int, items: Sequence[Mapping[str, object]] = ()
    ) -> bool:
        self._add_items(job.id, items)
        return self._write(
            f"""UPDATE jobs SET status = ?, done = ?, total = ?, result = ?, error = ?,
                finished_at = ?, owner = NULL, lease_until = NULL, step = NULL
                WHERE {_CURRENT}""",
            (
                job.status,
                *structs.astuple(job.progress),
                json_or_null(job.result),
                json_or_null(job.error),
                job.finished_at,
                job.id,
                attempt,
            ),
        )

    def _add_items(self, job_id: str, items: Sequence[Mapping[str, object]]) -> None:
        if items:
            last = "SELECT coalesce(max(number), -1) FROM job_items WHERE job_id = ?"
            first = self._database.rows(last, (job_id,))[0][0] + 1
            rows = [(job_id, n, json_text(one)) for n, one in enumerate(items, first)]
            self._database.insert_many("job_items", "job_id, number, item", rows)

    def page_of_items(
        self, job_id: str, page: PageRequest
    ) -> Page[Mapping[str, object]]:
        mine = "job_items WHERE job_id = ?"
        return self._page(page, _item, "item", mine, (job_id,), _ITEMS)

    def queue(self, now: Timestamp) -> JobQueue:
        """Return the part of Storage.queues that is about jobs."""
        rows = self._database.rows(
            f"""SELECT type, status, is_due, count(*), min(due_at) FROM (
                SELECT type, status, {CLAIMABLE} AS is_due,
                CASE WHEN lease_until <= ? THEN lease_until ELSE created_at END due_at
                FROM jobs WHERE {_OPEN}) AS o GROUP BY type, status, is_due""",
            (now, last_lease_end(now), now),
        )
        ended = self._database.row(
            """SELECT finished_at FROM jobs WHERE finished_at IS NOT NULL
                AND started_at IS NOT NULL ORDER BY finished_at DESC LIMIT 1"""
        )
        counts: Counter[tuple[str, ...]] = Counter()
        for type_, status, _, count, _ in rows:
            counts[type_, status] += count
        due = [due_at for *_, is_due, _, due_at in rows if is_due]
        is_worked_on = len(due) < len(rows)
        last_ended_at = None if ended is None else ended[0]
        return JobQueue(counts, min(due, default=None), is_worked_on, last_ended_at)

    def request_cancel(self, job_id: str, at: Timestamp) -> bool:
        return self._write(
            f"""UPDATE jobs SET cancel_requested = TRUE,
                finished_at = CASE status WHEN 'queued' THEN ? ELSE finished_at END,
                status = CASE status WHEN 'queued' THEN 'cancelled' ELSE status END
                WHERE id = ? AND {_OPEN}""",
            (at, job_id),
        )

    def _write(self, sql: str, params: Sequence[object]) -> bool:
        return self._database.run(sql, params) == 1


def _row(job: StoredJob) -> list[object]:
    row = {name: getattr(job.job, name, None) for name in _JOB.split(", ")}
    row |= {name: getattr(job, name) for name in _STORED.split(", ")[_JOB_COLUMNS:]}
    row |= structs.asdict(job.job.progress)
    row |= {name: json_or_null(row[name]) for name in _JSON}
    return list(row.values())


def _item(row: Row) -> Mapping[str, object]:
    item: Mapping[str, object] = _object.decode(row[0])
    return item


def _job(row: Row) -> Job:
    *first, done, total, result, error, created_by, created_at, begun, ended = row
    outcome = [
        None if result is None else _object.decode(result),
        None if error is None else _error.decode(error),
    ]
    values = [*first, Progress(done, total), *outcome]
    return Job(*[*values, created_by, created_at, begun, ended])


def _stored(row: Row) -> StoredJob:
    organization_id, permission, params, caller, *held = row[_JOB_COLUMNS:]
    *lease, step, step_attempt, subject_id = held
    stored_step = None if step is None else _object.decode(step)
    started = [organization_id, permission, _object.decode(params)]
    values = [_job(row[:_JOB_COLUMNS]), *started, _caller.decode(caller), *lease]
    return StoredJob(*[*values, stored_step, step_attempt, subject_id])
