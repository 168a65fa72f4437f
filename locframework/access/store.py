"""How organizations, members and tokens are kept."""

from collections.abc import Sequence
from typing import Protocol

from locframework.fields import Timestamp
from locframework.paging import Page, PageRequest

from .records import Holder, Member, Organization, StoredToken, Token, User


class AccessStore(Protocol):
    """Questions that access asks; each is one statement unless it says more."""

    def add_organization(self, organization: Organization) -> None: ...

    def find_organization(self, organization_id: str) -> Organization | None: ...

    def save_organization(self, organization: Organization) -> None: ...

    def lock_organization(self, organization_id: str) -> None:
        """Until the transaction ends, let nobody else lock it (members change)."""
        ...

    def list_organizations(
        self, organization_ids: Sequence[str] | None, page: PageRequest
    ) -> Page[Organization]:
        """By name, equal names by id; None asks for all there are."""
        ...

    def add_user(self, user: User) -> None: ...

    def find_user(self, user_id: str) -> User | None: ...

    def find_user_by_email(self, email: str) -> User | None:
        """Letter case of the whole address is ignored (str.casefold)."""
        ...

    def save_user(self, user: User) -> None: ...

    def add_member(self, member: Member) -> None:
        """``email`` belongs to the user and is not kept twice."""
        ...

    def find_member(self, organization_id: str, member_id: str) -> Member | None: ...

    def save_member(self, member: Member) -> None: ...

    def remove_member(self, member_id: str) -> None: ...

    def list_members(self, organization_id: str, page: PageRequest) -> Page[Member]:
        """By email."""
        ...

    def organizations_of(self, user_id: str) -> list[str]:
        """Ids of those the user is a member of, active or not; in no order."""
        ...

    def count_owners(self, organization_id: str, besides: str) -> int:
        """Active owners bound to no project and no language; not member ``besides``."""
        ...

    def projects_among(self, organization_id: str, ids: Sequence[str]) -> list[str]:
        """Those of the ids that are projects of the organization, in no order."""
        ...

    def add_token(self, token: StoredToken) -> None: ...

    def find_holder(self, sha256: str) -> Holder | None:
        """By the hash of a token, also a revoked or expired one: the caller judges.

        Every request asks this.
        """
        ...

    def find_token(self, token_id: str) -> StoredToken | None: ...

    def list_personal_tokens(
        self, user_id: str, organization_id: str | None, page: PageRequest
    ) -> Page[Token]:
        """Not revoked ones, newest first: those made for a member of the organization;
        None: all of the user."""
        ...

    def list_project_tokens(self, project_id: str, page: PageRequest) -> Page[Token]:
        """Not revoked ones, newest first."""
        ...

    def revoke_token(self, token_id: str, at: Timestamp) -> None: ...

    def revoke_personal_tokens(
        self, user_id: str, organization_id: str | None, at: Timestamp
    ) -> None:
        """Those made for a member of the organization; None: all of the user."""
        ...

    def touch_token(self, token_id: str, at: Timestamp) -> None:
        """Set ``last_used_at``."""
        ...
