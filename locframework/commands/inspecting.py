"""``locframework plugins``, ``check-settings`` and ``migrate``."""

import hashlib

import click

from locframework.app import Framework
from locframework.errors import Unavailable
from locframework.http.rate_limit import SharedWindows, Windows, open_windows
from locframework.plugins import LoadedPlugin, PluginHost
from locframework.server import ServerError, require_waitress
from locframework.settings import ServerSettings

from .options import Setup, common_options
from .telling import counted

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
    loaded = host.loaded()
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
        names = [plugin.name for plugin in framework.plugins.loaded()]
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
        framework.plugins.blob_store(name).has(SOME_BLOB)
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
