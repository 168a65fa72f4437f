"""Settings of plugins for projects, over HTTP."""

from locframework.access.records import Caller
from locframework.errors import PluginNotFound
from locframework.http.operation import operation

from .project_settings import ProjectSettings
from .records import PluginSettings

_ONE = "/projects/{projectId}/plugins/{name}"


class ProjectPluginEndpoints:
    """Declares the operations of settings of plugins."""

    tag = "Projects"

    def __init__(self, settings: ProjectSettings) -> None:
        self._settings = settings

    @operation("GET", _ONE, permission="project_read", errors=(PluginNotFound,))
    def get_plugin_settings(
        self, caller: Caller, project_id: str, name: str
    ) -> PluginSettings:
        """Get the settings of a plugin for a project.

        `GET /plugins` lists them with their types. A secret that is set is `…`.
        """
        return self._settings.get_settings(caller, project_id, name)

    @operation(
        "PATCH",
        _ONE,
        permission="project_update",
        errors=(PluginNotFound,),
        etag=True,
    )
    def update_plugin_settings(
        self, caller: Caller, project_id: str, name: str, body: dict[str, object]
    ) -> PluginSettings:
        """Change settings of a plugin for a project.

        The body has the members of `settings` that change; what is left out stays.
        `{}` sets none, and lets the plugin's schedules run in the project.
        """
        return self._settings.update_settings(caller, project_id, name, body)
