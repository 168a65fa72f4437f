"""Checks what a caller may see and do; every service asks here first."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from locframework.errors import (
    LanguageNotAssigned,
    MemberNotFound,
    NotFound,
    OrganizationNotFound,
    PermissionDenied,
    ValidationFailed,
)
from locframework.fields import id_from_reference, is_id
from locframework.proposals.records import TermTranslation

from .permissions import OF_THE_WHOLE, ORGANIZATION_WIDE, Permissions
from .records import Caller, Grant, Member, Organization, Reach, Role, Scope
from .store import AccessStore

_WRITE = "translation_write"
_EVERYWHERE = "the permission {} is required in every project that uses it"


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
    """Return what a grant gives where it reaches: nothing for a whole organization if
    it is bound to projects."""
    if grant.project_ids is None:
        return grant.permissions
    return grant.permissions - ORGANIZATION_WIDE


def allows(grant: Grant, permission: str, scope: Scope) -> bool:
    """Return whether a grant that covers the scope gives the permission there. A grant
    that is bound to projects gives none that is for an organization as a whole, and in
    the organization itself only ``project_read``."""
    if permission not in grant.permissions:
        return False
    if grant.project_ids is None or permission == "project_read":
        return True
    return scope.project_id is not None and permission not in ORGANIZATION_WIDE


def has_permission(caller: Caller, permission: str, scope: Scope) -> bool | None:
    """Return whether the caller has the permission there; None if they see nothing."""
    if caller.everything:
        return permission not in caller.withheld
    is_seen = None
    for grant in caller.grants:
        if covers(grant, scope):
            if allows(grant, permission, scope):
                return True
            is_seen = False
    return is_seen


def without(caller: Caller, permissions: frozenset[str]) -> Caller:
    """Return the caller without these permissions, also when a job renews it later."""
    if not permissions:
        return caller
    grants = tuple(
        replace(grant, permissions=grant.permissions - permissions)
        for grant in caller.grants
    )
    return replace(caller, grants=grants, withheld=caller.withheld | permissions)


def union(parts: Collection[frozenset[str] | None]) -> frozenset[str] | None:
    """Return all of them together; None is everything."""
    known = frozenset[str]()
    for part in parts:
        if part is None:
            return None
        known |= part
    return known


class Access:
    """Checks callers. Nothing is remembered from one call to the next."""

    def __init__(self, store: AccessStore, permissions: Permissions) -> None:
        """``permissions`` are all that exist, and what each role has of them."""
        self._store = store
        self.permissions = permissions

    def require(
        self, caller: Caller, permission: str, scope: Scope, missing: type[NotFound]
    ) -> None:
        """Let pass, or raise PermissionDenied, or ``missing``, as for an id that does
        not exist (decisions 2.2)."""
        granted = has_permission(caller, permission, scope)
        if granted is None:
            raise missing
        if not granted:
            raise PermissionDenied(permission)

    def require_still(
        self, renewed: Caller | None, scope: Scope, *permissions: str
    ) -> Caller:
        """Return the caller of a job, as renewed when it runs. Raises PermissionDenied
        if there is none any more, or one of the permissions is gone."""
        for permission in permissions:
            if renewed is None or not self.may(renewed, permission, scope):
                raise PermissionDenied(permission)
        assert renewed is not None
        return renewed

    def sees(self, caller: Caller, scope: Scope) -> bool:
        """Whether the scope is visible: the caller has any grant that reaches it."""
        return caller.everything or any(covers(grant, scope) for grant in caller.grants)

    def may(self, caller: Caller, permission: str, scope: Scope) -> bool:
        """Whether ``require`` would let pass."""
        return bool(has_permission(caller, permission, scope))

    def require_language(self, caller: Caller, scope: Scope, tag: str) -> None:
        """Let pass, or raise LanguageNotAssigned. Limits writes only."""
        assigned = self.languages(caller, scope)
        if assigned is not None and tag not in assigned:
            raise LanguageNotAssigned(tag)

    def may_write_language(self, caller: Caller, scope: Scope, tag: str) -> bool:
        """Return whether ``require_language`` would let pass."""
        assigned = self.languages(caller, scope)
        return assigned is None or tag in assigned

    def languages(self, caller: Caller, scope: Scope) -> frozenset[str] | None:
        """Return the languages assigned to the caller there; None is every one. Of
        several grants, the one to read in every language does not widen the one to
        write in some."""
        if caller.everything:
            return None
        reading: list[frozenset[str] | None] = []
        writing: list[frozenset[str] | None] = []
        for grant in caller.grants:
            if covers(grant, scope):
                (writing if _WRITE in grant.permissions else reading).append(
                    grant.languages
                )
        return union(writing or reading)

    def scopes(self, caller: Caller, permission: str) -> list[Scope] | None:
        """Return where the caller has the permission; None: everywhere. Raises
        PermissionDenied."""
        self.require_somewhere(caller, permission)
        if caller.everything:
            return None
        return [
            scope
            for grant in caller.grants
            if permission in effective(grant)
            for scope in _scopes_of(grant)
        ]

    def require_organization(
        self, caller: Caller, permission: str, reference: str
    ) -> Organization:
        """The organization, by id or slug. Raises OrganizationNotFound,
        PermissionDenied."""
        missing = OrganizationNotFound
        organization_id = id_from_reference(reference)
        if organization_id is None:
            raise missing
        self.require(caller, permission, Scope(organization_id), missing)
        organization = self._store.organizations.find(organization_id)
        if organization is None:
            raise missing
        return organization

    def require_role(self, caller: Caller, organization_id: str, role: Role) -> None:
        """Raise PermissionDenied unless the caller can do all that the role can: nobody
        gives, takes or lowers another."""
        scope = Scope(organization_id)
        for permission in sorted(self.permissions.roles[role]):
            if not self.may(caller, permission, scope):
                raise PermissionDenied(permission)

    def require_assignable(
        self, caller: Caller, organization_id: str, languages: tuple[str, ...] | None
    ) -> None:
        """Raise LanguageNotAssigned unless all of the languages are assigned to the
        caller; None is every language."""
        mine = self.languages(caller, Scope(organization_id))
        if mine is None:
            return
        if not languages:
            raise LanguageNotAssigned(None)
        for tag in languages:
            if tag not in mine:
                raise LanguageNotAssigned(tag)

    def get_member(self, organization_id: str, member_id: str) -> Member:
        """The member of the organization. Raises MemberNotFound."""
        members = self._store.members
        found = members.find(member_id, organization_id) if is_id(member_id) else None
        if found is None:
            raise MemberNotFound
        return found

    def require_somewhere(
        self, caller: Caller, permission: str, _reference: str = ""
    ) -> None:
        """Raise PermissionDenied to callers that have the permission nowhere."""
        if caller.everything:
            granted = permission not in caller.withheld
        else:
            granted = any(permission in effective(grant) for grant in caller.grants)
        if not granted:
            raise PermissionDenied(permission)

    def default_organization(self, caller: Caller, reference: str | None) -> str:
        """Return ``reference``, or the caller's only organization. Raises
        ValidationFailed if there are several or none."""
        if reference is not None:
            return reference
        mine = {grant.organization_id for grant in caller.grants}
        if len(mine) != 1:
            message = "is required: the caller has not exactly one organization"
            raise ValidationFailed.at("$.organizationId", "required", message)
        return mine.pop()


def _scopes_of(grant: Grant) -> list[Scope]:
    if grant.project_ids is None:
        return [Scope(grant.organization_id)]
    return [Scope(grant.organization_id, id_) for id_ in sorted(grant.project_ids)]


class LinkedAccess:
    """As Access, for what has no project of its own.

    A caller bound to projects reaches what is linked to one of theirs, and may do
    there what their permissions say. A permission that is OF_THE_WHOLE they only have
    where all the linked projects are theirs.
    """

    def __init__(self, access: Access) -> None:
        self._access = access

    def require(
        self, caller: Caller, permission: str, reach: Reach, missing: NotFound
    ) -> None:
        """Let pass, or raise ``missing`` (not visible) or PermissionDenied."""
        if caller.everything:
            if permission in caller.withheld:
                raise PermissionDenied(permission)
            return
        grants = _there(caller, reach)
        if not grants:
            raise missing
        giving = [grant for grant in grants if permission in effective(grant)]
        if not giving:
            raise PermissionDenied(permission)
        if permission in OF_THE_WHOLE and not _all(giving, reach):
            raise PermissionDenied(permission, _EVERYWHERE.format(permission))

    def may(self, caller: Caller, permission: str, reach: Reach) -> bool:
        """Whether ``require`` would let pass."""
        try:
            self.require(caller, permission, reach, NotFound())
        except (NotFound, PermissionDenied):
            return False
        return True

    def sees(self, caller: Caller, reach: Reach) -> bool:
        """Whether any grant of the caller reaches it."""
        return caller.everything or bool(_there(caller, reach))

    def seen(self, caller: Caller, reach: Reach) -> tuple[str, ...]:
        """Those of the projects that the caller can see."""
        return tuple(
            id_
            for id_ in reach.project_ids
            if self._access.sees(caller, Scope(reach.organization_id, id_))
        )

    def require_language(
        self, caller: Caller, permission: str, reach: Reach, tag: str
    ) -> None:
        """Let pass, or raise LanguageNotAssigned. Only grants with ``permission``
        count."""
        assigned = self.languages(caller, permission, reach)
        if assigned is not None and tag not in assigned:
            raise LanguageNotAssigned(tag)

    def require_source(
        self,
        caller: Caller,
        write: str,
        approve: str | None,
        reach: Reach,
        translations: Sequence[TermTranslation],
    ) -> None:
        """Let pass who may change or delete a source text that has these translations,
        or raise PermissionDenied or LanguageNotAssigned.

        It changes what each of them says, so it needs the languages of all.
        ``approve``: the permission that it also needs where one of them is approved.
        """
        if approve and any(each.status == "approved" for each in translations):
            self.require(caller, approve, reach, NotFound())
        for each in translations:
            self.require_language(caller, write, reach, each.language_code)

    def languages(
        self, caller: Caller, permission: str, reach: Reach
    ) -> frozenset[str] | None:
        """The languages in which the caller may do that; None is every one."""
        if caller.everything:
            return None
        there = [
            each for each in _there(caller, reach) if permission in effective(each)
        ]
        return union([each.languages for each in there])


def _all(grants: Sequence[Grant], reach: Reach) -> bool:
    covered = union([grant.project_ids for grant in grants])
    return covered is None or covered.issuperset(reach.project_ids)


def _there(caller: Caller, reach: Reach) -> list[Grant]:
    return [grant for grant in caller.grants if reaches(grant, reach)]
