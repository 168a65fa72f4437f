"""Decides what a token is, and what it adds up to with its owner's roles."""

import hashlib
import re
import secrets
import zlib
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

import msgspec
from msgspec import UNSET

from locframework.errors import UnknownPermission, ValidationFailed, abbreviate
from locframework.fields import parse_given_time, parse_timestamp
from locframework.languages import require_tag
from locframework.validation import check_text

from .permissions import ORGANIZATION_WIDE, PERMISSIONS, ROLES
from .records import (
    Caller,
    Email,
    Grant,
    Holder,
    Member,
    NewToken,
    Reach,
    Scope,
    StoredToken,
    TokenKind,
)

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PAIRS = [high + low for high in ALPHABET for low in ALPHABET]
RANDOM_LENGTH = 36
CHECK_LENGTH = 6
SHOWN_PREFIX_LENGTH = 12
LIFE_DAYS = 90
LIFE_DAYS_MOST = 366
PREFIXES: dict[TokenKind, str] = {"personal": "svc_pat_", "project": "svc_proj_"}

_TOKEN = re.compile(r"svc_(pat|proj)_[0-9A-Za-z]{42}", re.ASCII)


def new_token_text(kind: TokenKind) -> str:
    """A fresh token: prefix, 36 random base62 characters, 6 of their CRC32.

    Source: decisions 2.9. The check is for secret scanners, not for security.
    """
    letters = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_LENGTH))
    body = PREFIXES[kind] + letters
    return body + _check(body)


def is_token_text(text: str) -> bool:
    """Whether ``text`` has the form and the check of a token; junk has not."""
    if _TOKEN.fullmatch(text) is None:
        return False
    return _check(text[:-CHECK_LENGTH]) == text[-CHECK_LENGTH:]


