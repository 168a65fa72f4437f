"""Organizations, members, roles, tokens, and the caller that they add up to."""

from collections.abc import Callable
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from locframework.events import Actor
from locframework.fields import Money, TimeInput, Timestamp
from locframework.pagination import ByEmail, ByName, SortedRequest

Role = Literal["viewer", "translator", "reviewer", "developer", "manager", "owner"]
TokenKind = Literal["personal", "project"]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Languages = Annotated[list[str], Meta(max_length=500)]


Email = Annotated[
    str,
    Meta(
        min_length=3,
        max_length=254,
        # $ alone would also stand before a last line break
        pattern=r"^[^@\s]+@[^@\s]+$(?!\n)",
        description="An email address",
    ),
]


class Quota(Struct, frozen=True):
    """How much content delivery may serve in a calendar month (UTC)."""

    requests: Annotated[int, Meta(ge=0, le=2**53)]
    bytes: Annotated[int, Meta(ge=0, le=2**53)]


class Organization(Struct, frozen=True, rename="camel"):
    """An organization: it has members, projects, glossaries and memories."""

    id: str
    slug: str
    name: str
    tm_enabled: bool
    delivery_quota: Quota | None
    ai_monthly_budget: Money | None
    """Of machine translation in all projects, for a calendar month (UTC)."""
    created_at: Timestamp
    updated_at: Timestamp


class OrganizationChanges(Struct, frozen=True, rename="camel"):
    """What PATCH of an organization may name; what is left out stays."""

    name: Name | UnsetType = UNSET
    tm_enabled: bool | UnsetType = UNSET
    delivery_quota: Quota | UnsetType | None = UNSET
    ai_monthly_budget: Money | UnsetType | None = UNSET


class User(Struct, frozen=True):
    """A person or a service account; emails are unique, case ignored."""

    id: str
    email: str
    is_active: bool
    created_at: Timestamp


class Member(Struct, frozen=True, rename="camel"):
    """A user's place in an organization."""

    id: str
    organization_id: str
    user_id: str
    email: str
    name: str  # as this organization calls the person; others may have another
    role: Role
    assigned_languages: tuple[str, ...] | None  # None: all (so is an empty list)
    project_ids: tuple[str, ...] | None  # None: all of the organization
    created_at: Timestamp


class NewMember(Struct, frozen=True, rename="camel"):
    """The body that makes a member."""

    email: Email
    role: Role
    name: Annotated[str, Meta(max_length=200)] = ""
    assigned_languages: Languages | None = None
    project_ids: list[str] | None = None


class MemberChanges(Struct, frozen=True, rename="camel"):
    """What PATCH of a member may name; what is left out stays."""

    role: Role | UnsetType = UNSET
    name: Annotated[str, Meta(max_length=200)] | UnsetType = UNSET
    assigned_languages: Languages | UnsetType | None = UNSET
    project_ids: list[str] | UnsetType | None = UNSET


class Token(Struct, frozen=True, rename="camel"):
    """A token as it is shown; its text is shown once, when it is made."""

    id: str
    kind: TokenKind
    name: str
    prefix: str  # the first 12 characters of the token text
    permissions: tuple[str, ...]
    project_id: str | None  # project tokens: the one project they are bound to
    assigned_languages: tuple[str, ...] | None
    expires_at: Timestamp | None
    last_used_at: Timestamp | None
    created_at: Timestamp
    parent_id: str | None = None  # the token that made it, and with which it ends
    last_used_address: str | None = None  # of the client
    last_used_agent: str | None = None  # its User-Agent, at most 200 characters


TokenUse = Literal["token", "session", "invitation"]
"""An invitation is exchanged for a session once, and allows nothing else."""


class StoredToken(Struct, frozen=True):
    """A token as it is kept: the record, its hash, and where it belongs."""

    token: Token
    sha256: str  # of the token text, lower-case hex
    user_id: str | None  # personal tokens: the owner
    organization_id: str | None  # the only one it counts in; None: all the owner's
    revoked_at: Timestamp | None
    use: TokenUse = "token"


