"""Makes, lists and revokes tokens, and finds the caller behind one."""

import hashlib
import logging
import re
import secrets
import zlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from msgspec import UNSET
from msgspec.structs import replace

from locframework.errors import (
    LanguageNotAssigned,
    PermissionDenied,
    TokenNotFound,
    Unavailable,
    UnknownPermission,
    ValidationFailed,
    abbreviate,
    truncate,
)
from locframework.events import Actor
from locframework.fields import (
    Clock,
    is_id,
    new_id,
    parse_given_time,
    parse_timestamp,
    timestamp,
)
from locframework.pagination import Page, PageRequest
from locframework.transactions import Transactions
from locframework.validation import check_record, suggestion

from .permissions import ORGANIZATION_WIDE, Permissions
from .records import (
    Caller,
    Grant,
    Holder,
    NewToken,
    Scope,
    StoredToken,
    Token,
    TokenGrant,
    TokenKind,
    TokenSelf,
)
from .rules import check_languages, check_name
from .service import Access, allows, covers, effective, union, without
from .store import AccessStore

log = logging.getLogger("locframework.access")
USE_NOTED_EVERY = timedelta(minutes=1)
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PAIRS = [high + low for high in ALPHABET for low in ALPHABET]
RANDOM_LENGTH = 36
CHECK_LENGTH = 6
SHOWN_PREFIX_LENGTH = 12
CLIENT_LENGTH = 200  # of an address or User-Agent, in characters
LIFE_DAYS = 90
LIFE_DAYS_MOST = 366
PREFIXES: dict[TokenKind, str] = {"personal": "svc_pat_", "project": "svc_proj_"}
INVITATION_PREFIX = "svc_inv_"
SESSION_UNUSED = timedelta(days=14)
_TOKEN = re.compile(r"svc_(pat|proj|inv)_[0-9A-Za-z]{42}", re.ASCII)


def new_token_text(prefix: str) -> str:
    """Return a new token: prefix, 36 random base62 digits, 6 of their CRC32 (decisions
    2.9)."""
    body = prefix + "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_LENGTH))
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
    """Whether the token still counts: not revoked, not expired. A session also ends
    after 14 days without use."""
    record = token.token
    expires_at = record.expires_at
    expired = expires_at is not None and parse_timestamp(expires_at) <= now
    if token.use == "session":
        used_at = parse_timestamp(record.last_used_at or record.created_at)
        expired = expired or used_at + SESSION_UNUSED <= now
    return token.revoked_at is None and not expired


def grants_of(holder: Holder, permissions: Permissions) -> tuple[Grant, ...]:
    """Return what a token may do right now: its allow-list within its owner's roles, or
    in its project (service.md, Authentication 4; decisions 2.9). A permission of a
    plugin that is not installed any more is none."""
    token, record = holder.token, holder.token.token
    if token.user_id is None:
        if token.organization_id is None or record.project_id is None:
            return ()
        return (
            Grant(
                organization_id=token.organization_id,
                permissions=frozenset(record.permissions).intersection(
                    permissions.by_key
                ),
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
                permissions=permissions.roles[member.role].intersection(
                    record.permissions
                ),
                project_ids=None if projects is None else frozenset(projects),
                languages=both(languages or None, record.assigned_languages or None),
            )
        )
    return tuple(grants)


def check_project(new: NewToken, project_id: str | None) -> None:
    """Raise ValidationFailed for a body that names another project or kind than the
    path. ``project_id``: of the path; None for a personal token."""
    message = (
        "does not belong here: POST /projects/{projectId}/tokens makes project tokens,"
        " POST /tokens personal ones"
    )
    if new.project_id not in (UNSET, None, project_id):
        raise ValidationFailed.at("$.projectId", "project", message)
    if new.kind not in (UNSET, "personal" if project_id is None else "project"):
        raise ValidationFailed.at("$.kind", "kind", message)


def expiry(new: NewToken, now: datetime) -> datetime:
    """Return when a new token ends (decisions 2.9). Raises ValidationFailed."""
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


def both(
    one: Collection[str] | None, other: Collection[str] | None
) -> frozenset[str] | None:
    """Return what is in both; None is everything."""
    if one is None or other is None:
        some = other if one is None else one
        return None if some is None else frozenset(some)
    return frozenset(one).intersection(other)


def _check(body: str) -> str:
    """The CRC32 as CHECK_LENGTH digits, two at a time: every request has it checked."""
    rest, low = divmod(zlib.crc32(body.encode()), len(_PAIRS))
    high, middle = divmod(rest, len(_PAIRS))
    return _PAIRS[high] + _PAIRS[middle] + _PAIRS[low]


