"""Judges callers on what an organization has and links to projects: glossaries, TMs."""

from collections.abc import Sequence

from locframework.errors import LanguageNotAssigned, NotFound, PermissionDenied
from locframework.proposals.records import TermTranslation

from .permissions import OF_THE_WHOLE
from .records import Caller, Grant, Reach, Scope
from .rules import effective, reaches, require_caller, union
from .service import Access, Refusal

_EVERYWHERE = "the permission {} is required in every project that uses it"


class LinkedAccess:
    """As Access, for what has no project of its own.

    A caller bound to projects reaches what is linked to one of theirs, and may do
    there what their permissions say. A permission that is OF_THE_WHOLE they only have
    where all the linked projects are theirs.
    """

    def __init__(self, access: Access, refusal: Refusal) -> None:
        self._access = access
        self._refusal = refusal

    def require(
        self, caller: Caller, permission: str, reach: Reach, missing: NotFound
    ) -> None:
        """Let pass, or raise ``missing`` (not visible) or PermissionDenied."""
        if not require_caller(caller).everything:
            grants = _there(caller, reach)
            if not grants:
                raise missing
            giving = [grant for grant in grants if permission in effective(grant)]
            if not giving:
                raise PermissionDenied(permission)
            if permission in OF_THE_WHOLE and not _all(giving, reach):
                raise PermissionDenied(permission, _EVERYWHERE.format(permission))
        scope = Scope(reach.organization_id)
        reason = self._refusal(caller, permission, scope)
        if reason is not None:
            raise PermissionDenied(permission, reason)

    def may(self, caller: Caller, permission: str, reach: Reach) -> bool:
        """Whether ``require`` would let pass."""
        try:
            self.require(caller, permission, reach, NotFound())
        except (NotFound, PermissionDenied):
            return False
        return True

    def sees(self, caller: Caller, reach: Reach) -> bool:
        """Whether any grant of the caller reaches it."""
        return require_caller(caller).everything or bool(_there(caller, reach))

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
        """Let pass, or raise LanguageNotAssigned.

        Of several grants, only those that give ``permission`` count.
        """
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
        if require_caller(caller).everything:
            return None
        there = [
            each for each in _there(caller, reach) if permission in effective(each)
        ]
        return union([each.languages for each in there])


def _all(grants: Sequence[Grant], reach: Reach) -> bool:
    """Whether the grants hold in every project of the reach, or in all there are."""
    covered = union([grant.project_ids for grant in grants])
    return covered is None or covered.issuperset(reach.project_ids)


def _there(caller: Caller, reach: Reach) -> list[Grant]:
    return [grant for grant in caller.grants if reaches(grant, reach)]
