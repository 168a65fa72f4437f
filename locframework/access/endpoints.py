"""Organizations, members, personal tokens and permissions over HTTP."""

from functools import partial
from typing import Annotated

from msgspec import Struct

from locframework.errors import (
    LanguageNotAssigned,
    LastOwner,
    MemberExists,
    PermissionDenied,
    Unauthorized,
    UnknownPermission,
)
from locframework.http.operation import operation
from locframework.http.records import Deleted, RequestInfo, Wrapped
from locframework.pagination import NamedRequest, Page

from .organizations import Organizations
from .permissions import Permission, Permissions
from .records import (
    Caller,
    Invitation,
    Member,
    MemberChanges,
    MemberQuery,
    NewMember,
    NewSession,
    NewToken,
    Organization,
    OrganizationChanges,
    Token,
    TokenQuery,
    TokenSelf,
)
from .sessions import Sessions, invitation_link
from .tokens import Tokens, self_of

OrganizationAnswer = Annotated[Organization, Wrapped("organization")]
MemberAnswer = Annotated[Member, Wrapped("member")]

_ORGANIZATION = "/organizations/{organizationId}"
_MEMBERS = f"{_ORGANIZATION}/members"
_MEMBER = f"{_MEMBERS}/{{memberId}}"
_read = partial(operation, permission="project_read", tag="Organizations")
_manage = partial(operation, permission="organization_manage", tag="Organizations")
_manage_members = partial(operation, permission="member_manage", tag="Members")
_own = partial(operation, permission=None)


class TokenAnswer(Struct, frozen=True):
    """A new token; ``secret`` is its text, shown only this once."""

    token: Token
    secret: str


class InvitationAnswer(Struct, frozen=True):
    """A new invitation; ``secret``, and the link with it, are shown only this once."""

    invitation: Invitation
    secret: str
    link: str


SessionAnswer = Annotated[Token, Wrapped("token")]
TokenSelfAnswer = Annotated[TokenSelf, Wrapped("token")]
PermissionsAnswer = Annotated[list[Permission], Wrapped("permissions")]


