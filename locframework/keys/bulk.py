"""What one can do with many keys and values in one request."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.branches.service import Branches, BranchScope, require_writable
from locframework.errors import (
    KeyExists,
    KeyNotFound,
    LocError,
    ValidationFailed,
    abbreviate,
)
from locframework.fields import is_id, narrowed
from locframework.projects.service import Languages, Projects
from locframework.validation import check_record

from .records import (
    BulkKey,
    BulkReview,
    ItemError,
    ItemResult,
    Key,
    KeyLimits,
    KeyWrite,
    KeyWritten,
    NewKeys,
    NewValues,
    OnExisting,
    ReviewDecision,
    ReviewItem,
    ValueItem,
)
from .rules import check_forms, check_texts, key_write, tag_in_project
from .writing.unit_of_work import UnitOfWork
from .writing.writer import KeyWriter, Work, order_of

Plan = KeyWrite | Key | LocError
"""What is to be done with an item: write it, leave the key there is, or refuse it."""


class NamesKey(Protocol):
    """An item that names its key by ``keyId`` or by ``key``."""

    @property
    def key_id(self) -> str | None: ...

    @property
    def key(self) -> str | None: ...


Item = TypeVar("Item", bound=NamesKey)


@dataclass(eq=False, repr=False)
class BulkKeys:
    """Batches of 1 to 500: one transaction, one outcome an item."""

    _projects: Projects
    _branches: Branches
    _languages: Languages
    _writer: KeyWriter

    def create_keys(
        self,
        caller: Caller,
        project_id: str,
        new: NewKeys,
        *,
        branch: str | None = None,
    ) -> list[ItemResult]:
        """Create many keys; ``onExisting`` says what becomes of those there are.

        ``skip`` leaves them, ``update`` writes what the item names (needs
        key_update), ``fail`` fails the item with key_exists. A refused item fails
        alone. Raises ProjectNotFound, PermissionDenied, BranchProtected.
        """
        project = self._projects.require(caller, "key_create", project_id)
        check_record(new)
        if any(item.values for item in new.keys):
            self._projects.require_also(caller, "translation_write", project)
        if new.on_existing == "update":
            self._projects.require_also(caller, "key_update", project)
        names = {item.key for item in new.keys}

        def plans(keys: UnitOfWork, codes: Container[str]) -> dict[int, Plan]:
            return {
                at: _key_plan(at, item, keys, new.on_existing, codes)
                for at, item in enumerate(_checked(new.keys))
            }

        scope = self._branches.scope(project, branch)
        return self._run(caller, scope, (), names, plans, new.keys)

    def set_values(
        self,
        caller: Caller,
        project_id: str,
        new: NewValues,
        *,
        branch: str | None = None,
    ) -> list[ItemResult]:
        """Set many values; each item names its key by ``keyId`` or by ``key``.

        A refused item fails alone. Raises ProjectNotFound, PermissionDenied,
        BranchProtected.
        """
        project = self._projects.require(caller, "translation_write", project_id)
        check_record(new)
        scope = self._branches.scope(project, branch)
        return self._run_items(caller, scope, new.items, _value_plan)

    def review(
        self,
        caller: Caller,
        project_id: str,
        review: BulkReview,
        *,
        branch: str | None = None,
    ) -> list[ItemResult]:
        """Approve or reject many texts; each item names its key by ``keyId`` or by
        ``key``.

        A refused item fails alone. Raises ProjectNotFound, PermissionDenied,
        BranchProtected.
        """
        project = self._projects.require(caller, "translation_approve", project_id)
        check_record(review)

        def plan(
            at: int, item: ReviewItem, keys: UnitOfWork, codes: Container[str]
        ) -> Plan:
            return _review_plan(at, item, keys, codes, review)

        scope = self._branches.scope(project, branch)
        return self._run_items(caller, scope, review.items, plan)

    def _run_items(
        self,
        caller: Caller,
        scope: BranchScope,
        items: Sequence[Item],
        plan_of: Callable[[int, Item, UnitOfWork, Container[str]], Plan],
    ) -> list[ItemResult]:
        """Write items that name their keys, and return the outcome of each. ``plan_of``
        tells what is to be done with the item of that index; the codes of the project's
        languages are its last argument. Raises BranchProtected."""
        names = {item.key for item in items if item.key is not None}
        ids = {each.key_id for each in items if each.key_id and is_id(each.key_id)}

        def plans(keys: UnitOfWork, codes: Container[str]) -> dict[int, Plan]:
            found = [plan_of(at, item, keys, codes) for at, item in enumerate(items)]
            return _sources_first(found, scope.project.source_language)

        return self._run(caller, scope, ids, names, plans, items)

    def _run(
        self,
        caller: Caller,
        scope: BranchScope,
        key_ids: Collection[str],
        names: Collection[str],
        plans_of: Callable[[UnitOfWork, Container[str]], dict[int, Plan]],
        items: Sequence[object],
    ) -> list[ItemResult]:
        """``plans_of`` returns plans by the index of their items, in order of work."""

        def work(scope: BranchScope) -> Work[list[ItemResult]]:
            require_writable(scope)
            languages = self._languages.of(scope.project)
            keys = self._writer.load(scope, key_ids, names)
            plans = plans_of(keys, order_of(languages))
            writes = [plan for plan in plans.values() if isinstance(plan, KeyWrite)]
            plan = self._writer.plan(
                caller, scope, languages, writes, loaded=keys, for_request=True
            )

            def apply() -> list[ItemResult]:
                written = iter(self._writer.apply(plan))
                outcomes = {
                    at: next(written) if isinstance(each, KeyWrite) else each
                    for at, each in plans.items()
                }
                results = []
                for at in range(len(items)):
                    outcome = outcomes[at]
                    if isinstance(outcome, LocError):
                        told = outcome.code, outcome.message, outcome.details
                        results.append(ItemResult(at, "failed", None, ItemError(*told)))
                        continue
                    if isinstance(outcome, Key):
                        outcome = KeyWritten(outcome, "unchanged", 0)
                    done = self._writer.with_values(plan, outcome)
                    word = "skipped" if done.outcome == "unchanged" else done.outcome
                    results.append(ItemResult(at, word, done.key, None))
                return results

            return plan.is_current if plan.edits else None, apply

        return self._writer.run(scope, work)


def _checked(items: Sequence[BulkKey]) -> Iterator[BulkKey | LocError]:
    """Return the items, or errors: too long, or an earlier item has the key."""
    seen: dict[str, int] = {}
    for at, item in enumerate(items):
        path = f"$.keys[{at}]"
        first = seen.setdefault(item.key, at)
        if first != at:
            message = f"item {first} has the key {abbreviate(item.key)!r} too"
            yield ValidationFailed.at(f"{path}.key", "unique", message)
            continue
        try:
            check_record(narrowed(KeyLimits, item), path)
        except LocError as refusal:
            yield refusal
        else:
            yield item


def _key_plan(
    at: int,
    item: BulkKey | LocError,
    keys: UnitOfWork,
    on_existing: OnExisting,
    codes: Container[str],
) -> Plan:
    if isinstance(item, LocError):
        return item
    old = keys.named(item.key)
    if old is not None and on_existing == "skip":
        return old
    if old is not None and on_existing == "fail":
        return KeyExists(f"key {abbreviate(item.key)!r} is already in the project")
    try:
        key_id = old.id if old is not None else None
        write = key_write(item, codes, key_id, f"$.keys[{at}]")
    except LocError as refusal:
        return refusal
    return replace(write, keep_fresh=item.keep_fresh)


def _require_name(item: NamesKey, path: str) -> None:
    """Raise ValidationFailed unless the item at ``path`` names its key in one way."""
    if (item.key_id is None) == (item.key is None):
        missing, twice = "needs keyId or key", "takes keyId or key, not both"
        message = missing if item.key is None else twice
        raise ValidationFailed.at(path, "required", message)


def _key_of(item: NamesKey, keys: UnitOfWork) -> str:
    """Return the id of the key that an item names. Raises KeyNotFound."""
    key_id = item.key_id
    if item.key is not None:
        found = keys.named(item.key)
        key_id = found.id if found is not None else None
    if key_id is None or not is_id(key_id):
        raise KeyNotFound
    return key_id


def _value_plan(
    at: int, item: ValueItem, keys: UnitOfWork, codes: Container[str]
) -> Plan:
    path = f"$.items[{at}]"
    try:
        _require_name(item, path)
        tag = tag_in_project(item.language_code, codes, f"{path}.languageCode")
        check_texts(item.value, f"{path}.value")
        key_id = _key_of(item, keys)
    except LocError as refusal:
        return refusal
    return KeyWrite(
        name=item.key or key_id,
        key_id=key_id,
        values={tag: item.value},
        places={tag: f"{path}.value"},
        keep_fresh=item.keep_fresh,
    )


def _review_plan(
    at: int,
    item: ReviewItem,
    keys: UnitOfWork,
    codes: Container[str],
    review: BulkReview,
) -> Plan:
    path = f"$.items[{at}]"
    try:
        _require_name(item, path)
        tag = tag_in_project(item.language_code, codes, f"{path}.languageCode")
        check_forms(item.revision)
        key_id = _key_of(item, keys)
    except LocError as refusal:
        return refusal
    reason = review.reason or None
    decision = ReviewDecision(tag, review.decision, item.revision, reason)
    return KeyWrite(name=item.key or key_id, key_id=key_id, decision=decision)


def _sources_first(plans: Sequence[Plan], source: str) -> dict[int, Plan]:
    """The plans by their places: translations are judged beside the source text that
    comes with them, wherever it stands in the batch."""

    def is_other(at: int) -> bool:
        plan = plans[at]
        return not isinstance(plan, KeyWrite) or source not in plan.values

    return {at: plans[at] for at in sorted(range(len(plans)), key=is_other)}
