"""What one can do with many keys and values in one request."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.branches.records import BranchScope
from locframework.branches.service import Branches, require_writable
from locframework.errors import (
    KeyExists,
    KeyNotFound,
    LocError,
    Repeats,
    ValidationFailed,
    abbreviate,
    code_meaning,
)
from locframework.fields import is_id
from locframework.languages import canonical_tag
from locframework.projects.languages import Languages
from locframework.projects.records import Language
from locframework.projects.service import Projects
from locframework.storage import Storage
from locframework.transactions import crash_point
from locframework.validation import check_record

from .bodies import key_write
from .records import (
    BulkKey,
    ItemError,
    ItemResult,
    Key,
    KeyLimits,
    KeyWrite,
    KeyWritten,
    NewKeys,
    NewValues,
    OnExisting,
    ValueItem,
)
from .rules import check_texts, tag_in_project
from .service import order_of
from .store import store_of
from .writer import KeyWriter

Plan = KeyWrite | Key | LocError
"""What is to be done with an item: write it, leave the key there is, or refuse it."""


class BulkKeys:
    """Batches of 1 to 500: one transaction, one outcome an item."""

    def __init__(
        self,
        storage: Storage,
        projects: Projects,
        branches: Branches,
        languages: Languages,
        writer: KeyWriter,
    ) -> None:
        self._storage = storage
        self._projects = projects
        self._branches = branches
        self._languages = languages
        self._writer = writer

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
        scope = self._branches.scope(project, branch)
        self._writer.findings.prepare(project.id)
        with self._storage.transaction():
            scope = self._branches.lock_scope(scope)
            require_writable(scope)
            store = store_of(self._storage, scope)
            names = {item.key for item in new.keys}
            there = store.find_keys_by_name(project.id, names)
            languages = self._languages.of(scope.project)
            codes = order_of(languages)
            plans = {
                at: _key_plan(at, item, there, new.on_existing, codes)
                for at, item in enumerate(_judged(new.keys))
            }
            results = self._write(caller, scope, languages, plans, new.keys)
            crash_point("bulk.before_commit")
        crash_point("bulk.after_commit")
        return results

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
        self._writer.findings.prepare(project.id)
        with self._storage.transaction():
            scope = self._branches.lock_scope(scope)
            require_writable(scope)
            store = store_of(self._storage, scope)
            names = {item.key for item in new.items if item.key is not None}
            there = store.find_keys_by_name(project.id, names)
            languages = self._languages.of(scope.project)
            codes = order_of(languages)
            plans = [
                _value_plan(at, item, there, codes) for at, item in enumerate(new.items)
            ]
            ordered = _sources_first(plans, project.source_language)
            results = self._write(caller, scope, languages, ordered, new.items)
            crash_point("bulk.before_commit")
        crash_point("bulk.after_commit")
        return results

    def _write(
        self,
        caller: Caller,
        scope: BranchScope,
        languages: Sequence[Language],
        plans: Mapping[int, Plan],
        items: Sequence[BulkKey | ValueItem],
    ) -> list[ItemResult]:
        """``plans``: by the places of their items, in the order to be done."""
        writes = [plan for plan in plans.values() if isinstance(plan, KeyWrite)]
        written = iter(self._writer.write_each(caller, scope, languages, writes))
        left = self._with_values(scope, languages, plans.values())
        outcomes = {
            at: next(written) if isinstance(plan, KeyWrite) else plan
            for at, plan in plans.items()
        }
        results: list[ItemResult] = []
        repeats = Repeats()
        for at, item in enumerate(items):
            outcome = outcomes[at]
            if isinstance(outcome, Key):
                outcome = left[outcome.id]
            if isinstance(outcome, LocError):
                error = _item_error(outcome, item, repeats)
                results.append(ItemResult(at, "failed", None, error))
            else:
                results.append(_result(at, outcome))
        return results

    def _with_values(
        self,
        scope: BranchScope,
        languages: Sequence[Language],
        plans: Iterable[Plan],
    ) -> dict[str, Key]:
        """The keys that are left alone, by id, as they are after the whole batch."""
        keys = [plan for plan in plans if isinstance(plan, Key)]
        if not keys:
            return {}
        store = store_of(self._storage, scope)
        values = store.values_of([key.id for key in keys])
        order = order_of(languages)
        shown = self._writer.shown
        return {key.id: shown(key, values.get(key.id, []), order) for key in keys}


def _judged(items: Sequence[BulkKey]) -> Iterator[BulkKey | LocError]:
    """The items, or why one is refused: too long, or an earlier item has its key."""
    seen: dict[str, int] = {}
    for at, item in enumerate(items):
        path = f"$.keys[{at}]"
        first = seen.setdefault(item.key, at)
        if first != at:
            message = f"item {first} has the key {abbreviate(item.key)!r} too"
            yield ValidationFailed.at(f"{path}.key", "unique", message)
            continue
        try:
            check_record(KeyLimits(item.key, item.description, item.tags), path)
        except LocError as refusal:
            yield refusal
        else:
            yield item


def _key_plan(
    at: int,
    item: BulkKey | LocError,
    there: Mapping[str, Key],
    on_existing: OnExisting,
    codes: Container[str],
) -> Plan:
    if isinstance(item, LocError):
        return item
    old = there.get(item.key)
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


def _value_plan(
    at: int, item: ValueItem, there: Mapping[str, Key], codes: Container[str]
) -> Plan:
    path = f"$.items[{at}]"
    if (item.key_id is None) == (item.key is None):
        missing, twice = "needs keyId or key", "takes keyId or key, not both"
        message = missing if item.key is None else twice
        return ValidationFailed.at(path, "required", message)
    try:
        tag = tag_in_project(item.language_code, codes, f"{path}.languageCode")
        check_texts(item.value, f"{path}.value")
    except LocError as refusal:
        return refusal
    key_id = item.key_id
    if item.key is not None:
        key_id = there[item.key].id if item.key in there else None
    if key_id is None or not is_id(key_id):
        return KeyNotFound()
    return KeyWrite(
        name=item.key or key_id,
        key_id=key_id,
        values={tag: item.value},
        places={tag: f"{path}.value"},
        keep_fresh=item.keep_fresh,
    )


def _sources_first(plans: Sequence[Plan], source: str) -> dict[int, Plan]:
    """The plans by their places: translations are judged beside the source text that
    comes with them, wherever it stands in the batch."""

    def is_other(at: int) -> bool:
        plan = plans[at]
        return not isinstance(plan, KeyWrite) or source not in plan.values

    return {at: plans[at] for at in sorted(range(len(plans)), key=is_other)}


def _item_error(
    refusal: LocError, item: BulkKey | ValueItem, repeats: Repeats
) -> ItemError:
    """The whole refusal, as long as not too much of the request is repeated."""
    if repeats.allow(f"{refusal.message} {refusal.details}", _names_in(item)):
        return ItemError(refusal.code, refusal.message, refusal.details)
    return ItemError(refusal.code, code_meaning(refusal))


def _names_in(item: BulkKey | ValueItem) -> Iterator[str]:
    """What a refusal of the item may repeat of it; texts never are."""
    yield item.key or ""
    if isinstance(item, BulkKey):
        values = item.values
    else:
        values = {item.language_code: item.value}
    for code, text in values.items():
        yield code
        yield canonical_tag(code) or ""
        if isinstance(text, dict):
            yield from text


def _result(at: int, outcome: KeyWritten | Key) -> ItemResult:
    if isinstance(outcome, Key):
        return ItemResult(at, "skipped", outcome, None)
    if outcome.outcome == "unchanged":
        return ItemResult(at, "skipped", outcome.key, None)
    return ItemResult(at, outcome.outcome, outcome.key, None)
