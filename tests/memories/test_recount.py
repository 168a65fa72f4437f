"""Whatever is done to keys, a memory has learned what a recount of them finds."""

import json
from contextlib import suppress
from random import Random

import pytest

from locframework.access.records import Caller, Grant
from locframework.app import OPERATOR
from locframework.branches.records import NewBranch
from locframework.errors import LanguageNotFound, LocError
from locframework.events import Actor
from locframework.exchange.records import ImportOptions
from locframework.formats.records import SourceFile
from locframework.history.records import RevertRequest
from locframework.keys.records import (
    Approval,
    KeyChanges,
    KeyQuery,
    NewKey,
    NewValue,
    NewValues,
    Rejection,
    ValueItem,
)
from locframework.memories.records import (
    EntryQuery,
    NewAssignment,
    NewMemory,
    NewMemoryLanguage,
)
from locframework.merging.records import MergeRequest
from locframework.projects.records import NewLanguage, NewProject, ProjectChanges
from locframework.testing.workspace import open_workspace

CODES = ("en", "de", "fr", "en-GB")
NAMES = ("a", "b", "c.d")
TEXTS = ("", "One", "One", "Two words", " ", "設定")
MODES = ("approved", "approved", "all", "none")


class World:
    """Two projects that teach two memories, changed by whatever is drawn."""

    def __init__(self, workspace, seed):
        self.framework = workspace.framework
        self._workspace, self._random = workspace, Random(seed)
        organization = workspace.organization_id
        held = frozenset({"key_create", "key_update", "translation_write"})
        grant = Grant(organization, held | {"key_delete", "translation_read"})
        self._translator = Caller(Actor("user", "translator"), (grant,))
        self.projects = [self._project(organization, name) for name in "ab"]
        self.memories = [
            self.framework.memories.create_memory(
                OPERATOR, NewMemory(name, "en", organization_id=organization)
            ).id
            for name in "ab"
        ]
        self._trash = []
        self._branches = 0
        for project in self.projects:
            for tm_id in self.memories:
                self._assign(project, tm_id, self._one(MODES))
            for name in NAMES:
                values = {code: self._one(TEXTS[1:4]) for code in CODES}
                new = NewKey(name, values=values)
                self.framework.keys.create_key(OPERATOR, project, new)

    def _project(self, organization, name):
        new = NewProject(name, "en", organization_id=organization)
        made = self.framework.projects.create_project(OPERATOR, new).id
        for code in CODES[1:]:
            self.framework.languages.add_language(OPERATOR, made, NewLanguage(code))
        self.framework.branches.create_branch(OPERATOR, made, NewBranch("b0"))
        return made

    def _assign(self, project, tm_id, mode):
        new = NewAssignment(write_mode=mode)
        self.framework.memories.assign(OPERATOR, project, tm_id, new)

    # what may be done

    def create(self):
        values = {code: self._text() for code in CODES if self._bool()}
        new = NewKey(self._one(NAMES), values=values)
        self._do(self.framework.keys.create_key, new, branch=self._branch())

    def write(self):
        for key, branch in self._keys():
            text = self._text()
            value = {self._one(("one", "other")): text} if key.is_plural else text
            new = NewValue(value, keep_fresh=self._one((False, False, True)))
            self._do(
                self.framework.keys.set_value, key.id, self._one(CODES), new,
                branch=branch,
            )  # fmt: skip

    def write_many(self):
        keys = self._keys()
        items = [
            ValueItem(code, self._text(), key_id=key.id)
            for key, _ in keys
            for code in CODES
        ]
        if items:
            new, branch = NewValues(items), keys[0][1]
            self._do(self.framework.bulk_keys.set_values, new, branch=branch)

    def review(self):
        for key, branch in self._keys():
            code = self._one(CODES)
            if self._bool():
                call = self.framework.review.approve
                asked = Approval()
            else:
                call, asked = self.framework.review.reject, Rejection()
            self._do(call, key.id, code, asked, branch=branch, caller=OPERATOR)

    def change(self):
        for key, branch in self._keys():
            changes = self._one(
                (
                    KeyChanges(is_plural=not key.is_plural),
                    KeyChanges(key=self._one(NAMES)),
                )
            )
            self._do(self.framework.keys.update_key, key.id, changes, branch=branch)

    def delete(self):
        for key, branch in self._keys():
            self._do(self.framework.keys.delete_key, key.id, branch=branch)
            self._trash.append((self._here, key.id, branch))

    def restore(self):
        for project, key_id, branch in self._trash:
            self._here = project
            self._do(self.framework.keys.restore_key, key_id, branch=branch)
        self._trash = []

    def bring(self):
        texts = {name: self._text() for name in NAMES if self._bool()}
        file = SourceFile("x.json", json.dumps(texts).encode())
        options = ImportOptions(
            format="json-flat",
            language_code=self._one(CODES),
            mode=self._one(("merge", "replace")),
            on_conflict="overwrite",
            branch=self._branch(),
        )
        self._do(self.framework.imports.start_import, file, options, caller=OPERATOR)

    def merge(self):
        name, asked = f"b{self._branches}", MergeRequest(strategy="use_branch")
        self._branches += 1
        for project in self.projects:
            self._here = project
            self._do(self.framework.merging.merge, name, asked, caller=OPERATOR)
            new = NewBranch(f"b{self._branches}")
            self.framework.branches.create_branch(OPERATOR, self._here, new)

    def undo(self):
        asked = RevertRequest(actor="translator")
        self._do(self.framework.activity.start_revert, asked, caller=OPERATOR)

    def lose_language(self):
        self._do(self.framework.languages.remove_language, "fr", caller=OPERATOR)
        new = NewLanguage("fr")
        self._do(self.framework.languages.add_language, new, caller=OPERATOR)

    def move_source(self):
        """German is refused: the memories are of English."""
        changes = ProjectChanges(source_language=self._one(("en", "en-GB", "de")))
        self._do(self.framework.projects.update_project, changes, caller=OPERATOR)

    def lose_memory_language(self):
        languages, tm_id = self.framework.memories, self._one(self.memories)
        try:
            languages.remove_language(OPERATOR, tm_id, "de")
        except LanguageNotFound:  # nobody teaches it
            return
        languages.add_language(OPERATOR, tm_id, NewMemoryLanguage("de"))

    def pause(self):
        """One that teaches a memory alone teaches nothing for a while."""
        tm_id = self._one(self.memories)
        mode, *others = sorted(
            (self._mode(each, tm_id) for each in self.projects),
            key=lambda mode: mode == "none",
        )
        if mode == "none" or {*others} != {"none"}:
            return
        self._here = next(p for p in self.projects if self._mode(p, tm_id) == mode)
        here, assignments = self._here, self.framework.memories
        if self._bool():
            assignments.unassign(OPERATOR, here, tm_id)
        else:
            self._assign(here, tm_id, "none")
        for _ in range(2):
            self._one((World.write, World.change, World.delete, World.create))(self)
        self._assign(here, tm_id, mode)

    def _mode(self, project, tm_id):
        assigned = self.framework.storage.memories.list_assigned(project)
        here = [e.assignment for e in assigned if e.memory.id == tm_id]
        return here[0].write_mode if here else "none"

    # how it is done

    def _do(self, call, *what, caller=None, **how):
        """Do it in the project at hand; what is refused changes nothing."""
        if caller is None:
            caller = self._one((OPERATOR, OPERATOR, self._translator))
        with suppress(LocError):
            call(caller, self._here, *what, **how)

    def step(self):
        self._here = self._one(self.projects)
        self._one(STEPS)(self)
        self._workspace.run_jobs()

    def _keys(self):
        branch = self._branch()
        query = KeyQuery(branch=branch)
        keys = self.framework.keys.list_keys(OPERATOR, self._here, query).items
        return [(key, branch) for key in keys if self._bool()][:2]

    def _branch(self):
        return self._one((None, None, None, f"b{self._branches}"))

    def _text(self):
        return str(self._one(TEXTS))

    def _bool(self):
        return self._random.random() < 0.5

    def _one(self, items):
        return self._random.choice(items)

    # what a recount finds

    def agree(self):
        """How many entries there are."""
        learned = [self.learned(tm_id) for tm_id in self.memories]
        assert learned == [self.recounted(tm_id) for tm_id in self.memories]
        return sum(len(entries) for entries in learned)

    def learned(self, tm_id):
        store = self.framework.storage.memories
        page = store.list_entries(tm_id, EntryQuery(limit=200))
        assert page.total == len(page.items)
        return {
            (entry.source_text, entry.context): {
                each.language_code: (each.value, each.status)
                for each in entry.translations
            }
            for entry in page.items
        }

    def recounted(self, tm_id):
        found = {}
        for project in self.projects:
            for each in self.framework.storage.memories.list_assigned(project):
                mode = each.assignment.write_mode
                if each.memory.id == tm_id and mode != "none":
                    self._recount(project, mode, found)
        return {
            texts: {code: told[-1] for code, (_, *told) in by_code.items()}
            for texts, by_code in found.items()
        }

    def _recount(self, project, mode, found):
        storage = self.framework.storage
        source = self.framework.projects.get_project(OPERATOR, project).source_language
        ids = storage.keys.names_of(project).values()
        keys, values = storage.keys.find_keys(project, ids), storage.keys.values_of(ids)
        for key_id, key in keys.items():
            rows = {(r.language_code, r.plural_form): r for r in values.get(key_id, ())}
            for (code, form), row in rows.items():
                of_source = rows.get((source, form))
                said, text = told(row, mode), of_source and told(of_source, mode)
                if code in (source, "en") or not said or not text:
                    continue
                if not said[1].strip() or not text[1].strip():
                    continue
                fresh = not row.is_outdated
                if row.status == "pending_review" and said[2] == "approved":
                    fresh = said[0] >= text[0]
                context = key.key if form in (None, "other") else f"{key.key}[{form}]"
                best = found.setdefault((text[1], context), {}) if fresh else {}
                ranked = (said[2] == "approved", said[0], key_id, form or "")
                if code not in best or best[code][0] < ranked:
                    best[code] = (ranked, said[1:])


def told(row, mode):
    """Since when a value says what, in which state; None: nothing to learn."""
    if row.status == "approved":
        return row.updated_at, row.value, "approved"
    if row.approved_value is not None:
        return str(row.approved_at), row.approved_value, "approved"
    if mode == "all" and row.status == "pending_review":
        return row.updated_at, row.value, "draft"
    return None


STEPS = (
    World.create, World.create, *[World.write] * 8,
    World.write_many, World.review, World.review, World.change, World.delete,
    World.restore, World.bring, World.merge, World.merge, World.undo,
    World.lose_language, World.move_source, World.lose_memory_language,
    World.pause, World.pause,
)  # fmt: skip


@pytest.fixture
def workspace(database_url, tmp_path):
    with open_workspace(database_url, tmp_path) as workspace:
        yield workspace


@pytest.mark.parametrize("seed", range(3))
def test_a_memory_has_learned_what_a_recount_finds(workspace, seed, is_long):
    most = 0
    for number in range(50 if is_long else 1):
        world = World(workspace, seed + 1000 * number)
        for _ in range(50):
            world.step()
            most = max(most, world.agree())

    assert most > 3  # else nothing was seen
