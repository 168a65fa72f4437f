"""Contract of repositories: records of every type, and what all stores do alike."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, NamedTuple

import pytest
from msgspec import json, structs
from msgspec.structs import replace

from locframework.access.records import Quota, Scope
from locframework.errors import NameExists
from locframework.fields import new_id
from locframework.glossaries.records import StoredGlossary
from locframework.jobs.records import JobFilter
from locframework.memories.records import Assignment, Penalties, StoredMemory
from locframework.pagination import Page, PageRequest, SortedRequest
from locframework.projects.records import Project
from locframework.storage import Purgeable, Storage
from locframework.transactions import Repository

from .storage_delivery import (
    BLOB,
    OTHER,
    add_distribution,
    add_file,
    building,
    distribution,
    file_of,
    ready,
)
from .storage_events import keep, latest, post
from .storage_glossaries import add_glossary, add_terms, glossary, term
from .storage_memories import add_entries, add_memory, entry, memory
from .storage_records import (
    ALL,
    TEXTS,
    add_branch,
    add_keys_project,
    add_project,
    at,
    event,
    job,
    key,
    language,
    member,
    organization,
    project,
    token,
    user,
)
from .storage_webhooks import (
    add_deliveries,
    add_webhook,
    claim,
    finish,
    succeeded,
    webhook,
)

# in code point order; other orders (locale, letter case, UTF-16) all differ from it
NAMES = ["", "A b", "A-b", "AB", "Z", "a", "ab", "z", "Ä", "ä", "Σ", "ж", "א", "設"]
NAMES += ["\uffee", "𝒳"]


class Made(NamedTuple):
    """A record to insert, another version of it, and its parent."""

    record: Any
    changed: Any
    parent_id: str | None = None


Kind = tuple[Callable[[Storage], Repository[Any]], Callable[[Storage, Project], Made]]
"""A repository, and how to make a record of it in a project."""


def _organization(storage: Storage, of: Project) -> Made:
    made = organization(tm_enabled=False, delivery_quota=Quota(0, 2**53))
    new = organization(TEXTS["scripts"], id=made.id, updated_at=at(1))
    return Made(made, new)


def _user(storage: Storage, of: Project) -> Made:
    made = user(f"{new_id()}@example.com")
    return Made(made, replace(made, email=f"B{made.email}", is_active=False))


def _member(storage: Storage, of: Project) -> Made:
    owner, who = organization(id=of.organization_id), user(f"{new_id()}@example.com")
    storage.access.users.insert(who)
    made = member(owner, who, assigned_languages=("de", "pt-BR"), project_ids=())
    new = replace(made, name="Anna", role="owner", assigned_languages=None)
    return Made(made, replace(new, project_ids=("p1",)), owner.id)


def _token(storage: Storage, of: Project) -> Made:
    shown: dict[str, Any] = {"kind": "project", "project_id": of.id, "permissions": ()}
    shown |= {"assigned_languages": ("de",), "last_used_at": at(9), "expires_at": None}
    made = token(new_id(), organization_id=of.organization_id, **shown)
    return Made(made, replace(made, revoked_at=at(3)))


def _project(storage: Storage, of: Project) -> Made:
    owner = organization(id=of.organization_id)
    made = project(
        owner, key_separator="/", blocking_checks=("a",), main_protected=True
    )
    new = project(
        owner, "New", id=made.id, key_separator="/", check_severities={"b": "off"}
    )
    new = replace(new, disabled_checks=("a", "b"))
    return Made(made, replace(new, tm_enabled=False, updated_at=at(1)))


def _language(storage: Storage, of: Project) -> Made:
    made = language(of, new_id(), icon="🇩🇪", fallback_language_code="en")
    new = replace(made, label="Deutsch", icon=None, direction="rtl", is_source=True)
    new = replace(new, fallback_language_code=None, plural_forms=())
    return Made(made, new, of.id)


def _file(storage: Storage, of: Project) -> Made:
    made = file_of(of)
    return Made(made, replace(made, unused_since=None), of.id)


def _distribution(storage: Storage, of: Project) -> Made:
    made = distribution(of, language_codes=("de", "en"), branch="x", auto_publish=True)
    new = distribution(of, "New", id=made.id, status="paused", split_by_module=True)
    return Made(made, replace(new, min_status="any", updated_at=at(5)), of.id)


def _release(storage: Storage, of: Project) -> Made:
    owner = distribution(of)
    storage.delivery.insert(owner)
    made = building(owner, note=TEXTS["scripts"], rolled_back_from=1)
    return Made(made, ready(made, BLOB, OTHER, BLOB), owner.id)


def _glossary(storage: Storage, of: Project) -> Made:
    name = f"{TEXTS['scripts']} {new_id()}"
    made = StoredGlossary(glossary(name), of.organization_id, 0)
    new = glossary("New", id=made.id, requires_approval=True, source_language="de")
    return Made(made, replace(made, glossary=new))


def _memory(storage: Storage, of: Project) -> Made:
    made = StoredMemory(memory(penalties=Penalties(100, 0, 7)), of.organization_id)
    new = memory("New", id=made.memory.id, min_match_percentage=90, updated_at=at(5))
    return Made(made, replace(made, memory=new))


def _webhook(storage: Storage, of: Project) -> Made:
    made = webhook(of)
    new = webhook(of, id=made.webhook.id, url="https://b.example", branches=("x",))
    return Made(made, new, of.id)


KINDS: dict[str, Kind] = {
    "organization": (lambda s: s.access.organizations, _organization),
    "user": (lambda s: s.access.users, _user),
    "member": (lambda s: s.access.members, _member),
    "token": (lambda s: s.access.tokens, _token),
    "project": (lambda s: s.projects, _project),
    "language": (lambda s: s.projects.languages, _language),
    "file": (lambda s: s.files, _file),
    "distribution": (lambda s: s.delivery, _distribution),
    "release": (lambda s: s.delivery.releases, _release),
    "glossary": (lambda s: s.glossaries, _glossary),
    "memory": (lambda s: s.memories, _memory),
    "webhook": (lambda s: s.webhooks, _webhook),
}
OF_PROJECTS = ["language", "file", "distribution", "release", "webhook"]
DELETED = ["member", "project", "glossary", "memory", *OF_PROJECTS]
LOCKED = ["organization", "project", "distribution", "glossary", "memory", "webhook"]


def _add_organization(storage: Storage, name: str = "", created_at: str = at(0)) -> str:
    """Return the id of one that was renamed, as another may have the name, too."""
    made = organization(created_at=created_at)
    storage.access.organizations.insert(made)
    storage.access.organizations.update(replace(made, name=name))
    return made.id


Insert = Callable[[Storage, Project, str, str], object]
List = Callable[..., Page[Any]]  # of the storage, the project and the request
BY_NAME: dict[str, tuple[Insert, List]] = {
    "organizations": (
        lambda s, of, name, at_: _add_organization(s, name, at_),
        lambda s, of, page: s.access.list_organizations(None, page),
    ),
    "projects": (
        lambda s, of, name, at_: add_project(s, name, created_at=at_),
        lambda s, of, page: s.projects.list_projects(None, page),
    ),
    "distributions": (
        lambda s, of, name, at_: s.delivery.insert(
            distribution(of, name, created_at=at_)
        ),
        lambda s, of, page: s.delivery.list_distributions(of.id, page),
    ),
    "glossaries": (
        lambda s, of, name, at_: s.glossaries.insert(
            StoredGlossary(glossary(name, created_at=at_), _add_organization(s), 0)
        ),
        lambda s, of, page, scopes=None, **where: s.glossaries.list_glossaries(
            scopes, page, **where
        ),
    ),
    "memories": (
        lambda s, of, name, at_: s.memories.insert(
            StoredMemory(memory(name, created_at=at_), _add_organization(s))
        ),
        lambda s, of, page, scopes=None, **where: s.memories.list_memories(
            scopes, page, **where
        ),
    ),
}
Add = Callable[[Storage, Project, str], str]
Link = Callable[[Storage, Project, str], object]
LINKED: dict[str, tuple[Add, Link]] = {
    "glossaries": (
        lambda s, of, name: (
            add_glossary(s, name, organization_id=of.organization_id).id
        ),
        lambda s, of, id_: s.glossaries.set_link(id_, of.id, is_linked=True),
    ),
    "memories": (
        lambda s, of, name: add_memory(s, of, name).id,
        lambda s, of, id_: s.memories.assign(
            of.id, id_, Assignment(id_, True, "none", 0, 0)
        ),
    ),
}
NEWEST_FIRST: dict[str, tuple[Callable[[Storage, Project, str], object], List]] = {
    "jobs": (
        lambda s, of, at_: s.jobs.add(job(of, created_at=at_)),
        lambda s, of, page: s.jobs.list_jobs(of.id, JobFilter(), page),
    ),
    "tokens": (
        lambda s, of, at_: s.access.tokens.insert(
            token(new_id(), project_id=of.id, created_at=at_)
        ),
        lambda s, of, page: s.access.list_tokens(page, project_id=of.id),
    ),
    "webhooks": (
        lambda s, of, at_: s.webhooks.insert(webhook(of, created_at=at_)),
        lambda s, of, page: s.webhooks.list_webhooks(of.id, page),
    ),
}
IN_TRANSACTION: dict[str, Callable[[Storage, Project], object]] = {
    "add events": lambda s, of: s.events.add([event(of)]),
    "add deliveries": lambda s, of: s.webhooks.add_deliveries([]),
    "begin a write to a memory": lambda s, of: s.memories.begin(new_id()),
    "claim a key": lambda s, of: s.idempotency.claim("u", "k", at(1), at(0)),
    "hold a queued job": lambda s, of: s.jobs.hold_queued(of.id, "import"),
    "take a version": lambda s, of: s.delivery.next_version(add_distribution(s, of).id),
    "store a step": lambda s, of: s.jobs.extend(new_id(), 1, at(9), step={}),
    "use files": lambda s, of: s.files.use_files(of.id, [new_id()]),
}


def _end_project(storage: Storage, minute: int) -> object:
    of = add_project(storage)
    storage.projects.languages.insert(language(of, "en"))
    storage.access.tokens.insert(token(of.id, project_id=of.id))
    add_deliveries(storage, add_webhook(storage, of))
    with storage.transaction():
        storage.events.add([event(of) for _ in range(25)])
        storage.jobs.add(job(of))
    storage.projects.delete(of.id, at(minute))
    return lambda: latest(storage.events, of.id, 9) or storage.access.find_holder(of.id)


def _end_branch(storage: Storage, minute: int) -> object:
    of = add_keys_project(storage)
    made = add_branch(storage, of, updated_at=at(minute), status="merged")
    on = storage.branch_keys(of.id, made.id)
    on.add_keys([key(of, "a"), key(of, "b")])
    return lambda: on.overlay()


def _end_distribution(storage: Storage, minute: int) -> None:
    of = distribution(add_project(storage))
    storage.delivery.insert(of)
    storage.delivery.releases.insert(ready(building(of), BLOB, OTHER))
    storage.delivery.delete(of.id, at(minute))


def _end_glossary(storage: Storage, minute: int) -> None:
    of = add_glossary(storage, organization_id=add_project(storage).organization_id)
    add_terms(storage, term(of, "a"), term(of, "b"))
    storage.glossaries.delete(of.id, at(minute))


def _end_memory(storage: Storage, minute: int) -> None:
    of = add_memory(storage)
    add_entries(storage, [entry(of, "a", "de:x"), entry(of, "b")])
    storage.memories.delete(of.id, at(minute))


def _end_webhook(storage: Storage, minute: int) -> object:
    of = add_webhook(storage)
    [made, *_] = add_deliveries(storage, of, 3)
    storage.webhooks.delete(of.webhook.id, at(minute))
    return lambda: storage.webhooks.find_delivery(of.webhook.id, made.id)


def _end_delivery(storage: Storage, minute: int) -> object:
    of = add_webhook(storage)
    [made] = add_deliveries(storage, of, minute=minute)
    claimed = claim(storage, of)
    finish(storage, *map(succeeded, claimed))
    add_deliveries(storage, of, minute=minute)
    return lambda: storage.webhooks.find_delivery(of.webhook.id, made.id)


def _end_file(storage: Storage, minute: int) -> object:
    of = add_project(storage)
    made = add_file(storage, of, unused_since=at(minute))
    add_file(storage, of, unused_since=None)
    return lambda: storage.files.find(made.id)


def _end_post(storage: Storage, minute: int) -> object:
    name = new_id()
    keep(storage, post(name, minute))
    return lambda: storage.idempotency.find("token:1", name, at(0))


def _end_job(storage: Storage, minute: int) -> object:
    of = add_project(storage)
    made = job(of, status="failed", finished_at=at(minute))
    storage.jobs.add(made)
    storage.jobs.add(job(of, minute=minute))
    return lambda: storage.jobs.find(made.job.project_id or "", made.job.id)


def _end_key(storage: Storage, minute: int) -> object:
    of = add_keys_project(storage)
    made = key(of)
    storage.keys.add_keys([made, key(of, "kept")])
    storage.keys.trash_keys(of.id, [made.id], at(minute))
    return lambda: storage.keys.find_keys(of.id, [made.id], in_trash=True)


PURGED: dict[Purgeable, tuple[int, Callable[[Storage, int], object]]] = {
    "branches": (3, _end_branch),
    "deliveries": (1, _end_delivery),
    "distributions": (4, _end_distribution),
    "files": (1, _end_file),
    "glossaries": (3, _end_glossary),
    "idempotency_keys": (1, _end_post),
    "jobs": (1, _end_job),
    "keys": (1, _end_key),
    "memories": (3, _end_memory),
    "projects": (30, _end_project),
    "webhooks": (4, _end_webhook),
}
"""What to purge: how many rows of each at least, and how one ends at a minute.