class AccessEndpoints:
    """Declares the operations of the access area."""

    tag = "Tokens"

    def __init__(
        self,
        organizations: Organizations,
        tokens: Tokens,
        sessions: Sessions,
        permissions: Permissions,
    ) -> None:
        self._organizations = organizations
        self._tokens = tokens
        self._sessions = sessions
        self._permissions = permissions

    @_read("GET", "/organizations")
    def list_organizations(
        self, caller: Caller, query: NamedRequest
    ) -> Page[Organization]:
        """List the caller's organizations, by name."""
        return self._organizations.list_organizations(caller, query)

    @_read("GET", "/organization")
    def get_own_organization(self, caller: Caller) -> OrganizationAnswer:
        """Get the caller's only organization; 400 if there are several."""
        return self._organizations.get_organization(caller, None)

    @_manage("PATCH", "/organization", etag=True)
    def update_own_organization(
        self, caller: Caller, body: OrganizationChanges
    ) -> OrganizationAnswer:
        """Change the caller's only organization."""
        return self._organizations.update_organization(caller, None, body)

    @_read("GET", _ORGANIZATION)
    def get_organization(
        self, caller: Caller, organization_id: str
    ) -> OrganizationAnswer:
        """Get an organization."""
        return self._organizations.get_organization(caller, organization_id)

    @_manage("PATCH", _ORGANIZATION, etag=True)
    def update_organization(
        self, caller: Caller, organization_id: str, body: OrganizationChanges
    ) -> OrganizationAnswer:
        """Change an organization; a `deliveryQuota` or `aiMonthlyBudget` of null means
        no limit."""
        return self._organizations.update_organization(caller, organization_id, body)

    @_manage_members("GET", _MEMBERS)
    def list_members(
        self, caller: Caller, organization_id: str, query: MemberQuery
    ) -> Page[Member]:
        """List the members, by email."""
        return self._organizations.list_members(caller, organization_id, query)

    @_manage_members(
        "POST", _MEMBERS, status=201, errors=(MemberExists, LanguageNotAssigned)
    )
    def add_member(
        self, caller: Caller, organization_id: str, body: NewMember
    ) -> MemberAnswer:
        """Add a member, with a role that can do no more than the caller."""
        return self._organizations.add_member(caller, organization_id, body)

    @_manage_members("PATCH", _MEMBER, errors=(LastOwner, LanguageNotAssigned))
    def update_member(
        self, caller: Caller, organization_id: str, member_id: str, body: MemberChanges
    ) -> MemberAnswer:
        """Change a member's role, languages or projects, from their next request on."""
        return self._organizations.update_member(
            caller, organization_id, member_id, body
        )

    @_manage_members("DELETE", _MEMBER, errors=(LastOwner,))
    def remove_member(
        self, caller: Caller, organization_id: str, member_id: str
    ) -> Deleted:
        """Remove a member; their tokens can do nothing here any more."""
        self._organizations.remove_member(caller, organization_id, member_id)
        return Deleted(member_id)

    @_manage_members(
        "POST",
        f"{_MEMBER}/tokens",
        tag="Tokens",
        status=201,
        secret=True,
        errors=(UnknownPermission, LanguageNotAssigned),
    )
    def create_member_token(
        self, caller: Caller, organization_id: str, member_id: str, body: NewToken
    ) -> TokenAnswer:
        """Make a personal token for a member.

        For service accounts, and people without a log-in page; within the member's
        role.
        """
        return TokenAnswer(
            *self._tokens.create_for_member(caller, organization_id, member_id, body)
        )

    @_manage_members("GET", f"{_MEMBER}/tokens", tag="Tokens")
    def list_member_tokens(
        self, caller: Caller, organization_id: str, member_id: str, query: TokenQuery
    ) -> Page[Token]:
        """List a member's personal tokens, newest first.

        Of a member of other organizations, too, those made for this one.
        """
        return self._tokens.list_of_member(caller, organization_id, member_id, query)

    @_manage_members("DELETE", f"{_MEMBER}/tokens", tag="Tokens")
    def revoke_member_tokens(
        self, caller: Caller, organization_id: str, member_id: str
    ) -> Deleted:
        """Revoke all listed tokens of a member, from the next request on."""
        self._tokens.revoke_of_member(caller, organization_id, member_id)
        return Deleted(member_id)

    @_manage_members("DELETE", f"{_MEMBER}/tokens/{{tokenId}}", tag="Tokens")
    def revoke_member_token(
        self, caller: Caller, organization_id: str, member_id: str, token_id: str
    ) -> Deleted:
        """Revoke one token of a member, from the next request on."""
        self._tokens.revoke_of_member(caller, organization_id, member_id, token_id)
        return Deleted(token_id)

    @_own("GET", "/tokens")
    def list_tokens(self, caller: Caller, query: TokenQuery) -> Page[Token]:
        """List the caller's own personal tokens, newest first.

        A token without `token_manage` lists itself and those that it made.
        """
        return self._tokens.list_personal(caller, query)

    @_own(
        "POST",
        "/tokens",
        status=201,
        secret=True,
        errors=(PermissionDenied, UnknownPermission, LanguageNotAssigned),
    )
    def create_token(self, caller: Caller, body: NewToken) -> TokenAnswer:
        """Make a personal token, to do as much as the caller may, or less.

        One made by a token without `token_manage` ends with that token (`parentId`).
        `secret` is shown only this once.
        """
        return TokenAnswer(*self._tokens.create_personal(caller, body))

    @_own("GET", "/tokens/self")
    def get_own_token(self, caller: Caller) -> TokenSelfAnswer:
        """Get what the token of this request is and can do."""
        return self_of(caller)

    @_own("DELETE", "/tokens/{tokenId}")
    def revoke_token(self, caller: Caller, token_id: str) -> Deleted:
        """Revoke one of the caller's own tokens, from the next request on."""
        self._tokens.revoke_personal(caller, token_id)
        return Deleted(token_id)

    @_manage_members(
        "POST",
        f"{_MEMBER}/invitations",
        tag="Sessions",
        status=201,
        secret=True,
        errors=(LanguageNotAssigned,),
    )
    def invite_member(
        self,
        caller: Caller,
        organization_id: str,
        member_id: str,
        request: RequestInfo,
    ) -> InvitationAnswer:
        """Invite a member to sign in to the workbench.

        Who follows `link` signs in as the member, once, within 24 hours. Send it to
        this person only. It is shown only this once.
        """
        found = self._sessions.invite(caller, organization_id, member_id)
        return InvitationAnswer(*found, invitation_link(request.base_url, found[1]))

    @operation(
        "POST",
        "/sessions",
        public=True,
        tag="Sessions",
        status=201,
        secret=True,
        errors=(Unauthorized,),
    )
    def open_session(self, body: NewSession) -> TokenAnswer:
        """Sign in with an invitation, which is then used up.

        The session is a personal token for the organization. It may do what the member
        may, and ends after 30 days, or 14 days without use. An invitation that is
        unknown, used or expired is 401.
        """
        return TokenAnswer(*self._sessions.open_session(body))

    @_own("POST", "/sessions/renew", tag="Sessions", errors=(PermissionDenied,))
    def renew_session(self, caller: Caller) -> SessionAnswer:
        """Let the session of this request end in 30 days from now.

        403 if its token is no session.
        """
        return self._sessions.renew(caller)

    @_own("DELETE", "/sessions", tag="Sessions", errors=(PermissionDenied,))
    def close_session(self, caller: Caller) -> Deleted:
        """Sign out: end the session of this request.

        403 if its token is no session.
        """
        return Deleted(self._sessions.close(caller))

    @_own("GET", "/permissions")
    def list_permissions(self, caller: Caller) -> PermissionsAnswer:
        """List every permission key."""
        return [*self._permissions.by_key.values()]
