"""The store of organizations, members and tokens."""

from collections.abc import Collection, Sequence
from typing import Protocol

from locframework.fields import Timestamp
from locframework.pagination import Page, PageRequest
from locframework.transactions import Repository

from .records import Holder, Member, Organization, StoredToken, Token, User


class AccessStore(Protocol):
    """Each method takes one statement; a list takes two."""

    @property
    def organizations(self) -> Repository[Organization]: ...

    @property
    def users(self) -> Repository[User]: ...

    @property
    def members(self) -> Repository[Member]:
        """Of an organization. ``email`` is that of the user and is not stored again."""

    @property
    def tokens(self) -> Repository[StoredToken]:
        """Of a user or a project. Revoked and expired ones are found, too."""

    def list_organizations(
        self, organization_ids: Sequence[str] | None, page: PageRequest
    ) -> Page[Organization]:
        """Return organizations by name, then id; None means all."""

    def find_user_by_email(self, email: str) -> User | None:
        """Return the user whose address equals ``email``, case ignored (casefold)."""

    def list_members(self, organization_id: str, page: PageRequest) -> Page[Member]:
        """Return the members by email."""

    def organizations_of(self, user_id: str) -> list[str]:
        """Return the ids of the organizations of a user, active or not, unordered."""

    def count_owners(self, organization_id: str, besides: str) -> int:
        """Count active owners without limit of projects or languages. The member
        ``besides`` is left out."""

    def projects_among(self, organization_id: str, ids: Collection[str]) -> list[str]:
        """Return which of the ids are projects of the organization, unordered."""

    def find_holder(self, sha256: str) -> Holder | None:
        """Return the token with that hash, and the memberships of its active owner.
        Every request asks this."""

    def list_tokens(
        self,
        page: PageRequest,
        *,
        user_id: str | None = None,
        organization_id: str | None = None,
        project_id: str | None = None,
        family_of: str | None = None,
    ) -> Page[Token]:
        """Return matching tokens that are not revoked, newest first, without
        invitations. ``family_of``: a token and those that it is the parent of."""

    def revoke_tokens(
        self,
        at: Timestamp,
        *,
        token_id: str | None = None,
        user_id: str | None = None,
        organization_id: str | None = None,
    ) -> None:
        """Revoke the tokens that match all filters; with ``token_id`` also those that
        it is a parent of, at any depth. An earlier time is kept."""

    def touch_token(
        self, token_id: str, at: Timestamp, address: str | None, agent: str | None
    ) -> None:
        """Set when, from where and by which program a token was last used."""
