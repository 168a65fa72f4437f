"""Dismisses what checks found, where it is no fault."""

from dataclasses import dataclass

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.service import Branches, require_writable
from locframework.errors import NotFound, NotOnBranch, abbreviate
from locframework.fields import Clock, timestamp
from locframework.projects.service import Projects, scope_of
from locframework.quality.check import Dismissed
from locframework.validation import check_record

from .records import Dismissal, NewDismissal, ValueDetail
from .service import Keys
from .store import KeyStorage, KeyStore, store_of


@dataclass(eq=False, repr=False)
class Dismissals:
    """Dismissals of what a check found in a value, in all its plural forms.

    One holds for the texts that the value and its source have now: on main for main and
    every branch, on a branch for the branch, until a merge brings it to main.
    """

    _storage: KeyStorage
    _projects: Projects
    _branches: Branches
    _access: Access
    _keys: Keys
    _clock: Clock

    def dismiss(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        check: str,
        new: NewDismissal = NewDismissal(),
        *,
        branch: str | None = None,
    ) -> list[ValueDetail]:
        """Dismiss what the check finds; return the value as ``Keys.get_value`` does.

        Needs translation_approve. Raises ValidationFailed, KeyNotFound,
        LanguageNotFound, NotFound (the check finds nothing), LanguageNotAssigned,
        BranchProtected.
        """
        check_record(new)
        return self._change(caller, project_id, key_id, lang, check, branch, new)

    def withdraw(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        check: str,
        *,
        branch: str | None = None,
    ) -> list[ValueDetail]:
        """Drop a dismissal: the finding returns. Raises as ``dismiss``, and NotOnBranch
        for a dismissal of main."""
        return self._change(caller, project_id, key_id, lang, check, branch, None)

    def _change(
        self,
        caller: Caller,
        project_id: str,
        key_id: str,
        lang: str,
        check: str,
        branch: str | None,
        new: NewDismissal | None,
    ) -> list[ValueDetail]:
        project = self._projects.require(caller, "translation_approve", project_id)
        scope = self._branches.scope(project, branch)
        store, main = store_of(self._storage, scope), self._storage.keys
        key, tag, found = self._keys.find_findings(scope, key_id, lang)
        hashes = {each.texts_hash for each in found if each.check == check}
        if not hashes:
            raise NotFound(f"finding of a check {abbreviate(check)!r} in this value")
        self._access.require_language(caller, scope_of(project), tag)
        require_writable(scope)
        mine = Dismissal(
            key_id=key.id,
            language_code=tag,
            check=check,
            texts_hash=hashes.pop(),
            reason=(new.reason or None) if new else None,
            dismissed_by=caller.actor,
            dismissed_at=timestamp(self._clock()),
        )

        def dismissed(store: KeyStore) -> Dismissed:
            given = store.dismissals_of(project.id, [key.id])
            return {each.finding for each in given}

        with self._storage.transaction():
            require_writable(self._branches.lock_scope(scope))
            if new is not None:
                store.put_dismissals(project.id, [mine])
            elif mine.finding not in dismissed(store):
                raise NotFound(f"dismissal of {check!r} for this value")
            elif scope.branch is not None and mine.finding in dismissed(main):
                raise NotOnBranch(
                    "the finding is dismissed on main; leave `branch` out to"
                    " withdraw that"
                )
            else:
                store.put_dismissals(project.id, [], dropped=[mine])
        return self._keys.details_of(scope, key_id, lang)
