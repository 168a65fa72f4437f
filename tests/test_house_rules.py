"""That no new distribution or file slips past the rules in pyproject.toml."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))
PACKAGES = [plugin.name.replace("-", "_") for plugin in PLUGINS]
LINES_MOST = 400


def contract(name: str) -> dict[str, list[str]]:
    [found] = [c for c in TOOLS["importlinter"]["contracts"] if c["id"] == name]
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_every_plugin_is_under_the_import_rules(package):
    assert package in TOOLS["importlinter"]["root_packages"]
    assert package in contract("houses")["layers"][1]
    for name in ("falcon", "pluggy", "front-doors"):
        assert package in contract(name)["source_modules"]


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


def test_every_area_is_under_the_rules_for_its_rooms():
    areas = {path.parent.name for path in (ROOT / "locframework").glob("*/records.py")}

    listed = {name.partition(".")[2] for name in contract("rooms")["containers"]}

    assert areas - {"http"} == listed


def test_no_file_grows_too_long_to_read():
    of_plugins = [plugin / plugin.name.replace("-", "_") for plugin in PLUGINS]
    packages = [ROOT / "locframework", ROOT / "example_app", *of_plugins]
    lines = {
        str(file.relative_to(ROOT)): len(file.read_text("utf-8").splitlines())
        for package in packages
        for file in package.rglob("*.py")
    }

    assert {name: count for name, count in lines.items() if count > LINES_MOST} == {}


def test_pins_name_no_address_and_no_place():
    pins = (ROOT / "constraints.txt").read_text("utf-8").splitlines()

    assert all(line.count("==") == 1 for line in pins)
    assert not any("/" in line or "@" in line or line[:2] == "-e" for line in pins)
