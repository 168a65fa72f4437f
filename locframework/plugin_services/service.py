"""What belongs to one plugin: its data, its settings of projects, its jobs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from locframework.access.records import Caller
from locframework.errors import SettingsError
from locframework.fields import id_from_reference
from locframework.jobs.records import Job
from locframework.jobs.service import Jobs
from locframework.projects.service import Projects

from .data import PluginData
from .project_settings import ProjectSettings
from .records import PluginJob
from .rules import job_type, stored_json
from .store import PluginStorage


@dataclass(eq=False)
class PluginServices:
    """What the framework has for one plugin: ``framework.plugin("digest")``."""

    name: str
    _jobs_of_plugin: Mapping[str, PluginJob]  # by name
    _storage: PluginStorage
    _settings: ProjectSettings
    _projects: Projects
    _jobs: Jobs

    def data(self, owner: str | None = None) -> PluginData:
        """Return the plugin's values for a project or an organization, by its id or
        slug; None: for the whole application. Asks nothing by itself."""
        return PluginData(self._storage, self.name, owner)

    # Any: of the plugin's own ``project_settings_type``
    def settings(self, project_id: str) -> Any:
        """Return the settings for a project, by its id or slug. One statement. Raises
        PluginNotFound if the plugin has no ``project_settings_type``."""
        return self._settings.of(self.name, id_from_reference(project_id) or "")

    def settings_by_project(self) -> dict[str, Any]:
        """Return the settings of all projects that have set any, by project id. One
        statement. Raises as ``settings``."""
        return {**self._settings.by_project(self.name)}

    def start_job(
        self,
        caller: Caller,
        project_id: str,
        name: str,
        params: Mapping[str, object] = {},
    ) -> Job:
        """Queue a job of the plugin in a project; in an open transaction it starts
        after the commit. ``params``, a JSON object of up to 64 KiB, are those of the
        job that ``run`` gets. Raises ProjectNotFound, PermissionDenied,
        ValidationFailed; KeyError for a job that the plugin does not provide."""
        job = self._jobs_of_plugin[name]
        project = self._projects.require(caller, job.permission, project_id)
        given = msgspec.json.decode(stored_json(dict(params), "params"))
        with self._storage.transaction():
            return self._jobs.start(
                caller, project, job_type(self.name, name), job.permission, given
            )


def require_plugin(name: str, loaded: Mapping[str, object]) -> None:
    """Raise SettingsError unless a plugin of this name is loaded."""
    if name not in loaded:
        names = ", ".join(sorted(loaded)) or "none"
        raise SettingsError(f"no plugin {name!r} is loaded; there are {names}")
