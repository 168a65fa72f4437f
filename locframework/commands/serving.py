"""``locframework serve`` and ``worker``: the long-running processes."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from ipaddress import ip_address

import click
from msgspec.structs import replace

from locframework.app import Framework
from locframework.errors import SettingsError
from locframework.http.dispatch import PREFIX
from locframework.http.metrics import open_metrics
from locframework.server import ServerError, listen, require_waitress, stop_signals
from locframework.server import serve as serve_wsgi
from locframework.settings import Settings
from locframework.wsgi import create_app, register

from .common import Setup, common_options, wait_for_database, wait_option

NO_WEBHOOKS = (
    "no webhook can be created without the setting webhooks.secret_key; make a key"
    " with: locframework webhooks new-key, and keep it as safe as a password"
)


@click.command()
@click.option("--host", metavar="ADDRESS", help="Where to listen.  [127.0.0.1]")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="0 picks a free port.  [8080]"
)
@click.option(
    "--threads", type=click.IntRange(1, 64), help="Requests that run at once.  [4]"
)
@wait_option
@common_options
@click.pass_obj
def serve(
    setup: Setup,
    host: str | None,
    port: int | None,
    threads: int | None,
    wait_seconds: int,
) -> None:
    """Serve the API, its documentation, and published content.

    Brings the database up to date first, if the address is free. Also runs jobs
    (imports, releases), unless the setting start_scheduler is false; see "locframework
    worker". SIGTERM lets running requests finish; the exit code is then 0.

    This is one process. To use several CPUs, start several on different ports behind
    a proxy, with a shared rate_limit_storage; docs/how-to/serve.md shows how.

    Options take precedence over the table [server] of the settings.

    \b
    Examples:
      locframework serve
      locframework --settings /etc/locframework.toml serve --port 80
      locframework serve --port 8081 --threads 8
    """
    settings = setup.settings()
    options = {"host": host, "port": port, "threads": threads}
    given = {name: value for name, value in options.items() if value is not None}
    settings = replace(settings, server=replace(settings.server, **given))
    require_server(settings)
    migrate_first(settings, wait_seconds)
    if settings.webhooks.secret_key is None:
        click.echo(f"warning: {NO_WEBHOOKS}", err=True)

    def on_ready(host: str, port: int) -> None:
        url = base_url(settings, host, port)
        shown = f"[{host}]" if ":" in host else host
        click.echo(f"Listening on http://{shown}:{port} (documentation: {url}/docs)")

    serve_settings(settings, on_ready)


@click.command()
@click.option(
    "--metrics-host", metavar="ADDRESS", default="127.0.0.1", show_default=True
)
@click.option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    help="Serve this worker's metrics there.  [nowhere]",
)
@wait_option
@common_options
@click.pass_obj
def worker(
    setup: Setup, metrics_host: str, metrics_port: int | None, wait_seconds: int
) -> None:
    """Run jobs and send webhooks; serve nothing but metrics.

    Any number of workers may share a database with any number of "locframework serve".
    With the setting start_scheduler = false, these leave all jobs to the workers. After
    SIGTERM, running jobs have ten seconds to end, the next worker takes over the
    others, and the exit code is 0.

    \b
    Example:
      LOCFRAMEWORK_START_SCHEDULER=false locframework serve &
      locframework worker --metrics-port 9100
    """
    settings = setup.settings()
    migrate_first(settings, wait_seconds)
    with stop_signals() as stop, Framework(settings) as framework, ExitStack() as stack:
        if metrics_port is not None:
            _serve_metrics(framework, metrics_host, metrics_port, stack)
        framework.start()
        click.echo(f"locframework works on jobs, {settings.job_workers} at once")
        stop.wait()


def serve_settings(settings: Settings, on_ready: Callable[[str, int], None]) -> None:
    """Serve until SIGTERM or SIGINT. Raises ServerError, and as Framework does."""
    server = settings.server
    with (
        stop_signals() as stop,
        closing(listen(server.host, server.port)) as listening,
        Framework(settings) as framework,
    ):
        host, port = listening.getsockname()[:2]
        with register(framework, f"{host}:{port}"):
            serve_wsgi(
                create_app(framework),
                listening,
                stop,
                threads=server.threads,
                trusted_proxy=server.trusted_proxy,
                on_ready=lambda: on_ready(host, port),
            )


def require_server(settings: Settings) -> None:
    """Raise ServerError if waitress is missing or the address is in use, SettingsError
    if others reach it and no address for them is set (decisions 2.12)."""
    server = settings.server
    is_known = settings.base_url is not None or settings.trust_host
    if not is_known and not _is_loopback(server.host):
        message = (
            f"settings: base_url: is needed to serve on {server.host}; set it to the"
            ' address that clients use, as "https://l10n.example.com/api/v1"'
        )
        raise SettingsError(message, "base_url")
    require_waitress()
    listen(server.host, server.port).close()


def migrate_first(settings: Settings, wait_seconds: int = 0) -> None:
    """Apply pending migrations; safe when several processes start at once."""
    with Framework(settings) as framework:
        wait_for_database(framework, wait_seconds)
        applied = framework.migrate()
    if applied:
        names = applied[0] if len(applied) == 1 else f"{applied[0]} to {applied[-1]}"
        click.echo(f"migrated the database: {names}", err=True)


def base_url(settings: Settings, host: str, port: int) -> str:
    """Return the URL of the API, by the address and port of the listener."""
    if settings.base_url is not None:
        return settings.base_url
    return f"http://{_in_url(host)}:{port}{PREFIX}"


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _in_url(host: str) -> str:
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)
    return f"[{name}]" if ":" in name and not name.startswith("[") else name


def _serve_metrics(
    framework: Framework, host: str, port: int, stack: ExitStack
) -> None:
    metrics = open_metrics()
    if metrics is None:
        raise SettingsError("--metrics-port needs the extra: locframework[metrics]")
    metrics.watch(framework.metrics)
    try:
        port = stack.enter_context(metrics.served(host, port))
    except OSError as error:
        message = f"cannot listen on {host} port {port}: {error.strerror}"
        raise ServerError(message) from None
    click.echo(f"metrics: http://{_in_url(host)}:{port}/metrics", err=True)