@dataclass(eq=False, repr=False)
class Tokens:
    """Personal and project tokens. Their texts are shown once and never kept."""

    _store: AccessStore
    _transactions: Transactions
    _access: Access
    _clock: Clock

    def create_personal(self, caller: Caller, new: NewToken) -> tuple[Token, str]:
        """A personal token of the caller's own; answers it and its text. A caller
        without token_manage makes a child of its token, which lives no longer
        (decisions 2.6). Raises PermissionDenied when it asks for more than the caller
        has, or when the caller is no user; UnknownPermission; LanguageNotAssigned."""
        user_id = caller.user_id
        if user_id is None:
            reason = "only a user has personal tokens"
            raise PermissionDenied("token_manage", reason)
        check_record(new)
        grant = Grant(
            organization_id="",  # of all the caller's organizations together
            permissions=frozenset[str]().union(*map(effective, caller.grants)),
            languages=union([g.languages for g in caller.grants]),
        )
        return self._create(
            grant,
            new,
            user_id=user_id,
            organization_id=caller.bound_to,
            parent=_parent(caller),
        )

    def create_for_member(
        self, caller: Caller, organization_id: str, member_id: str, new: NewToken
    ) -> tuple[Token, str]:
        """A personal token for a member, in this organization only. Never wider than
        the member's role, nor than the caller themselves. Raises OrganizationNotFound,
        MemberNotFound, PermissionDenied, LanguageNotAssigned."""
        organization = self._access.require_organization(
            caller, "member_manage", organization_id
        )
        check_record(new)
        scope = Scope(organization.id)
        with self._transactions.transaction():
            # who removes the member revokes this one too, or is there first
            self._store.organizations.lock(organization.id)
            member = self._access.get_member(organization.id, member_id)
            grant = Grant(
                organization_id=organization.id,
                permissions=self._access.permissions.roles[member.role]
                & self._mine(caller, scope),
                languages=both(
                    frozenset(member.assigned_languages or ()) or None,
                    self._access.languages(caller, scope),
                ),
            )
            return self._create(
                grant, new, user_id=member.user_id, organization_id=organization.id
            )

    def create_for_project(
        self, caller: Caller, scope: Scope, new: NewToken
    ) -> tuple[Token, str]:
        """A token bound to the scope's project; the caller was let pass before. Its
        ``permissions`` leave out what no project can give. Raises PermissionDenied and
        LanguageNotAssigned when it asks for more than the caller has there."""
        check_record(new)
        grant = Grant(
            organization_id=scope.organization_id,
            permissions=self._mine(caller, scope),
            languages=self._access.languages(caller, scope),
        )
        return self._create(
            grant,
            new,
            project_id=scope.project_id,
            organization_id=scope.organization_id,
        )

    def list_personal(
        self, caller: Caller, page: PageRequest = PageRequest()
    ) -> Page[Token]:
        """The caller's own live tokens, newest first; none for a project token."""
        check_record(page, "query")
        if caller.user_id is None:
            return Page([], 0, page.page, page.limit)
        parent = _parent(caller)
        return self._store.list_tokens(
            page,
            user_id=caller.user_id,
            organization_id=caller.bound_to,
            family_of=None if parent is None else parent.id,
        )

    def list_of_member(
        self,
        caller: Caller,
        organization_id: str,
        member_id: str,
        page: PageRequest = PageRequest(),
    ) -> Page[Token]:
        """Return the tokens of a member that count in this organization alone, newest
        first. Raises OrganizationNotFound, MemberNotFound, PermissionDenied."""
        check_record(page, "query")
        user_id, bound_to = self._member(caller, organization_id, member_id)
        return self._store.list_tokens(page, user_id=user_id, organization_id=bound_to)

    def revoke_of_member(
        self,
        caller: Caller,
        organization_id: str,
        member_id: str,
        token_id: str | None = None,
    ) -> None:
        """End one token that ``list_of_member`` returns, or all of them, at once.
        Raises as it does, and TokenNotFound."""
        user_id, bound_to = self._member(caller, organization_id, member_id)
        if token_id is not None:
            token = self._find(token_id)
            is_bound = bound_to in (None, token.organization_id)
            if token.user_id != user_id or not is_bound:
                raise TokenNotFound
            self._revoke(token_id)
            return
        with self._transactions.transaction():
            now = timestamp(self._clock())
            self._store.revoke_tokens(now, user_id=user_id, organization_id=bound_to)

    def _member(
        self, caller: Caller, organization_id: str, member_id: str
    ) -> tuple[str, str | None]:
        """Return the user of a member, and the organization that their tokens must be
        bound to: none if they have no other."""
        organization = self._access.require_organization(
            caller, "member_manage", organization_id
        )
        user_id = self._access.get_member(organization.id, member_id).user_id
        is_elsewhere = len(self._store.organizations_of(user_id)) > 1
        return user_id, organization.id if is_elsewhere else None

    def list_of_project(self, project_id: str, page: PageRequest) -> Page[Token]:
        """The project's tokens, newest first; the caller was let pass before."""
        check_record(page, "query")
        return self._store.list_tokens(page, project_id=project_id)

    def revoke_personal(self, caller: Caller, token_id: str) -> None:
        """End one of the caller's own tokens, at once. Raises TokenNotFound."""
        user_id, token = caller.user_id, self._find(token_id)
        if token.user_id is None or token.user_id != user_id:
            raise TokenNotFound
        if caller.bound_to not in (None, token.organization_id):
            raise TokenNotFound
        parent = _parent(caller)
        if parent and parent.id not in (token.token.id, token.token.parent_id):
            raise TokenNotFound
        self._revoke(token_id)

    def revoke_of_project(self, project_id: str, token_id: str) -> None:
        """End a token of the project, at once. Raises TokenNotFound."""
        if self._find(token_id).token.project_id != project_id:
            raise TokenNotFound
        self._revoke(token_id)

    def caller_behind(self, text: str) -> Caller | None:
        """Return the caller that holds the token, or None if it is invalid. One
        statement, and none for what is no token."""
        if not is_token_text(text):
            return None
        found = self._store.find_holder(token_hash(text))
        if found is None or not is_live(found.token, self._clock()):
            return None
        if found.token.use == "invitation":
            return None
        stored, grants = found.token, grants_of(found, self._access.permissions)
        if not grants:
            return None
        user_id = stored.user_id
        return Caller(
            actor=Actor("user", user_id)
            if user_id
            else Actor("token", stored.token.id),
            grants=grants,
            user_id=user_id,
            bound_to=stored.organization_id if user_id else None,
            token=stored.token,
        )

    def renewed(self, caller: Caller) -> Caller | None:
        """Return a caller of a while ago with the rights of now, but for those that
        were withheld; None if there are none, or the token was revoked. An expired
        token counts."""
        if caller.token is None:
            return caller
        stored = self._store.tokens.find(caller.token.id)
        found = self._store.find_holder(stored.sha256) if stored else None
        if found is None or found.token.revoked_at is not None:
            return None
        grants = grants_of(found, self._access.permissions)
        if not grants:
            return None
        return without(replace(caller, grants=grants), caller.withheld)

    def _create(
        self,
        within: Grant,
        new: NewToken,
        *,
        user_id: str | None = None,
        project_id: str | None = None,
        organization_id: str | None = None,
        parent: Token | None = None,
    ) -> tuple[Token, str]:
        check_project(new, project_id)
        permissions = (
            sorted(within.permissions) if new.permissions is UNSET else new.permissions
        )
        known_keys = self._access.permissions.by_key
        for key in permissions:
            if key not in known_keys:
                known = suggestion(key, known_keys)
                unknown = f"there is no permission {abbreviate(key)!r}{known}"
                raise UnknownPermission(truncate(unknown))
        for key in permissions:
            if key not in within.permissions:
                raise PermissionDenied(key)
        # a project token shows what counts: not what no project can give
        useless = () if project_id is None else ORGANIZATION_WIDE
        languages = check_languages(new.assigned_languages)
        languages = _within(within, languages)
        kind: TokenKind = "personal" if project_id is None else "project"
        text, now = new_token_text(PREFIXES[kind]), self._clock()
        expires_at = timestamp(expiry(new, now))
        if parent is not None and parent.expires_at is not None:
            expires_at = min(expires_at, parent.expires_at)
        token = Token(
            id=new_id(),
            kind=kind,
            name=check_name(new.name),
            prefix=text[:SHOWN_PREFIX_LENGTH],
            permissions=tuple(
                key for key in dict.fromkeys(permissions) if key not in useless
            ),
            project_id=project_id,
            assigned_languages=languages,
            expires_at=expires_at,
            last_used_at=None,
            created_at=timestamp(now),
            parent_id=None if parent is None else parent.id,
        )
        stored = StoredToken(token, token_hash(text), user_id, organization_id, None)
        with self._transactions.transaction():
            if parent is not None:  # nobody revokes it between
                self._store.tokens.lock(parent.id)
                self._find(parent.id)
            self._store.tokens.insert(stored)
        return token, text

    def _mine(self, caller: Caller, scope: Scope) -> frozenset[str]:
        """What the caller was granted in the scope."""
        if caller.everything:
            return frozenset(self._access.permissions.by_key) - caller.withheld
        return frozenset(
            permission
            for grant in caller.grants
            if covers(grant, scope)
            for permission in effective(grant)
            if allows(grant, permission, scope)
        )

    def _find(self, token_id: str) -> StoredToken:
        stored = self._store.tokens.find(token_id) if is_id(token_id) else None
        if stored is None or stored.revoked_at is not None:
            raise TokenNotFound
        return stored

    def _revoke(self, token_id: str) -> None:
        with self._transactions.transaction():
            self._store.tokens.lock(token_id)
            self._store.revoke_tokens(timestamp(self._clock()), token_id=token_id)


