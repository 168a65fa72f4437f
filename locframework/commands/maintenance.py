"""The commands plugins, check-settings, migrate, recheck and verify."""

import hashlib
from collections.abc import Iterator
from functools import cache

import click

from locframework.app import OPERATOR, Framework
from locframework.delivery.records import Distribution
from locframework.errors import Unavailable
from locframework.http.rate_limit import SharedWindows, Windows, open_windows
from locframework.pagination import all_pages
from locframework.plugins import LoadedPlugin, PluginHost
from locframework.projects.records import Project
from locframework.server import ServerError, require_waitress
from locframework.settings import ServerSettings

from .errors import CommandFailed, counted
from .jobs import progress, run_to_end
from .options import Setup, chosen_projects, common_options, projects_option

SOME_BLOB = hashlib.sha256().hexdigest()  # to ask a store for; it need not have it


@click.command()
@common_options
@click.pass_obj
def plugins(setup: Setup) -> None:
    """List the installed plugins, with their hooks and settings.

    \b
    Each setting is shown as "name: type = default". Set it in the plugin's own table
    of the settings file:
      [plugins.json]
      indent = 4

    \b
    or in the environment:
      LOCFRAMEWORK_PLUGINS__JSON__INDENT=4

    To keep an installed plugin from being loaded, name it in blocked_plugins.

    \b
    Example:
      locframework --settings /etc/locframework.toml plugins
    """
    settings = setup.settings()
    host = PluginHost.discover(settings.plugins, blocked=settings.blocked_plugins)
    loaded = host.loaded
    for plugin in loaded:
        _tell(plugin)
    if not loaded:
        click.echo("no plugin is installed", err=True)


@click.command()
@common_options
@click.pass_obj
def check_settings(setup: Setup) -> None:
    """Check the settings and all plugins; change nothing.

    Exits with 0 if "locframework serve" and "worker" could start with them. Exits
    with 2, and one line that says what is wrong, if they could not, or if a plugin
    cannot use what its settings name, such as a folder that may not be written to.

    These are reported, but are no faults of the settings: migrations that are pending;
    a database, blob store or rate limit storage that does not answer at the moment; a
    missing extra that serving needs.

    \b
    Example:
      locframework --settings new.toml check-settings && systemctl restart locframework
    """
    settings = setup.settings()
    windows = open_windows(settings.rate_limit_storage)
    with Framework(settings) as framework:
        framework.plugins.require_usable(settings)
        formats = [info.id for info in framework.formats.list_formats()]
        names = [plugin.name for plugin in framework.plugins.loaded]
        database = _database(framework)
        blob_store = _blob_store(framework)
    click.echo(f"storage     {settings.storage}")
    click.echo(f"blob store  {blob_store}")
    click.echo(f"webhooks    {settings.webhook_transport}")
    click.echo(f"matcher     {settings.matcher}")
    click.echo(f"formats     {', '.join(formats) or 'none'}")
    click.echo(f"plugins     {', '.join(names)}")
    click.echo(f"database    {database}")
    click.echo(f"requests    {_counting(windows)}")
    click.echo(f"serve       {_serving(settings.server)}")
    click.echo("The settings are fine.")


@click.command()
@common_options
@click.pass_obj
def migrate(setup: Setup) -> None:
    """Bring the database up to date.

    It is safe to run this at any time, on several machines at once, and to kill it.
    "serve" and "worker" do the same when they start.

    \b
    Example:
      locframework --settings /etc/locframework.toml migrate
    """
    with Framework(setup.settings()) as framework:
        applied = framework.migrate()
    for name in applied:
        click.echo(name)
    if not applied:
        click.echo("the database is up to date")


def _database(framework: Framework) -> str:
    """How far the database is. Raises SettingsError where nothing would start."""
    try:
        pending = framework.storage.pending_migrations()
    except Unavailable as error:
        return error.message
    if pending:
        lacks = counted(len(pending), "migration")
        return f'lacks {lacks}; "serve", "worker" and "migrate" apply them first'
    framework.webhooks.require_keys()
    return "up to date"


