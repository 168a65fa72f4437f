"""The commands plugins, check-settings, migrate, recheck and verify."""

import hashlib
from collections.abc import Callable
from functools import cache, partial

import click
import msgspec

from locframework.app import OPERATOR, Framework
from locframework.errors import Unavailable
from locframework.http.rate_limit import SharedWindows, open_windows
from locframework.pagination import all_pages
from locframework.plugins import PluginHost, installed_entries, origin_of
from locframework.server import ServerError, require_waitress

from .common import (
    PROJECT,
    CommandFailed,
    Setup,
    common_options,
    counted,
    json_option,
    progress,
    projects_option,
    run_to_end,
    wait_for_database,
    wait_option,
)

SOME_BLOB = hashlib.sha256().hexdigest()  # to ask a store for; it need not have it


@click.command()
@json_option
@common_options
@click.pass_obj
def plugins(setup: Setup) -> None:
    """List the installed plugins, with what they provide, and their settings.

    Behind the distribution is the version of the ports that a plugin was written for.
    "chosen by" lists the settings that choose what it provides. Plugins that are not
    loaded follow: those that lack settings, and those in blocked_plugins.

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
    listed = []
    for plugin in host.loaded:
        name, provided = plugin.name, host.provided(plugin.name)
        selected, ports = host.selected(name, settings), host.required_ports(name)
        head = f"{name}  {plugin.distribution} {plugin.version}".rstrip()
        setup.say(f"{head}  (ports {ports})" if ports else head)
        if selected:
            setup.say(f"    chosen by: {', '.join(selected)}")
        for kind, names in provided.items():
            setup.say(f"    {kind.replace('_', ' ')}: {', '.join(names)}")
        setup.say(f"    hooks: {', '.join(plugin.hooks)}")
        for setting in plugin.settings:
            setup.say(f"    {setting}")
        for setting in plugin.project_settings:
            setup.say(f"    of each project: {setting}")
        more = {"provides": provided, "chosenBy": selected, "requiresPorts": ports}
        listed.append(msgspec.to_builtins(plugin) | more)
    for _, missing in sorted(host.not_configured.items()):
        setup.say(f"not configured: {missing.fault}")
    blocked = [
        {"name": entry.name, "distribution": origin_of(entry)}
        for entry in installed_entries()
        if entry.name in settings.blocked_plugins
    ]
    for each in blocked:
        setup.say(f"blocked: {each['name']}  {each['distribution']}")
    not_configured = [
        {
            "name": name,
            "distribution": each.distribution,
            "version": each.version,
            "hooks": sorted(each.hooks),
            "fault": each.fault,
        }
        for name, each in sorted(host.not_configured.items())
    ]
    setup.show({"plugins": listed, "notConfigured": not_configured, "blocked": blocked})
    if not host.loaded:
        click.echo("no plugin is installed", err=True)


@click.command()
@click.option(
    "--strict",
    is_flag=True,
    help="Exit with 1 if the database, Redis, the blob store or a plugin's server does "
    "not work.",
)
@json_option
@common_options
@click.pass_obj
def check_settings(setup: Setup, *, strict: bool) -> None:
    """Check the settings and all plugins; change nothing.

    Exits with 0 if "locframework serve" and "worker" could start with them. Exits
    with 2, and one line that says what is wrong, if they could not, if a plugin
    cannot use what its settings name, such as a folder that may not be written to, or
    if stored data needs a format, blob store or key that is missing. A plugin that
    lacks settings, has none, and is not used, is listed as not configured.

    These are reported, but are no faults of the settings: migrations that are pending;
    a database, blob store, rate limit storage or server of a plugin that does not work
    at the moment (with --strict, the exit code is then 1); a missing extra that serving
    needs.

    \b
    Example:
      locframework --settings new.toml check-settings && systemctl restart locframework
    """
    settings = setup.settings()
    windows = open_windows(settings.rate_limit_storage)
    server = settings.server
    with Framework(settings) as framework:
        plugin_faults = framework.plugins.require_usable(settings)
        formats = [info.id for info in framework.formats.list_formats()]
        names = [plugin.name for plugin in framework.plugins.loaded]
        database, database_fault = _database(framework)
        has_blob = framework.plugins.blob_stores[settings.blob_store].has
        blob_fault = _fault_of(lambda: has_blob(SOME_BLOB))
    does_not_work = f", which does not work: {blob_fault}" if blob_fault else ""
    is_shared = isinstance(windows, SharedWindows)
    requests = f"counted {'in shared storage' if is_shared else 'in each process'}"
    if windows_fault := _fault_of(windows.ping):
        requests = f"cannot be counted: {windows_fault}"
    serve = f"would listen on {server.host} port {server.port}"
    if serve_fault := _fault_of(require_waitress):
        serve = f"could not start: {serve_fault}"
    found = {
        "storage": settings.storage,
        "blob store": f"{settings.blob_store}{does_not_work}",
        "webhooks": settings.webhook_transport,
        "matcher": settings.matcher,
        "formats": ", ".join(formats) or "none",
        "plugins": ", ".join(names),
        "database": database,
        "requests": requests,
        "serve": serve,
    }
    not_configured = [each.fault for each in framework.plugins.not_configured.values()]
    for label, text in found.items():
        setup.say(f"{label:10}  {text}")
        if label == "plugins":
            for fault in not_configured:
                setup.say(f"            not configured: {fault}")
            for fault in plugin_faults:
                setup.say(f"            does not work: {fault}")
    faults = [fault for fault in (database_fault, blob_fault, windows_fault) if fault]
    faults += plugin_faults
    del found["blob store"]
    more = {"formats": formats, "plugins": names, "faults": faults}
    more["notConfigured"] = not_configured
    setup.show({**found, "blobStore": settings.blob_store, **more})
    if strict and faults:
        raise CommandFailed("; ".join(faults))
    cannot = ", but serve cannot start" if serve_fault else ""
    setup.say(f"The settings are fine{cannot}.")


@click.command()
@wait_option
@json_option
@common_options
@click.pass_obj
def migrate(setup: Setup, wait_seconds: int) -> None:
    """Bring the database up to date.

    It is safe to run this at any time, on several machines at once, and to kill it.
    "serve" and "worker" do the same when they start.

    \b
    Example:
      locframework --settings /etc/locframework.toml migrate
    """
    with Framework(setup.settings()) as framework:
        wait_for_database(framework, wait_seconds)
        applied = framework.migrate()
    for name in applied:
        setup.say(name)
    if not applied:
        setup.say("the database is up to date")
    setup.show({"applied": applied})


def _database(framework: Framework) -> tuple[str, str]:
    """Return how far the database is, and why it does not answer, or "". Raises
    SettingsError if nothing would start."""
    try:
        pending = framework.storage.migrate(dry_run=True)
    except Unavailable as error:
        return error.message, error.message
    if pending:
        lacks = counted(len(pending), "migration")
        return f'lacks {lacks}; "serve", "worker" and "migrate" apply them first', ""
    framework.require_needs()
    return "up to date", ""


def _fault_of(attempt: Callable[[], object]) -> str:
    """Return why it does not work at the moment, or ""."""
    try:
        attempt()
    except (Unavailable, ServerError) as error:
        return str(error)
    return ""


@click.command()
@projects_option
@json_option
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
        jobs = []
        for project in PROJECT.all(framework, reference):
            job = framework.issues.start_recheck(OPERATOR, project.id)
            with progress(f"checking {project.slug}") as report:
                job = run_to_end(framework, framework.jobs, project.id, job, report)
            if job.error is not None:
                raise CommandFailed(f"{project.slug}: {job.error.message}")
            if job.result is None:
                raise CommandFailed(f"{project.slug}: the job was {job.status}")
            keys = counted(int(str(job.result["keys"])), "key")
            setup.say(f"{project.slug}: {keys} checked")
            jobs.append(job)
        setup.show({"jobs": jobs})


@click.command()
@projects_option
@json_option
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
        list_page = framework.distributions.list_distributions
        fault_of = cache(framework.blobs.fault_of)  # a file may be in many releases
        files, faults = 0, list[str]()
        for project in PROJECT.all(framework, reference):
            about = OPERATOR, project.id
            for distribution in all_pages(partial(list_page, *about)):
                release = framework.releases.current_release(*about, distribution.id)
                if release is None:
                    continue
                for file in release.files:
                    files += 1
                    if fault := fault_of(file.blob, release.storage):
                        where = f"{project.slug}: {distribution.name}: {file.path}"
                        faults.append(f"{where}: {fault}")
                        setup.say(faults[-1])
    setup.show({"files": files, "faults": faults})
    if faults:
        raise CommandFailed(f"{len(faults)} of {counted(files, 'file')} cannot be read")
    setup.say(f"{counted(files, 'file')}, all as published")
