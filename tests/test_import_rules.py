"""Every plugin is under the import rules and the type checker of pyproject.toml."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))
PACKAGES = [plugin.name.replace("-", "_") for plugin in PLUGINS]
CONTRACTS = {each["id"]: each for each in TOOLS["importlinter"]["contracts"]}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_plugin_is_under_the_import_rules(package):
    assert package in TOOLS["importlinter"]["root_packages"]
    assert package in CONTRACTS["distributions"]["layers"][1]
    for name in ("falcon", "ports"):
        assert package in CONTRACTS[name]["source_modules"]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_plugin_is_checked_by_mypy(package):
    assert package in TOOLS["mypy"]["packages"]


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda path: path.name)
def test_every_plugin_has_its_package_its_types_and_its_entry_point(plugin):
    package = plugin / plugin.name.replace("-", "_")
    project = tomllib.loads((plugin / "pyproject.toml").read_text("utf-8"))["project"]

    assert project["name"] == plugin.name
    assert (package / "py.typed").is_file()
    assert all(
        target.startswith(f"{package.name}:")
        for target in project["entry-points"]["locframework"].values()
    )


def test_pins_name_versions_only():
    pins = (ROOT / "constraints.txt").read_text("utf-8").splitlines()

    assert all(line.count("==") == 1 for line in pins)
    assert not any("/" in line or "@" in line or line[:2] == "-e" for line in pins)