class Membership(Struct, frozen=True):
    """The part of a Member that says what the user may do."""

    organization_id: str
    role: Role
    assigned_languages: tuple[str, ...] | None
    project_ids: tuple[str, ...] | None


class Holder(Struct, frozen=True):
    """A token with the memberships of its owner; none for an owner not active."""

    token: StoredToken
    memberships: tuple[Membership, ...]  # by organization id


class NewToken(Struct, frozen=True, rename="camel"):
    """The body that makes a token; without ``permissions``, with all that the maker may
    grant. It ends after ``expiresInDays``, or at ``expiresAt``, 366 days from now at
    most; without both, after 90 days."""

    name: Name
    permissions: Annotated[list[str], Meta(max_length=200)] | UnsetType = UNSET
    expires_in_days: Annotated[int, Meta(ge=1, le=366)] | UnsetType = UNSET
    expires_at: TimeInput | UnsetType = UNSET
    assigned_languages: Languages | None = None
    project_id: str | UnsetType | None = UNSET
    """Of a project token its project, which the path names already; of others none."""
    kind: TokenKind | UnsetType = UNSET
    """The kind that the path makes, or nothing."""


class Invitation(Struct, frozen=True, rename="camel"):
    """A one-time invitation of a member to sign in."""

    member_id: str
    expires_at: Timestamp
    created_at: Timestamp


class NewSession(Struct, frozen=True):
    """The body that opens a session: the secret of an invitation."""

    invitation: Annotated[str, Meta(max_length=200)]


class Scope(Struct, frozen=True):
    """Where something happens: an organization, or one project of it."""

    organization_id: str
    project_id: str | None = None


class Reach(Struct, frozen=True):
    """Where a glossary or memory is: its organization, and the projects that use it."""

    organization_id: str
    project_ids: tuple[str, ...] = ()


class Grant(Struct, frozen=True):
    """What a caller may do in one organization. Nothing here is ever cached."""

    organization_id: str
    permissions: frozenset[str]
    project_ids: frozenset[str] | None = None  # None: every project
    languages: frozenset[str] | None = None  # None: every language; limits writes


class Caller(Struct, frozen=True):
    """Who asks, with all that they may do, worked out once per request. An embedder's
    ``loc_decide_caller`` makes its own. ``everything`` is for the operator's own code
    in the same process; no token ever has it."""

    actor: Actor
    grants: tuple[Grant, ...] = ()
    everything: bool = False
    user_id: str | None = None  # whose personal tokens the caller manages
    token: Token | None = None  # set when a built-in token was used
    bound_to: str | None = None  # the only organization of a token made for a member
    withheld: frozenset[str] = frozenset()
    """Permissions that count nowhere, whatever is granted: see ``without``."""


Renewed = Callable[[Caller], Caller | None]
"""The caller with the rights of this moment; None when none are left."""


class TokenGrant(Struct, frozen=True, rename="camel"):
    """What a token may do in one organization."""

    organization_id: str
    permissions: list[str]  # sorted
    project_ids: list[str] | None  # None: all
    assigned_languages: list[str] | None  # None: all


class TokenSelf(Struct, frozen=True, rename="camel"):
    """What a token is, and what it can do right now (``GET /tokens/self``)."""

    kind: str  # personal, project; plugin: an embedder's own identity
    id: str | None
    name: str | None
    user_id: str | None
    project_id: str | None
    permissions: list[str]  # the allow-list
    effective_permissions: list[str]  # of all grants together
    assigned_languages: list[str] | None
    expires_at: Timestamp | None
    grants: list[TokenGrant]


class MemberQuery(SortedRequest, frozen=True):
    """What a list of members is asked by."""

    sort: ByEmail = "email"


class TokenQuery(SortedRequest, frozen=True):
    """What a list of tokens is asked by."""

    sort: ByName = "-createdAt"
