"""Contract of repositories, and of organizations, members, tokens and projects."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from locframework.access.records import Holder, Membership, Quota, Scope
from locframework.fields import new_id
from locframework.glossaries.records import StoredGlossary
from locframework.memories.records import Penalties, StoredMemory
from locframework.pagination import Page, PageRequest, SortedRequest
from locframework.projects.records import Project
from locframework.storage import Storage
from locframework.transactions import Repository

from .storage_blobs import file_of
from .storage_delivery import BLOB, OTHER, building, distribution, ready
from .storage_glossaries import glossary
from .storage_memories import memory
from .storage_records import (
    ALL,
    TEXTS,
    add_branch,
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
from .storage_webhooks import add_webhook, webhook

# in code point order; other orders (locale, letter case, UTF-16) all differ from it
NAMES = ["", "A b", "A-b", "AB", "Z", "a", "ab", "z", "Ä", "ä", "Σ", "ж", "א", "設"]
NAMES += ["\uffee", "𝒳"]


class Made(NamedTuple):
    """A record to insert, another version of it, and its parent."""

    record: Any
    changed: Any
    parent_id: str | None = None


class Kind(NamedTuple):
    """A repository, and how to make a record of it in a project."""

    of: Callable[[Storage], Repository[Any]]
    make: Callable[[Storage, Project], Made]


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
    made = StoredGlossary(glossary(TEXTS["scripts"]), of.organization_id, 0)
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


KINDS = {
    "organization": Kind(lambda s: s.access.organizations, _organization),
    "user": Kind(lambda s: s.access.users, _user),
    "member": Kind(lambda s: s.access.members, _member),
    "token": Kind(lambda s: s.access.tokens, _token),
    "project": Kind(lambda s: s.projects, _project),
    "language": Kind(lambda s: s.projects.languages, _language),
    "file": Kind(lambda s: s.files, _file),
    "distribution": Kind(lambda s: s.delivery, _distribution),
    "release": Kind(lambda s: s.delivery.releases, _release),
    "glossary": Kind(lambda s: s.glossaries, _glossary),
    "memory": Kind(lambda s: s.memories, _memory),
    "webhook": Kind(lambda s: s.webhooks, _webhook),
}
OF_PROJECTS = ["language", "file", "distribution", "release", "webhook"]
DELETED = ["member", "project", "glossary", "memory", *OF_PROJECTS]
LOCKED = ["organization", "project", "distribution", "glossary", "memory", "webhook"]

List = Callable[[Storage, Project, PageRequest], Page[Any]]
LISTS: dict[str, tuple[Callable[[Storage, Project, str, str], None], List]] = {
    "organizations": (
        lambda s, of, name, at_: s.access.organizations.insert(
            organization(name, created_at=at_)
        ),
        lambda s, of, page: s.access.list_organizations(None, page),
    ),
    "projects": (
        lambda s, of, name, at_: s.projects.insert(
            project(organization(id=of.organization_id), name, created_at=at_)
        ),
        lambda s, of, page: s.projects.list_projects([Scope(of.organization_id)], page),
    ),
    "distributions": (
        lambda s, of, name, at_: s.delivery.insert(
            distribution(of, name, created_at=at_)
        ),
        lambda s, of, page: s.delivery.list_distributions(of.id, page),
    ),
    "glossaries": (
        lambda s, of, name, at_: s.glossaries.insert(
            StoredGlossary(glossary(name, created_at=at_), of.organization_id, 0)
        ),
        lambda s, of, page: s.glossaries.list_glossaries(None, page),
    ),
    "memories": (
        lambda s, of, name, at_: s.memories.insert(
            StoredMemory(memory(name, created_at=at_), of.organization_id)
        ),
        lambda s, of, page: s.memories.list_memories(None, page),
    ),
}


def id_of(record: Any) -> str:
    """Return the id of a record, or of the record that it wraps."""
    found = record
    while not hasattr(found, "id"):
        found = getattr(found, found.__struct_fields__[0])
    id_: str = found.id
    return id_


def as_written(record: Any) -> Any:
    """Return the record without what the store itself counts."""
    return replace(record, revision=0) if hasattr(record, "revision") else record


class StorageRepositoriesContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    @pytest.mark.parametrize("record_type", KINDS)
    def test_record_is_found_as_inserted_with_its_parent_only(
        self, storage: Storage, record_type: str
    ) -> None:
        repository, of = KINDS[record_type].of(storage), add_project(storage)
        made, other = (
            KINDS[record_type].make(storage, of),
            KINDS[record_type].make(storage, of),
        )

        repository.insert(made.record)
        repository.insert(other.record)

        id_ = id_of(made.record)
        assert repository.find(id_) == made.record
        assert repository.find(id_of(other.record)) == other.record
        assert repository.find(new_id()) is None
        if made.parent_id is not None:
            assert repository.find(id_, made.parent_id) == made.record
            assert repository.find(id_, new_id()) is None

    @pytest.mark.parametrize("record_type", KINDS)
    def test_update_changes_this_record_alone(
        self, storage: Storage, record_type: str
    ) -> None:
        repository, of = KINDS[record_type].of(storage), add_project(storage)
        made, other = (
            KINDS[record_type].make(storage, of),
            KINDS[record_type].make(storage, of),
        )
        repository.insert(made.record)
        repository.insert(other.record)

        repository.update(made.changed)
        repository.update(made.changed)

        found = repository.find(id_of(made.record))
        assert as_written(found) == as_written(made.changed)
        assert repository.find(id_of(other.record)) == other.record

    @pytest.mark.parametrize("record_type", DELETED)
    def test_deleted_record_is_hidden_and_not_brought_back(
        self, storage: Storage, record_type: str
    ) -> None:
        repository, of = KINDS[record_type].of(storage), add_project(storage)
        made, other = (
            KINDS[record_type].make(storage, of),
            KINDS[record_type].make(storage, of),
        )
        repository.insert(made.record)
        repository.insert(other.record)

        repository.delete(id_of(made.record), at(1))
        repository.update(made.changed)

        assert repository.find(id_of(made.record)) is None
        assert repository.find(id_of(other.record)) == other.record

    @pytest.mark.parametrize("record_type", OF_PROJECTS)
    def test_record_of_a_deleted_project_is_hidden(
        self, storage: Storage, record_type: str
    ) -> None:
        repository, of = KINDS[record_type].of(storage), add_project(storage)
        made = KINDS[record_type].make(storage, of)
        repository.insert(made.record)

        storage.projects.delete(of.id, at(1))

        assert repository.find(id_of(made.record)) is None

    @pytest.mark.parametrize("record_type", LOCKED)
    def test_lock_needs_a_transaction(self, storage: Storage, record_type: str) -> None:
        repository = KINDS[record_type].of(storage)
        made = KINDS[record_type].make(storage, add_project(storage))
        repository.insert(made.record)

        with pytest.raises(RuntimeError):
            repository.lock(id_of(made.record))
        with storage.transaction():
            repository.lock(id_of(made.record))

    @pytest.mark.parametrize("name", LISTS)
    def test_list_is_sorted_by_code_point_then_id_in_pages(
        self, storage: Storage, name: str
    ) -> None:
        insert, list_page = LISTS[name]
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
        assert [listed(page=page, limit=7) for page in (1, 2, 3, 4, 1_000_000)] == [
            every[:7],
            every[7:14],
            every[14:21],
            [],
            [],
        ]
        assert listed("-name") == every[::-1]
        by_time = sorted(every, key=lambda each: (each.created_at, each.id))
        assert listed("createdAt") == by_time
        assert listed("-createdAt") == by_time[::-1]
        with pytest.raises(ValueError, match="colour"):
            listed("colour")


class StorageAccessContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    @pytest.mark.parametrize(
        ("stored", "asked"),
        [
            ("Ann@Example.com", "aNN@eXAMPLE.COM"),
            ("straße@example.com", "STRASSE@example.com"),
            ("ΣΊΣΥΦΟΣ@example.com", "σίσυφος@example.com"),
        ],
    )
    def test_users_are_found_by_email_ignoring_case(
        self, storage: Storage, stored: str, asked: str
    ) -> None:
        made = user(stored)
        storage.access.users.insert(made)

        assert storage.access.find_user_by_email(asked) == made
        assert storage.access.find_user_by_email("a" + asked) is None

        moved = replace(made, email="B@example.com")
        storage.access.users.update(moved)
        assert storage.access.find_user_by_email("b@example.com") == moved
        assert storage.access.find_user_by_email(asked) is None

    def test_members_are_listed_by_the_email_of_their_user(
        self, storage: Storage
    ) -> None:
        owner, other = organization(), organization()
        made = []
        for one in (owner, other):
            storage.access.organizations.insert(one)
        for name in ("zoe", "ann", "bob", "ärne"):
            who = user(f"{name}@example.com")
            storage.access.users.insert(who)
            made.append(member(owner, who))
            storage.access.members.insert(replace(made[-1], email="not stored"))
            storage.access.members.insert(member(other, who))
        storage.access.users.update(replace(who, email="zz@example.com"))
        made[3] = replace(made[3], email="zz@example.com")

        page = storage.access.list_members(owner.id, PageRequest(limit=3))

        assert page.items == [made[1], made[2], made[0]]
        assert page.total == 4
        assert storage.access.list_members(new_id(), ALL).items == []
        assert storage.access.members.find(made[3].id, owner.id) == made[3]
        assert sorted(storage.access.organizations_of(who.id)) == sorted(
            [owner.id, other.id]
        )

    def test_organizations_are_listed_by_id(self, storage: Storage) -> None:
        made = [organization(name) for name in "cba"]
        for one in made:
            storage.access.organizations.insert(one)

        found = storage.access.list_organizations([made[0].id, made[2].id], ALL)

        assert (found.items, found.total) == ([made[2], made[0]], 2)
        assert storage.access.list_organizations([], ALL).items == []

    def test_owners_without_limits_are_counted(self, storage: Storage) -> None:
        first, second = organization(), organization()
        for one in (first, second):
            storage.access.organizations.insert(one)
        cases: list[dict[str, Any]] = [
            {},
            {"assigned_languages": ()},
            {"assigned_languages": ("de",)},
            {"project_ids": ()},
            {"project_ids": ("p",)},
            {"role": "manager"},
            {},
        ]
        made = []
        for number, case in enumerate(cases):
            who = user(f"{number}@example.com", is_active=number < len(cases) - 1)
            storage.access.users.insert(who)
            made.append(member(first, who, **{"role": "owner", **case}))
            storage.access.members.insert(made[-1])

        assert storage.access.count_owners(first.id, "") == 2
        assert storage.access.count_owners(first.id, made[0].id) == 1
        assert storage.access.count_owners(first.id, made[-1].id) == 2
        assert storage.access.count_owners(second.id, "") == 0

    def test_projects_among_ids_are_those_of_the_organization(
        self, storage: Storage
    ) -> None:
        mine, foreign, gone = (add_project(storage) for _ in range(3))
        storage.projects.delete(gone.id, at(1))
        ids = [mine.id, foreign.id, gone.id, new_id()]

        assert storage.access.projects_among(mine.organization_id, ids) == [mine.id]
        assert storage.access.projects_among(gone.organization_id, ids) == []
        assert storage.access.projects_among(mine.organization_id, []) == []

    def test_holder_has_the_memberships_of_an_active_user(
        self, storage: Storage
    ) -> None:
        who, other = user(), user("other@example.com")
        for one in (who, other):
            storage.access.users.insert(one)
        made = []
        for languages in [None, ("de", "fr"), ()]:
            of = organization()
            storage.access.organizations.insert(of)
            made.append(member(of, who, assigned_languages=languages, project_ids=()))
            storage.access.members.insert(made[-1])
            storage.access.members.insert(member(of, other, role="viewer"))
        made.sort(key=lambda one: one.organization_id)
        mine = token("a" * 64, user_id=who.id)
        storage.access.tokens.insert(mine)

        held = storage.access.find_holder("a" * 64)
        storage.access.users.update(replace(who, is_active=False))

        memberships = tuple(
            Membership(
                one.organization_id, one.role, one.assigned_languages, one.project_ids
            )
            for one in made
        )
        assert held == Holder(mine, memberships)
        assert storage.access.find_holder("a" * 64) == Holder(mine, ())
        assert storage.access.find_holder("c" * 64) is None

    def test_tokens_in_use_are_listed_newest_first(self, storage: Storage) -> None:
        who, of = user(), add_project(storage)
        storage.access.users.insert(who)
        made = [
            token(f"{minute:064}", user_id=who.id, created_at=at(minute // 2))
            for minute in range(6)
        ]
        bound = token("b" * 64, project_id=of.id, organization_id=of.organization_id)
        for one in [*made, bound]:
            storage.access.tokens.insert(one)
        storage.access.revoke_tokens(at(30), token_id=made[3].token.id)
        shown = [one.token for one in made if one is not made[3]]
        shown.sort(key=lambda one: (one.created_at, one.id), reverse=True)
        listed = storage.access.list_tokens

        page = listed(PageRequest(limit=4), user_id=who.id)
        assert (page.items, page.total) == (shown[:4], 5)
        assert listed(ALL, user_id=who.id, organization_id=new_id()).items == []
        assert listed(ALL, project_id=of.id).items == [bound.token]

    def test_revoked_tokens_keep_their_first_time(self, storage: Storage) -> None:
        who, of = user(), organization()
        storage.access.users.insert(who)
        storage.access.organizations.insert(of)
        bound = token("a" * 64, user_id=who.id, organization_id=of.id)
        free, other = token("b" * 64, user_id=who.id), token("c" * 64)
        for one in (bound, free, other):
            storage.access.tokens.insert(one)

        def revoked() -> list[str | None]:
            found = [storage.access.find_holder(one * 64) for one in "abc"]
            return [one.token.revoked_at for one in found if one]

        storage.access.revoke_tokens(at(1), user_id=who.id, organization_id=of.id)
        assert revoked() == [at(1), None, None]
        storage.access.revoke_tokens(at(2), user_id=who.id)
        assert revoked() == [at(1), at(2), None]
        storage.access.revoke_tokens(at(3), token_id=bound.token.id)
        assert revoked() == [at(1), at(2), None]

    def test_touch_sets_when_a_token_was_used(self, storage: Storage) -> None:
        made, other = token("a" * 64), token("b" * 64)
        for one in (made, other):
            storage.access.tokens.insert(one)

        storage.access.touch_token(made.token.id, at(7))

        used = replace(made, token=replace(made.token, last_used_at=at(7)))
        assert storage.access.tokens.find(made.token.id) == used
        assert storage.access.tokens.find(other.token.id) == other


class StorageProjectsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_projects_are_listed_by_scope(self, storage: Storage) -> None:
        a, b, c = (add_project(storage, name) for name in "abc")
        d = project(organization(id=a.organization_id), "d")
        storage.projects.insert(d)
        gone = project(organization(id=a.organization_id), "e")
        storage.projects.insert(gone)
        storage.projects.delete(gone.id, at(1))

        def names(*scopes: Scope) -> str:
            page = storage.projects.list_projects(scopes, ALL)
            assert page.total == len(page.items)
            return "".join(one.name for one in page.items)

        whole = Scope(a.organization_id)
        assert names() == ""
        assert names(whole) == "ad"
        assert names(whole, Scope(b.organization_id)) == "abd"
        assert names(Scope(a.organization_id, d.id)) == "d"
        assert names(Scope(a.organization_id, d.id), Scope(c.organization_id)) == "cd"
        assert names(Scope(b.organization_id, d.id)) == ""  # not a project of b
        assert names(Scope(a.organization_id, gone.id), Scope(new_id(), new_id())) == ""

    def test_languages_are_listed_by_id(self, storage: Storage) -> None:
        of, other = add_project(storage), add_project(storage)
        made = [language(of, code) for code in ("en", "ar", "pt-BR", "de")]
        for one in [*reversed(made), language(other, "en")]:
            storage.projects.languages.insert(one)

        assert storage.projects.list_languages(of.id) == made
        storage.projects.languages.delete(made[1].id, at(1))
        assert storage.projects.list_languages(of.id) == [made[0], *made[2:]]
        assert len(storage.projects.list_languages(other.id)) == 1
        storage.projects.delete(of.id, at(1))
        assert storage.projects.list_languages(of.id) == []

    @pytest.mark.parametrize("status", ["open", "merged", "closed"])
    def test_project_has_keys_of_main_and_of_open_branches(
        self, storage: Storage, status: Any
    ) -> None:
        of, other = add_project(storage), add_project(storage)
        spring = add_branch(storage, of)
        assert not storage.projects.has_keys(of.id)
        with storage.transaction():
            storage.branch_keys(of.id, spring.id).add_keys([key(of)], [])

        storage.branches.save_branch(replace(spring, status=status))
        assert storage.projects.has_keys(of.id) == (status == "open")
        with storage.transaction():
            storage.keys.add_keys([key(of)], [])

        assert storage.projects.has_keys(of.id)
        assert not storage.projects.has_keys(other.id)

    def test_deleted_projects_are_purged_in_pieces(self, storage: Storage) -> None:
        old, young, kept = (add_project(storage, name) for name in "abc")
        for one in (old, young, kept):
            storage.projects.languages.insert(language(one, "en"))
            storage.access.tokens.insert(token(one.id, project_id=one.id))
            add_webhook(storage, one)
            with storage.transaction():
                storage.events.add([event(one) for _ in range(25)])
                storage.jobs.add(job(one))
        storage.projects.delete(old.id, at(1))
        storage.projects.delete(young.id, at(3))

        pieces = [storage.purge("projects", at(2), 10) for _ in range(6)]

        assert pieces[:2] == [10, 10]
        assert sum(pieces) >= 25 + 5  # with its language, token, webhook, job, itself
        assert pieces[-1] == 0
        assert storage.access.find_holder(old.id) is None
        assert storage.events.list_events(old.id, 100) == []
        for one in (young, kept):
            assert storage.access.find_holder(one.id)
            assert len(storage.events.list_events(one.id, 100)) == 25
        assert storage.projects.find(kept.id) == kept