@dataclass(eq=False, repr=False)
class Authenticator:
    """Finds the caller of a request: asks the plugins, then the built-in tokens.

    When and by which client a token was last used is written once a minute at most.
    ``start`` runs the write beside the request, so that a busy database delays or fails
    no request (decisions 2.9).
    """

    _plugins: Callable[[str], Caller | None]
    _tokens: Tokens
    _store: AccessStore
    _transactions: Transactions
    _clock: Clock
    _start: Callable[[Callable[[], None]], None]

    def __post_init__(self) -> None:
        self._pending: set[str] = set()  # ids of tokens whose use will be written

    def __call__(
        self, text: str | None, address: str = "", agent: str = ""
    ) -> Caller | None:
        """Return who holds the bearer text, or None for any reason, so that nothing can
        be probed. ``address`` and ``agent`` are those of the client."""
        if text is None:
            return None
        found = self._plugins(text)
        if found is None:
            found = self._tokens.caller_behind(text)
            if found is not None and found.token is not None:
                self._note_use(found.token, address, agent)
        return found

    def _note_use(self, token: Token, address: str, agent: str) -> None:
        last = token.last_used_at
        if last is not None and self._clock() - parse_timestamp(last) < USE_NOTED_EVERY:
            return
        if token.id not in self._pending:
            self._pending.add(token.id)
            self._start(lambda: self._write_use(token.id, address, agent))

    def _write_use(self, token_id: str, address: str, agent: str) -> None:
        try:
            with self._transactions.transaction():
                now = timestamp(self._clock())
                client = _printable(address), _printable(agent)
                self._store.touch_token(token_id, now, *client)
        except Unavailable:
            log.warning("the use of token %s could not be noted", token_id)
        finally:
            self._pending.discard(token_id)


