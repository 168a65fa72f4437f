"""The contract of Storage, part SA: organizations, users, members, tokens."""

from typing import Any

import pytest
from msgspec.structs import replace

from locframework.access.records import Holder, Membership, Quota
from locframework.fields import new_id
from locframework.paging import PageRequest
from locframework.storage import Storage

from .storage_records import ALL, add_project, at, member, organization, token, user

# in code point order; other orders (locale, letter case, UTF-16) all differ from it
NAMES = [
    "",
    "A b",
    "A-b",
    "AB",
    "Z",
    "a",
    "ab",
    "z",
    "Ä",
    "ä",
    "Σ",
    "ж",
    "א",
    "設",
    "\uffee",
    "𝒳",
]


class StorageAccessContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    @pytest.mark.parametrize("quota", [None, Quota(0, 0), Quota(2**53, 2**53)])
    def test_sa1_an_organization_comes_back_as_it_was(
        self, storage: Storage, quota: Quota | None
    ) -> None:
        made = organization(tm_enabled=False, delivery_quota=quota)

        storage.access.organizations.insert(made)

        assert storage.access.organizations.find(made.id) == made
        assert storage.access.organizations.find(new_id()) is None

    def test_sa2_a_saved_organization_is_changed(self, storage: Storage) -> None:
        old, other = organization(), organization()
        storage.access.organizations.insert(old)
        storage.access.organizations.insert(other)
        new = replace(
            old,
            name="New",
            slug="new",
            tm_enabled=False,
            delivery_quota=Quota(1, 2),
            updated_at=at(1),
        )

        storage.access.organizations.update(new)

        assert storage.access.organizations.find(old.id) == new
        assert storage.access.organizations.find(other.id) == other

    def test_sa3_organizations_are_listed_by_code_point_then_id(
        self, storage: Storage
    ) -> None:
        made = [organization(name) for name in NAMES] + [organization("ab")]
        for one in reversed(made):
            storage.access.organizations.insert(one)
        in_order = sorted(made, key=lambda one: (one.name, one.id))

        every = storage.access.list_organizations(None, ALL)
        two = storage.access.list_organizations([made[3].id, made[0].id], ALL)
        none = storage.access.list_organizations([], ALL)

        assert every.items == in_order
        assert two.items == [made[0], made[3]]
        assert none.items == []
        assert (every.total, two.total, none.total) == (len(made), 2, 0)

    def test_sa4_pages_part_a_list_without_gap_or_repeat(
        self, storage: Storage
    ) -> None:
        made = [organization("same") for _ in range(5)]
        for one in made:
            storage.access.organizations.insert(one)

        pages = [
            storage.access.list_organizations(None, PageRequest(page=page, limit=2))
            for page in (1, 2, 3, 4, 1_000_000)
        ]

        assert [len(page.items) for page in pages] == [2, 2, 1, 0, 0]
        every = [one for page in pages for one in page.items]
        assert every == sorted(made, key=lambda one: one.id)
        assert {page.total for page in pages} == {5}
        assert (pages[1].page, pages[1].limit) == (2, 2)

    @pytest.mark.parametrize(
        ("kept", "asked"),
        [
            ("Ann@Example.com", "aNN@eXAMPLE.COM"),
            ("straße@example.com", "STRASSE@example.com"),
            ("ΣΊΣΥΦΟΣ@example.com", "σίσυφος@example.com"),
        ],
    )
    def test_sa5_emails_are_found_whatever_their_letter_case(
        self, storage: Storage, kept: str, asked: str
    ) -> None:
        made = user(kept)

        storage.access.users.insert(made)

        assert storage.access.find_user_by_email(asked) == made
        assert storage.access.users.find(made.id) == made
        assert storage.access.find_user_by_email("a" + asked) is None

    def test_sa6_a_saved_user_is_changed(self, storage: Storage) -> None:
        old = user()
        storage.access.users.insert(old)
        new = replace(old, email="B@example.com", is_active=False)

        storage.access.users.update(new)

        assert storage.access.users.find(old.id) == new
        assert storage.access.find_user_by_email("b@example.com") == new
        assert storage.access.find_user_by_email(old.email) is None

    @pytest.mark.parametrize("listed", [None, (), ("de", "pt-BR")])
    def test_sa7_a_member_has_the_email_of_the_user_and_a_name_of_its_own(
        self, storage: Storage, listed: tuple[str, ...] | None
    ) -> None:
        owner, who = organization(), user()
        made = member(owner, who, assigned_languages=listed, project_ids=listed)
        storage.access.organizations.insert(owner)
        storage.access.users.insert(who)
        other = organization()
        elsewhere = member(other, who, name="Anna")
        storage.access.organizations.insert(other)
        storage.access.members.insert(replace(made, email="not kept"))
        storage.access.members.insert(elsewhere)

        assert storage.access.members.find(made.id, owner.id) == made
        assert storage.access.members.find(made.id, new_id()) is None
        assert storage.access.members.find(elsewhere.id, other.id) == elsewhere

        storage.access.users.update(replace(who, email="anna@example.com"))

        assert storage.access.members.find(made.id, owner.id) == replace(
            made, email="anna@example.com"
        )

    def test_sa8_a_saved_member_is_changed_and_a_removed_one_gone(
        self, storage: Storage
    ) -> None:
        owner, who = organization(), user()
        old = member(owner, who)
        storage.access.organizations.insert(owner)
        storage.access.users.insert(who)
        storage.access.members.insert(old)
        new = replace(
            old,
            name="Anna",
            role="owner",
            assigned_languages=("de",),
            project_ids=("p1", "p2"),
        )

        storage.access.members.update(new)

        assert storage.access.members.find(old.id, owner.id) == new

        storage.access.members.delete(old.id, at(1))

        assert storage.access.members.find(old.id, owner.id) is None
        assert storage.access.users.find(who.id) == who

    def test_sa9_members_are_listed_by_email(self, storage: Storage) -> None:
        owner, other = organization(), organization()
        storage.access.organizations.insert(owner)
        storage.access.organizations.insert(other)
        made = []
        for name in ("zoe", "ann", "bob", "ärne"):
            who = user(f"{name}@example.com")
            storage.access.users.insert(who)
            made.append(member(owner, who))
            storage.access.members.insert(made[-1])
            storage.access.members.insert(member(other, who))

        page = storage.access.list_members(owner.id, PageRequest(limit=3))

        assert page.items == [made[1], made[2], made[0]]
        assert page.total == 4
        assert storage.access.list_members(new_id(), ALL).items == []

    def test_sa10_a_token_comes_with_the_memberships_of_an_active_owner(
        self, storage: Storage
    ) -> None:
        who, other = user(), user("other@example.com")
        storage.access.users.insert(who)
        storage.access.users.insert(other)
        made = []
        for languages in [None, ("de", "fr"), ()]:
            one = organization()
            storage.access.organizations.insert(one)
            made.append(member(one, who, assigned_languages=languages, project_ids=()))
            storage.access.members.insert(made[-1])
            storage.access.members.insert(member(one, other, role="viewer"))
        made.sort(key=lambda one: one.organization_id)
        mine = token("a" * 64, user_id=who.id)
        storage.access.tokens.insert(mine)

        held = storage.access.find_holder("a" * 64)
        storage.access.users.update(replace(who, is_active=False))
        left = storage.access.find_holder("a" * 64)

        memberships = tuple(
            Membership(
                one.organization_id, one.role, one.assigned_languages, one.project_ids
            )
            for one in made
        )
        assert held == Holder(mine, memberships)
        assert left == Holder(mine, ())

    def test_sa16_organizations_are_those_of_a_user_active_or_not(
        self, storage: Storage
    ) -> None:
        who = user()
        storage.access.users.insert(who)
        ids = []
        for _ in range(2):
            owner = organization()
            storage.access.organizations.insert(owner)
            storage.access.members.insert(member(owner, who))
            ids.append(owner.id)
        storage.access.users.update(replace(who, is_active=False))

        assert sorted(storage.access.organizations_of(who.id)) == sorted(ids)
        assert storage.access.organizations_of(new_id()) == []

    def test_sa11_owners_are_counted_by_organization(self, storage: Storage) -> None:
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
        ]
        made = []
        for number, case in enumerate([*cases, {}]):
            who = user(f"{number}@example.com", is_active=number < len(cases))
            storage.access.users.insert(who)
            made.append(member(first, who, **{"role": "owner", **case}))
            storage.access.members.insert(made[-1])

        assert storage.access.count_owners(first.id, "") == 2
        assert storage.access.count_owners(first.id, made[0].id) == 1
        assert storage.access.count_owners(first.id, made[-1].id) == 2
        assert storage.access.count_owners(second.id, "") == 0

    def test_sa17_projects_are_told_from_other_ids(self, storage: Storage) -> None:
        mine, foreign, gone = (add_project(storage) for _ in range(3))
        storage.projects.delete(gone.id, at(1))
        ids = [mine.id, foreign.id, gone.id, new_id()]

        assert storage.access.projects_among(mine.organization_id, ids) == [mine.id]
        assert storage.access.projects_among(gone.organization_id, ids) == []
        assert storage.access.projects_among(mine.organization_id, []) == []


class StorageTokensContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sa12_tokens_come_back_as_they_were(self, storage: Storage) -> None:
        who, of = user(), add_project(storage)
        storage.access.users.insert(who)
        personal = token("a" * 64, user_id=who.id, assigned_languages=("de", "fr"))
        bound = token(
            "b" * 64,
            kind="project",
            project_id=of.id,
            permissions=(),
            expires_at=None,
            last_used_at=at(9),
            organization_id=of.organization_id,
            revoked_at=at(10),
        )

        storage.access.tokens.insert(personal)
        storage.access.tokens.insert(bound)

        for made in (personal, bound):
            assert storage.access.find_holder(made.sha256) == Holder(made, ())
            assert storage.access.tokens.find(made.token.id) == made
        assert storage.access.find_holder("c" * 64) is None
        assert storage.access.tokens.find(new_id()) is None

    def test_sa13_tokens_in_use_are_listed_newest_first(self, storage: Storage) -> None:
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

        four = PageRequest(limit=4)
        personal = storage.access.list_tokens(four, user_id=who.id)
        elsewhere = storage.access.list_tokens(
            four, user_id=who.id, organization_id=new_id()
        )
        of_project = storage.access.list_tokens(ALL, project_id=of.id)

        assert personal.items == shown[:4]
        assert personal.total == 5
        assert elsewhere.items == []
        assert of_project.items == [bound.token]

    def test_sa14_a_revoked_token_is_found_with_the_first_time(
        self, storage: Storage
    ) -> None:
        made = token("a" * 64)
        storage.access.tokens.insert(made)

        storage.access.revoke_tokens(at(1), token_id=made.token.id)
        storage.access.revoke_tokens(at(2), token_id=made.token.id)

        revoked = replace(made, revoked_at=at(1))
        assert storage.access.find_holder("a" * 64) == Holder(revoked, ())

    def test_sa18_tokens_of_a_user_are_revoked_together(self, storage: Storage) -> None:
        who, other, of = user(), user("other@example.com"), organization()
        storage.access.users.insert(who)
        storage.access.users.insert(other)
        storage.access.organizations.insert(of)
        made = [
            token("a" * 64, user_id=who.id, organization_id=of.id),
            token("b" * 64, user_id=who.id),
            token("c" * 64, user_id=other.id, organization_id=of.id),
        ]
        for one in made:
            storage.access.tokens.insert(one)

        storage.access.revoke_tokens(at(1), user_id=who.id, organization_id=of.id)
        in_one = [storage.access.tokens.find(one.token.id) for one in made]
        storage.access.revoke_tokens(at(2), user_id=who.id)
        in_all = [storage.access.tokens.find(one.token.id) for one in made]

        revoked = replace(made[0], revoked_at=at(1))
        assert in_one == [revoked, *made[1:]]
        assert in_all == [revoked, replace(made[1], revoked_at=at(2)), made[2]]

    def test_sa15_a_use_of_a_token_is_noted(self, storage: Storage) -> None:
        made, other = token("a" * 64), token("b" * 64)
        storage.access.tokens.insert(made)
        storage.access.tokens.insert(other)

        storage.access.touch_token(made.token.id, at(7))

        used = replace(made.token, last_used_at=at(7))
        assert storage.access.tokens.find(made.token.id) == replace(made, token=used)
        assert storage.access.tokens.find(other.token.id) == other
