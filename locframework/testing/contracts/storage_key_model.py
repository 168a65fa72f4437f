"""Contract of keys: main and branches show what a model in dictionaries shows.

Random writes to two projects, each with a main and two branches. After each write all
reads of one scope are compared with the model, after the last write those of all.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from random import Random
from typing import TypeVar

import pytest
from msgspec import UNSET
from msgspec.structs import asdict, replace

from locframework.branches.records import Branch
from locframework.events import Actor
from locframework.fields import new_id
from locframework.formats.records import PLURAL_FORMS
from locframework.keys.branch_copies import states_of
from locframework.keys.query import position_of
from locframework.keys.records import (
    Dismissal,
    FindingFilter,
    KeyFilter,
    KeyFinding,
    KeyState,
    Revision,
    Selection,
    StoredKey,
    StoredValue,
    TextRow,
    ValueSlot,
)
from locframework.keys.rules import (
    ROOT_MODULE,
    outdated,
    public_key,
    revision_of,
    shown_value,
)
from locframework.keys.store import BranchKeyStore, KeyStore
from locframework.languages import count_words, fold
from locframework.pagination import PageRequest, Position
from locframework.quality.check import Finding
from locframework.statistics.records import LanguageCounts, complete_languages
from locframework.storage import Storage

from .storage_records import (
    LANGUAGES,
    add_branch,
    add_keys_project,
    at,
    delete_language,
    key,
    language,
    value,
)

T = TypeVar("T")

NAMES = ("b", "B", "a.b", "a-b", "a.b.c", "a", "_a", "Z", "0", "a_b", "é", "100%")
TAGS = ("ui", "UI", "en/approved")
TEXTS = ("Pay", "Pay now, please", "Gro\u0308ße", "設定", "100%_off", "l\nb", "")
TERMS = (
    *("PAY", "größe", "GRÖSSE", "o\u0308", "定", "100%", "0%_", "0%!", "%", "_", "a.b"),
    *("l\nb", "nowhere"),
)
PREFIXES = ("a", "a.", "a_", "A", "%", "100")
STATUSES = ("draft", "pending_review", "approved")
CHECKS = ("length", "markup", "numbers")
HASHES = (0, 2**63 - 1, -(2**63))
SORTS = ("key", "-key", "createdAt", "-createdAt", "updatedAt", "-updatedAt")

Comparable = tuple[StoredKey, dict[ValueSlot, StoredValue]]


@dataclass
class Record:
    """A key of a scope with all it has; ``base``: what a branch copied."""

    key: StoredKey
    values: dict[ValueSlot, StoredValue] = field(default_factory=dict)
    findings: dict[str, list[Finding]] = field(default_factory=dict)
    history: list[Revision] = field(default_factory=list)
    base: "Comparable | None" = None
    deleted: tuple[str, str | None] | None = None  # when and by whom
    is_purged: bool = False


@dataclass
class Scope:
    """A main or a branch: its store, and what the store must show."""

    store: KeyStore
    main: "Scope | None" = None
    branch: Branch | None = None
    records: dict[str, Record] = field(default_factory=dict)
    dismissals: dict[tuple[int, str], Dismissal] = field(default_factory=dict)
    """Those made here, by what each is about."""

    @property
    def shown(self) -> dict[str, Record]:
        own = {id_: each for id_, each in self.records.items() if not each.deleted}
        if self.main is None:
            return own
        names = {each.key.key for each in own.values()}
        main = {
            id_: each
            for id_, each in self.main.shown.items()
            if id_ not in self.records and each.key.key not in names
        }
        return main | own

    def is_open(self, finding: Finding) -> bool:
        """Whether a finding is not dismissed, here or on main."""
        about, main = (finding.texts_hash, finding.check), self.main
        return about not in self.dismissals and (main is None or main.is_open(finding))

    def drop_dismissals(
        self, key_ids: Collection[str] = (), language_codes: Collection[str] = ()
    ) -> None:
        self.dismissals = {
            about: each
            for about, each in self.dismissals.items()
            if each.key_id not in key_ids and each.language_code not in language_codes
        }

    def own(self, key_id: str) -> Record:
        """Return the record to change; a branch copies it from main first."""
        if self.main is not None and key_id not in self.records:
            old = self.main.records[key_id]
            self.records[key_id] = Record(
                replace(old.key, key_source="branch"),
                dict(old.values),
                dict(old.findings),
                base=(old.key, dict(old.values)),
            )
        return self.records[key_id]


class World:
    """A project with its scopes, and the writes to choose from."""

    def __init__(self, storage: Storage, random: Random, every: list[Scope]) -> None:
        self.storage, self.random, self.clock = storage, random, count(1)
        self.project = add_keys_project(storage, key_separator=random.choice("./"))
        self.codes = list(LANGUAGES)
        self.main = Scope(storage.keys)
        self.scopes = [self.main]
        for name in ("spring", "autumn"):
            branch = add_branch(storage, self.project, name)
            store = storage.branch_keys(self.project.id, branch.id)
            self.scopes.append(Scope(store, self.main, branch))
        self.every = every  # of all projects
        every += self.scopes

    # writes

    def add(self, scope: Scope) -> None:
        for _ in range(self.random.randint(1, 3)):
            if names := self._free_names(scope):
                made = self._key(self.random.choice(names))
                values = self._values(made)
                scope.store.add_keys([made], values)
                source = "main" if scope.main is None else "branch"
                record = Record(replace(made, key_source=source))
                record.values = _by_slot(values)
                scope.records[made.id] = record

    def save(self, scope: Scope) -> None:
        """New fields; names are exchanged, or one is free."""
        ids = self._some(scope.shown)
        names = [scope.shown[id_].key.key for id_ in ids]
        names = names[1:] + names[:1]
        if (free := self._free_names(scope)) and names:
            names[0] = self.random.choice(free)
        new = []
        for id_, name in zip(ids, names, strict=True):
            record = scope.own(id_)
            same: dict[str, object] = {"id": id_, "created_at": record.key.created_at}
            if record.values:
                same["is_plural"] = record.key.is_plural
            same["key_source"] = record.key.key_source
            record.key = replace(self._key(name), **same)
            new.append(record.key)
        scope.store.save_keys(new)

    def touch(self, scope: Scope) -> None:
        ids, now = self._some(scope.shown), self._now()
        scope.store.write_values(ids[1:], now)
        for old in [scope.shown[id_].key for id_ in ids[:1]]:
            write = partial(scope.store.write_values, [old.id], read=old)
            assert write(now)
            assert not write(self._now(), [value(old, "xx")])
        for record in map(scope.own, ids):
            record.key = replace(record.key, updated_at=now)

    def put(self, scope: Scope) -> None:
        values, ends, now = self._values_of_some(scope), [], self._now()
        counted: set[str] = set()
        for each in values:
            record = scope.own(each.key_id)
            record.key = replace(record.key, updated_at=now)
            old = record.values.get(_slot(each))
            if scope.main is None and old is not None:
                record.history.append(revision_of(old))
                ends.append(revision_of(old))
            is_source = each.language_code == self.project.source_language
            if old is None or is_source or _state(old) != _state(each):
                counted.add(each.key_id)
            record.values[_slot(each)] = each
        ids = {each.key_id for each in values}
        scope.store.write_values(ids, now, values, revisions=ends, counted=counted)

    def remove(self, scope: Scope) -> None:
        ends: list[Revision] = []
        values, now = self._values_of_some(scope), self._now()
        for each in values:
            record = scope.own(each.key_id)
            record.key = replace(record.key, updated_at=now)
            old = record.values.pop(_slot(each), None)
            if scope.main is None and old is not None:
                gone = replace(each, value="", approved_value=None, updated_at=now)
                end = replace(revision_of(gone), status="untranslated")
                ends += [revision_of(old), end]
                record.history += ends[-2:]
        ids = {each.key_id for each in values}
        scope.store.write_values(ids, now, cleared=values, revisions=ends)

    def mark_outdated(self, scope: Scope) -> None:
        ids, source = self._some(scope.shown), self.project.source_language
        turned = []
        for record in map(scope.own, ids):
            for slot, each in record.values.items():
                if slot[0] != source and not each.is_outdated:
                    record.values[slot] = outdated(each)
                    turned.append(record.values[slot])
        found = scope.store.mark_outdated(ids, source)
        assert sorted(found, key=repr) == sorted(turned, key=repr)

    def trash(self, scope: Scope) -> None:
        ids, now = self._some(scope.shown), self._now()
        by = self.random.choice(["ann", None])
        scope.store.trash_keys(self.project.id, ids, now, by)
        for record in map(scope.own, ids):
            record.deleted, record.findings = (now, by), {}

    def restore(self, scope: Scope) -> None:
        now = self._now()
        for id_, record in _trash(scope).items():
            if record.key.key in self._free_names(scope):
                scope.store.restore_keys(self.project.id, [id_], now)
                record.key = replace(record.key, updated_at=now)
                record.deleted = None

    def purge(self, _: Scope) -> None:
        self.storage.purge("keys", at(0, hour=20), 100)
        for scope in self.every:
            gone = _trash(scope)
            scope.drop_dismissals(key_ids=gone)
            for record in gone.values():
                record.is_purged = True

    def put_findings(self, scope: Scope) -> None:
        ids = self._some(scope.shown)
        scope.store.write_values(ids, now := self._now())
        found = {
            (id_, code): [
                Finding(self._text(), n, n + 2**31, form, check, self._hash())
                for n, check in enumerate(self._some(CHECKS))
                for form in self._some((None, "other"))
            ]
            for id_ in ids
            for code in self._some(self.codes)
        }
        scope.store.put_findings(found | {(new_id(), "de"): [Finding("x", 0, 1)]})
        for id_ in ids:
            record = scope.own(id_)
            record.key = replace(record.key, updated_at=now)
        for (id_, code), findings in found.items():
            scope.own(id_).findings[code] = findings

    def put_dismissals(self, scope: Scope) -> None:
        given = [
            Dismissal(
                id_,
                code,
                self.random.choice(CHECKS),
                self._hash(),
                self.random.choice([None, "no fault"]),
                Actor("token", "t1"),
                self._now(),
            )
            for id_ in self._some(scope.shown)
            for code in self._some(self.codes)
        ]
        dropped = self._some(scope.dismissals.values())
        scope.store.put_dismissals(self.project.id, given, dropped)
        for each in dropped:
            del scope.dismissals[each.finding]
        scope.dismissals |= {each.finding: each for each in given}

    def drop_overlay(self, scope: Scope) -> None:
        if scope.main is not None:
            ids = self._some(scope.records)
            _on_branch(scope).drop_overlay(ids)
            for id_ in ids:
                del scope.records[id_]

    def renew_language(self, _: Scope) -> None:
        """A language leaves and comes back; the source language cannot leave."""
        source = self.project.source_language
        code = self.random.choice([each for each in self.codes if each != source])
        delete_language(self.storage, self.project.id, code)
        self.storage.projects.languages.insert(language(self.project, code))
        self.codes.remove(code)
        self.codes.append(code)
        for scope in self.scopes:
            scope.drop_dismissals(language_codes=[code])
            for record in scope.records.values():
                record.findings.pop(code, None)
                record.values = {
                    slot: each
                    for slot, each in record.values.items()
                    if slot[0] != code
                }
                record.history = [
                    each for each in record.history if each.language_code != code
                ]

    def move_source(self, _: Scope) -> None:
        code = self.random.choice(self.codes)
        self.project = replace(self.project, source_language=code)
        self.storage.projects.update(self.project)

    # reads

    def check(self, scope: Scope, strangers: Collection[str] = ()) -> None:
        """Compare all that a scope shows. ``strangers``: keys of another project."""
        shown, of, store = scope.shown, self.project.id, scope.store
        keys = {id_: each.key for id_, each in shown.items()}
        assert store.find_keys(of, [*self._known(), *strangers, new_id()]) == keys
        by_name = {each.key: each for each in keys.values()}
        assert store.find_keys(of, names=[*NAMES, "absent"]) == keys
        prefix = self.random.choice(["", *PREFIXES])
        assert store.names_of(of, prefix=prefix) == {
            name: each.id for name, each in by_name.items() if name.startswith(prefix)
        }
        trashed = _trash(scope)
        codes = self.random.choice([None, ["de", "xx"], []])
        found = store.values_of([*keys, *trashed], codes)
        assert {
            id_: {_slot(each): each for each in values} for id_, values in found.items()
        } == {
            id_: values
            for id_, each in shown.items()
            if (values := _in_languages(each, codes))
        }
        for id_ in self._some(shown):
            self._check_key(scope, shown[id_])
        self._check_trash(scope, trashed)
        for _ in range(6):
            self._check_list(scope, shown.values())
        self._check_texts(scope, shown.values())
        self._check_findings(scope, shown)
        self._check_counts(scope, list(shown.values()))
        if scope.main is None:
            found_project = self.storage.projects.find(of)
            assert found_project is not None
            assert found_project.key_count == len(keys)
            self._check_revisions(scope)
        else:
            self._check_overlay(scope)

    def _check_key(self, scope: Scope, record: Record) -> None:
        of, id_ = self.project.id, record.key.id
        names = [record.key.key, "absent"]
        assert scope.store.find_keys(of, [id_], names=names) == {id_: record.key}
        state = scope.store.find_state(of, id_)
        assert state is not None
        assert state.key == record.key
        assert _by_slot(state.values) == record.values
        assert state.has_findings or not any(record.findings.values())
        found = scope.store.find_key_with_values(of, id_)
        assert found is not None
        assert replace(found, values=UNSET) == record.key
        assert found.values is not UNSET
        order = [self.codes.index(each.language_code) for each in found.values]
        assert order == sorted(order)
        assert sorted(found.values, key=repr) == sorted(
            map(shown_value, record.values.values()), key=repr
        )

    def _check_trash(self, scope: Scope, trashed: dict[str, Record]) -> None:
        of, store = self.project.id, scope.store
        keys = {id_: each.key for id_, each in trashed.items()}
        assert store.find_keys(of, self._known(), in_trash=True) == keys
        rows = [(each.deleted, each.key) for each in trashed.values() if each.deleted]
        rows.sort(key=lambda row: (row[0][0], row[1].id), reverse=True)
        term = self.random.choice([None, *TERMS])
        wanted = [
            {**asdict(public_key(each)), "deleted_at": when, "deleted_by": by}
            for (when, by), each in rows
            if term is None or _holds(fold(term), each.key, each.description)
        ]
        page = store.page_of_trash(of, term and fold(term), PageRequest(1, 3))
        assert [asdict(each) for each in page.items] == wanted[:3]
        assert page.total == len(wanted)

    def _check_list(self, scope: Scope, records: Collection[Record]) -> None:
        where = self._filter()
        sort = self.random.choice(SORTS)
        wanted = [each.key for each in records if self._meets(scope, each, where)]
        wanted.sort(key=lambda each: _place(each, sort), reverse=sort[0] == "-")

        listed = partial(scope.store.list_keys, self.project.id, where, sort)
        whole = listed(limit=200)
        assert (whole.items, whole.total) == (wanted, len(wanted)), (where, sort)
        assert whole.total_is_exact
        start = self.random.randint(0, 4)
        assert listed(limit=2, offset=start).items == wanted[start : start + 2]
        where_none_is = self.random.choice("b_é") if "key" in sort else at(start)
        is_reverse = sort.startswith("-")
        nowhere = Position(where_none_is, "0" * 36 if is_reverse else "~")
        wanted_after = [
            each
            for each in wanted
            if (place := _place(each, sort)[0]) != nowhere.value
            and (place < nowhere.value) is is_reverse
        ]
        assert listed(limit=200, after=nowhere).items == wanted_after, (where, sort)
        for position, each in enumerate(wanted[:4]):
            after = listed(limit=2, after=position_of(each, sort))
            assert after.items == wanted[position + 1 : position + 3]
            assert after.total == len(wanted)

    def _check_texts(self, scope: Scope, records: Collection[Record]) -> None:
        code, modules = self.random.choice(self.codes), (None, ROOT_MODULE, "a", "x")
        which = Selection(
            self.random.choice(["approved", "any"]),
            self.random.choice(modules),
            self.random.choice([None, None, *TAGS]),
        )
        separator = self.project.key_separator
        wanted = []
        for each in sorted(records, key=lambda each: each.key.key):
            module, *rest = each.key.key.split(separator)
            if not rest:
                module = ROOT_MODULE
            if which.module in (None, module) and which.tag in (None, *each.key.tags):
                wanted.append(_text_row(each, code, which.min_status))
        rows = [*scope.store.text_rows(self.project.id, code, which)]
        assert rows == wanted, which
        assert [[*row.texts] for row in rows] == [[*row.texts] for row in wanted]

    def _check_findings(self, scope: Scope, shown: dict[str, Record]) -> None:
        found = scope.store.findings_of([*shown, *_trash(scope)])
        assert found == {
            (id_, code): findings
            for id_, each in shown.items()
            for code, findings in each.findings.items()
            if findings
        }
        where = FindingFilter(
            tuple(self._some(CHECKS)),
            self.random.choice([None, *self.codes]),
            self.random.choice([None, None, new_id(), *shown]),
        )
        wanted = [
            KeyFinding(each.key.id, each.key.key, code, finding)
            for each in sorted(shown.values(), key=lambda each: each.key.key)
            for code in self.codes
            for finding in each.findings.get(code, [])
            if finding.check in where.checks
            and scope.is_open(finding)
            and where.language_code in (None, code)
            and where.key_id in (None, each.key.id)
        ]
        for number in (1, 2):
            request = PageRequest(number, 3)
            page = scope.store.list_findings(self.project.id, where, request)
            assert page.items == wanted[number * 3 - 3 : number * 3], where
            assert page.total == len(wanted)
        dismissals_of = partial(scope.store.dismissals_of, self.project.id)
        own, ids = {*scope.dismissals.values()}, self._some(shown)
        main = scope.main.dismissals.values() if scope.main is not None else ()
        assert {*dismissals_of()} == own
        assert {*dismissals_of(ids)} == {
            each for each in {*own, *main} if each.key_id in ids
        }

    def _check_counts(self, scope: Scope, records: Sequence[Record]) -> None:
        branch_id = scope.branch.id if scope.branch else None
        found = self.storage.statistics.counts_of(self.project.id, branch_id)
        source = self.project.source_language
        assert found.key_count == len(records)
        assert [replace(each, changed_at=None) for each in found.languages] == [
            _counts(records, code, source) for code in self.codes
        ]
        complete = self.storage.statistics.complete_languages
        assert complete(self.project.id, branch_id) == complete_languages(found)

    def _check_revisions(self, scope: Scope) -> None:
        revisions = _sorted(
            revision
            for each in scope.records.values()
            if not each.is_purged
            for revision in (*each.history, *map(revision_of, each.values.values()))
        )
        ids, store = [*scope.records], scope.store
        assert _sorted(store.revisions_of(ids)) == revisions
        ends = [each for each in revisions if each.status == "untranslated"]
        assert _sorted(store.revisions_of(ids, cleared=True)) == ends
        if not revisions:
            return
        one = self.random.choice(revisions)
        key_id, code = one.key_id, one.language_code
        of_key = [each for each in revisions if each.key_id == key_id]
        of_code = [each for each in of_key if each.language_code == code]
        assert _sorted(store.revisions_of([key_id], [code, "xx"])) == of_code
        of_code.sort(key=lambda each: each.plural_form or "")
        of_code.sort(key=lambda each: (each.updated_at, each.revision), reverse=True)
        for number in (1, 2):
            page = store.list_revisions(key_id, code, PageRequest(number, 3))
            assert page.items == of_code[number * 3 - 3 : number * 3]
            assert page.total == len(of_code)

    def _check_overlay(self, scope: Scope) -> None:
        store, records = _on_branch(scope), scope.records
        assert [(e.key_id, e.kind, _comparable(e.base)) for e in store.overlay()] == [
            (id_, "copy" if records[id_].base else "own", records[id_].base)
            for id_ in sorted(records)
        ]
        main = {id_: each.key.updated_at for id_, each in self.main.shown.items()}
        bases = [each.base[0] for each in records.values() if each.base]
        behind = sum(main.get(base.id) != base.updated_at for base in bases)
        branch_id = scope.branch.id if scope.branch else ""
        found = self.storage.branches.count_behind([branch_id, new_id()])
        assert found == ({branch_id: behind} if behind else {})
        own = [each.key_id for each in store.overlay()]
        copies = states_of(store, self.project.id, own)
        assert {id_: _comparable(each) for id_, each in copies.items()} == {
            id_: (each.key, each.values)
            for id_, each in records.items()
            if not each.deleted
        }

    # what is chosen

    def _now(self) -> str:
        minute = next(self.clock)
        return at(minute % 60, hour=12 + minute // 60)

    def _some(self, items: Collection[T]) -> list[T]:
        return self.random.sample([*items], self.random.randint(0, min(3, len(items))))

    def _text(self) -> str:
        return self.random.choice(TEXTS)

    def _hash(self) -> int:
        return self.random.choice(HASHES)

    def _known(self) -> list[str]:
        return [id_ for scope in self.scopes for id_ in scope.records]

    def _free_names(self, scope: Scope) -> list[str]:
        own = [each.key.key for each in scope.records.values() if not each.deleted]
        return [name for name in NAMES if name not in own]

    def _key(self, name: str) -> StoredKey:
        return key(
            self.project,
            name,
            description=self.random.choice(TEXTS),
            tags=tuple(self._some(TAGS)),
            is_plural=self.random.random() < 0.4,
            max_length=self.random.choice([None, 9]),
            disabled_checks=tuple(self._some(TAGS)),
            file_key=self.random.choice([None, "Hello, world!"]),
            format_flags=tuple(self._some(TAGS)),
            screenshot_url=self.random.choice([None, "https://example.com/1.png"]),
            screenshot_file_id=self.random.choice([None, "f1"]),
            created_at=at(self.random.randint(0, 3)),
            updated_at=self._now(),
        )

    def _values_of_some(self, scope: Scope) -> list[StoredValue]:
        keys = [scope.shown[id_].key for id_ in self._some(scope.shown)]
        return [each for of in keys for each in self._values(of)]

    def _values(self, of: StoredKey) -> list[StoredValue]:
        forms = ("one", "other") if of.is_plural else (None,)
        slots = [(code, form) for code in LANGUAGES for form in forms]
        return [self._value(of, *slot) for slot in self._some(slots)]

    def _value(self, of: StoredKey, code: str, form: str | None) -> StoredValue:
        text, last = (self.random.choice(TEXTS) for _ in range(2))
        now, status = self._now(), self.random.choice(STATUSES)
        approved = text if status == "approved" else self.random.choice([None, last])
        return value(
            of,
            code,
            text,
            form,
            status=status,
            is_outdated=self.random.random() < 0.3,
            revision=2**31 + next(self.clock),
            origin=self.random.choice(["human", "import"]),
            approved_value=approved,
            approved_at=None if approved is None else now,
            approved_by=None if approved is None else "u2",
            updated_at=now,
            updated_by="t1",
            actor_type=self.random.choice(["user", "token"]),
            reason=self.random.choice([None, "why"]),
            note=self.random.choice([None, "what"]),
            keeps_fresh=self.random.random() < 0.3,
            approved_outdated=self.random.random() < 0.3,
        )

    def _filter(self) -> KeyFilter:
        """Return a filter with up to three conditions."""
        pick = self.random.choice
        language = pick([None, *self.codes])
        conditions: dict[str, Callable[[], object]] = {
            "search": lambda: fold(pick(TERMS)),
            "prefix": lambda: pick(PREFIXES),
            "tags": lambda: tuple(self._some(TAGS)),
            "status": lambda: pick([*STATUSES, "untranslated"]),
            "is_outdated": lambda: pick([True, False]),
            "has_issues": lambda: pick([True, False]),
            "is_plural": lambda: pick([True, False]),
            "updated_since": lambda: at(pick(range(60)), hour=pick([12, 13])),
        }
        chosen = {name: conditions[name]() for name in self._some(conditions)}
        checks = self.random.sample(CHECKS, 2) if "has_issues" in chosen else ()
        where = KeyFilter(language_code=language, checks=tuple(checks))
        return replace(where, nothing=self.random.random() < 0.02, **chosen)

    def _meets(self, scope: Scope, record: Record, where: KeyFilter) -> bool:
        code, of = where.language_code, record.key
        values = [
            each
            for each in record.values.values()
            if code in (None, each.language_code)
        ]
        found = any(
            finding.check in where.checks and scope.is_open(finding)
            for in_, findings in record.findings.items()
            if code in (None, in_)
            for finding in findings
        )
        texts = [of.key, of.description]
        texts += [each.value for each in record.values.values()]
        if where.status == "untranslated":
            missing = {code} if code else {*self.codes}
            in_status = bool(missing - {each.language_code for each in values})
            is_outdated = False
        else:
            states = [each for each in values if where.status in (None, each.status)]
            in_status = where.status is None or bool(states)
            is_outdated = any(each.is_outdated for each in states)
        return (
            not where.nothing
            and (where.search is None or _holds(where.search, *texts))
            and of.key.startswith(where.prefix or "")
            and {*where.tags} <= {*of.tags}
            and in_status
            and where.is_outdated in (None, is_outdated)
            and where.has_issues in (None, found)
            and where.is_plural in (None, of.is_plural)
            and of.updated_at >= (where.updated_since or "")
        )


STEPS = (
    *[World.add, World.put] * 3,
    *(World.save, World.touch, World.remove, World.mark_outdated, World.trash),
    *(World.restore, World.purge, *[World.put_findings] * 2, World.put_dismissals),
    *(World.drop_overlay, World.renew_language, World.move_source),
)


class StorageKeyModelContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    @pytest.mark.parametrize("seed", range(12))
    def test_lines_show_what_a_model_shows(self, storage: Storage, seed: int) -> None:
        random = Random(seed)
        every: list[Scope] = []
        worlds = [World(storage, random, every) for _ in range(2)]
        for _ in range(30):
            world, other = random.sample(worlds, 2)
            scope = random.choice([world.main, *world.scopes])
            random.choice(STEPS)(world, scope)
            world.check(scope, strangers=other._known())
        for world in worlds:
            for scope in world.scopes:
                world.check(scope)


def _state(value: StoredValue) -> tuple[str, bool]:
    """Return what statistics count a value by, beside the words of the source text."""
    return value.status, value.is_outdated


def _slot(value: StoredValue) -> ValueSlot:
    return value.language_code, value.plural_form


def _by_slot(values: Iterable[StoredValue]) -> dict[ValueSlot, StoredValue]:
    return {_slot(each): each for each in values}


def _comparable(state: KeyState | None) -> Comparable | None:
    """Return the state with its values by slot: they have no order."""
    return None if state is None else (state.key, _by_slot(state.values))


def _on_branch(scope: Scope) -> BranchKeyStore:
    assert scope.branch is not None
    return scope.store  # type: ignore[return-value]


def _trash(scope: Scope) -> dict[str, Record]:
    return {
        id_: each
        for id_, each in scope.records.items()
        if each.deleted and not each.is_purged
    }


def _holds(term: str, *texts: str) -> bool:
    return any(term in fold(text) for text in texts)


def _place(of: StoredKey, sort: str) -> tuple[str, str]:
    position = position_of(of, sort)
    return position.value, position.id


def _in_languages(
    record: Record, codes: Sequence[str] | None
) -> dict[ValueSlot, StoredValue]:
    return {
        slot: each
        for slot, each in record.values.items()
        if codes is None or slot[0] in codes
    }


def _sorted(revisions: Iterable[Revision]) -> list[Revision]:
    return sorted(revisions, key=lambda each: (each.key_id, each.revision))


def _text_row(record: Record, code: str, min_status: str) -> TextRow:
    texts, needs_review, of = {}, False, record.key
    for form in (None, *PLURAL_FORMS):
        if each := record.values.get((code, form)):
            approved = min_status == "approved" and each.status != "approved"
            if text := each.approved_value if approved else each.value:
                texts[form] = text
                needs_review |= min_status == "any" and each.status != "approved"
    return TextRow(
        of.id,
        of.key,
        of.is_plural,
        of.description,
        texts,
        needs_review,
        of.file_key,
        of.max_length,
        of.format_flags,
    )


def _counts(records: Sequence[Record], code: str, source: str) -> LanguageCounts:
    statuses: list[str] = []
    counts = LanguageCounts(code)
    for each in records:
        if not (values := _in_languages(each, [code]).values()):
            continue
        words = sum(
            count_words(v.value if v.approved_value is None else v.approved_value)
            for v in _in_languages(each, [source]).values()
        )
        statuses.append(min((v.status for v in values), key=STATUSES.index))
        approved = words if statuses[-1] == "approved" else 0
        counts = replace(
            counts,
            outdated=counts.outdated + any(v.is_outdated for v in values),
            words=counts.words + words,
            approved_words=counts.approved_words + approved,
        )
    return replace(counts, **{status: statuses.count(status) for status in STATUSES})
