"""docs/settings.md: every setting with its default and an example that is accepted."""

from __future__ import annotations

import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from locframework.settings import (
    ENVIRONMENT_PREFIX,
    ServerSettings,
    Settings,
    WebhookSettings,
)

PAGE = "settings.md"
TABLES = (
    "server",
    "webhooks",
    "plugins",
)  # have sections of their own


def structs() -> dict[str, type[Struct]]:
    """Every settings struct that is shipped, by the heading it has on the page."""
    found: dict[str, type[Struct]] = {
        "The application": Settings,
        "[server]": ServerSettings,
        "[webhooks]": WebhookSettings,
    }
    for entry in entry_points(group="locframework"):
        if entry.dist is not None and entry.dist.name.startswith("locframework-"):
            found[f"[plugins.{entry.name}]"] = entry.load().settings_type
    return found


STRUCTS = structs()


def defaults_of(struct: type[Struct]) -> dict[str, Any]:
    fields = msgspec.structs.fields(struct)
    return {
        field.name: list(field.default)
        if isinstance(field.default, tuple)
        else field.default
        for field in fields
        if struct is not Settings or field.name not in TABLES
    }


def test_every_struct_has_its_section_and_no_section_is_left_over(page: Any) -> None:
    sections = [name for name in page.sections() if name.startswith("[")]

    assert {"The application", *sections} == set(STRUCTS)


@pytest.mark.parametrize("section", STRUCTS)
def test_every_setting_is_there_with_its_default(page: Any, section: str) -> None:
    rows = page.rows(page.sections()[section])

    told = {
        name: tomllib.loads(f"x = {default}")["x"] if default else None
        for name, default, _ in rows
    }
    assert told == defaults_of(STRUCTS[section])
    assert len(rows) == len(told)


@pytest.mark.parametrize("section", STRUCTS)
def test_the_example_names_every_setting_and_is_accepted(
    page: Any, section: str
) -> None:
    [example] = page.blocks("toml", page.sections()[section])

    tree: Any = tomllib.loads(example)
    settings = Settings.of(tree)
    for table in section.strip("[]").split(".") if section[0] == "[" else []:
        tree = tree[table]
    assert set(tree) == set(defaults_of(STRUCTS[section]))
    if section.startswith("[plugins."):
        name = section.removeprefix("[plugins.").removesuffix("]")
        msgspec.convert(settings.plugins[name], STRUCTS[section], strict=False)


def test_the_environment_example_is_accepted(page: Any) -> None:
    [example] = [each for each in page.blocks("") if ENVIRONMENT_PREFIX in each]
    environ = dict(line.split("=", 1) for line in example.splitlines())

    settings = Settings.load(environ=environ)

    assert settings.base_url == "https://l10n.example.com/api/v1"
    assert settings.server.port == 80
    assert settings.plugins["peewee"]["database"].startswith("postgresql://")


def test_all_examples_together_are_one_file(page: Any, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("\n".join(page.blocks("toml")))

    assert set(Settings.load(file, environ={}).plugins) == {
        section.removeprefix("[plugins.").removesuffix("]")
        for section in STRUCTS
        if section.startswith("[plugins.")
    }
