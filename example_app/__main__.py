"""Run the example application: create the demo at the first start, and serve."""

from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from urllib.parse import quote

import click
from msgspec.structs import replace

from locframework import Framework, Settings
from locframework.commands.errors import one_line
from locframework.commands.options import Setup, configure_logging
from locframework.commands.serving import (
    base_url,
    migrate_first,
    require_server,
    serve_settings,
)
from locframework.errors import SettingsError
from locframework.server import ServerError
from locframework.webhooks.signing import new_key

from .demo import Demo, owner_token, ready_demo, write_private

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
    DIRECTORY/demo.json has the token and the ids that a script needs. Later starts
    do not change existing data; a lost or invalid token is replaced.

    \b
    Examples:
      python3 dev.py run
      python3 dev.py run --port 8081 --data-dir /tmp/second
    """
    configure_logging("warning")
    setup = Setup(settings_file)
    with one_line(setup.source_of):
        settings = Settings.load(settings_file)
        asked = {"host": host, "port": port}
        given = {name: value for name, value in asked.items() if value is not None}
        settings = replace(settings, server=replace(settings.server, **given))
        require_server(settings.server)  # before anything is made
        run(settings, data_dir)


def run(settings: Settings, data_dir: Path) -> None:
    """Make the demo if need be, and serve it until SIGTERM or SIGINT.

    Raises ServerError if another process does so in the folder.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    with (data_dir / "demo.lock").open("ab") as lock:
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            message = f"another process serves {data_dir}; name another --data-dir"
            raise ServerError(message) from None
        make_and_serve(settings, data_dir)


def make_and_serve(settings: Settings, data_dir: Path) -> None:
    """Serve the demo, and write its demo.json as soon as it is served."""
    demo_file = data_dir / "demo.json"
    key_file = None if settings.webhooks.secret_key else data_dir / "webhooks.key"
    settings = kept_in(data_dir, settings, key_file)
    migrate_first(settings)
    with Framework(settings) as framework:
        if key_file is not None:
            keep_key(framework, key_file)
        demo = ready_demo(framework, Demo.read(demo_file))

    def on_ready(host: str, port: int) -> None:
        token = demo.token or new_token(settings, demo)
        served = replace(demo, token=token, base_url=base_url(settings, host, port))
        served.write(demo_file)
        tell(served, demo_file, key_file, is_new=not demo.token)

    serve_settings(settings, on_ready)


def new_token(settings: Settings, demo: Demo) -> str:
    """Return a new owner token, once the address is known to be free."""
    with Framework(settings) as framework:
        return owner_token(framework, demo)


def kept_in(data_dir: Path, settings: Settings, key_file: Path | None) -> Settings:
    """The settings, with all data in the folder where they do not say; the key for
    signing secrets of ``key_file``, if they have none, or a new one."""
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
    """Write the key for signing secrets, when it is new. Raises SettingsError where
    it is not the one that seals those there are, and writes nothing."""
    is_new = not file.exists()
    try:
        framework.webhooks.require_keys()
    except SettingsError as error:
        fault = "is missing" if is_new else "holds another key"
        told = "restore the one that the signing secrets of the webhooks need"
        raise SettingsError(f"{file} {fault}: {told}") from error
    if is_new:
        write_private(file, f"{framework.settings.webhooks.secret_key}\n".encode())


def tell(demo: Demo, demo_file: Path, key_file: Path | None, *, is_new: bool) -> None:
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
    click.echo(f"(also in {demo_file}, with the token; Ctrl-C stops)")


if __name__ == "__main__":
    main(prog_name="python3 dev.py run")
