"""A framework for all runs, and someone who hears every event."""

from __future__ import annotations

from typing import Any

from locframework import OPERATOR, hookimpl
from locframework.access.records import Caller, NewMember, NewToken
from locframework.events import Event
from locframework.projects.records import NewLanguage, NewProject
from locframework.testing.workspace import Workspace

from .texts import SOURCE

LANGUAGES = ["en", "de", "ar"]


class Ear:
    """Hears every event."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    @hookimpl
    def loc_on_event(self, event: Event) -> None:
        self.events.append(event)


class Office:
    """One framework for all runs, and a new project for each."""

    def __init__(self, workspace: Workspace, ear: Ear) -> None:
        self.framework = workspace.framework
        self.ear = ear
        self.organization_id = workspace.organization_id
        self.approver = self._caller("developer")
        self.translator = self._caller("translator")

    def _caller(self, role: Any) -> Caller:
        framework, organization_id = self.framework, self.organization_id
        new = NewMember(email=f"{role}@example.com", role=role)
        member = framework.organizations.add_member(OPERATOR, organization_id, new)
        _, text = framework.tokens.create_for_member(
            OPERATOR, organization_id, member.id, NewToken("test")
        )
        caller = framework.authenticate(text)
        assert caller is not None
        return caller

    def project(self) -> str:
        new = NewProject("Shop", SOURCE, organization_id=self.organization_id)
        project = self.framework.projects.create_project(OPERATOR, new)
        for code in LANGUAGES[1:]:
            new_language = NewLanguage(code)
            self.framework.languages.add_language(OPERATOR, project.id, new_language)
        return project.id
