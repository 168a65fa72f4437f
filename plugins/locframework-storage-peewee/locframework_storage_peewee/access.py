"""Organizations, users, members and tokens.

Management goes through peewee models. ``find_holder`` and ``touch_token`` run with
every request and are hand-written SQL: 15 µs with the memberships, not 250 µs.
"""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from peewee import SQL, fn

from locframework.ports import (
    Holder,
    Member,
    Membership,
    NameExists,
    Organization,
    Page,
    PageRequest,
    StoredToken,
    Timestamp,
    Token,
    User,
    folded,
)

from .database import Database
from .engine import Row
from .models import MemberRow, OrganizationRow, ProjectRow, TokenRow, UserRow
from .tables import Condition, Table, among, map_page

_HOLDER = """SELECT t.id, t.kind, t.name, t.prefix, t.permissions, t.project_id,
        coalesce(t.assigned_languages, 'null'), t.expires_at, t.last_used_at,
        t.created_at, t.parent_id, t.last_used_address, t.last_used_agent,
        t.sha256, t.user_id, t.organization_id, t.revoked_at, t.use,
        m.organization_id, m.role,
        coalesce(m.assigned_languages, 'null'), coalesce(m.project_ids, 'null')
    FROM tokens t LEFT JOIN users u ON u.id = t.user_id AND u.is_active
    LEFT JOIN members m ON m.user_id = u.id
    WHERE t.sha256 = ? ORDER BY m.organization_id"""
_STORED_COLUMNS = 18
_LOCK_ORGANIZATIONS = "LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE"

_FAMILY = """(WITH RECURSIVE family (id) AS (SELECT id FROM tokens WHERE id = ?
    UNION SELECT t.id FROM tokens t JOIN family f ON t.parent_id = f.id)
    SELECT id FROM family)"""

_texts = msgspec.json.Decoder(tuple[str, ...])
_or_none = msgspec.json.Decoder(tuple[str, ...] | None).decode
"""Of columns that are read as ``coalesce(column, 'null')``."""


class OrganizationTable(Table[Organization]):
    model = OrganizationRow
    record = Organization

    def insert(self, record: Organization) -> None:
        with self._database.transaction():
            if self._database.engine.for_update:  # else everything is locked
                self._database.run(_LOCK_ORGANIZATIONS)
            if self.first(OrganizationRow.folded == folded(record.name)):
                raise NameExists(record.name)
            super().insert(record)


class UserTable(Table[User]):
    model = UserRow
    record = User

    def values(self, record: User) -> dict[str, object]:
        return {**super().values(record), "email_folded": record.email.casefold()}


class MemberTable(Table[Member]):
    model = MemberRow
    record = Member
    parent = "organization_id"
    constant = Table.constant | {"user_id"}
    sorts = ("email", "name", "created_at")
    sort = "email"

    def sort_field(self, name: str) -> Any:
        return UserRow.email_folded if name == "email" else super().sort_field(name)

    def select(self) -> Any:
        return MemberRow.select(*self.columns, UserRow.email).join(
            UserRow, on=UserRow.id == MemberRow.user_id
        )


class TokenTable(Table[StoredToken]):
    model = TokenRow
    record = StoredToken
    sorts = ("name", "created_at")
    sort = "-createdAt"


