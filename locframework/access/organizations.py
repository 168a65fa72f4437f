"""Organizations and their members: who belongs, in which role."""

from dataclasses import dataclass

from msgspec import UNSET
from msgspec.structs import replace

from locframework.errors import (
    LastOwner,
    MemberExists,
    ValidationFailed,
    truncate,
)
from locframework.fields import Clock, id_from_reference, new_id, slug, timestamp
from locframework.pagination import Page, PageRequest
from locframework.transactions import Transactions
from locframework.validation import check_record, given_fields

from .records import (
    Caller,
    Member,
    MemberChanges,
    NewMember,
    Organization,
    OrganizationChanges,
    User,
)
from .rules import check_email, check_languages, check_name, is_whole_owner
from .service import Access
from .store import AccessStore


@dataclass(eq=False, repr=False)
class Organizations:
    """What one can do with organizations and members."""

    _store: AccessStore
    _transactions: Transactions
    _access: Access
    _clock: Clock

    def create_organization(
        self, name: str, owner_email: str
    ) -> tuple[Organization, Member]:
        """Create an organization with its first owner, for the operator. Raises
        ValidationFailed, and NameExists if another organization has the name."""
        check_record(OrganizationChanges(name=name))
        now = timestamp(self._clock())
        id_, name = new_id(), check_name(name)
        organization = Organization(
            id=id_,
            slug=slug(name, id_),
            name=name,
            tm_enabled=True,
            delivery_quota=None,
            ai_monthly_budget=None,
            created_at=now,
            updated_at=now,
        )
        new = NewMember(email=owner_email, role="owner")
        with self._transactions.transaction():
            self._store.organizations.insert(organization)
            member = self._add_member(id_, new)
        return organization, member

    def list_organizations(
        self, caller: Caller, page: PageRequest = PageRequest()
    ) -> Page[Organization]:
        """Those the caller may read, by name."""
        check_record(page, "query")
        scopes = self._access.scopes(caller, "project_read")
        ids = None if scopes is None else sorted({s.organization_id for s in scopes})
        return self._store.list_organizations(ids, page)

    def get_organization(self, caller: Caller, reference: str | None) -> Organization:
        """Return an organization; None means the caller's only one. Raises
        OrganizationNotFound, PermissionDenied; ValidationFailed for None of several."""
        reference = self._access.default_organization(caller, reference)
        return self._access.require_organization(caller, "project_read", reference)

    def update_organization(
        self, caller: Caller, reference: str | None, changes: OrganizationChanges
    ) -> Organization:
        """Change an organization; None means the caller's only one. Raises
        OrganizationNotFound, PermissionDenied, ValidationFailed."""
        reference = self._access.default_organization(caller, reference)
        old = self._access.require_organization(
            caller, "organization_manage", reference
        )
        check_record(changes)
        with self._transactions.transaction():
            old = self._store.organizations.lock(old.id) or old
            new = replace(old, **given_fields(changes))
            name = check_name(new.name)
            new = replace(new, name=name, slug=slug(name, old.id))
            if new == old:
                return old
            new = replace(new, updated_at=timestamp(self._clock()))
            self._store.organizations.update(new)
        return new

    def list_members(
        self, caller: Caller, reference: str, page: PageRequest = PageRequest()
    ) -> Page[Member]:
        """By email. Raises OrganizationNotFound, PermissionDenied."""
        organization = self._managed(caller, reference)
        check_record(page, "query")
        return self._store.list_members(organization.id, page)

    def add_member(self, caller: Caller, reference: str, new: NewMember) -> Member:
        """Raises OrganizationNotFound, PermissionDenied, LanguageNotAssigned,
        ValidationFailed, MemberExists."""
        organization = self._managed(caller, reference)
        check_record(new)
        self._access.require_role(caller, organization.id, new.role)
        languages = check_languages(new.assigned_languages)
        self._access.require_assignable(caller, organization.id, languages)
        with self._transactions.transaction():
            self._store.organizations.lock(organization.id)
            return self._add_member(organization.id, new)

    def update_member(
        self, caller: Caller, reference: str, member_id: str, changes: MemberChanges
    ) -> Member:
        """Takes effect with the next request. Raises MemberNotFound, PermissionDenied,
        LanguageNotAssigned, LastOwner."""
        organization = self._managed(caller, reference)
        check_record(changes)
        with self._transactions.transaction():
            self._store.organizations.lock(organization.id)
            fields = self._fields(organization.id, changes)
            old = self._access.get_member(organization.id, member_id)
            new = replace(old, **fields)
            self._access.require_role(caller, organization.id, old.role)
            self._access.require_role(caller, organization.id, new.role)
            self._access.require_assignable(
                caller, organization.id, new.assigned_languages
            )
            if not is_whole_owner(new):
                self._keep_an_owner(old)
            self._store.members.update(new)
        return new

    def remove_member(self, caller: Caller, reference: str, member_id: str) -> None:
        """Raises MemberNotFound, PermissionDenied, LastOwner.

        Tokens that were made for the member here are revoked; all the person has, where
        this was the last organization. Else they would count again, should the person
        be added once more.
        """
        organization = self._managed(caller, reference)
        with self._transactions.transaction():
            self._store.organizations.lock(organization.id)
            member = self._access.get_member(organization.id, member_id)
            self._access.require_role(caller, organization.id, member.role)
            self._keep_an_owner(member)
            at = timestamp(self._clock())
            self._store.members.delete(member.id, at)
            is_elsewhere = self._store.organizations_of(member.user_id)
            made_in = organization.id if is_elsewhere else None
            self._store.revoke_tokens(
                at, user_id=member.user_id, organization_id=made_in
            )

    def _managed(self, caller: Caller, reference: str) -> Organization:
        return self._access.require_organization(caller, "member_manage", reference)

    def _add_member(self, organization_id: str, new: NewMember) -> Member:
        now = timestamp(self._clock())
        email = check_email(new.email)
        languages = check_languages(new.assigned_languages)
        project_ids = self._projects(organization_id, new.project_ids)
        user = self._store.find_user_by_email(email)
        if user is None:
            user = User(new_id(), email, True, now)
            self._store.users.insert(user)
        if organization_id in self._store.organizations_of(user.id):
            raise MemberExists(f"{truncate(new.email)} is a member already")
        member = Member(
            id=new_id(),
            organization_id=organization_id,
            user_id=user.id,
            email=user.email,
            name=new.name.strip(),
            role=new.role,
            assigned_languages=languages,
            project_ids=project_ids,
            created_at=now,
        )
        self._store.members.insert(member)
        return member

    def _fields(
        self, organization_id: str, changes: MemberChanges
    ) -> dict[str, object]:
        """What the changes name, as a Member has it. Raises ValidationFailed."""
        fields = given_fields(changes)
        if changes.name is not UNSET:
            fields["name"] = changes.name.strip()
        if changes.assigned_languages is not UNSET:
            fields["assigned_languages"] = check_languages(changes.assigned_languages)
        if changes.project_ids is not UNSET:
            fields["project_ids"] = self._projects(organization_id, changes.project_ids)
        return fields

    def _projects(
        self, organization_id: str, references: list[str] | None
    ) -> tuple[str, ...] | None:
        """Their ids. ValidationFailed for what is no project of the organization."""
        if references is None:
            return None
        ids = [id_from_reference(reference) or "" for reference in references]
        known = set(self._store.projects_among(organization_id, ids)) if ids else ()
        for at, id_ in enumerate(ids):
            if id_ not in known:
                message = "is not the id of a project of the organization"
                raise ValidationFailed.at(f"$.projectIds[{at}]", "id", message)
        return tuple(dict.fromkeys(ids))

    def _keep_an_owner(self, member: Member) -> None:
        """An owner who is bound to some projects or languages is not enough."""
        if not is_whole_owner(member):
            return
        if self._store.count_owners(member.organization_id, besides=member.id) == 0:
            raise LastOwner(
                "the organization needs an owner who is not bound to projects or"
                " languages, and this is the last one; make another one first"
            )
