"""Keeps tokens: their record and hash, never their text."""

from collections.abc import Sequence

import msgspec

from locframework.ports import (
    Holder,
    Membership,
    Page,
    PageRequest,
    StoredToken,
    Timestamp,
    Token,
)

from .columns import json_or_null, json_text
from .database import Database
from .engine import Row
from .pages import Order, page_of

_TOKEN = """id, kind, name, prefix, permissions, project_id, assigned_languages,
    expires_at, last_used_at, created_at"""
_STORED = f"{_TOKEN}, sha256, user_id, organization_id, revoked_at"
_STORED_COLUMNS = 14
_HOLDER = """SELECT t.id, t.kind, t.name, t.prefix, t.permissions, t.project_id,
        t.assigned_languages, t.expires_at, t.last_used_at, t.created_at, t.sha256,
        t.user_id, t.organization_id, t.revoked_at,
        m.organization_id, m.role, m.assigned_languages, m.project_ids
    FROM tokens t LEFT JOIN users u ON u.id = t.user_id AND u.is_active
    LEFT JOIN members m ON m.user_id = u.id
    WHERE t.sha256 = ? ORDER BY m.organization_id"""
_ORDER = Order(
    {"name": "name", "createdAt": "created_at"}, tie="id", default="-createdAt"
)

_texts = msgspec.json.Decoder(tuple[str, ...])


class TokenTable:
    """The tokens' part of the access store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_token(self, token: StoredToken) -> None:
        shown = token.token
        self._database.run(
            f"""INSERT INTO tokens ({_STORED})
                VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)""",
            (
                shown.id,
                shown.kind,
                shown.name,
                shown.prefix,
                json_text(shown.permissions),
                shown.project_id,
                json_or_null(shown.assigned_languages),
                shown.expires_at,
                shown.last_used_at,
                shown.created_at,
                token.sha256,
                token.user_id,
                token.organization_id,
                token.revoked_at,
            ),
        )

    def find_holder(self, sha256: str) -> Holder | None:
        rows = self._database.rows(_HOLDER, (sha256,))
        if not rows:
            return None
        memberships = [
            _membership(row[_STORED_COLUMNS:])
            for row in rows
            if row[_STORED_COLUMNS] is not None  # joined to no membership
        ]
        return Holder(_stored(rows[0]), tuple(memberships))

    def find_token(self, token_id: str) -> StoredToken | None:
        row = self._database.row(
            f"SELECT {_STORED} FROM tokens WHERE id = ?", (token_id,)
        )
        return _stored(row) if row else None

    def list_personal_tokens(
        self, user_id: str, organization_id: str | None, page: PageRequest
    ) -> Page[Token]:
        if organization_id is None:
            return self._list("user_id = ?", (user_id,), page)
        where = "user_id = ? AND organization_id = ?"
        return self._list(where, (user_id, organization_id), page)

    def list_project_tokens(self, project_id: str, page: PageRequest) -> Page[Token]:
        return self._list("project_id = ?", (project_id,), page)

    def revoke_token(self, token_id: str, at: Timestamp) -> None:
        self._database.run(
            "UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
            (at, token_id),
        )

    def revoke_personal_tokens(
        self, user_id: str, organization_id: str | None, at: Timestamp
    ) -> None:
        self._database.run(
            """UPDATE tokens SET revoked_at = ? WHERE user_id = ?
                AND (? OR organization_id = ?) AND revoked_at IS NULL""",
            (at, user_id, organization_id is None, organization_id or ""),
        )

    def touch_token(self, token_id: str, at: Timestamp) -> None:
        self._database.run(
            "UPDATE tokens SET last_used_at = ? WHERE id = ?", (at, token_id)
        )

    def _list(
        self, condition: str, params: Sequence[object], page: PageRequest
    ) -> Page[Token]:
        return page_of(
            self._database,
            _token,
            page,
            select=_TOKEN,
            source=f"tokens WHERE {condition} AND revoked_at IS NULL",
            order=_ORDER,
            params=params,
        )


def _token(row: Row) -> Token:
    id_, kind, name, prefix, permissions, project_id, languages, *times = row
    return Token(
        id_,
        kind,
        name,
        prefix,
        _texts.decode(permissions),
        project_id,
        None if languages is None else _texts.decode(languages),
        *times,
    )


def _stored(row: Row) -> StoredToken:
    return StoredToken(_token(row[:10]), *row[10:_STORED_COLUMNS])


def _membership(row: Row) -> Membership:
    organization_id, role, languages, projects = row
    return Membership(
        organization_id=organization_id,
        role=role,
        assigned_languages=None if languages is None else _texts.decode(languages),
        project_ids=None if projects is None else _texts.decode(projects),
    )