def _printable(sent: str) -> str | None:
    """Return what a client sent about itself, without control characters."""
    return "".join(filter(str.isprintable, sent))[:CLIENT_LENGTH] or None


def _parent(caller: Caller) -> Token | None:
    """Return the token of a caller without token_manage: the parent of those that it
    makes, and with them all that it sees."""
    if any("token_manage" in effective(grant) for grant in caller.grants):
        return None
    return caller.token


def _within(grant: Grant, wanted: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The wanted languages; all of the grant's when none are named. Raises
    LanguageNotAssigned for one beyond them, and PermissionDenied to who has no language
    at all: none would read as every one."""
    if grant.languages is None:
        return wanted
    for code in wanted or ():
        if code not in grant.languages:
            raise LanguageNotAssigned(code)
    if not grant.languages:
        reason = "no language is assigned to the caller"
        raise PermissionDenied("translation_write", reason)
    return wanted or tuple(sorted(grant.languages))


def self_of(caller: Caller) -> TokenSelf:
    """What the caller's token is and can do, as worked out for this request."""
    token, grants = caller.token, caller.grants
    everywhere = frozenset[str]().union(*map(effective, grants))
    languages = union([grant.languages for grant in grants])
    return TokenSelf(
        kind=token.kind if token else "plugin",
        id=token.id if token else None,
        name=token.name if token else None,
        user_id=caller.user_id,
        project_id=token.project_id if token else None,
        permissions=sorted(token.permissions if token else everywhere),
        effective_permissions=sorted(everywhere),
        assigned_languages=_listed(languages),
        expires_at=token.expires_at if token else None,
        grants=[
            TokenGrant(
                organization_id=grant.organization_id,
                permissions=sorted(effective(grant)),
                project_ids=_listed(grant.project_ids),
                assigned_languages=_listed(grant.languages),
            )
            for grant in grants
        ],
    )


def _listed(items: frozenset[str] | None) -> list[str] | None:
    return None if items is None else sorted(items)
