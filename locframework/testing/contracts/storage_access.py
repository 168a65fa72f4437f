"""Contract of users, members, tokens and organizations, and of projects."""

from decimal import Decimal
from typing import Any

import pytest
from msgspec.structs import replace

from locframework.access.records import (
    Holder,
    Member,
    Membership,
    Organization,
    Scope,
    StoredToken,
    Token,
    User,
)
from locframework.branches.records import BranchStatus
from locframework.fields import new_id
from locframework.machine_translation.usage import AiUsage
from locframework.pagination import PageRequest
from locframework.projects.records import Project
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


def add_organization(storage: Storage, name: str | None = None) -> Organization:
    made = organization(name)
    storage.access.organizations.insert(made)
    return made


def add_user(storage: Storage, name: str, **changes: Any) -> User:
    made = user(f"{name}@example.com", **changes)
    storage.access.users.insert(made)
    return made


def add_member(storage: Storage, of: Organization, who: User, **changes: Any) -> Member:
    made = member(of, who, **changes)
    storage.access.members.insert(replace(made, email="not stored"))
    return made


def add_token(storage: Storage, letter: str, **changes: Any) -> StoredToken:
    made = token(letter * 64, **changes)
    storage.access.tokens.insert(made)
    return made


def used(of: Project, month: str, language_code: str, **counts: Any) -> AiUsage:
    place = of.organization_id, of.id, month, "deepl", language_code
    return AiUsage(*place, **counts)


class StorageAccessContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    @pytest.mark.parametrize(
        ("stored", "asked"),
        [("Ann@", "aNN@"), ("straße@", "STRASSE@"), ("ΣΊΣΥΦΟΣ@", "σίσυφος@")],
    )
    def test_users_are_found_by_email_ignoring_case(
        self, storage: Storage, stored: str, asked: str
    ) -> None:
        made, find = add_user(storage, stored), storage.access.find_user_by_email

        assert find(f"{asked}@EXAMPLE.com") == made
        assert find(f"a{asked}@example.com") is None

        moved = replace(made, email="B@example.com")
        storage.access.users.update(moved)
        assert find("b@example.com") == moved
        assert find(f"{asked}@example.com") is None

    def test_members_are_listed_by_email(self, storage: Storage) -> None:
        owner, other = add_organization(storage), add_organization(storage)
        users = [add_user(storage, name) for name in ("zoe", "ann", "bob", "ärne")]
        zoe, ann, bob, last = (add_member(storage, owner, each) for each in users)
        for each in users:
            add_member(storage, other, each)
        storage.access.users.update(replace(users[3], email="zz@example.com"))
        last = replace(last, email="zz@example.com")

        page = storage.access.list_members(owner.id, PageRequest(limit=3))

        assert (page.items, page.total) == ([ann, bob, zoe], 4)
        assert storage.access.list_members(new_id(), ALL).items == []
        assert storage.access.members.find(last.id, owner.id) == last
        found = storage.access.organizations_of(users[3].id)
        assert sorted(found) == sorted([owner.id, other.id])

    def test_organizations_are_listed_by_id(self, storage: Storage) -> None:
        c, _, a = (add_organization(storage, name) for name in "cba")
        found = storage.access.list_organizations([c.id, a.id], ALL)
        assert (found.items, found.total) == ([a, c], 2)
        assert storage.access.list_organizations([], ALL).items == []

    def test_owners_without_limits_are_counted(self, storage: Storage) -> None:
        first, second = add_organization(storage), add_organization(storage)
        cases: list[dict[str, Any]] = [
            {},
            {"assigned_languages": ()},
            {"assigned_languages": ("de",)},
            {"project_ids": ()},
            {"project_ids": ("p",)},
            {"role": "manager"},
        ]
        users = [add_user(storage, str(number)) for number in range(len(cases))]
        made = [
            add_member(storage, first, who, **{"role": "owner", **case})
            for who, case in zip(users, cases, strict=True)
        ]
        gone = add_user(storage, "gone", is_active=False)
        made.append(add_member(storage, first, gone, role="owner"))

        count_owners = storage.access.count_owners
        assert count_owners(first.id, "") == count_owners(first.id, made[-1].id) == 2
        assert count_owners(first.id, made[0].id) == 1
        assert count_owners(second.id, "") == 0

    def test_holder_has_memberships_of_an_active_user(self, storage: Storage) -> None:
        who, other = add_user(storage, "ann"), add_user(storage, "other")
        memberships = []
        for codes in [None, ("de", "fr"), ()]:
            of = add_organization(storage)
            limits = {"assigned_languages": codes, "project_ids": ()}
            add_member(storage, of, who, **limits)
            add_member(storage, of, other, role="viewer")
            memberships.append(Membership(of.id, "translator", codes, ()))
        memberships.sort(key=lambda each: each.organization_id)
        mine = add_token(storage, "a", user_id=who.id)

        held = storage.access.find_holder("a" * 64)
        storage.access.users.update(replace(who, is_active=False))

        assert held == Holder(mine, tuple(memberships))
        assert storage.access.find_holder("a" * 64) == Holder(mine, ())
        assert storage.access.find_holder("c" * 64) is None

    def test_tokens_in_use_are_listed_by_owner(self, storage: Storage) -> None:
        who, of = add_user(storage, "ann"), add_project(storage)
        mine, revoked = (add_token(storage, one, user_id=who.id) for one in "ac")
        owner = {"project_id": of.id, "organization_id": of.organization_id}
        bound = add_token(storage, "b", **owner)
        storage.access.revoke_tokens(at(30), token_id=revoked.token.id)

        def listed(**owner: str) -> list[Token]:
            page = storage.access.list_tokens(ALL, **owner)
            assert page.total == len(page.items)
            return page.items

        assert listed(user_id=who.id) == [mine.token]
        assert listed(user_id=who.id, organization_id=new_id()) == []
        assert listed(project_id=of.id) == [bound.token]
        storage.access.touch_token(mine.token.id, at(7), "192.0.2.7", "curl/8")
        used = {"last_used_address": "192.0.2.7", "last_used_agent": "curl/8"}
        touched = replace(mine.token, last_used_at=at(7), **used)
        assert listed(user_id=who.id) == [touched]
        held = storage.access.find_holder("a" * 64)
        assert held is not None
        assert held.token.token == touched
        assert storage.access.tokens.find(bound.token.id) == bound

    def test_tokens_are_listed_with_their_children_and_end_with_their_parents(
        self, storage: Storage
    ) -> None:
        who = add_user(storage, "ann")
        first = add_token(storage, "a", user_id=who.id)
        other = add_token(storage, "b", user_id=who.id)
        below = {"user_id": who.id, "parent_id": first.token.id}
        child = add_token(storage, "c", **below)
        below["parent_id"] = child.token.id
        grandchild = add_token(storage, "d", **below)

        page = storage.access.list_tokens(ALL, family_of=first.token.id)
        assert {each.id for each in page.items} == {first.token.id, child.token.id}
        storage.access.revoke_tokens(at(1), token_id=first.token.id)
        found = [storage.access.tokens.find(each.token.id) for each in (child, other)]
        assert [each and each.revoked_at for each in found] == [at(1), None]
        last = storage.access.tokens.find(grandchild.token.id)
        assert last is not None
        assert last.revoked_at == at(1)

    def test_revoked_tokens_keep_their_first_time(self, storage: Storage) -> None:
        who, of = add_user(storage, "ann"), add_organization(storage)
        bound = add_token(storage, "a", user_id=who.id, organization_id=of.id)
        add_token(storage, "b", user_id=who.id)
        add_token(storage, "c")

        def revoke(minute: int, **which: str) -> list[str | None]:
            storage.access.revoke_tokens(at(minute), **which)
            found = [storage.access.find_holder(one * 64) for one in "abc"]
            return [one.token.revoked_at for one in found if one]

        found = revoke(1, user_id=who.id, organization_id=of.id)
        assert found == [at(1), None, None]
        assert revoke(2, user_id=who.id) == [at(1), at(2), None]
        assert revoke(3, token_id=bound.token.id) == [at(1), at(2), None]

    def test_projects_are_listed_by_scope(self, storage: Storage) -> None:
        a, b, c = (add_project(storage, name) for name in "abc")
        d = project(organization(id=a.organization_id), "d")
        storage.projects.insert(d)
        gone = project(organization(id=a.organization_id), "e")
        storage.projects.insert(gone)
        storage.projects.delete(gone.id, at(1))
        ids, of_a = [b.id, d.id, gone.id, new_id()], a.organization_id
        assert storage.access.projects_among(of_a, ids) == [d.id]
        assert storage.access.projects_among(of_a, []) == []

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

    def test_project_has_keys_of_main_and_open_branches(self, storage: Storage) -> None:
        of, other = add_project(storage), add_project(storage)
        spring = add_branch(storage, of)
        assert not storage.projects.has_keys(of.id)
        storage.branch_keys(of.id, spring.id).add_keys([key(of)])

        statuses: tuple[BranchStatus, ...] = ("merged", "closed", "open")
        for status in statuses:
            storage.branches.save_branch(replace(spring, status=status))
            assert storage.projects.has_keys(of.id) == (status == "open")
        storage.branches.save_branch(replace(spring, status="closed"))
        storage.keys.add_keys([key(of)])

        assert storage.projects.has_keys(of.id)
        assert not storage.projects.has_keys(other.id)

    def test_use_of_engines_adds_up_by_month_and_language(
        self, storage: Storage
    ) -> None:
        one, other = add_project(storage), add_project(storage)
        usage = storage.ai_usage
        cent = Decimal("0.01")
        first = used(one, "2026-11", "de", translated=1, edited=2, cost=cent)
        later = used(one, "2026-12", "de", approved=3, kept_words=9)
        with storage.transaction():
            usage.add_usage([first, used(one, "2026-11", "fr", rejected=1), first])
        with storage.transaction():
            usage.add_usage([later, used(one, "2026-11", "de", cost=-cent / 3)])
            usage.add_usage([used(other, "2026-11", "de", cost=Decimal(10) ** 11)])

        exact = used(
            one, "2026-11", "de", translated=2, edited=4, cost=2 * cent - cent / 3
        )
        french = used(one, "2026-11", "fr", rejected=1)
        found = usage.usage_of_project(one.id, "2026-01", "2026-12")
        assert found == [later, exact, french]
        assert usage.usage_of_project(one.id, "2026-11", "2026-11") == [exact, french]
        assert usage.usage_of_project(other.id, "2026-12", "2026-12") == []

    def test_deleted_projects_still_count_for_their_organization(
        self, storage: Storage
    ) -> None:
        one = add_project(storage)
        with storage.transaction():
            cost = Decimal("0.25")
            storage.ai_usage.add_usage([used(one, "2026-11", "de", cost=cost)])
        storage.projects.delete(one.id, at(1))

        sum_of = storage.ai_usage.cost_of_organization
        assert sum_of(one.organization_id, "2026-11") == cost
        assert sum_of(one.organization_id, "2026-12") == 0
