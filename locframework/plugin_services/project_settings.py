"""Settings of plugins that each project has for itself."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from msgspec import Struct

from locframework.access.records import Caller
from locframework.errors import PluginNotFound, ValidationFailed
from locframework.events import EventLog
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.validation import plain_json

from .records import PluginSettings
from .rules import checked_settings, fitting_settings, shown_settings, stored_json
from .store import PluginEntry, PluginStorage

log = logging.getLogger("locframework.plugins")

_KEY = "settings"


def settings_space(plugin: str) -> str:
    """Return the space of a plugin's settings; no plugin can be called so."""
    return f"@settings/{plugin}"


@dataclass(eq=False, repr=False)
class ProjectSettings:
    """The settings of plugins by project. What a project has not set is the plugin's
    default, also a later one."""

    _types: Mapping[str, type[Struct]]  # by plugin
    _storage: PluginStorage
    _projects: Projects
    _events: EventLog

    def get_settings(
        self, caller: Caller, project_id: str, name: str
    ) -> PluginSettings:
        """Return the settings of a plugin. Raises ProjectNotFound, PermissionDenied,
        PluginNotFound."""
        project = self._projects.require(caller, "project_read", project_id)
        return self._shown(*self._read(name, project.id))

    def update_settings(
        self,
        caller: Caller,
        project_id: str,
        name: str,
        changes: Mapping[str, object],
    ) -> PluginSettings:
        """Change the settings that are named, by JSON name. Raises ProjectNotFound,
        PermissionDenied, PluginNotFound, ValidationFailed."""
        project = self._projects.require(caller, "project_update", project_id)
        type_ = self._type(name)
        given = _object(changes)
        with self._storage.transaction():
            self._projects.lock(project)
            settings, stored = self._read(name, project.id)
            new = {**(stored or {}), **given}
            settings = checked_settings(type_, stored or {}, given)
            if new != stored:
                self._write(name, project, new)
                self._events.append(
                    "project.updated",
                    organization_id=project.organization_id,
                    project_id=project.id,
                    actor=caller.actor,
                    items=[{"projectId": project.id, "fields": [f"plugins.{name}"]}],
                )
        return self._shown(settings, new)

    def of(self, name: str, project_id: str) -> Struct:
        """Return the settings of a project, of the plugin's type. Raises
        PluginNotFound."""
        return self._read(name, project_id)[0]

    def by_project(self, name: str) -> dict[str, Struct]:
        """Return the settings of all projects that have set any, by project id. Raises
        PluginNotFound."""
        type_ = self._type(name)
        found = self._storage.plugin_entries.list_of_projects(settings_space(name))
        return {each.owner_id: self._made(type_, name, each)[0] for each in found}

    def _type(self, name: str) -> type[Struct]:
        if name not in self._types:
            raise PluginNotFound
        return self._types[name]

    def _read(
        self, name: str, project_id: str
    ) -> tuple[Struct, dict[str, object] | None]:
        """Return the settings, and what is stored of them; None: nothing was set."""
        type_ = self._type(name)
        space = settings_space(name)
        entry = self._storage.plugin_entries.find(space, project_id, _KEY)
        return (type_(), None) if entry is None else self._made(type_, name, entry)

    def _made(
        self, type_: type[Struct], name: str, entry: PluginEntry
    ) -> tuple[Struct, dict[str, object]]:
        stored = msgspec.json.decode(entry.value, type=dict[str, object])
        settings, fits = fitting_settings(type_, stored)
        if lost := sorted(stored.keys() - fits.keys()):
            log.warning(
                "settings of plugin %s for project %s do not fit it any more: %s",
                name,
                entry.owner_id,
                ", ".join(lost),
            )
        return settings, fits

    def _write(self, name: str, project: Project, stored: dict[str, object]) -> None:
        text = stored_json(stored, "$")
        self._storage.plugin_entries.write(
            PluginEntry(
                settings_space(name), project.id, project.organization_id, _KEY, text
            )
        )

    def _shown(
        self, settings: Struct, stored: dict[str, object] | None
    ) -> PluginSettings:
        return PluginSettings(shown_settings(settings), stored is not None)


def _object(changes: Mapping[str, object]) -> dict[str, object]:
    """Return a copy. Raises ValidationFailed for what is no JSON object."""
    try:
        return msgspec.json.decode(plain_json(dict(changes)), type=dict[str, object])
    except (TypeError, ValueError) as error:
        raise ValidationFailed.at("$", "type", str(error)) from None
