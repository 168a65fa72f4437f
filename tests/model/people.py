"""What people work on, and what is made sure of after each of their steps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from locframework import OPERATOR, Framework
from locframework.branches.records import BranchesQuery
from locframework.exchange.records import ExportQuery
from locframework.keys.records import Key, KeyChanges, KeyQuery
from locframework.keys.revisions import HistoryQuery
from locframework.merging.records import Change, Diff

from .lines import MAIN
from .merging import Project
from .office import LANGUAGES, Office
from .past import Back, Past
from .telling import META, Telling, Written
from .texts import (
    OTHER,
    Fields,
    Place,
    Spelled,
    Text,
    counted,
    source_words,
    spelled,
    spread,
)

SINGULAR, PLURAL = ["home", "pay", "cart.pay"], ["items", "cart.items"]
BRANCHES = ["spring", "autumn"]

lines = st.sampled_from([MAIN, MAIN, BRANCHES[0], *BRANCHES])
languages = st.sampled_from(LANGUAGES)
texts = st.sampled_from(["", "a", "b", "c"])
forms = st.dictionaries(st.sampled_from(["one", "other"]), texts, min_size=1)
files = st.dictionaries(
    st.sampled_from(SINGULAR), st.sampled_from(["a", "b", "c"]), min_size=1
)
tags = st.lists(st.sampled_from(["x", "y", "z"]), unique=True).map(tuple)
some_name = st.sampled_from([*SINGULAR, *PLURAL])
some = st.integers(0, 10)  # which one of those there are
everyone = st.booleans()  # an approver, or a translator


class People(RuleBasedStateMachine):
    """A project and its model; the rules are in files of their own.

    ``making.py``: keys and what they say; ``writing.py``: texts and their review;
    ``branching.py``: branches and merges; ``undoing.py``: undo.
    """

    office: Office

    def __init__(self) -> None:
        super().__init__()
        self.framework: Framework = self.office.framework
        self.model = Project()
        self.touched: Written = {}  # by the last step
        self.turned: dict[str, set[Spelled]] = {}  # keys, and what that moved
        self.described: set[str] = set()  # keys, by the last step
        self.undone: set[tuple[str, Place]] = set()  # texts that it put back
        self.loose: Written = {}  # by the last step, if it is told
        self.quiet: set[tuple[str, Any]] = set()  # follows main again, by the last step
        self.back: dict[str, Back] = {}  # keys that the last step brought back
        self.distribution = self.public_key = ""
        self.languages = list(LANGUAGES)  # in their order
        self.past = Past()

    def note(
        self, id_: str, written: dict[Place, Text | None], *, plural: bool
    ) -> None:
        """What a step wrote, as it is told."""
        self.touched |= {
            (id_, spelled(place, plural)): text for place, text in written.items()
        }

    def teardown(self) -> None:
        if not hasattr(self, "project_id"):
            return
        for line in (MAIN, *self.model.branches):
            self.check(line)
            self.check_history(line)
        self.check_delivered()
        for name in self.model.branches:
            self.check_diff(name)

    def pick(
        self, line: str | None, which: int, names: Sequence[str] = (*SINGULAR, *PLURAL)
    ) -> str | None:
        """One of the keys of the line, the same whenever the run is done again."""
        if line not in (MAIN, *self.model.branches):
            return None
        seen = self.model.seen(line)
        named = [id_ for id_ in seen if seen[id_]["key"] in names]
        by_name = sorted(named, key=lambda id_: seen[id_]["key"])
        return by_name[which % len(by_name)] if by_name else None

    def update(self, line: str | None, id_: str, changes: KeyChanges) -> None:
        self.framework.keys.update_key(
            self.office.approver, self.project_id, id_, changes, branch=line
        )

    def shown_outdated(self, line: str | None, id_: str) -> set[Place]:
        key = self.framework.keys.get_key(OPERATOR, self.project_id, id_, branch=line)
        return {
            (v.language_code, v.plural_form or OTHER)
            for v in key.values or ()
            if v.is_outdated
        }

    def history(self, line: str | None, id_: str, lang: str) -> list[Any]:
        """All revisions in a language, newest first."""
        page = self.framework.history.list_revisions(
            OPERATOR, self.project_id, id_, lang, HistoryQuery(1, 200, branch=line)
        )
        assert page.total == len(page.items)
        return list(page.items)

    def check_history(self, line: str | None) -> None:
        """The newest revision is the value; none has the number of another."""
        for id_, fields in self.model.seen(line).items():
            for lang in LANGUAGES:
                by_form: dict[str | None, list[Any]] = {}
                for each in self.history(line, id_, lang):
                    by_form.setdefault(each.plural_form, []).append(each)
                for form, revisions in by_form.items():
                    numbers = [each.revision for each in revisions]
                    assert numbers == sorted({*numbers}, reverse=True)
                    text, newest = spread(fields).get((lang, form)), revisions[0]
                    told = None if newest.status == "untranslated" else newest.value
                    assert told == (text.value if text else None)
                assert {p[1] for p in spread(fields) if p[0] == lang} <= {*by_form}

    def check_statistics(self, line: str | None) -> None:
        statistics = self.framework.statistics.get_statistics(
            OPERATOR, self.project_id, branch=line
        )
        seen = self.model.seen(line)
        assert statistics.key_count == len(seen)
        assert statistics.word_count == sum(map(source_words, seen.values()))
        found = {each.language_code: each for each in statistics.languages}
        assert [*found] == self.languages
        for lang, each in found.items():
            expected = counted(seen, lang)
            assert {name: getattr(each, name) for name in expected} == expected

    def check_delivered(self) -> None:
        """What is exported is what was approved, and nothing else."""
        for lang in LANGUAGES:
            query = ExportQuery("json-flat", language_codes=[lang])
            file = self.framework.exports.export(OPERATOR, self.project_id, query)
            self.check_file(lang, file.content)

    def check_file(self, lang: str, content: bytes) -> None:
        approved = {
            fields["key"]: fields[lang, OTHER].approved
            for fields in self.model.main.values()
            if fields["key"] in SINGULAR
            if (lang, OTHER) in fields and fields[lang, OTHER].approved is not None
        }
        found = json.loads(content) if content else {}
        assert {key: found[key] for key in found if key in SINGULAR} == approved

    def told(self, line: str | None, verdict: str = "") -> Telling:
        return Telling(self, line, verdict)

    def check(self, line: str | None) -> None:
        """Every key of the line is as the model has it, and none is more or less."""
        found: dict[str, Key] = {}
        cursor = None
        for page in range(1, 9):  # each second one behind the one before
            asked = {"cursor": cursor} if cursor and page % 2 == 0 else {"page": page}
            query = KeyQuery(branch=line, include="values", limit=3, **asked)
            told = self.framework.keys.list_keys(OPERATOR, self.project_id, query)
            cursor = told.next_cursor
            assert (cursor is None) == (page * 3 >= told.total)
            found.update((key.id, key) for key in told.items)
            if not told.items:
                break
            total = told.total
            assert total == len(self.model.seen(line))
        self.check_statistics(line)
        seen = self.model.seen(line)
        assert {id_: fields_of(key) for id_, key in found.items()} == {
            id_: visible(fields) for id_, fields in seen.items()
        }
        assert {
            (key.id, (v.language_code, v.plural_form or OTHER))
            for key in found.values()
            for v in key.values or ()
            if v.is_outdated
        } == {(id_, place) for id_ in seen for place in self.model.stale(line, id_)}
        self.check_counts()
        if line is MAIN:
            project = self.framework.projects.get_project(OPERATOR, self.project_id)
            assert project.key_count == len(seen)

    def check_counts(self) -> None:
        """A branch counts the changes that its diff shows."""
        listed = self.framework.branches.list_branches(
            OPERATOR, self.project_id, BranchesQuery(limit=200)
        )
        counts = {
            each.name: each.change_count
            for each in listed.items
            if each.status == "open"
        }
        expected = {name: len(self.model.diff(name)) for name in self.model.branches}
        assert counts == expected

    def diff(self, name: str) -> Diff:
        return self.framework.merging.diff(OPERATOR, self.project_id, name)

    def check_diff(self, name: str) -> None:
        diff = self.diff(name)
        found = {(each.key_id, unit_of(each), each.conflict) for each in diff.items}
        assert found == set(self.model.diff(name))
        assert len(diff.items) == len(found)


def unit_of(change: Change) -> Any:
    """The field that a change is about, or the place of the text."""
    if change.field == "value":
        return change.language_code, change.plural_form or OTHER
    return change.field


def fields_of(key: Key) -> Fields:
    fields: Fields = {
        "key": key.key,
        "description": key.description,
        "tags": key.tags,
        "isPlural": key.is_plural,
    }
    for value in key.values or ():
        place = value.language_code, value.plural_form
        fields[place] = (value.value, value.status)
    return fields


def by_name(keys: dict[str, Fields]) -> dict[str, Fields]:
    return {fields["key"]: visible(fields) for fields in keys.values()}


def visible(fields: Fields) -> Fields:
    """What the read of a key shows; the approved text stands in the detail read."""
    told = {field: fields[field] for field in META}
    return told | {place: text[:2] for place, text in spread(fields).items()}
