"""Rules: branches are made, closed and merged."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from locframework import OPERATOR
from locframework.branches.records import NewBranch
from locframework.errors import KeyExists, MergeConflict, ValidationFailed
from locframework.merging.records import MergeRequest, Resolution

from .lines import MAIN
from .merging import Refused
from .people import BRANCHES, People, by_name, some, unit_of
from .texts import Place

REFUSALS = {
    "merge_conflict": MergeConflict,
    "key_exists": KeyExists,
    "validation_failed": ValidationFailed,
}
strategies = st.sampled_from(["fail", "use_branch", "use_main"])
sides = st.sampled_from(["branch", "main"])
picks = st.just({}) | st.dictionaries(some, sides, max_size=4)


class Branching(People):
    """What people do to branches."""

    @rule(name=st.sampled_from(BRANCHES))
    def branch(self, name: str) -> None:
        if name not in self.model.branches:
            new = NewBranch(name)
            self.framework.branches.create_branch(OPERATOR, self.project_id, new)
            self.model.branches[name] = {}

    @rule(name=st.sampled_from(BRANCHES))
    def close(self, name: str) -> None:
        if name in self.model.branches:
            self.framework.branches.close_branch(OPERATOR, self.project_id, name)
            del self.model.branches[name]
            self.past.forget_line(name)

    @precondition(lambda self: self.model.branches)
    @rule(which=some, strategy=strategies, picked=picks)
    def merge(self, which: int, strategy: Any, picked: dict[int, Any]) -> None:
        """``picked``: changes that are decided one by one."""
        name = sorted(self.model.branches)[which % len(self.model.branches)]
        self.check_diff(name)
        items = self.diff(name).items
        asked = {at % len(items): picked[at] for at in picked} if items else {}
        decided = {(items[at].key_id, unit_of(items[at])): asked[at] for at in asked}
        request = MergeRequest(
            strategy=strategy,
            resolutions=[Resolution(items[at].id, asked[at]) for at in asked],
        )
        after = copy.deepcopy(self.model)
        refusal = None
        found_right: set[tuple[str, Place]] = set()
        try:
            found_right = after.merge(name, strategy, decided)
        except Refused as refused:
            refusal = REFUSALS[str(refused)]
        clean = not any(change.conflict for change in self.model.diff(name))
        clean &= not self.model.hidden(name) and not decided
        clean &= not self.model.has_approved(name)
        names, seen = self.model.names_to_merge(name), self.model.seen(name)
        on_branch = by_name({id_: seen[id_] | {"key": names[id_]} for id_ in seen})
        if refusal is not None:
            self.office.ear.events.clear()
            with pytest.raises(refusal):
                self.run_merge(name, request)
            assert not self.office.ear.events
            self.check(MAIN)
            self.check(name)
            return
        with self.told(MAIN):
            self.model = after
            for id_, place in found_right:
                main = after.main[id_]
                self.note(id_, {place: main[place]}, plural=main["isPlural"])
            self.run_merge(name, request)
        self.past.forget_line(name)
        if clean:
            assert by_name(self.model.main) == on_branch

    def run_merge(self, name: str, request: MergeRequest) -> None:
        caller = self.office.approver
        self.framework.merging.merge(caller, self.project_id, name, request)
