"""Works out what becomes of a key and its values in one write, before it is done."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import UNSET, Struct
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.fields import Timestamp, new_id
from locframework.projects.records import Project

from .approval import ApprovalBlockers
from .changes import Action, ValueChange, WriteVeto
from .records import Key, KeySource, KeyWrite, Origin, StoredValue, ValueSlot
from .review_rules import approved, beside, judged, rejected, waiting
from .revisions import Revision, last_number
from .rules import (
    carried,
    cleared,
    fresh_value,
    marked,
    moved_form,
    status_of_write,
    written,
)


class Batch(Struct):
    """What all items of one call share."""

    caller: Caller
    project: Project
    order: Mapping[str, int]  # of languages, by tag
    origin: Origin
    at: Timestamp
    approver: bool
    source: KeySource  # where keys of the line come from
    gate: ApprovalBlockers
    branch: str | None = None  # its name; None: main
    judge: WriteVeto | None = None  # None: no plugin has a say
    assigned: set[str] = set()  # languages found to be the caller's
    leaving: set[str] = set()  # keys that give up their names, by id


class ValuePlan(Struct, frozen=True, gc=False):
    """What becomes of one value."""

    place: ValueSlot
    old: StoredValue | None
    new: StoredValue | None  # None: it is cleared
    action: Action = "write"
    is_kept: bool = False  # the text that was there was written once more
    is_carried: bool = False  # taken over as it stands elsewhere
    outdates: bool = False  # translations of it
    note: str | None = None  # of plugins


def plan_values(
    batch: Batch,
    write: KeyWrite,
    key: Key,
    texts: Mapping[str, Mapping[str | None, str]],
    there: Mapping[ValueSlot, StoredValue],
    gone: Mapping[ValueSlot, int],
) -> list[ValuePlan]:
    """What becomes of each value that the write names; ``there``: those of its key.

    ``gone``: the last revisions of those that were cleared. Nothing is written yet, so
    a refusal leaves the key as it was. Raises NothingPending, PluralMismatch,
    QualityCheckFailed, WriteRefused.
    """
    plans = [*_of_texts(batch, write, key, texts, there)]
    if write.carried or write.fresh:
        plans += _of_carried(batch, write, key, there)
    if write.verdict is not None:
        plans += _of_verdict(batch, write, key, there)
    if gone:
        plans = [_after(plan, gone) for plan in plans]
    if batch.judge is not None:
        plans = [_judged(batch, batch.judge, key, plan) for plan in plans]
    return plans


def _judged(batch: Batch, judge: WriteVeto, key: Key, plan: ValuePlan) -> ValuePlan:
    """The plan with what plugins note on it."""
    if plan.is_kept:
        return plan
    code, form = plan.place
    change = ValueChange(
        organization_id=batch.project.organization_id,
        project_id=batch.project.id,
        branch=batch.branch,
        key_id=key.id,
        key=key.key,
        language_code=code,
        plural_form=form,
        action=plan.action,
        origin=batch.origin if plan.new is None else plan.new.origin,
        before=plan.old.value if plan.old is not None else None,
        after=plan.new.value if plan.new is not None else None,
        status=plan.new.status if plan.new is not None else "untranslated",
    )
    note = judge(batch.caller, change)
    if note is None:
        return plan
    new = replace(plan.new, note=note) if plan.new is not None else None
    return replace(plan, new=new, note=note)


def _after(plan: ValuePlan, gone: Mapping[ValueSlot, int]) -> ValuePlan:
    """The plan with a revision that comes after those of a value that was cleared."""
    new, last = plan.new, last_number(plan.place, gone)
    if plan.old is not None or new is None or new.revision > last:
        return plan
    return replace(plan, new=replace(new, revision=last + 1))


def turned(
    batch: Batch,
    values: Iterable[StoredValue],
    gone: Mapping[ValueSlot, int],
    *,
    is_plural: bool,
) -> dict[ValueSlot, StoredValue]:
    """The values of a key after its plurals were turned on or off, as new revisions.

    ``gone``: the last revisions of those that were cleared, by that too.
    """
    found: dict[ValueSlot, StoredValue] = {}
    for value in values:
        moved = moved_form(value, is_plural=is_plural)
        if moved is not None:
            place = (moved.language_code, moved.plural_form)
            number, by = last_number(place, gone) + 1, batch.caller.actor
            found[place] = marked(moved, batch.at, by, revision=number)
    return found


def ended(batch: Batch, old: StoredValue, note: str | None = None) -> Revision:
    """The revision that tells that the batch clears a value."""
    by = batch.caller.actor
    return cleared(old, origin=batch.origin, at=batch.at, by=by, note=note)


def _of_texts(
    batch: Batch,
    write: KeyWrite,
    key: Key,
    texts: Mapping[str, Mapping[str | None, str]],
    there: Mapping[ValueSlot, StoredValue],
) -> Iterator[ValuePlan]:
    by = batch.caller.actor
    held: Collection[ValueSlot] = ()
    if batch.approver and batch.gate.blocks:
        given = {(tag, form): one for tag in texts for form, one in texts[tag].items()}
        held = batch.gate.held(key, there.values(), given)
    for tag, forms in texts.items():
        for form, text in forms.items():
            place = _place(tag, form)
            needs_review = tag in write.review or place in held
            status = status_of_write(
                batch.origin, approver=batch.approver, needs_review=needs_review
            )
            old = there.get(place)
            new = fresh_value(
                key.id, tag, form, text,
                origin=batch.origin, at=batch.at, by=by.id, actor_type=by.type,
                keeps_fresh=write.keep_fresh,
            )  # fmt: skip
            result = written(old, new, status)
            if result == "unchanged":
                if old is not None:
                    yield ValuePlan(place, old, old, is_kept=True)
                continue
            outdates = not write.keep_fresh and _outdates(batch, place, old, result)
            yield ValuePlan(place, old, result, outdates=outdates)


@lru_cache(maxsize=4096)
def _place(language_code: str, plural_form: str | None) -> ValueSlot:
    """The same tuple each time: what holds texts by place has nothing then that the
    garbage collector needs to look at, be there ever so many of them."""
    return language_code, plural_form


def _of_carried(
    batch: Batch, write: KeyWrite, key: Key, there: Mapping[ValueSlot, StoredValue]
) -> Iterator[ValuePlan]:
    """Values that are taken over as they stand elsewhere; what a check holds waits."""
    by = batch.caller.actor
    given = {at: value.value if value else "" for at, value in write.carried.items()}
    held = batch.gate.held(key, there.values(), given)
    for place, value in write.carried.items():
        old = there.get(place)
        mine = None if value is None else replace(value, key_id=key.id)
        if mine is not None and place in write.beside:
            mine = beside(old, mine)
        result = carried(old, mine, origin=batch.origin, at=batch.at, by=by)
        if result == "unchanged":
            if old is not None and place in write.fresh:
                yield ValuePlan(place, old, old, is_kept=True)
        else:
            if result is not None and place in held:
                kept = _keeps_fresh(batch, write, there)
                result = waiting(old, result, keeps_fresh=kept)
            outdates = _outdates(batch, place, old, result)
            if outdates and any(code != place[0] for code, _ in there):
                outdates = not _keeps_fresh(batch, write, there)
            yield ValuePlan(place, old, result, is_carried=True, outdates=outdates)
    for place in write.fresh:
        old = there.get(place)
        if old is not None and place not in write.carried:
            yield ValuePlan(place, old, old, is_kept=True)


def _of_verdict(
    batch: Batch, write: KeyWrite, key: Key, there: Mapping[ValueSlot, StoredValue]
) -> list[ValuePlan]:
    verdict = write.verdict
    assert verdict is not None  # asked before
    code = verdict.language_code
    mine = [row for (tag, _), row in there.items() if tag == code]
    chosen = judged(mine, verdict)
    at, by = batch.at, batch.caller.actor
    if not verdict.approves:
        return [
            _plan(batch, row, rejected(row, verdict, at=at, by=by), "reject")
            for row in chosen
        ]
    batch.gate.require_approvable(key, there.values(), chosen)
    return [_plan(batch, row, approved(row, at=at, by=by), "approve") for row in chosen]


def _plan(
    batch: Batch, old: StoredValue, new: StoredValue | None, action: Action
) -> ValuePlan:
    place = (old.language_code, old.plural_form)
    outdates = not old.keeps_fresh and _outdates(batch, place, old, new)
    return ValuePlan(place, old, new, action, outdates=outdates)


def _keeps_fresh(
    batch: Batch, write: KeyWrite, there: Mapping[ValueSlot, StoredValue]
) -> bool:
    """Whether no translation becomes outdated by what is taken over."""
    source = batch.project.source_language
    return all(
        place in write.fresh or place in write.carried
        for place in there
        if place[0] != source
    )


def _outdates(
    batch: Batch, place: ValueSlot, old: StoredValue | None, new: StoredValue | None
) -> bool:
    """Whether another source text counts from now on; the first outdates nothing."""
    if old is None or place[0] != batch.project.source_language:
        return False
    return _applied(old) not in (None, _applied(new))


def _applied(value: StoredValue | None) -> str | None:
    """The text that counts: the approved one, or the only one there is."""
    if value is None:
        return None
    return value.value if value.approved_value is None else value.approved_value


def key_as_written(
    batch: Batch, old: Key | None, write: KeyWrite, *, is_plural: bool
) -> Key:
    """The key with what the write says of it; a new one where there is none yet."""
    if old is None:
        return _new_key(batch, write, is_plural=is_plural)
    said = {
        name: value
        for name, value in (
            ("key", write.rename),
            ("description", write.description),
            ("tags", write.tags),
            ("screenshot_file_id", write.screenshot_file_id),
            ("screenshot_url", write.screenshot_url),
        )
        if value is not UNSET
    }
    return replace(old, is_plural=is_plural, **said)


def _new_key(batch: Batch, write: KeyWrite, *, is_plural: bool) -> Key:
    url, file_id = write.screenshot_url, write.screenshot_file_id
    return Key(
        id=write.new_id or new_id(),
        project_id=batch.project.id,
        key=write.name if write.rename is UNSET else write.rename,
        description="" if write.description is UNSET else write.description,
        tags=() if write.tags is UNSET else write.tags,
        is_plural=is_plural,
        screenshot_url=None if url is UNSET else url,
        screenshot_file_id=None if file_id is UNSET else file_id,
        key_source=batch.source,
        created_at=write.made_at or batch.at,
        updated_at=batch.at,
    )
