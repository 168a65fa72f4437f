"""Contract of users, members, tokens and organizations, and of projects."""

from typing import Any

import pytest
from msgspec.structs import replace

from locframework.access.records import Holder, Membership, Scope, Token
from locframework.fields import new_id
from locframework.pagination import PageRequest
from locframework.storage import Storage

from .storage_records import (
    ALL,
    add_branch,
    add_project,
    at,
    key,
    language,
    member,
    organization,
    project,
    token,
    user,
)


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

    def test_tokens_in_use_are_listed_by_owner(self, storage: Storage) -> None:
        who, of = user(), add_project(storage)
        storage.access.users.insert(who)
        mine, revoked = (token(one * 64, user_id=who.id) for one in "ac")
        bound = token("b" * 64, project_id=of.id, organization_id=of.organization_id)
        for one in (mine, revoked, bound):
            storage.access.tokens.insert(one)
        storage.access.revoke_tokens(at(30), token_id=revoked.token.id)

        def listed(**owner: str) -> list[Token]:
            page = storage.access.list_tokens(ALL, **owner)
            assert page.total == len(page.items)
            return page.items

        assert listed(user_id=who.id) == [mine.token]
        assert listed(user_id=who.id, organization_id=new_id()) == []
        assert listed(project_id=of.id) == [bound.token]
        storage.access.touch_token(mine.token.id, at(7))
        assert listed(user_id=who.id) == [replace(mine.token, last_used_at=at(7))]
        assert storage.access.tokens.find(bound.token.id) == bound

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
