"""How good engines were: what reviewers did with their texts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from msgspec.structs import replace
from rapidfuzz.distance import Levenshtein

from locframework.branches.service import BranchScope
from locframework.keys.changes import Reviewed
from locframework.keys.records import PROVENANCE, FileDetail
from locframework.keys.store import KeyStorage, store_of
from locframework.languages import count_words

from .records import SHARE, ProviderQuality, plain, text_hash
from .usage import AiUsage, AiUsageStore, Budgets

DISTANCE_SCALE = 10_000
"""Distances are stored as whole numbers: 0 to 10,000."""

IS_REVIEWED = "isReviewed"  # of a detail: the text was counted


class ReviewStorage(KeyStorage, Protocol):
    """The part of the storage that this uses."""

    ai_usage: AiUsageStore


@dataclass(eq=False, repr=False)
class DraftReviews:
    """Counts what reviewers decide of drafts by engines: each draft once."""

    _storage: ReviewStorage
    _budgets: Budgets

    def on_review(
        self, scope: BranchScope, reviewed: Sequence[Reviewed]
    ) -> Callable[[], None] | None:
        """Return what stores the decisions, in the transaction that writes the values;
        None if no draft of an engine is among them. Two statements at most."""
        store = store_of(self._storage, scope)
        ids = {each.key_id for each in reviewed}
        found = store.details_of(scope.project.id, PROVENANCE, None, ids)
        made = {
            (each.key_id, each.language_code, each.module): each
            for each in found
            if IS_REVIEWED not in each.detail and each.detail.get("origin") != "tm"
        }
        decided = [
            (each, made[each.place])
            for each in reviewed
            if each.place in made and _is_decision(each, made[each.place])
        ]
        if not decided:
            return None
        texts = self._texts(scope, decided)
        usage = [_usage(scope, self._budgets.month(), *each, texts) for each in decided]
        details = [
            replace(detail, detail={**detail.detail, IS_REVIEWED: True})
            for _, detail in decided
        ]

        def store_them() -> None:
            store.put_details(details)
            self._storage.ai_usage.add_usage(usage)

        return store_them

    def _texts(
        self, scope: BranchScope, decided: Iterable[tuple[Reviewed, FileDetail]]
    ) -> Mapping[tuple[str, str, str], str]:
        """Return the engine's text of each that people have changed more than once."""
        asked = [
            (each, detail)
            for each, detail in decided
            if not {_hash(each.before), _hash(each.after)} & {detail.detail["textHash"]}
        ]
        if not asked:
            return {}
        hashes = {each.place: detail.detail["textHash"] for each, detail in asked}
        revisions = store_of(self._storage, scope).revisions_of(
            {each.key_id for each, _ in asked},
            {each.language_code for each, _ in asked},
        )
        return {
            place: row.value
            for row in revisions
            if (place := (row.key_id, row.language_code, row.plural_form or ""))
            in hashes
            and _hash(row.value) == hashes[place]
        }


def _hash(text: str | None) -> str | None:
    return None if text is None else text_hash(text)


def _is_decision(reviewed: Reviewed, made: FileDetail) -> bool:
    """Return whether the draft was approved, edited or not, or rejected as it was."""
    is_approved = reviewed.after is not None
    return is_approved or _hash(reviewed.before) == made.detail["textHash"]


def _usage(
    scope: BranchScope,
    month: str,
    reviewed: Reviewed,
    made: FileDetail,
    texts: Mapping[tuple[str, str, str], str],
) -> AiUsage:
    """Return the decision as one to add."""
    usage = AiUsage(
        scope.project.organization_id,
        scope.project.id,
        month,
        str(made.detail["provider"]),
        reviewed.language_code,
    )
    if reviewed.after is None:
        return replace(usage, rejected=1)
    if _hash(reviewed.after) == made.detail["textHash"]:
        words = count_words(reviewed.after)
        return replace(usage, approved=1, kept_words=words)
    before = texts.get(reviewed.place, reviewed.before)
    distance = Levenshtein.normalized_distance(before, reviewed.after)
    return replace(usage, edited=1, edit_distance=round(distance * DISTANCE_SCALE))


def quality_of(usage: AiUsage) -> ProviderQuality:
    """Return the sums of an engine in a language, as people see them."""
    distance, cost = usage.edit_distance / DISTANCE_SCALE, usage.cost
    words = usage.kept_words
    return ProviderQuality(
        usage.provider,
        usage.language_code,
        usage.approved,
        usage.edited,
        usage.rejected,
        round(distance / usage.edited, 4) if usage.edited else None,
        plain(cost),
        words,
        plain((cost / words).quantize(SHARE)) if words else None,
    )
