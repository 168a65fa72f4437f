"""Works out what becomes of the values of one write, before anything is touched."""

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.clock import Timestamp
from locframework.projects.records import Project

from .approval import require_approvable
from .records import Key, KeySource, KeyWrite, Origin, StoredValue
from .review_rules import approved, judged, rejected
from .rules import carried, fresh_value, status_of_write, written

Place = tuple[str, str | None]
"""Language code and plural form: where a value stands in its key."""

Action = Literal["write", "approve", "reject"]


class Batch(Struct):
    """What all items of one call share."""

    caller: Caller
    project: Project
    order: Mapping[str, int]  # of languages, by tag
    origin: Origin
    at: Timestamp
    approver: bool
    source: KeySource  # where keys of the line come from
    assigned: set[str] = set()  # languages found to be the caller's


class ValuePlan(Struct, frozen=True, gc=False):
    """What becomes of one value."""

    place: Place
    old: StoredValue | None
    new: StoredValue | None  # None: it is cleared
    action: Action = "write"
    is_kept: bool = False  # the text that was there was written once more
    outdates: bool = False  # translations of it


def plan_values(
    batch: Batch,
    write: KeyWrite,
    key: Key,
    texts: Mapping[str, Mapping[str | None, str]],
    there: Mapping[Place, StoredValue],
) -> list[ValuePlan]:
    """What becomes of each value that the write names; ``there``: those of its key.

    Nothing is written yet, so a refusal leaves the key as it was. Raises
    NothingPending, PluralMismatch, QualityCheckFailed.
    """
    plans = [
        *_of_texts(batch, write, key, texts, there),
        *_of_carried(batch, write, key, there),
    ]
    if write.verdict is not None:
        plans += _of_verdict(batch, write, key, there)
    return plans


def _of_texts(
    batch: Batch,
    write: KeyWrite,
    key: Key,
    texts: Mapping[str, Mapping[str | None, str]],
    there: Mapping[Place, StoredValue],
) -> Iterator[ValuePlan]:
    by = batch.caller.actor.id
    for tag, forms in texts.items():
        status = status_of_write(
            approver=batch.approver, needs_review=tag in write.review
        )
        for form, text in forms.items():
            place = (tag, form)
            old = there.get(place)
            new = fresh_value(
                key.id, tag, form, text, origin=batch.origin, at=batch.at, by=by
            )
            result = written(old, new, status)
            if result == "unchanged":
                if old is not None:
                    yield ValuePlan(place, old, old, is_kept=True)
                continue
            outdates = not write.keep_fresh and _outdates(batch, place, old, result)
            yield ValuePlan(place, old, result, outdates=outdates)


def _of_carried(
    batch: Batch, write: KeyWrite, key: Key, there: Mapping[Place, StoredValue]
) -> Iterator[ValuePlan]:
    """Values that are taken over as they stand elsewhere."""
    by = batch.caller.actor.id
    for place, value in write.carried.items():
        old = there.get(place)
        mine = None if value is None else replace(value, key_id=key.id)
        result = carried(old, mine, at=batch.at, by=by)
        if result != "unchanged":
            outdates = _outdates(batch, place, old, result)
            yield ValuePlan(place, old, result, outdates=outdates)


def _of_verdict(
    batch: Batch, write: KeyWrite, key: Key, there: Mapping[Place, StoredValue]
) -> list[ValuePlan]:
    verdict = write.verdict
    assert verdict is not None  # asked before
    code = verdict.language_code
    mine = [row for (tag, _), row in there.items() if tag == code]
    waiting = judged(mine, verdict)
    at, by = batch.at, batch.caller.actor.id
    if not verdict.approves:
        return [
            _plan(batch, row, rejected(row, at=at, by=by), "reject") for row in waiting
        ]
    require_approvable(batch.project, key, there, waiting)
    return [
        _plan(batch, row, approved(row, at=at, by=by), "approve") for row in waiting
    ]


def _plan(
    batch: Batch, old: StoredValue, new: StoredValue | None, action: Action
) -> ValuePlan:
    place = (old.language_code, old.plural_form)
    outdates = _outdates(batch, place, old, new)
    return ValuePlan(place, old, new, action, outdates=outdates)


def _outdates(
    batch: Batch, place: Place, old: StoredValue | None, new: StoredValue | None
) -> bool:
    """Whether another source text counts from now on; the first outdates nothing."""
    is_source = place[0] == batch.project.source_language
    return is_source and _applied(old) not in (None, _applied(new))


def _applied(value: StoredValue | None) -> str | None:
    """The text that counts: the approved one, or the only one there is."""
    if value is None:
        return None
    return value.value if value.approved_value is None else value.approved_value
