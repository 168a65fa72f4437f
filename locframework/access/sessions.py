"""Sessions of people who sign in to a page: by an invitation, without a password."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from msgspec.structs import replace

from locframework.errors import PermissionDenied, Unauthorized
from locframework.fields import Clock, new_id, timestamp
from locframework.transactions import Transactions
from locframework.validation import check_record

from .records import (
    Caller,
    Invitation,
    NewSession,
    StoredToken,
    Token,
)
from .service import Access
from .store import AccessStore
from .tokens import (
    INVITATION_PREFIX,
    PREFIXES,
    SHOWN_PREFIX_LENGTH,
    is_live,
    is_token_text,
    new_token_text,
    token_hash,
)

INVITATION_LIFE = timedelta(hours=24)
SESSION_LIFE = timedelta(days=30)


def invitation_link(base_url: str, secret: str) -> str:
    """Return the address of the workbench that signs in; ``base_url`` ends with
    ``/api/v1``. The secret is in the fragment, which is sent to no server."""
    return f"{base_url.removesuffix('/api/v1')}/workbench/#invitation={secret}"


@dataclass(eq=False, repr=False)
class Sessions:
    """Invitations, which are used once, and the sessions that they open.

    A session is a personal token for one organization. It may do what the member may,
    ends after 30 days or 14 days without use, and is renewed on request. Source:
    decisions 2.6.
    """

    _store: AccessStore
    _transactions: Transactions
    _access: Access
    _clock: Clock

    def invite(
        self, caller: Caller, organization_id: str, member_id: str
    ) -> tuple[Invitation, str]:
        """Return a new invitation for a member, and its secret; it lives 24 hours.

        Whoever has the secret can sign in as the member, so the caller must be able to
        give the member's role and languages. Raises OrganizationNotFound,
        MemberNotFound, PermissionDenied, LanguageNotAssigned.
        """
        organization = self._access.require_organization(
            caller, "member_manage", organization_id
        )
        with self._transactions.transaction():
            # who removes the member revokes this one too, or is there first
            self._store.organizations.lock(organization.id)
            member = self._access.get_member(organization.id, member_id)
            self._access.require_role(caller, organization.id, member.role)
            self._access.require_assignable(
                caller, organization.id, member.assigned_languages
            )
            token, text = self._insert(
                organization.id, member.user_id, "invitation", INVITATION_LIFE
            )
        assert token.expires_at is not None
        return Invitation(member.id, token.expires_at, token.created_at), text

    def open_session(self, asked: NewSession) -> tuple[Token, str]:
        """Use up an invitation; return a session of its member, and the secret.

        Raises Unauthorized, without a reason, for an unknown, used or expired one.
        """
        check_record(asked)
        digest = token_hash(asked.invitation)
        found = None
        if is_token_text(asked.invitation):  # junk is not looked for
            found = self._store.find_holder(digest)
        organization_id = found.token.organization_id if found else None
        if organization_id is None:
            raise Unauthorized
        with self._transactions.transaction():
            # one at a time, so that an invitation is used once
            self._store.organizations.lock(organization_id)
            found, now = self._store.find_holder(digest), self._clock()
            if found is None or found.token.use != "invitation":
                raise Unauthorized
            is_member = any(
                each.organization_id == organization_id for each in found.memberships
            )
            if not is_member or not is_live(found.token, now):
                raise Unauthorized
            at = timestamp(now)
            self._store.revoke_tokens(at, token_id=found.token.token.id)
            user_id = found.token.user_id
            return self._insert(organization_id, user_id, "session", SESSION_LIFE)

    def renew(self, caller: Caller) -> Token:
        """Return the caller's session, which now ends in 30 days. Raises
        PermissionDenied if the caller's token is no session."""
        with self._transactions.transaction():
            stored = self._own(caller)
            until = timestamp(self._clock() + SESSION_LIFE)
            token = replace(stored.token, expires_at=until)
            self._store.tokens.update(replace(stored, token=token))
        return token

    def close(self, caller: Caller) -> str:
        """End the caller's session at once; return its id. Raises PermissionDenied if
        the caller's token is no session: such a token is revoked by its id."""
        with self._transactions.transaction():
            stored = self._own(caller)
            self._store.revoke_tokens(
                timestamp(self._clock()), token_id=stored.token.id
            )
        return stored.token.id

    def _own(self, caller: Caller) -> StoredToken:
        """Return the session of the caller, locked."""
        own = caller.token
        stored = self._store.tokens.lock(own.id) if own is not None else None
        if stored is None or stored.use != "session":
            reason = "the token is no session; DELETE /tokens/{tokenId} revokes it"
            raise PermissionDenied("token_manage", reason)
        return stored

    def _insert(
        self,
        organization_id: str,
        user_id: str | None,
        use: Literal["session", "invitation"],
        life: timedelta,
    ) -> tuple[Token, str]:
        """Add a token that may do all that the member's role allows at any time."""
        prefix = PREFIXES["personal"] if use == "session" else INVITATION_PREFIX
        text, now = new_token_text(prefix), self._clock()
        allowed = self._access.permissions.by_key if use == "session" else ()
        token = Token(
            id=new_id(),
            kind="personal",
            name=use.capitalize(),
            prefix=text[:SHOWN_PREFIX_LENGTH],
            permissions=tuple(sorted(allowed)),
            project_id=None,
            assigned_languages=None,
            expires_at=timestamp(now + life),
            last_used_at=None,
            created_at=timestamp(now),
        )
        digest = token_hash(text)
        stored = StoredToken(token, digest, user_id, organization_id, None, use)
        self._store.tokens.insert(stored)
        return token, text