Beside it something is made that has not ended. Returns a function that finds what is
left, if it is not hidden before."""


def id_of(record: Any) -> str:
    """Return the id of a record, or of the record that it wraps."""
    found = record
    while not hasattr(found, "id"):
        found = getattr(found, found.__struct_fields__[0])
    id_: str = found.id
    return id_


def named(record: Any, name: str) -> Any:
    """Return the record, or the record that it wraps, with another name."""
    if hasattr(record, "name"):
        return replace(record, name=name)
    inner = record.__struct_fields__[0]
    return replace(record, **{inner: named(getattr(record, inner), name)})


def as_written(record: Any) -> Any:
    """Return the record without what the store itself counts."""
    return replace(record, revision=0) if hasattr(record, "revision") else record


class StorageRepositoriesContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    @pytest.mark.parametrize("kind", KINDS)
    def test_record_is_found_as_inserted_updated_and_deleted_alone(
        self, storage: Storage, kind: str
    ) -> None:
        (repository_of, make), of = KINDS[kind], add_project(storage)
        repository = repository_of(storage)
        made, other = make(storage, of), make(storage, of)
        id_ = id_of(made.record)

        repository.insert(made.record)
        repository.insert(other.record)

        found = repository.find(id_)
        assert found == made.record
        assert json.encode(found) == json.encode(made.record)  # true is not 1
        assert repository.find(new_id()) is None
        if made.parent_id is not None:
            assert repository.find(id_, made.parent_id) == made.record
            assert repository.find(id_, new_id()) is None
        for _ in range(2):
            repository.update(made.changed)
            assert as_written(repository.find(id_)) == as_written(made.changed)
        assert repository.find(id_of(other.record)) == other.record
        if kind in LOCKED:
            with pytest.raises(RuntimeError):
                repository.lock(id_)
            with storage.transaction():
                assert repository.lock(id_) == repository.find(id_)
                assert repository.lock(new_id()) is None
        if kind in DELETED:
            repository.delete(id_, at(1))
            repository.update(made.changed)  # which does not bring it back
            assert repository.find(id_) is None
            assert repository.find(id_of(other.record)) == other.record
            storage.projects.delete(of.id, at(1))
            found = repository.find(id_of(other.record))
            assert found == (None if kind in OF_PROJECTS else other.record)

    @pytest.mark.parametrize("what", IN_TRANSACTION)
    def test_transaction_is_needed_to(self, storage: Storage, what: str) -> None:
        of = add_project(storage)

        with pytest.raises(RuntimeError):
            IN_TRANSACTION[what](storage, of)
        with storage.transaction():
            IN_TRANSACTION[what](storage, of)

    @pytest.mark.parametrize("name", BY_NAME)
    def test_list_is_sorted_by_code_point_then_id_in_pages(
        self, storage: Storage, name: str
    ) -> None:
        insert, list_page = BY_NAME[name]
        of = add_project(storage, "")
        for number, each in enumerate(reversed([*NAMES, "ab", "ab"])):
            insert(storage, of, each, at(1 + number % 3))

        def listed(sort: str = "", page: int = 1, limit: int = 200) -> list[Any]:
            request = SortedRequest(page=page, limit=limit, sort=sort)
            found = list_page(storage, of, request)
            assert found.total >= len(NAMES) + 2
            return [getattr(each, "glossary", each) for each in found.items]

        every = listed()
        assert every == sorted(every, key=lambda each: (each.name, each.id))
        pages = [listed(page=page, limit=7) for page in (1, 2, 3, 4, 1_000_000)]
        assert pages == [every[:7], every[7:14], every[14:21], [], []]
        assert listed("-name") == every[::-1]
        by_time = sorted(every, key=lambda each: (each.created_at, each.id))
        assert listed("createdAt") == by_time
        assert listed("-createdAt") == by_time[::-1]
        with pytest.raises(ValueError, match="colour"):
            listed("colour")

    @pytest.mark.parametrize("kind", ["project", "glossary", "memory"])
    def test_no_two_names_of_an_organization_are_the_same_when_folded(
        self, storage: Storage, kind: str
    ) -> None:
        (repository_of, make), of = KINDS[kind], add_project(storage, "")
        repository = repository_of(storage)

        def made(name: str, owner: Project = of) -> Any:
            return named(make(storage, owner).record, name)

        shop, size = made("Web shop"), made("Größe")
        for record in (shop, size, made("Web shop", add_project(storage))):
            repository.insert(record)
        for name in ("Web shop", " WEB  shop", "GRÖSSE"):
            with pytest.raises(NameExists), storage.transaction():
                repository.insert(made(name))
        with pytest.raises(NameExists, match="'grösse'"):
            repository.update(named(shop, "grösse"))
        assert repository.find(id_of(shop)) == shop

        repository.update(named(size, "größe"))
        repository.delete(id_of(size), at(1))
        repository.update(named(shop, "grösse"))
        assert as_written(repository.find(id_of(shop))) == named(shop, "grösse")

    @pytest.mark.parametrize("kind", ["organization", "project", "glossary", "memory"])
    def test_of_writers_of_one_name_at_a_time_one_succeeds(
        self, storage: Storage, kind: str
    ) -> None:
        (repository_of, make), of = KINDS[kind], add_project(storage)
        repository, barrier = repository_of(storage), Barrier(4)
        records = [named(make(storage, of).record, "Web shop") for _ in range(4)]

        def insert(record: Any) -> bool:
            barrier.wait()
            try:
                with storage.transaction():
                    repository.insert(record)
            except NameExists:
                return False
            return True

        with ThreadPoolExecutor(4) as threads:
            assert sorted(threads.map(insert, records)) == [False, False, False, True]

    @pytest.mark.parametrize("name", LINKED)
    def test_list_is_limited_by_scope_search_and_project(
        self, storage: Storage, name: str
    ) -> None:
        (add, link), (_, list_page) = LINKED[name], BY_NAME[name]
        mine, theirs = add_project(storage), add_project(storage)
        ids = [add(storage, mine, each) for each in ("a  \tB", "A%", "b")]
        add(storage, theirs, "x")
        link(storage, mine, ids[2])

        def listed(*scopes: Scope, **where: Any) -> list[str]:
            asked = scopes or where.pop("scopes", ())
            found = list_page(storage, mine, ALL, asked, **where)
            assert found.total == len(found.items)
            items: list[Any] = [getattr(each, "glossary", each) for each in found.items]
            return [each.name for each in items]

        whole, far = Scope(mine.organization_id), Scope(theirs.organization_id)
        assert listed(whole) == ["A%", "a  \tB", "b"]
        assert listed(whole, search="a") == ["A%", "a  \tB"]
        assert listed(whole, search="a b") == ["a  \tB"]
        assert listed(whole, search="%") == ["A%"]
        assert listed(whole, project_id=mine.id) == ["b"]
        assert listed(whole, project_id=mine.id, search="a") == []
        assert listed(whole, project_id=theirs.id) == []
        assert listed(far, project_id=mine.id) == []
        assert listed(Scope(mine.organization_id, mine.id)) == ["b"]
        assert listed(Scope(mine.organization_id, mine.id), far) == ["b", "x"]
        assert listed(Scope(theirs.organization_id, mine.id)) == listed() == []
        assert listed(scopes=None) == ["A%", "a  \tB", "b", "x"]

    @pytest.mark.parametrize("name", NEWEST_FIRST)
    def test_list_begins_with_the_newest(self, storage: Storage, name: str) -> None:
        insert, list_page = NEWEST_FIRST[name]
        of, other = add_project(storage), add_project(storage)
        for minute in (1, 2, 2, 0):
            insert(storage, of, at(minute))
        insert(storage, other, at(3))

        every = list_page(storage, of, ALL).items
        second = list_page(storage, of, PageRequest(2, 3))

        assert len(every) == 4
        wanted = sorted(every, key=lambda each: (each.created_at, each.id))
        assert every == wanted[::-1]
        assert (second.items, second.total) == (every[3:], 4)

    @pytest.mark.parametrize("table", PURGED)
    def test_what_ended_before_is_purged_in_pieces(
        self, storage: Storage, table: Purgeable
    ) -> None:
        rows, end = PURGED[table]
        second, first, third = (end(storage, minute) for minute in (2, 1, 3))

        assert storage.purge(table, at(1), 100) == 0
        pieces = [storage.purge(table, at(3), 1)]
        if callable(first) and callable(second) and rows == 1:
            assert not first()  # the oldest goes first
            assert second()
        while pieces[-1]:
            pieces.append(storage.purge(table, at(3), 2))

        assert sum(pieces) >= 2 * rows
        assert rows > 1 or sum(pieces) == 2  # and what has not ended stays
        assert len(pieces) > 2
        for left, is_left in ((first, False), (second, False), (third, True)):
            assert not callable(left) or bool(left()) == is_left
        assert storage.purge(table, at(4), 100) >= rows

    def test_subscribers_are_those_of_the_project(self, storage: Storage) -> None:
        of, other = add_project(storage), add_project(storage)
        use = Assignment("", True, "all", 0, 0)

        def find(project: Project) -> tuple[bool, ...]:
            with storage.transaction():
                found = storage.events.add([event(other), event(of), event(project)])
            return structs.astuple(found)

        made, uses = add_memory(storage), replace(use, tm_id=add_memory(storage).id)
        gone = add_webhook(storage, of)
        add_distribution(storage, of)
        storage.memories.assign(of.id, uses.tm_id, replace(uses, write_mode="none"))
        storage.memories.assign(of.id, made.id, replace(use, tm_id=made.id))
        storage.memories.delete(made.id, at(1))
        storage.webhooks.delete(gone.webhook.id, at(1))
        assert not any(find(of))

        storage.memories.assign(of.id, uses.tm_id, uses)
        add_distribution(storage, of, auto_publish=True)
        add_webhook(storage, of)

        assert all(find(of))
        assert not any(find(other))
