"""Everything that people do to keys, on main and on branches, against a model."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from locframework import OPERATOR, Framework, hookimpl
from locframework.access.records import Caller, NewMember, NewToken
from locframework.branches.records import BranchesQuery, NewBranch
from locframework.delivery.records import NewDistribution, NewRelease
from locframework.errors import (
    KeyExists,
    KeyNotFound,
    MergeConflict,
    NothingPending,
    ValidationFailed,
)
from locframework.events import Event
from locframework.exchange.records import ExportQuery, ImportOptions
from locframework.formats.records import SourceFile
from locframework.keys.records import (
    Approval,
    Key,
    KeyChanges,
    KeyQuery,
    NewKey,
    NewValue,
    Rejection,
)
from locframework.keys.revisions import HistoryQuery, Reversion
from locframework.merging.records import MergeRequest
from locframework.projects.records import NewLanguage, NewProject
from locframework.testing.workspace import Workspace

from .lines import (
    MAIN,
    OTHER,
    SOURCE,
    Fields,
    Lines,
    Place,
    Refused,
    Spelled,
    Text,
    counted,
    places,
    source_words,
    spelled,
    spread,
)

SINGULAR, PLURAL = ["home", "pay", "cart.pay"], ["items", "cart.items"]
LANGUAGES = ["en", "de", "ar"]
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
META = ("key", "description", "tags", "isPlural")
PLACE = ("languageCode", "pluralForm")
everyone = st.booleans()  # an approver, or a translator


Written = dict[tuple[str, Spelled], Text | None]
"""What was written, where; on a branch it may give way to what main says."""


class Ear:
    """Hears every event."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    @hookimpl
    def loc_on_event(self, event: Event) -> None:
        self.events.append(event)


class Office:
    """One framework for all runs, and a new project for each."""

    def __init__(self, workspace: Workspace, ear: Ear) -> None:
        self.framework = workspace.framework
        self.ear = ear
        self.organization_id = workspace.organization_id
        self.approver = self._caller("developer")
        self.translator = self._caller("translator")

    def _caller(self, role: Any) -> Caller:
        framework, organization_id = self.framework, self.organization_id
        new = NewMember(email=f"{role}@example.com", role=role)
        member = framework.organizations.add_member(OPERATOR, organization_id, new)
        _, text = framework.tokens.create_for_member(
            OPERATOR, organization_id, member.id, NewToken("test")
        )
        caller = framework.authenticate(text)
        assert caller is not None
        return caller

    def project(self) -> str:
        new = NewProject("Shop", SOURCE, organization_id=self.organization_id)
        project = self.framework.projects.create_project(OPERATOR, new)
        for code in LANGUAGES[1:]:
            new_language = NewLanguage(code)
            self.framework.languages.add_language(OPERATOR, project.id, new_language)
        return project.id


