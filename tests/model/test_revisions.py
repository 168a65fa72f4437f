"""The history of every value, whatever people do: complete, and no number twice."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from locframework import OPERATOR, LocError
from locframework.access.records import Caller
from locframework.activity.records import RevertRequest
from locframework.branches.records import NewBranch
from locframework.keys.records import Approval, KeyChanges, NewKey, NewValue, Rejection
from locframework.keys.revisions import HistoryItem, HistoryQuery, Reversion
from locframework.merging.records import MergeRequest

from .office import Office

Where = tuple[str | None, str, str, str | None]  # branch id, key, language, form
Told = dict[int, HistoryItem]
CODES = ("en", "de")
BRANCHES = (None, None, "spring", "autumn")
STEPS = 60


class Historians:
    """Two keys and two branches; after each step every history is looked up."""

    def __init__(self, office: Office, seed: int) -> None:
        self.office, self.random = office, Random(seed)
        self.framework = office.framework
        self.project = office.project()
        self.known: dict[Where, Told] = {}
        keys = self.framework.keys
        self.keys = [
            keys.create_key(office.approver, self.project, NewKey(name, is_plural=many))
            for name, many in (("one", False), ("many", True))
        ]

    def step(self) -> None:
        """Something that people do; what is refused changes nothing."""
        acts: list[Callable[[], object]] = [
            *[self.write] * 8,
            *[self.judge] * 3,
            *[self.revert] * 2,
            self.turn,
            self.delete,
            *[self.restore] * 2,
            *[self.branch] * 2,
            *[self.merge] * 2,
            self.undo,
        ]
        with suppress(LocError):
            self.random.choice(acts)()

    def write(self) -> None:
        text = self.random.choice(["", "a", "b", "c"])
        key = self.key()
        found = self.framework.keys.get_key(OPERATOR, self.project, key)
        form = self.random.choice(["one", "other"])
        self.framework.keys.set_value(
            self.caller(),
            self.project,
            key,
            self.code(),
            NewValue({form: text} if found.is_plural else text),
            branch=self.line(),
        )

    def judge(self) -> None:
        review, where = self.framework.review, (self.key(), self.code())
        if self.random.random() < 0.5:
            review.approve(
                OPERATOR, self.project, *where, Approval(), branch=self.line()
            )
        else:
            asked = Rejection(reason="no")
            review.reject(OPERATOR, self.project, *where, asked, branch=self.line())

    def revert(self) -> None:
        asked = Reversion(
            self.random.randint(1, 9), self.random.choice([None, "one", "other"])
        )
        self.framework.history.revert(
            self.caller(), self.project, self.key(), self.code(), asked,
            branch=self.line(),
        )  # fmt: skip

    def turn(self) -> None:
        changes = KeyChanges(is_plural=self.random.random() < 0.5)
        self.framework.keys.update_key(
            OPERATOR, self.project, self.key(), changes, branch=self.line()
        )

    def delete(self) -> None:
        key, line = self.key(), self.line()
        self.framework.keys.delete_key(OPERATOR, self.project, key, branch=line)
        if line is None:  # a branch that says nothing of its own gives up its copy
            self.known = {
                where: told
                for where, told in self.known.items()
                if where[0] is None or where[1] != key
            }

    def restore(self) -> None:
        keys = self.framework.keys
        keys.restore_key(OPERATOR, self.project, self.key(), branch=self.line())

    def branch(self) -> None:
        new = NewBranch(self.random.choice(["spring", "autumn"]))
        self.framework.branches.create_branch(OPERATOR, self.project, new)

    def merge(self) -> None:
        name = self.random.choice(["spring", "autumn"])
        asked = MergeRequest(
            strategy=self.random.choice(["fail", "use_branch", "use_main"])
        )
        self.framework.merging.merge(OPERATOR, self.project, name, asked)

    def undo(self) -> None:
        who = self.caller().actor.id
        asked = RevertRequest(actor=who, key_id=self.key(), branch=self.line())
        self.framework.activity.start_revert(OPERATOR, self.project, asked)
        self.framework.runner.run_until_idle()

    def line(self) -> str | None:
        return self.random.choice(BRANCHES)

    def key(self) -> str:
        return self.random.choice(self.keys).id

    def code(self) -> str:
        return self.random.choice(CODES)

    def caller(self) -> Caller:
        return self.random.choice([self.office.approver, self.office.translator])

    def look_everywhere(self) -> None:
        lines: list[tuple[str | None, str | None]] = [(None, None)]
        for name in ("spring", "autumn"):
            with suppress(LocError):
                branch = self.framework.branches.get_branch(
                    OPERATOR, self.project, name
                )
                lines.append((name, branch.id))
        for line, branch_id in lines:
            for key in self.keys:
                for code in CODES:
                    with suppress(LocError):  # deleted there, or the branch has ended
                        self.look_up(line, branch_id, key.id, code)

    def look_up(
        self, line: str | None, branch_id: str | None, id_: str, code: str
    ) -> None:
        query = HistoryQuery(limit=200, branch=line)
        history = self.framework.history
        found = history.list_revisions(OPERATOR, self.project, id_, code, query)
        values = self.framework.keys.get_value(
            OPERATOR, self.project, id_, code, branch=line
        )
        now = {value.plural_form: value for value in values}
        forms: dict[str | None, Told] = {}
        for item in found.items:
            of_form = forms.setdefault(item.plural_form, {})
            assert item.revision not in of_form, "a number stands there twice"
            of_form[item.revision] = item
        assert set(now) <= set(forms)
        plain = forms.get(None, {}).keys()
        for form in forms.keys() - {None}:
            assert plain.isdisjoint(forms[form]), "a form has the number of another era"
        key = self.framework.keys.get_key(OPERATOR, self.project, id_, branch=line)
        for form, items in forms.items():
            if key.is_plural != (form is not None):
                continue  # no place of the key any more
            newest, value = items[max(items)], now.get(form)
            if value is None:
                assert newest.status == "untranslated"
            else:
                told = (newest.revision, newest.value, newest.status)
                assert told == (value.revision, value.value, value.status)
            self.compare((branch_id, id_, code, form), items)

    def compare(self, where: Where, items: Told) -> None:
        """What was told before is told again, and numbers only go up."""
        before = self.known.get(where, {})
        assert max(items) >= max(before, default=0), where
        for revision, old in before.items():
            assert items.get(revision) == old, where
        self.known[where] = items


@pytest.fixture
def office(
    database_url: str, tmp_path: Any, open_office: Callable[[str, Any], Office]
) -> Office:
    return open_office(database_url, tmp_path)


def test_no_revision_is_lost_or_told_twice_whatever_people_do(
    office: Office, is_long: bool
) -> None:
    for seed in range(300 if is_long else 4):
        people = Historians(office, seed)
        for step in range(STEPS):
            people.step()
            try:
                people.look_everywhere()
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, step {step}: {error}") from error
