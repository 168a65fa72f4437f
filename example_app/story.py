"""Adds work in progress to the demo: texts under review, a branch in conflict."""

from __future__ import annotations

from contextlib import suppress

from locframework import OPERATOR, Framework
from locframework.access.records import Caller, NewMember, NewToken, Organization
from locframework.branches.records import NewBranch
from locframework.errors import BranchExists, KeyExists
from locframework.keys.records import KeyChanges, KeyQuery, NewKey, NewValue
from locframework.pagination import PageRequest
from locframework.projects.records import Project

from .listening import webhook_of
from .terms import Terms

BRANCH = "winter-timetable"
TRANSLATOR = "ines@skerry.example"
ALL = PageRequest(limit=200)


class Story:
    """Adds work in progress. Each step can be repeated."""

    def __init__(self, framework: Framework, project: Project) -> None:
        self._framework = framework
        self._project = project

    def tell(self, organization: Organization) -> None:
        """Add a proposal, an outdated text, findings, deliveries and a branch."""
        ines = self._translator(organization)
        with webhook_of(self._framework, self._project):
            self._write(
                "common.tagline", "fr", "Le ferry vers toutes les îles", by=ines
            )
            self._write("common.greeting", "de", "Hallo und willkommen!", by=ines)
            self._write("search.submit", "en", "Find ferries")
        Terms(self._framework, self._project).collect(organization, ines)
        self._work_on_a_branch()

    def _translator(self, organization: Organization) -> Caller:
        """Return Inês, who writes German and French and cannot approve."""
        organizations, tokens = self._framework.organizations, self._framework.tokens
        members = organizations.list_members(OPERATOR, organization.id, ALL).items
        member = next((each for each in members if each.email == TRANSLATOR), None)
        if member is None:
            new = NewMember(
                email=TRANSLATOR,
                role="translator",
                name="Inês",
                assigned_languages=["de", "fr"],
            )
            member = organizations.add_member(OPERATOR, organization.id, new)
        token, text = tokens.create_for_member(
            OPERATOR, organization.id, member.id, NewToken(name="Made with the demo")
        )
        caller = tokens.caller_behind(text)
        if caller is None:
            raise RuntimeError("a token that was just made has nobody behind it")
        tokens.revoke_personal(caller, token.id)
        return caller

    def _work_on_a_branch(self) -> None:
        """Change the German text of a key on main and on the branch: a conflict."""
        branches, keys = self._framework.branches, self._framework.keys
        with suppress(BranchExists):
            branches.create_branch(OPERATOR, self._project.id, NewBranch(BRANCH))
        self._write("common.menu.timetable", "de", "Winterfahrplan", branch=BRANCH)
        key_id = self._key_id("common.menu.timetable")
        about = KeyChanges(description="The menu entry that opens the winter timetable")
        keys.update_key(OPERATOR, self._project.id, key_id, about, branch=BRANCH)
        banner = NewKey(
            "home.winterBanner",
            description="Above the search, from November to March",
            tags=["banner"],
            values={"en": "Winter timetable is out", "de": "Der Winterfahrplan ist da"},
        )
        with suppress(KeyExists):
            keys.create_key(OPERATOR, self._project.id, banner, branch=BRANCH)
        self._write("common.menu.timetable", "de", "Fahrpläne")

    def _write(
        self,
        key: str,
        lang: str,
        text: str,
        *,
        by: Caller = OPERATOR,
        branch: str | None = None,
    ) -> None:
        key_id, new = self._key_id(key), NewValue(text)
        self._framework.keys.set_value(
            by, self._project.id, key_id, lang, new, branch=branch
        )

    def _key_id(self, name: str) -> str:
        query = KeyQuery(prefix=name)
        found = self._framework.keys.list_keys(OPERATOR, self._project.id, query)
        return next(key.id for key in found.items if key.key == name)