class People(RuleBasedStateMachine):
    """What people do; after each step the line they worked on is as the model says."""

    office: Office

    def __init__(self) -> None:
        super().__init__()
        self.framework: Framework = self.office.framework
        self.model = Lines()
        self.touched: Written = {}  # by the last step
        self.turned: dict[str, set[Spelled]] = {}  # keys, and what that moved
        self.described: set[str] = set()  # keys, by the last step
        self.distribution = self.public_key = ""
        self.languages = list(LANGUAGES)  # in their order

    @initialize(stocked=st.sampled_from([True, True, True, False]))
    def begin(self, stocked: bool) -> None:
        """Much of what people do needs a key with texts, and a branch."""
        self.project_id = self.office.project()
        self.office.ear.events.clear()
        if stocked:
            self.create(MAIN, "home", ("x",), "a", "b")
            self.create(MAIN, "items", (), "a", "b")
            self.branch(BRANCHES[0])

    # what people do

    @rule(line=lines, name=some_name, tags=tags, text=texts, other=texts, many=everyone)
    def create(
        self,
        line: str | None,
        name: str,
        tags: tuple[str, ...],
        text: str,
        other: str,
        many: bool = True,
    ) -> None:
        if line not in (MAIN, *self.model.branches):
            return
        plural = many and name in PLURAL
        given: dict[str, Any] = {"en": text, "de": other}
        if plural:
            given = {"en": {"one": text, "other": text}, "de": {"other": other}}
        new = NewKey(name, tags=list(tags), is_plural=plural, values=given)

        def create() -> Key:
            keys = self.framework.keys
            return keys.create_key(
                self.office.approver, self.project_id, new, branch=line
            )

        if self.model.named(line, name) is not None:
            with pytest.raises(KeyExists):
                create()
            return
        with self.told(line):
            fields: Fields = {"key": name, "description": "", "tags": tags}
            fields["isPlural"] = plural
            for code, value in given.items():
                by_form = value if plural else {OTHER: value}
                for form, one in by_form.items():
                    if one:
                        fields[code, form] = Text(one, "approved", one)
            self.model.create(line, create().id, fields)

    @rule(
        line=lines,
        which=some,
        lang=languages,
        text=texts,
        forms=forms,
        by=everyone,
        fresh=everyone,
    )
    def write(
        self,
        line: str | None,
        which: int,
        lang: str,
        text: str,
        forms: dict[str, str],
        by: bool,
        fresh: bool,
    ) -> None:
        id_ = self.pick(line, which)
        if id_ is None:
            return
        fresh &= by  # a proposal may be one of several that must all say so
        plural = self.model.seen(line)[id_]["isPlural"]
        caller = self.office.approver if by else self.office.translator
        with self.told(line):
            given = forms if plural else {OTHER: text}
            written = self.model.write(
                line,
                id_,
                {(lang, form): one for form, one in given.items()},
                approver=by,
                keeps_fresh=fresh,
            )
            self.note(id_, written, plural=plural)
            new = NewValue(dict(forms) if plural else text, keep_fresh=fresh)
            self.framework.keys.set_value(
                caller, self.project_id, id_, lang, new, branch=line
            )

    def note(
        self, id_: str, written: dict[Place, Text | None], *, plural: bool
    ) -> None:
        """What a step wrote, as it is told."""
        self.touched |= {
            (id_, spelled(place, plural)): text for place, text in written.items()
        }

    @rule(line=lines, which=some)
    def turn(self, line: str | None, which: int) -> None:
        """Turn the plurals of a key on or off."""
        id_ = self.pick(line, which, PLURAL)
        if id_ is None:
            return
        with self.told(line):
            old = copy.deepcopy(self.model.seen(line)[id_])
            plural = not old["isPlural"]
            moved = {*spread(old)}
            moved |= {
                spelled(place, plural)
                for place in places(old)
                if plural or place[1] == OTHER
            }
            self.turned = {id_: moved}
            self.model.turn(line, id_, plural)
            self.update(line, id_, KeyChanges(is_plural=plural))

    @rule(line=lines, which=some, lang=languages, approves=st.booleans())
    def judge(self, line: str | None, which: int, lang: str, approves: bool) -> None:
        id_ = self.pick(line, which)
        if id_ is not None:
            self.judge_one(line, id_, lang, approves=approves)

    @rule(line=lines, which=some)
    def find_right(self, line: str | None, which: int) -> None:
        """Approve one of the texts that are outdated."""
        if line not in (MAIN, *self.model.branches):
            return
        seen = self.model.seen(line)
        stale = sorted(
            (fields["key"], id_, *place)
            for id_, fields in seen.items()
            for place in self.model.stale(line, id_)
        )
        if stale:
            _, id_, lang, _ = stale[which % len(stale)]
            self.judge_one(line, id_, lang, approves=True)

    def judge_one(
        self, line: str | None, id_: str, lang: str, *, approves: bool
    ) -> None:
        model = copy.deepcopy(self.model)
        changed = model.judge(line, id_, lang, approves=approves)
        keys, body = self.framework.review, Approval() if approves else Rejection()
        act: Any = keys.approve if approves else keys.reject

        def judge() -> None:
            act(self.office.approver, self.project_id, id_, lang, body, branch=line)

        if not changed:
            with pytest.raises(NothingPending):
                judge()
            return
        verdict = "approved" if approves else "rejected"
        with self.told(line, verdict):
            plural = self.model.seen(line)[id_]["isPlural"]
            self.note(id_, changed, plural=plural)
            self.model = model
            judge()
            if not approves:  # outdated as it was when it was approved
                stale = self.model.stale(line, id_) - {*changed}
                stale |= self.shown_outdated(line, id_) & {*changed}
                self.model.mark(line, id_, stale)

    @rule(line=lines, which=some, lang=languages, back=some)
    def revert(self, line: str | None, which: int, lang: str, back: int) -> None:
        """To any revision that the history lists: the text is written again."""
        id_ = self.pick(line, which)
        if id_ is None:
            return
        history = self.history(line, id_, lang)
        if not history:
            return
        meant = history[back % len(history)]
        plural = self.model.seen(line)[id_]["isPlural"]
        form = meant.plural_form or OTHER
        forms = {
            each.plural_form for each in history if each.revision == meant.revision
        }
        asked = Reversion(meant.revision, meant.plural_form)

        def revert() -> None:
            self.framework.history.revert(
                self.office.approver, self.project_id, id_, lang, asked, branch=line
            )

        is_unclear = meant.plural_form is None and len(forms) > 1
        if is_unclear or (form != OTHER and not plural):
            with pytest.raises(ValidationFailed):
                revert()
            return
        with self.told(line):
            written = self.model.write(
                line, id_, {(lang, form): meant.value}, approver=True
            )
            self.note(id_, written, plural=plural)
            revert()

    @rule(line=lines, lang=languages, keep=st.booleans(), content=files)
    def import_file(
        self, line: str | None, lang: str, keep: bool, content: dict[str, str]
    ) -> None:
        if line not in (MAIN, *self.model.branches):
            return
        with self.told(line):
            for name, text in content.items():
                self.model_import(line, lang, name, text, keep=keep)
            file = SourceFile(f"{lang}.json", json.dumps(content).encode())
            options = ImportOptions(
                format="json-flat",
                language_code=lang,
                on_conflict="keep" if keep else "overwrite",
                branch=line,
            )
            imports, jobs = self.framework.imports, self.framework.jobs
            caller = self.office.approver
            job = imports.start_import(caller, self.project_id, file, options)
            self.framework.runner.run_until_idle()
            job = jobs.get_job(caller, self.project_id, job.id)
            assert job.status == "succeeded", job
            for name in content:  # keys that the import made are the model's by now
                self.adopt(line, name)

    def model_import(
        self, line: str | None, lang: str, name: str, text: str, *, keep: bool
    ) -> None:
        id_ = self.model.named(line, name)
        if id_ is None:
            fields: Fields = {"key": name, "description": "", "tags": ()}
            fields |= {"isPlural": False, (lang, OTHER): Text(text, "approved", text)}
            self.model.create(line, f"new {name}", fields)
            return
        there = self.model.seen(line)[id_].get((lang, OTHER))
        if keep and there is not None and there.value != text:
            return
        written = self.model.write(line, id_, {(lang, OTHER): text}, approver=True)
        self.note(id_, written, plural=False)

    def adopt(self, line: str | None, name: str) -> None:
        """Give a key that an import made the id that it has."""
        if f"new {name}" not in self.model.seen(line):
            return
        query = KeyQuery(branch=line, prefix=name)
        listed = self.framework.keys.list_keys(OPERATOR, self.project_id, query)
        [made] = [key.id for key in listed.items if key.key == name]
        self.model.rename_id(line, f"new {name}", made)

    @rule()
    def publish(self) -> None:
        """What the public reads afterwards is what was approved on main."""
        framework, project_id = self.framework, self.project_id
        if not self.distribution:
            new = NewDistribution("Web", "json-flat")
            made = framework.distributions.create_distribution(
                OPERATOR, project_id, new
            )
            self.distribution, self.public_key = made.id, made.public_key
        framework.runner.run_until_idle()
        framework.releases.create_release(
            OPERATOR, project_id, self.distribution, NewRelease()
        )
        framework.runner.run_until_idle()
        content, key = framework.content, self.public_key
        manifest = content.read_manifest(key, "https://x/api/v1", None)
        for file in json.loads(manifest.content)["files"]:
            blob = content.read_file(key, file["url"].rpartition("/")[2], None)
            assert len(blob.content) == file["byteSize"]
            self.check_file(file["language"], blob.content)

    @rule(line=lines, which=some, name=some_name)
    def rename(self, line: str | None, which: int, name: str) -> None:
        id_ = self.pick(line, which)
        if id_ is None:
            return
        if (self.model.seen(line)[id_]["key"] in PLURAL) != (name in PLURAL):
            return
        if self.model.named(line, name) not in (None, id_):
            with pytest.raises(KeyExists):
                self.update(line, id_, KeyChanges(key=name))
            return
        with self.told(line):
            if self.model.seen(line)[id_]["key"] != name:
                self.described = {id_}
                self.model.update(line, id_, {"key": name})
            self.update(line, id_, KeyChanges(key=name))

    @rule(line=lines, which=some, description=texts, tags=tags)
    def describe(
        self, line: str | None, which: int, description: str, tags: tuple[str, ...]
    ) -> None:
        id_ = self.pick(line, which)
        if id_ is None:
            return
        with self.told(line):
            fields = {"description": description, "tags": tags}
            old = self.model.seen(line)[id_]
            if any(old[field] != new for field, new in fields.items()):
                self.described = {id_}
                self.model.update(line, id_, fields)
            changes = KeyChanges(description=description, tags=list(tags))
            self.update(line, id_, changes)

    @rule(line=lines, which=some)
    def delete(self, line: str | None, which: int) -> None:
        id_ = self.pick(line, which)
        if id_ is None:
            return
        with self.told(line):
            self.model.delete(line, id_)
            self.framework.keys.delete_key(
                self.office.approver, self.project_id, id_, branch=line
            )

    @rule(line=lines, which=some)
    def restore(self, line: str | None, which: int) -> None:
        if line not in (MAIN, *self.model.branches):
            return
        trashed = self.model.trashed(line)
        if not trashed:
            return
        id_ = sorted(trashed)[which % len(trashed)]

        def restore() -> None:
            keys = self.framework.keys
            keys.restore_key(self.office.approver, self.project_id, id_, branch=line)

        if self.model.named(line, trashed[id_]["key"]) is not None:
            with pytest.raises(KeyExists):
                restore()
            return
        after = copy.deepcopy(self.model)
        after.restore(line, id_)
        if id_ not in after.seen(line):  # main deleted it, and it says the same
            with pytest.raises(KeyNotFound):
                restore()
            return
        with self.told(line):
            self.model = after
            restore()

    @rule(lang=st.sampled_from(LANGUAGES[1:]))
    def change_language(self, lang: str) -> None:
        """It leaves with its texts, and comes back without."""
        languages = self.framework.languages
        languages.remove_language(OPERATOR, self.project_id, lang)
        languages.add_language(OPERATOR, self.project_id, NewLanguage(lang))
        self.languages = [code for code in self.languages if code != lang] + [lang]
        self.model.forget(lang)
        for line in (MAIN, *self.model.branches):
            self.check(line)
        for name in self.model.branches:
            self.check_diff(name)

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

    @precondition(lambda self: self.model.branches)
    @rule(which=some, strategy=st.sampled_from(["fail", "use_branch", "use_main"]))
    def merge(self, which: int, strategy: Any) -> None:
        name = sorted(self.model.branches)[which % len(self.model.branches)]
        self.check_diff(name)
        after = copy.deepcopy(self.model)
        refusal = None
        found_right: set[tuple[str, Place]] = set()
        try:
            found_right = after.merge(name, strategy)
        except Refused as refused:
            refusal = {"merge_conflict": MergeConflict, "key_exists": KeyExists}[
                str(refused)
            ]
        clean = not any(change.conflict for change in self.model.diff(name))
        clean &= not self.model.hidden(name)
        on_branch = by_name(self.model.seen(name))
        if refusal is not None:
            with pytest.raises(refusal):
                self.run_merge(name, strategy)
            self.check(MAIN)
            self.check(name)
            return
        with self.told(MAIN):
            self.model = after
            for id_, place in found_right:
                main = after.main[id_]
                self.note(id_, {place: main[place]}, plural=main["isPlural"])
            self.run_merge(name, strategy)
        if clean:
            assert by_name(self.model.main) == on_branch

    def run_merge(self, name: str, strategy: Any) -> None:
        request = MergeRequest(strategy=strategy)
        self.framework.merging.merge(
            self.office.approver, self.project_id, name, request
        )

    # what it ought to be

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
        query = KeyQuery(branch=line, include="values", limit=3)
        for page in range(1, 9):
            told = self.framework.keys.list_keys(
                OPERATOR, self.project_id, replace_page(query, page)
            )
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

    def check_diff(self, name: str) -> None:
        diff = self.framework.merging.diff(OPERATOR, self.project_id, name)
        found = {
            (
                each.key_id,
                (each.language_code, each.plural_form or OTHER)
                if each.field == "value"
                else each.field,
                each.conflict,
            )
            for each in diff.items
        }
        assert found == set(self.model.diff(name))
        assert len(diff.items) == len(found)


