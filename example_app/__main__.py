"""Run the example application: create the demo at the first start, and serve."""

from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from urllib.parse import quote

import click
from msgspec.structs import replace

from locframework import Framework, Settings
from locframework.commands.common import Setup, configure_logging, one_line_errors
from locframework.commands.serving import (
    base_url,
    migrate_first,
    require_server,
    serve_settings,
)
from locframework.errors import SettingsError
from locframework.server import ServerError
from locframework.webhooks.signing import new_key

from .demo import Demo, ready_demo, write_private

HERE = Path(__file__).resolve().parent


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--host", metavar="ADDRESS", help="Address to listen on.  [127.0.0.1]")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port; 0 picks a free one.  [8080]"
)
@click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path, resolve_path=True),
    default=HERE.parent / "data",
    help="Directory of all data.  [data, beside the example app]",
)
@click.option(
    "--settings",
    "settings_file",
    type=click.Path(dir_okay=False, path_type=Path),
    default=HERE / "settings.toml",
    help="Settings file.  [example_app/settings.toml]",
)
def main(
    host: str | None, port: int | None, data_dir: Path, settings_file: Path
) -> None:
    """Serve locframework with the demo project "Skerry".

    The first start creates an organization, its owner and the demo project, imports
    the files in example_app/demo, publishes them, and prints the owner's token.
    DIRECTORY/demo.json and demo.env have the tokens and ids that a script needs.
    Later starts do not change existing data; a lost or invalid token is replaced.

    \b
    Examples:
      python3 dev.py run
      python3 dev.py run --port 8081 --data-dir /tmp/second
    """
    configure_logging("warning")
    setup = Setup(settings_file)
    with one_line_errors(setup):
        settings = setup.settings()
        asked = {"host": host, "port": port}
        given = {name: value for name, value in asked.items() if value is not None}
        settings = replace(settings, server=replace(settings.server, **given))
        require_server(settings)  # before anything is made
        run(settings, data_dir)


def run(settings: Settings, data_dir: Path) -> None:
    """Make the demo if need be, and serve it until SIGTERM or SIGINT. demo.json is
    written as soon as it is served. Raises ServerError if another process serves the
    folder."""
    data_dir.mkdir(parents=True, exist_ok=True)
    with (data_dir / "demo.lock").open("ab") as lock:
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            message = f"another process serves {data_dir}; name another --data-dir"
            raise ServerError(message) from None
        demo_file = data_dir / "demo.json"
        key_file = None if settings.webhooks.secret_key else data_dir / "webhooks.key"
        settings = with_data_in(data_dir, settings, key_file)
        migrate_first(settings)
        kept = Demo.read(demo_file)
        with Framework(settings) as framework:
            if key_file is not None:
                keep_key(framework, key_file)
            demo = ready_demo(framework, kept)

        def on_ready(host: str, port: int) -> None:
            served = replace(demo, base_url=base_url(settings, host, port))
            served.write(demo_file)
            is_new = kept is None or kept.token != served.token
            print_addresses(served, demo_file, key_file, is_new=is_new)

        serve_settings(settings, on_ready)


def with_data_in(data_dir: Path, settings: Settings, key_file: Path | None) -> Settings:
    """Return the settings with all data in the folder, unless they name other places.
    The key for signing secrets is that of ``key_file``, or a new one."""
    if key_file is not None:
        key = key_file.read_text("ascii").strip() if key_file.exists() else new_key()
        webhooks = replace(settings.webhooks, secret_key=key)
        settings = replace(settings, webhooks=webhooks)
    database = quote(str(data_dir / "locframework.sqlite3"))
    tables: dict[str, dict[str, object]] = {
        "peewee": {"database": f"sqlite:///{database}"},
        "disk": {"folder": str(data_dir / "blobs")},
        "rapidfuzz": {"folder": str(data_dir / "matching")},
    }
    for plugin, table in settings.plugins.items():
        tables[plugin] = {**tables.get(plugin, {}), **table}
    return replace(settings, plugins=tables)


def keep_key(framework: Framework, file: Path) -> None:
    """Write the key for signing secrets, if it is new. Raises SettingsError if existing
    signing secrets are sealed with another key."""
    is_new = not file.exists()
    try:
        framework.require_needs()
    except SettingsError as error:
        if error.setting != "webhooks.secret_key":
            raise
        fault = "is missing" if is_new else "holds another key"
        remedy = "restore the one that the signing secrets of the webhooks need"
        raise SettingsError(f"{file} {fault}: {remedy}") from error
    if is_new:
        write_private(file, f"{framework.settings.webhooks.secret_key}\n".encode())


def print_addresses(
    demo: Demo, demo_file: Path, key_file: Path | None, *, is_new: bool
) -> None:
    """Print the addresses, and the token if it is new."""
    url = demo.base_url
    click.echo(f"base URL     {url}")
    if is_new:
        click.echo(f"owner token  {demo.token}")
    if demo.public_key:
        click.echo(f"manifest     {url}/content/{demo.public_key}/manifest.json")
    click.echo(f"docs         {url}/docs")
    if key_file is not None:
        kept = "keep it: no webhook can be signed without it"
        click.echo(f"webhook key  {key_file} ({kept})")
    click.echo(f"(also in {demo_file} and demo.env, with tokens; Ctrl-C stops)")


if __name__ == "__main__":
    main(prog_name="python3 dev.py run")