def _blob_store(framework: Framework) -> str:
    """Its name, and why it could keep nothing just now."""
    name = framework.settings.blob_store
    try:
        framework.plugins.blob_stores[name].has(SOME_BLOB)
    except Unavailable as error:
        return f"{name}, which does not work: {error.message}"
    return name


def _counting(windows: Windows) -> str:
    """Where requests are counted, and that none could be just now."""
    try:
        windows.ping()
    except Unavailable as error:
        return f"cannot be counted: {error.message}"
    shared = isinstance(windows, SharedWindows)
    return f"counted {'in shared storage' if shared else 'in each process'}"


def _serving(server: ServerSettings) -> str:
    try:
        require_waitress()
    except ServerError as error:
        return f"could not start: {error}"
    return f"would listen on {server.host} port {server.port}"


def _tell(plugin: LoadedPlugin) -> None:
    click.echo(f"{plugin.name}  {plugin.distribution} {plugin.version}".rstrip())
    click.echo(f"    hooks: {', '.join(plugin.hooks)}")
    for setting in plugin.settings:
        click.echo(f"    {setting}")


@click.command()
@projects_option
@common_options
@click.pass_obj
def recheck(setup: Setup, reference: str | None) -> None:
    """Run the quality checks on all existing texts.

    Texts are checked when they are written. So run this after a plugin with checks was
    installed, updated or removed. It may be run at any time, and works in small steps
    that do not keep others from writing.

    \b
    Example:
      pip install locframework-checks-spelling && locframework recheck
    """
    with setup.framework() as framework:
        for project in list(chosen_projects(framework, reference)):
            job = framework.issues.start_recheck(OPERATOR, project.id)
            with progress(f"checking {project.slug}") as tell:
                job = run_to_end(framework, framework.jobs, project.id, job, tell)
            if job.error is not None:
                raise CommandFailed(f"{project.slug}: {job.error.message}")
            if job.result is None:
                raise CommandFailed(f"{project.slug}: the job was {job.status}")
            keys = counted(int(str(job.result["keys"])), "key")
            click.echo(f"{project.slug}: {keys} checked")


@click.command()
@projects_option
@common_options
@click.pass_obj
def verify(setup: Setup, reference: str | None) -> None:
    """Read the published files; report lost and damaged ones.

    Reads the files of the current release of each distribution, also of paused ones.
    Changes nothing, and may be run at any time: after a backup was restored, or from a
    timer. Exits with 0 if every file is as its release says, otherwise with 1.

    Publishing again brings back a lost file; a damaged one must be deleted from the
    blob store first.

    \b
    Example:
      locframework verify || mail -s "published files are damaged" ada@example.com
    """
    with setup.framework() as framework:
        # one file may be in many releases
        fault_of = cache(framework.blobs.fault_of)
        files = faults = 0
        for project in chosen_projects(framework, reference):
            for distribution in _distributions(framework, project):
                for path, blob, store in _files(framework, distribution):
                    files += 1
                    if fault := fault_of(blob, store):
                        faults += 1
                        where = f"{project.slug}: {distribution.name}: {path}"
                        click.echo(f"{where}: {fault}")
    if faults:
        raise CommandFailed(f"{faults} of {counted(files, 'file')} cannot be read")
    click.echo(f"{counted(files, 'file')}, all as published")


def _distributions(framework: Framework, project: Project) -> Iterator[Distribution]:
    return all_pages(
        lambda page: framework.distributions.list_distributions(
            OPERATOR, project.id, page
        )
    )


def _files(
    framework: Framework, distribution: Distribution
) -> Iterator[tuple[str, str, str]]:
    """Path, blob and blob store of each file of the current release."""
    release = framework.releases.current_release(
        OPERATOR, distribution.project_id, distribution.id
    )
    if release is not None:
        for file in release.files:
            yield file.path, file.blob, release.storage