class Telling:
    """While a step is done: afterwards its line and its events are right."""

    def __init__(self, people: People, line: str | None, verdict: str) -> None:
        self.people, self.line, self.verdict = people, line, verdict

    def __enter__(self) -> None:
        self.before = copy.deepcopy(self.people.model.seen(self.line))
        self.trash = copy.deepcopy(self.people.model.trashed(self.line))
        self.stale = set(self.people.model.outdated)
        self.people.office.ear.events.clear()

    def __exit__(self, kind: object, *_: object) -> None:
        people, touched = self.people, self.people.touched
        described, turned = people.described, people.turned
        people.touched, people.described, people.turned = {}, set(), {}
        if kind is not None:
            return
        people.check(self.line)
        heard, expected = self.heard(), self.expected(touched, described, turned)
        assert heard == expected or self.vanished(), (heard, expected)

    def heard(self) -> Counter[Any]:
        """Every item of every event about keys and values."""
        return Counter(
            (
                event.type,
                item["keyId"],
                item.get("languageCode"),
                item.get("pluralForm"),
            )
            for event in self.people.office.ear.events
            if event.type.startswith(("key.", "translation."))
            if event.branch == self.line
            if self.line is MAIN or event.type != "translation.outdated"
            for item in event.items
        )

    def vanished(self) -> bool:
        """Whether a branch took back all it said of a key that main has deleted."""
        now, trashed = (
            self.people.model.seen(self.line),
            self.people.model.trashed(self.line),
        )
        return any(id_ not in now and id_ not in trashed for id_ in self.before)

    def expected(
        self,
        touched: Written,
        described: set[str],
        turned: dict[str, set[Spelled]],
    ) -> Counter[Any]:
        """Each difference has one event, and no other event is told."""
        now, told = self.people.model.seen(self.line), Counter[Any]()
        if self.line is not MAIN:  # a key of main may come into sight again
            own = self.people.model.branches[self.line]
            now = {id_: now[id_] for id_ in now if id_ in own or id_ in self.before}
        for id_ in {**self.before, **now}:
            old, new = self.before.get(id_), now.get(id_)
            if new is None:
                told["key.deleted", id_, None, None] += 1
                continue
            if old is None:
                kind = "restored" if id_ in self.trash else "created"
                told[f"key.{kind}", id_, None, None] += 1
                if kind == "restored" and self.line is not MAIN:
                    continue  # with what main changed meanwhile
                old = self.trash.get(id_, {"key": None, "isPlural": False})
            if id_ in turned:
                told["key.updated", id_, None, None] += 1
                told.update(("translation.updated", id_, *at) for at in turned[id_])
                continue
            written = {place for key_id, place in touched if key_id == id_}
            before, after = spread(old), spread(new)
            is_moved = bool(old["key"]) and old["isPlural"] != new["isPlural"]
            if is_moved and self.line is not MAIN:  # it took its form back
                before, after = {}, {}
                old = old | {"isPlural": new["isPlural"]}
            is_other = bool(old["key"]) and any(old[each] != new[each] for each in META)
            if is_other or (old["key"] and id_ in described):
                told["key.updated", id_, None, None] += 1
            for place in {*before, *after, *written}:
                if before.get(place) == after.get(place) and place not in written:
                    continue
                text = touched.get((id_, place), after.get(place))
                waits = text is not None and text.status == "pending_review"
                here = (place[0], place[1] or OTHER)
                if is_moved and place not in written and text == old.get(here):
                    waits = False  # a merge turned plurals, and moved it
                kind = self.verdict or ("submitted" if waits else "updated")
                told[f"translation.{kind}", id_, *place] += 1
        if self.line is MAIN:
            for id_, place in self.people.model.outdated - self.stale:
                text, old = now[id_].get(place), self.before.get(id_, {}).get(place)
                if text == old:  # else a merge brought it as the branch had it
                    at = spelled(place, now[id_]["isPlural"])
                    told["translation.outdated", id_, *at] += 1
        return told


def replace_page(query: KeyQuery, page: int) -> KeyQuery:
    return KeyQuery(branch=query.branch, include="values", limit=query.limit, page=page)


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


@pytest.fixture
def machine(
    database_url: str, tmp_path: Any, open_office: Callable[[str, Any], Office]
) -> type[People]:
    office = open_office(database_url, tmp_path)
    return type("PeopleAtWork", (People,), {"office": office})


def test_every_line_is_as_the_model_says_whatever_people_do(
    machine: type[People], is_long: bool
) -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        machine,
        settings=settings(
            max_examples=20_000 if is_long else 200,
            stateful_step_count=40,
            deadline=None,
            database=None,
            derandomize=not is_long,  # the same runs for everyone; others when long
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink],
        ),
    )
