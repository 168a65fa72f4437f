"""The command ``new-plugin``: writes a package that is ready to install and to test."""

import re
from collections.abc import Mapping
from importlib.resources import files
from keyword import iskeyword
from pathlib import Path
from typing import NamedTuple

import click

from locframework.compatibility import PORTS_VERSION

from .common import CommandFailed

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_STORAGE = (
    "a storage is for another database than SQLite and PostgreSQL, and has about"
    " 180 methods, so there is no small example; see docs/reference/ports.md"
)


class Port(NamedTuple):
    """What is written for a plugin of a port."""

    kind: str  # in the name of the distribution: locframework-<kind>-<name>
    description: str
    requires: tuple[str, ...] = ()


PORTS = {
    "format": Port("formats", "The file format {} for locframework"),
    "check": Port("checks", "The quality check {} for locframework"),
    "blob-store": Port("blobs", "The blob store {} for locframework"),
    "matcher": Port(
        "matching", "The fuzzy matcher {} for locframework", ("rapidfuzz>=3",)
    ),
    "transport": Port("webhooks", "The webhook transport {} for locframework"),
    "translator": Port("translators", "The engine {} for locframework"),
    "events": Port("events", "The plugin {} for locframework, which hears events"),
}


@click.command("new-plugin")
@click.argument("name")
@click.option(
    "--port",
    type=click.Choice([*PORTS, "storage"]),
    required=True,
    help="What the plugin provides; events: it listens.",
)
def new_plugin(name: str, port: str) -> None:
    """Write a new plugin, NAME, into a folder of its own in this folder.

    It is a whole package: a small plugin that works, its tests with the contract suite
    of the port, a README and a workflow of GitHub Actions that runs the tests.

    \b
    Example:
      locframework new-plugin ini --port format
      cd locframework-formats-ini && pip install -e '.[test]' && pytest
    """
    if port == "storage":
        raise CommandFailed(_STORAGE)
    snake = name.replace("-", "_")
    if not _NAME.fullmatch(name) or iskeyword(snake):
        rule = "lower-case letters and digits, with single hyphens between"
        raise click.BadParameter(f"{name!r} is not {rule}", param_hint="NAME")
    made = new_files(name, port)
    folder = Path(f"locframework-{PORTS[port].kind}-{name}")
    if folder.exists():
        raise CommandFailed(f"{folder} exists already; choose another name or folder")
    for path, text in made.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    click.echo(f"{folder}: {len(made)} files")
    click.echo(f"next: cd {folder} && pip install -e '.[test]' && pytest")


def new_files(name: str, port: str) -> Mapping[str, str]:
    """Return the files of a new plugin, by their paths."""
    kind, description, requires = PORTS[port]
    title = " ".join(word.capitalize() for word in name.split("-"))
    distribution, snake = f"locframework-{kind}-{name}", name.replace("-", "_")
    module = distribution.replace("-", "_")
    words = {
        "name": name,
        "snake": snake,
        "extension": name.replace("-", ""),
        "title": title,
        "Class": title.replace(" ", ""),
        "distribution": distribution,
        "module": module,
        "description": description.format(name),
        "ports": PORTS_VERSION.partition(".")[0],
        "requires": "".join(f', "{each}"' for each in requires),
    }
    folder = files("locframework.commands") / "templates"
    made = {}
    for path, template in (
        ("pyproject.toml", "pyproject.toml"),
        ("README.md", "README.md"),
        (".gitignore", "gitignore"),
        (".github/workflows/tests.yml", "workflow.yml"),
        (f"{module}.py", f"{port}.py"),
        (f"test_{snake}.py", f"{port}_test.py"),
    ):
        text = (folder / f"{template}.txt").read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(f"@@{word}@@", value)
        made[path] = text
    return made
