"""Keeps organizations, users and members; tokens stand in tokens.py."""

from collections.abc import Sequence

import msgspec

from locframework.ports import Member, Organization, Page, PageRequest, Quota, User

from .columns import json_or_null
from .engine import Row
from .pages import Order, page_of
from .tokens import TokenTable

_ORGANIZATION = "id, slug, name, tm_enabled, delivery_quota, created_at, updated_at"
_USER = "id, email, is_active, created_at"
_MEMBER = """m.id, m.organization_id, m.user_id, u.email, m.name, m.role,
    m.assigned_languages, m.project_ids, m.created_at"""
_MEMBERS = "members m JOIN users u ON u.id = m.user_id"
_ORGANIZATIONS_BY = Order(
    {"name": "name", "createdAt": "created_at", "updatedAt": "updated_at"},
    tie="id",
    default="name",
)
_MEMBERS_BY = Order(
    {"email": "u.email_folded", "name": "m.name", "createdAt": "m.created_at"},
    tie="m.id",
    default="email",
)

_quota = msgspec.json.Decoder(Quota)
_texts = msgspec.json.Decoder(tuple[str, ...])


class AccessTables(TokenTable):
    """The access store (locframework/access/store.py, AccessStore)."""

    def add_organization(self, organization: Organization) -> None:
        self._database.run(
            f"INSERT INTO organizations ({_ORGANIZATION}) VALUES (?,?,?,?,?,?,?)",
            (
                organization.id,
                organization.slug,
                organization.name,
                organization.tm_enabled,
                json_or_null(organization.delivery_quota),
                organization.created_at,
                organization.updated_at,
            ),
        )

    def find_organization(self, organization_id: str) -> Organization | None:
        row = self._database.row(
            f"SELECT {_ORGANIZATION} FROM organizations WHERE id = ?",
            (organization_id,),
        )
        return _organization(row) if row else None

    def save_organization(self, organization: Organization) -> None:
        self._database.run(
            """UPDATE organizations SET slug = ?, name = ?, tm_enabled = ?,
                delivery_quota = ?, updated_at = ? WHERE id = ?""",
            (
                organization.slug,
                organization.name,
                organization.tm_enabled,
                json_or_null(organization.delivery_quota),
                organization.updated_at,
                organization.id,
            ),
        )

    def lock_organization(self, organization_id: str) -> None:
        self._database.lock_row("organizations", organization_id)

    def list_organizations(
        self, organization_ids: Sequence[str] | None, page: PageRequest
    ) -> Page[Organization]:
        source: str = "organizations"
        params: list[object] = []
        if organization_ids is not None:
            source += f" WHERE {self._database.among('id')}"
            params.append(self._database.listed(organization_ids))
        return page_of(
            self._database,
            _organization,
            page,
            select=_ORGANIZATION,
            source=source,
            order=_ORGANIZATIONS_BY,
            params=params,
        )

    def add_user(self, user: User) -> None:
        self._database.run(
            f"INSERT INTO users ({_USER}, email_folded) VALUES (?,?,?,?,?)",
            (
                user.id,
                user.email,
                user.is_active,
                user.created_at,
                user.email.casefold(),
            ),
        )

    def find_user(self, user_id: str) -> User | None:
        row = self._database.row(f"SELECT {_USER} FROM users WHERE id = ?", (user_id,))
        return User(*row) if row else None

    def find_user_by_email(self, email: str) -> User | None:
        row = self._database.row(
            f"SELECT {_USER} FROM users WHERE email_folded = ?", (email.casefold(),)
        )
        return User(*row) if row else None

    def save_user(self, user: User) -> None:
        self._database.run(
            """UPDATE users SET email = ?, email_folded = ?, is_active = ?
                WHERE id = ?""",
            (user.email, user.email.casefold(), user.is_active, user.id),
        )

    def add_member(self, member: Member) -> None:
        self._database.run(
            """INSERT INTO members (id, organization_id, user_id, name, role,
                assigned_languages, project_ids, created_at)
                VALUES (?,?,?,?,?,?,?,?)""",
            (
                member.id,
                member.organization_id,
                member.user_id,
                member.name,
                member.role,
                json_or_null(member.assigned_languages),
                json_or_null(member.project_ids),
                member.created_at,
            ),
        )

    def find_member(self, organization_id: str, member_id: str) -> Member | None:
        row = self._database.row(
            f"""SELECT {_MEMBER} FROM {_MEMBERS}
                WHERE m.id = ? AND m.organization_id = ?""",
            (member_id, organization_id),
        )
        return _member(row) if row else None

    def save_member(self, member: Member) -> None:
        self._database.run(
            """UPDATE members SET name = ?, role = ?, assigned_languages = ?,
                project_ids = ? WHERE id = ?""",
            (
                member.name,
                member.role,
                json_or_null(member.assigned_languages),
                json_or_null(member.project_ids),
                member.id,
            ),
        )

    def remove_member(self, member_id: str) -> None:
        self._database.run("DELETE FROM members WHERE id = ?", (member_id,))

    def list_members(self, organization_id: str, page: PageRequest) -> Page[Member]:
        return page_of(
            self._database,
            _member,
            page,
            select=_MEMBER,
            source=f"{_MEMBERS} WHERE m.organization_id = ?",
            order=_MEMBERS_BY,
            params=(organization_id,),
        )

    def organizations_of(self, user_id: str) -> list[str]:
        rows = self._database.rows(
            "SELECT organization_id FROM members WHERE user_id = ?", (user_id,)
        )
        return [organization_id for (organization_id,) in rows]

    def count_owners(self, organization_id: str, besides: str) -> int:
        row = self._database.row(
            f"""SELECT count(*) FROM {_MEMBERS}
                WHERE m.organization_id = ? AND m.id <> ? AND m.role = 'owner'
                AND u.is_active AND m.project_ids IS NULL
                AND (m.assigned_languages IS NULL OR m.assigned_languages = '[]')""",
            (organization_id, besides),
        )
        return row[0] if row else 0

    def projects_among(self, organization_id: str, ids: Sequence[str]) -> list[str]:
        organization = self._database.engine.without_index(
            "organization_id"
        )  # few of many
        rows = self._database.rows(
            f"""SELECT id FROM projects WHERE {self._database.among("id")}
                AND {organization} = ? AND deleted_at IS NULL""",
            (self._database.listed(ids), organization_id),
        )
        return [id_ for (id_,) in rows]


def _organization(row: Row) -> Organization:
    id_, slug, name, tm_enabled, quota, created_at, updated_at = row
    return Organization(
        id=id_,
        slug=slug,
        name=name,
        tm_enabled=tm_enabled,
        delivery_quota=None if quota is None else _quota.decode(quota),
        created_at=created_at,
        updated_at=updated_at,
    )


def _member(row: Row) -> Member:
    id_, organization_id, user_id, email, name, role, languages, projects, at = row
    return Member(
        id=id_,
        organization_id=organization_id,
        user_id=user_id,
        email=email,
        name=name,
        role=role,
        assigned_languages=None if languages is None else _texts.decode(languages),
        project_ids=None if projects is None else _texts.decode(projects),
        created_at=at,
    )
