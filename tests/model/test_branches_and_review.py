"""Random writes, reviews, updates and merges agree with a model of dictionaries."""

from __future__ import annotations

import tempfile
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from locframework.testing.workspace import open_workspace
from tests.empty_databases import fresh_url

TEXTS = st.sampled_from(["", "a", "b", "c"])
CODES = st.sampled_from(["de", "fr"])  # a source text would outdate them
KEYS = st.integers(0, 2)
ON_BRANCH = st.booleans()


class Text(NamedTuple):
    """A value: what people see, its review state, and the last approved text."""

    value: str
    status: str
    approved: str | None


class Conflict(Exception):
    """Both sides changed a unit to something else."""


def write(old, text, *, approver):
    approved = old.approved if old else None
    if not text and (approver or approved is None):
        return None
    if approver:
        return Text(text, "approved", text)
    if old and old.value == text and old.status in ("approved", "pending_review"):
        return old
    return Text(text, "pending_review", approved)


def review(old, *, approves):
    if approves:
        return Text(old.value, "approved", old.value) if old.value else None
    if old.approved is not None:
        return Text(old.approved, "approved", old.approved)
    return Text(old.value, "draft", None)


def units(*states):
    return {unit for state in states if state for unit in state}


def shown(content):
    return content.value if isinstance(content, Text) else content


def merged(base, main, branch, strategy):
    """One unit of a key after a merge: base, main, branch."""
    if branch in (base, main):
        return main
    is_text = isinstance(branch, Text)
    proposes = (
        is_text
        and branch.status != "approved"
        and branch.approved == (base.approved if base else None)
    )
    if proposes and main and (main.status, main.value) == ("approved", branch.value):
        return main
    if main != base and shown(main) != shown(branch):
        if strategy == "fail":
            raise Conflict
        if strategy == "use_main":
            return main
    if proposes:
        approved = main.approved if main else None
        if not branch.value and approved is None:
            return None
        return branch._replace(approved=approved)
    return branch


def updated(base, main, branch):
    """One unit of a copy and of its base after an update."""
    try:
        return merged(base, branch, main, "fail"), main
    except Conflict:
        return branch, base


class Machine(RuleBasedStateMachine):
    """One project with three keys, main and a branch."""

    @initialize()
    def begin(self):
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name)
        self.url = fresh_url("sqlite", path)
        self.opened = open_workspace(self.url.__enter__(), path)
        self.workspace = self.opened.__enter__()
        self.owner = self.workspace.owner
        project = self.workspace.project(languages=["de", "fr"])
        self.path = f"/projects/{project['id']}"
        made = [self.workspace.key(project, f"key{number}") for number in range(3)]
        self.ids = [key["id"] for key in made]
        self.translator = self.workspace.client("translator")
        self.main = [{"description": ""} for _ in made]
        self.branches = 0
        self.open_branch()

    def teardown(self):
        if hasattr(self, "opened"):
            self.opened.__exit__(None, None, None)
            self.url.__exit__(None, None, None)
            self.folder.cleanup()

    def open_branch(self):
        self.branches += 1
        self.branch = f"branch{self.branches}"
        body = {"name": self.branch}
        assert self.owner.post(f"{self.path}/branches", json=body).status == 201
        self.copies = {}
        self.bases = {}

    def state(self, key, on_branch):
        """The state to write to; the first write to a branch copies it."""
        if not on_branch:
            return self.main[key]
        if key not in self.copies:
            self.bases[key] = deepcopy(self.main[key])
            self.copies[key] = deepcopy(self.main[key])
        return self.copies[key]

    def seen(self, key, on_branch):
        return self.copies.get(key, self.main[key]) if on_branch else self.main[key]

    def query(self, on_branch):
        return {"branch": self.branch} if on_branch else {}

    @rule(key=KEYS, code=CODES, text=TEXTS, approver=st.booleans(), on=ON_BRANCH)
    def write(self, key, code, text, approver, on):
        client = self.owner if approver else self.translator
        path = f"{self.path}/keys/{self.ids[key]}/values/{code}"
        answer = client.put(path, json={"value": text}, query=self.query(on))
        assert answer.status == 200, answer
        old = self.seen(key, on).get(code)
        new = write(old, text, approver=approver)
        if new != old:
            self.put(self.state(key, on), code, new)

    @rule(key=KEYS, code=CODES, approves=st.booleans(), on=ON_BRANCH)
    def review(self, key, code, approves, on):
        old = self.seen(key, on).get(code)
        action = "approve" if approves else "reject"
        path = f"{self.path}/keys/{self.ids[key]}/values/{code}/{action}"
        answer = self.owner.post(path, json={}, query=self.query(on))
        if answer.status == 409:
            assert answer.error["code"] == "nothing_pending"
            return
        assert old is not None
        self.put(self.state(key, on), code, review(old, approves=approves))

    @rule(key=KEYS, text=TEXTS, on=ON_BRANCH)
    def describe(self, key, text, on):
        path = f"{self.path}/keys/{self.ids[key]}"
        body = {"description": text}
        assert self.owner.patch(path, json=body, query=self.query(on)).status == 200
        if text != self.seen(key, on)["description"]:
            self.state(key, on)["description"] = text

    @rule()
    def update(self):
        path = f"{self.path}/branches/{self.branch}/update"
        assert self.owner.post(path, json={}).status == 200
        for key, copy in self.copies.items():
            base, main = self.bases[key], self.main[key]
            new = {}
            new_base = {}
            for unit in units(base, main, copy):
                got, old = updated(base.get(unit), main.get(unit), copy.get(unit))
                self.put(new, unit, got)
                self.put(new_base, unit, old)
            self.copies[key], self.bases[key] = new, new_base

    @rule(strategy=st.sampled_from(["fail", "use_branch", "use_main"]))
    def merge(self, strategy):
        path = f"{self.path}/branches/{self.branch}/merge"
        answer = self.owner.post(path, json={"strategy": strategy})
        try:
            results = {
                key: {
                    unit: merged(
                        self.bases[key].get(unit),
                        self.main[key].get(unit),
                        copy.get(unit),
                        strategy,
                    )
                    for unit in units(self.bases[key], self.main[key], copy)
                }
                for key, copy in self.copies.items()
            }
        except Conflict:
            assert answer.error["code"] == "merge_conflict"
            return
        assert answer.status == 200, answer
        for key, state in results.items():
            self.main[key] = {u: c for u, c in state.items() if c is not None}
        self.open_branch()

    @invariant()
    def agrees(self):
        if not hasattr(self, "path"):
            return
        for on in (False, True):
            query = {"include": "values", **self.query(on)}
            items = self.owner.get(f"{self.path}/keys", query=query).data["items"]
            by_id = {item["id"]: item for item in items}
            for key, id_ in enumerate(self.ids):
                state, item = self.seen(key, on), by_id[id_]
                assert item["description"] == state["description"]
                found = {
                    value["languageCode"]: (value["value"], value["status"])
                    for value in item["values"]
                }
                assert found == {
                    code: text[:2]
                    for code, text in state.items()
                    if code in ("de", "fr")
                }

    @staticmethod
    def put(state, unit, content):
        if content is None:
            state.pop(unit, None)
        else:
            state[unit] = content


def test_random_histories_agree_with_the_model():
    many = settings(max_examples=15, stateful_step_count=25, deadline=None)
    run_state_machine_as_test(Machine, settings=many)
