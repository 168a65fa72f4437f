"""What is kept of findings is what checks find anew, whatever was done before."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from locframework import OPERATOR, LocError
from locframework.branches.records import NewBranch
from locframework.exchange.records import ImportOptions
from locframework.formats.records import SourceFile
from locframework.issues.service import IssueQuery
from locframework.keys.records import (
    Approval,
    KeyChanges,
    KeyQuery,
    NewDismissal,
    NewKey,
    NewValue,
    NewValues,
    Rejection,
    ValueItem,
)
from locframework.merging.records import MergeRequest
from locframework.projects.records import NewLanguage
from locframework.quality.check import Subject

T = TypeVar("T")

NAMES = ("a", "b", "c.d", "e")
CODES = ("en", "de", "fr")
TEXTS = ("", "{x}", "Pay {x} now.", "pay", "Pay 12 now", "<b>Pay</b> ", "1 {y} %s")
LIMITS = (None, 4, 8)
DISABLED = [[], ["length", "placeholders"]]
BRANCHES = (None, "spring")

texts = st.sampled_from(TEXTS)
codes = st.sampled_from(CODES)
names = st.sampled_from(NAMES)
lines = st.sampled_from(BRANCHES)


class Walk:
    """A project that random steps are taken in."""

    def __init__(self, workspace, data):
        self.framework = workspace.framework
        self.translator = workspace.framework.tokens.caller_behind(
            workspace.client("translator").token or ""
        )
        self.workspace = workspace
        self.project = workspace.project(languages=CODES[1:])["id"]
        self._data = data
        self._open("spring")
        self.dismissed = set()  # by branch

    def draw(self, strategy):
        return self._data.draw(strategy)

    def keys(self, branch):
        query = KeyQuery(branch=branch, include="values", limit=200)
        return self.framework.keys.list_keys(OPERATOR, self.project, query).items

    def one(self, branch):
        there = self.keys(branch)
        return self.draw(st.sampled_from(there)) if there else None

    # steps

    def create(self):
        plural = self.draw(st.booleans())
        values = {code: self._text(is_plural=plural) for code in CODES}
        new = NewKey(
            key=self.draw(names),
            max_length=self.draw(st.sampled_from(LIMITS)),
            is_plural=plural,
            values=values,
        )
        branch = self.draw(lines)
        self.framework.keys.create_key(OPERATOR, self.project, new, branch=branch)

    def write(self):
        branch = self.draw(lines)
        if (key := self.one(branch)) is None:
            return
        new = NewValue(self._text(is_plural=key.is_plural))
        caller = self.draw(st.sampled_from((OPERATOR, self.translator)))
        self.framework.keys.set_value(
            caller, self.project, key.id, self.draw(codes), new, branch=branch
        )

    def write_many(self):
        branch = self.draw(lines)
        items = [
            ValueItem(
                self.draw(codes), self._text(is_plural=key.is_plural), key_id=key.id
            )
            for key in self.keys(branch)
        ]
        if items:
            self.framework.bulk_keys.set_values(
                OPERATOR, self.project, NewValues(items), branch=branch
            )

    def change(self):
        branch = self.draw(lines)
        if (key := self.one(branch)) is None:
            return
        changes = self.draw(
            st.sampled_from(
                (
                    KeyChanges(key=self.draw(names)),
                    KeyChanges(max_length=self.draw(st.sampled_from(LIMITS))),
                    KeyChanges(disabled_checks=self.draw(st.sampled_from(DISABLED))),
                    KeyChanges(is_plural=not key.is_plural),
                )
            )
        )
        self.framework.keys.update_key(
            OPERATOR, self.project, key.id, changes, branch=branch
        )

    def judge(self):
        branch = self.draw(lines)
        if (key := self.one(branch)) is None:
            return
        code = self.draw(codes)
        review = self.framework.review
        if self.draw(st.booleans()):
            review.approve(
                OPERATOR, self.project, key.id, code, Approval(), branch=branch
            )
        else:
            review.reject(
                OPERATOR, self.project, key.id, code, Rejection(), branch=branch
            )

    def delete(self):
        branch = self.draw(lines)
        if (key := self.one(branch)) is None:
            return
        keys = self.framework.keys
        keys.delete_key(OPERATOR, self.project, key.id, branch=branch)
        if self.draw(st.booleans()):
            self.write()
        if self.draw(st.booleans()):
            keys.restore_key(OPERATOR, self.project, key.id, branch=branch)

    def import_(self):
        said = {name: self.draw(texts) for name in NAMES if self.draw(st.booleans())}
        file = SourceFile("x.json", json.dumps(said).encode())
        options = ImportOptions(
            format="json-flat",
            language_code=self.draw(codes),
            on_conflict=self.draw(st.sampled_from(("keep", "overwrite"))),
            mode=self.draw(st.sampled_from(("merge", "merge", "replace"))),
            tags=["x"] if self.draw(st.booleans()) else [],
            branch=self.draw(lines),
        )
        self.framework.imports.start_import(OPERATOR, self.project, file, options)
        self.workspace.run_jobs()

    def turn_over_a_language(self):
        code = self.draw(st.sampled_from(CODES[1:]))
        languages = self.framework.languages
        languages.remove_language(OPERATOR, self.project, code)
        languages.add_language(OPERATOR, self.project, NewLanguage(code))
        self.dismissed = {each for each in self.dismissed if each[1][1] != code}

    def merge(self):
        strategy = self.draw(st.sampled_from(("use_branch", "use_main")))
        self.framework.merging.merge(
            OPERATOR, self.project, "spring", MergeRequest(strategy=strategy)
        )
        self.dismissed = {(None, about) for _, about in self.dismissed}
        self._open("spring")

    def dismiss(self):
        branch = self.draw(lines)
        query = IssueQuery(branch=branch, limit=200)
        issues = self.framework.issues.list_issues(OPERATOR, self.project, query)
        if issues.items:
            one = self.draw(st.sampled_from(issues.items))
            about = one.key_id, one.language_code, one.check
            self.framework.dismissals.dismiss(
                OPERATOR, self.project, *about, NewDismissal(), branch=branch
            )
            self.dismissed.add((branch, self._about(*about, branch)))

    def withdraw(self):
        branch = self.draw(lines)
        if own := sorted(each for of, each in self.dismissed if of == branch):
            about = self.draw(st.sampled_from(own))
            if self._about(*about[:3], branch) == about:
                self.framework.dismissals.withdraw(
                    OPERATOR, self.project, *about[:3], branch=branch
                )
                self.dismissed.remove((branch, about))

    # what must hold

    def agree(self):
        languages = self.framework.languages.list_languages(OPERATOR, self.project)
        for branch in BRANCHES:
            keys = sorted(self.keys(branch), key=lambda key: key.key)
            expected = [
                row for key in keys for row in self._found(key, branch, languages)
            ]
            listed = self.framework.issues.list_issues(
                OPERATOR, self.project, IssueQuery(branch=branch, limit=200)
            )
            assert listed.total == len(listed.items) < 200
            assert [
                (
                    one.key_id,
                    one.language_code,
                    one.plural_form,
                    one.check,
                    one.message,
                    one.start,
                    one.end,
                )
                for one in listed.items
            ] == expected, branch
            query = KeyQuery(branch=branch, has_issues=True, limit=200)
            wrong = self.framework.keys.list_keys(OPERATOR, self.project, query)
            assert [key.id for key in wrong.items] == list(
                dict.fromkeys(row[0] for row in expected)
            )

    def _is_dismissed(self, key_id, code, check, branch):
        about = self._about(key_id, code, check, branch)
        return bool({(None, about), (branch, about)} & self.dismissed)

    def _about(self, key_id, code, check, branch):
        key = self.framework.keys.get_key(OPERATOR, self.project, key_id, branch=branch)
        assert isinstance(key.values, list)
        texts, source = (
            frozenset(
                (each.plural_form, each.value)
                for each in key.values
                if each.language_code == of and each.value
            )
            for of in (code, "en")
        )
        return key_id, code, check, texts, source

    def _found(self, key, branch, languages):
        assert isinstance(key.values, list)
        known = {}
        for value in key.values:
            if value.value:
                forms = known.setdefault(value.language_code, {})
                forms[value.plural_form] = value.value
        detail = self.framework.keys.get_detail(
            OPERATOR, self.project, key.id, branch=branch
        )
        rows = []
        for language in languages:
            code = language.language_code
            if code not in known:
                continue
            every = self.framework.checks.names
            names = [name for name in every if name not in detail.disabled_checks]
            found = self.framework.checks.findings(
                Subject(
                    key=key.key,
                    language_code=code,
                    texts=known[code],
                    source_language="en",
                    source_texts={} if code == "en" else known.get("en", {}),
                    is_plural=key.is_plural,
                    plural_forms=language.plural_forms,
                    tags=key.tags,
                    max_length=detail.max_length,
                ),
                names,
            )
            rows += [
                (key.id, code, form, one.check, one.message, one.start, one.end)
                for form in known[code]  # they come in order
                for one in found
                if one.plural_form == form
                and not self._is_dismissed(key.id, code, one.check, branch)
            ]
        return rows

    def _open(self, name):
        self.framework.branches.create_branch(OPERATOR, self.project, NewBranch(name))

    def _text(self, *, is_plural):
        if not is_plural:
            return self.draw(texts)
        return {form: self.draw(texts) for form in ("one", "other")}


STEPS: tuple[Callable[[Walk], None], ...] = (
    Walk.create,
    Walk.create,
    Walk.write,
    Walk.write,
    Walk.write_many,
    Walk.change,
    Walk.change,
    Walk.judge,
    Walk.delete,
    Walk.import_,
    Walk.turn_over_a_language,
    Walk.merge,
    *[Walk.dismiss] * 3,
    Walk.withdraw,
)


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,  # each example has its own project
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)
@given(data=st.data())
def test_findings_are_those_worked_out_anew(workspace, data):
    walk = Walk(workspace, data)
    walk.create()

    for step in data.draw(st.lists(st.sampled_from(STEPS), min_size=12, max_size=16)):
        with suppress(LocError):  # what is refused changes nothing
            step(walk)
        walk.agree()