def token_hash(text: str) -> str:
    """All that is kept of a token text: its SHA-256 (214 random bits need no salt)."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_live(token: StoredToken, now: datetime) -> bool:
    """Whether the token still counts: not revoked, not expired."""
    expires_at = token.token.expires_at
    expired = expires_at is not None and parse_timestamp(expires_at) <= now
    return token.revoked_at is None and not expired


def grants_of(holder: Holder) -> tuple[Grant, ...]:
    """Return what a token may do right now; nothing at all when its owner may not.

    A project token has its allow-list, in its project only. A personal token has its
    allow-list within its owner's roles; one that was made for a member counts in the
    organization it was made in. Unknown permission keys in the allow-list give nothing.
    Source: service.md, Authentication 4; decisions 2.9.
    """
    token, record = holder.token, holder.token.token
    if token.user_id is None:
        if token.organization_id is None or record.project_id is None:
            return ()
        return (
            Grant(
                organization_id=token.organization_id,
                permissions=frozenset(record.permissions) & frozenset(PERMISSIONS),
                project_ids=frozenset({record.project_id}),
                languages=both(record.assigned_languages or None, None),
            ),
        )
    grants: list[Grant] = []
    for member in holder.memberships:
        if token.organization_id not in (None, member.organization_id):
            continue
        projects, languages = member.project_ids, member.assigned_languages
        grants.append(
            Grant(
                organization_id=member.organization_id,
                permissions=ROLES[member.role].intersection(record.permissions),
                project_ids=None if projects is None else frozenset(projects),
                languages=both(languages or None, record.assigned_languages or None),
            )
        )
    return tuple(grants)


def covers(grant: Grant, scope: Scope) -> bool:
    """Whether a grant reaches the scope at all: what it does not, is not seen."""
    if grant.organization_id != scope.organization_id:
        return False
    if scope.project_id is None or grant.project_ids is None:
        return True
    return scope.project_id in grant.project_ids


def reaches(grant: Grant, reach: Reach) -> bool:
    """Whether a grant reaches a glossary or memory (decisions 2.2): a grant that is
    bound to projects does when one of them uses it."""
    if grant.organization_id != reach.organization_id:
        return False
    return grant.project_ids is None or not grant.project_ids.isdisjoint(
        reach.project_ids
    )


def effective(grant: Grant) -> frozenset[str]:
    """The permissions that a grant gives where it reaches.

    One that is bound to projects gives none that is for an organization as a whole.
    """
    if grant.project_ids is None:
        return grant.permissions
    return grant.permissions - ORGANIZATION_WIDE


def allows(grant: Grant, permission: str, scope: Scope) -> bool:
    """Return whether a grant that covers the scope gives the permission there.

    A grant that is bound to projects gives none that is for an organization as a whole,
    and in the organization itself only ``project_read``.
    """
    if permission not in grant.permissions:
        return False
    if grant.project_ids is None or permission == "project_read":
        return True
    return scope.project_id is not None and permission not in ORGANIZATION_WIDE


def has_permission(caller: Caller, permission: str, scope: Scope) -> bool | None:
    """Return whether the caller has the permission in the scope.

    None if the caller does not see the scope. Plugins may still refuse.
    """
    if caller.everything:
        return True
    is_seen = None
    for grant in caller.grants:
        if covers(grant, scope):
            if allows(grant, permission, scope):
                return True
            is_seen = False
    return is_seen


def is_whole_owner(member: Member) -> bool:
    """Whether the member owns all of the organization: bound to no part of it."""
    bound = member.project_ids is not None or bool(member.assigned_languages)
    return member.role == "owner" and not bound


def check_project(new: NewToken, project_id: str | None) -> None:
    """Refuse a body that names another project or kind than the path does.

    ``project_id``: of the path; None for a personal token. Without this, a request to
    the wrong path would make a token for all projects in place of one.
    """
    message = (
        "does not belong here: POST /projects/{projectId}/tokens makes project tokens,"
        " POST /tokens personal ones"
    )
    if new.project_id not in (UNSET, None, project_id):
        raise ValidationFailed.at("$.projectId", "project", message)
    if new.kind not in (UNSET, "personal" if project_id is None else "project"):
        raise ValidationFailed.at("$.kind", "kind", message)


def expiry(new: NewToken, now: datetime) -> datetime:
    """When a token that is made now ends. Raises ValidationFailed.

    Source: decisions 2.9 (90 days by default, 366 at most).
    """
    if new.expires_at is UNSET:
        days = LIFE_DAYS if new.expires_in_days is UNSET else new.expires_in_days
        return now + timedelta(days=days)
    if new.expires_in_days is not UNSET:
        message = "cannot be combined with expiresInDays: leave one of them out"
        raise ValidationFailed.at("$.expiresAt", "exclusive", message)
    at = parse_given_time(new.expires_at, "$.expiresAt")
    if not now < at <= now + timedelta(days=LIFE_DAYS_MOST):
        message = f"must be in the future, at most {LIFE_DAYS_MOST} days from now"
        raise ValidationFailed.at("$.expiresAt", "range", message)
    return at


def check_permissions(keys: Collection[str], known: Collection[str]) -> None:
    """Refuse an allow-list that names a permission nobody provides."""
    for key in keys:
        if key not in known:
            raise UnknownPermission(f"there is no permission {abbreviate(key)!r}")


def kept_permissions(keys: Collection[str], project_id: str | None) -> tuple[str, ...]:
    """The allow-list that a new token has: each key once, as they came.

    Of a token of a project without what no project can give, so that what is shown
    is what counts.
    """
    useless = ORGANIZATION_WIDE if project_id is not None else frozenset[str]()
    return tuple(key for key in dict.fromkeys(keys) if key not in useless)


def check_languages(codes: Sequence[str] | None, path: str) -> tuple[str, ...] | None:
    """Assigned languages in canonical spelling; empty means all, which is None."""
    if not codes:
        return None
    tags = [require_tag(code, f"{path}[{at}]") for at, code in enumerate(codes)]
    return tuple(dict.fromkeys(tags))


def check_name(name: str, path: str = "$.name") -> str:
    """A name, trimmed. ValidationFailed when nothing but white space is in it."""
    trimmed = name.strip()
    if not trimmed:
        raise ValidationFailed.at(path, "length", "must not be blank")
    return trimmed


def check_email(email: str, path: str = "$.email") -> str:
    """The email, as the API takes one. Raises ValidationFailed."""
    check_text(email, path)
    try:
        return msgspec.convert(email, Email)
    except msgspec.ValidationError:
        message = f"{abbreviate(email)!r} is not an email address"
        raise ValidationFailed.at(path, "email", message) from None


def _check(body: str) -> str:
    """The CRC32 as CHECK_LENGTH digits, two at a time: every request has it checked."""
    rest, low = divmod(zlib.crc32(body.encode()), len(_PAIRS))
    high, middle = divmod(rest, len(_PAIRS))
    return _PAIRS[high] + _PAIRS[middle] + _PAIRS[low]


def both(
    one: Collection[str] | None, other: Collection[str] | None
) -> frozenset[str] | None:
    """Return what is in both; None is everything."""
    if one is None or other is None:
        some = other if one is None else one
        return None if some is None else frozenset(some)
    return frozenset(one).intersection(other)


def union(parts: Collection[frozenset[str] | None]) -> frozenset[str] | None:
    """Return all of them together; None is everything."""
    known = frozenset[str]()
    for part in parts:
        if part is None:
            return None
        known |= part
    return known