class AccessTables:
    """The access store (locframework/access/store.py, AccessStore)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.organizations = OrganizationTable(database)
        self.users = UserTable(database)
        self.members = MemberTable(database)
        self.tokens = TokenTable(database)

    def list_organizations(
        self, organization_ids: Sequence[str] | None, page: PageRequest
    ) -> Page[Organization]:
        query = self.organizations.select()
        if organization_ids is not None:
            mine = among(OrganizationRow.id, organization_ids, self._database)
            query = query.where(mine)
        return self.organizations.page(query, page)

    def find_user_by_email(self, email: str) -> User | None:
        return self.users.first(UserRow.email_folded == email.casefold())

    def list_members(self, organization_id: str, page: PageRequest) -> Page[Member]:
        query = self.members.select()
        query = query.where(MemberRow.organization_id == organization_id)
        return self.members.page(query, page)

    def organizations_of(self, user_id: str) -> list[str]:
        query = MemberRow.select(MemberRow.organization_id)
        rows = self.members.tuples(query.where(MemberRow.user_id == user_id))
        return [organization_id for (organization_id,) in rows]

    def count_owners(self, organization_id: str, besides: str) -> int:
        languages = MemberRow.assigned_languages
        query = (
            MemberRow.select(fn.COUNT(SQL("*")))
            .join(UserRow, on=UserRow.id == MemberRow.user_id)
            .where(
                MemberRow.organization_id == organization_id,
                MemberRow.id != besides,
                MemberRow.role == "owner",
                UserRow.is_active,
                MemberRow.project_ids.is_null(),
                languages.is_null() | (languages == SQL("'[]'")),
            )
        )
        [(count,)] = self.members.tuples(query)
        return int(count)

    def projects_among(self, organization_id: str, ids: Collection[str]) -> list[str]:
        query = ProjectRow.select(ProjectRow.id, ProjectRow.organization_id).where(
            among(ProjectRow.id, ids, self._database), ProjectRow.deleted_at.is_null()
        )
        rows = self.members.tuples(query)
        return [id_ for id_, owner in rows if owner == organization_id]

    def find_holder(self, sha256: str) -> Holder | None:
        rows = self._database.rows(_HOLDER, (sha256,))
        if not rows:
            return None
        memberships: list[Membership] = []
        for row in rows:
            organization_id, role, languages, projects = row[_STORED_COLUMNS:]
            if organization_id is not None:  # an active owner, who is a member
                languages, projects = _or_none(languages), _or_none(projects)
                memberships.append(
                    Membership(organization_id, role, languages, projects)
                )
        return Holder(_stored_token(rows[0][:_STORED_COLUMNS]), tuple(memberships))

    def list_tokens(
        self,
        page: PageRequest,
        *,
        user_id: str | None = None,
        organization_id: str | None = None,
        project_id: str | None = None,
        family_of: str | None = None,
    ) -> Page[Token]:
        conditions = _filters(
            user_id=user_id, organization_id=organization_id, project_id=project_id
        )
        if family_of is not None:
            family = (TokenRow.id == family_of) | (TokenRow.parent_id == family_of)
            conditions.append(family)
        conditions += [TokenRow.revoked_at.is_null(), TokenRow.use != "invitation"]
        query = self.tokens.select().where(*conditions)
        return map_page(self.tokens.page(query, page), lambda stored: stored.token)

    def revoke_tokens(
        self,
        at: Timestamp,
        *,
        token_id: str | None = None,
        user_id: str | None = None,
        organization_id: str | None = None,
    ) -> None:
        conditions = _filters(user_id=user_id, organization_id=organization_id)
        if token_id is not None:
            conditions.append(TokenRow.id.in_(SQL(_FAMILY, (token_id,))))
        self.tokens.write(
            TokenRow.update(revoked_at=at).where(
                TokenRow.revoked_at.is_null(), *conditions
            )
        )

    def touch_token(
        self, token_id: str, at: Timestamp, address: str | None, agent: str | None
    ) -> None:
        self._database.run(
            """UPDATE tokens SET last_used_at = ?, last_used_address = ?,
                last_used_agent = ? WHERE id = ?""",
            (at, address, agent, token_id),
        )


def _filters(**values: str | None) -> list[Condition]:
    return [
        getattr(TokenRow, name) == value
        for name, value in values.items()
        if value is not None
    ]


def _stored_token(row: Row) -> StoredToken:
    id_, kind, name, prefix, permissions, project_id, languages, *rest = row
    first = [id_, kind, name, prefix, _texts.decode(permissions), project_id]
    token = Token(*[*first, _or_none(languages), *rest[:6]])
    return StoredToken(token, *rest[6:])
