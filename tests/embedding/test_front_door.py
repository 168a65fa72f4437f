"""What ``from locframework import …`` gives, at run time and to type checkers."""

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest
from msgspec import Struct

import locframework
from locframework import Framework, PluginError, Settings, SettingsError


def test_what_stops_the_start_is_imported_from_where_it_begins():
    with pytest.raises(SettingsError, match="did you mean 'job_workers'"):
        Settings.of({"job_worker": 2})
    with pytest.raises(PluginError, match="is a class; give an object of it"):
        Framework(plugins=[object])


@pytest.mark.parametrize("given", [{}, {"job_workers": 2}, "settings.toml"])
def test_settings_that_are_none_are_told_as_such(given):
    with pytest.raises(
        SettingsError, match=r"settings: got \w+; convert it with Settings"
    ):
        Framework(given)


def test_dir_lists_every_name_of_the_front_door_and_each_is_there():
    assert dir(locframework) == locframework.__all__ == sorted(set(dir(locframework)))
    assert {"Framework", "NewKey", "OPERATOR", "hookimpl"} < set(dir(locframework))
    for name in dir(locframework):
        assert getattr(locframework, name) is not None


def test_records_that_services_take_are_imported_from_the_front_door():
    with Framework() as framework:
        services = [
            getattr(framework, name)
            for name in re.findall(r"\w+", help_of_services())
            if hasattr(framework, name)
        ]
    assert len(services) > 30
    taken = {
        (type_.__name__, type_)
        for service in services
        for _, method in inspect.getmembers(service, inspect.ismethod)
        if "caller" in inspect.signature(method).parameters
        and not method.__name__.startswith(("_", "prepare_"))
        for parameter, type_ in get_type_hints(method).items()
        if parameter != "return" and inspect.isclass(type_)
        if issubclass(type_, Struct) and not type_.__name__.startswith("Stored")
    }
    missing = {name for name, type_ in taken if getattr(locframework, name, 0) != type_}
    assert len(taken) > 50
    assert missing == {"Scope"}  # of Access, which services call


def help_of_services():
    """The list of services in ``help(Framework)``."""
    _, _, text = (Framework.__doc__ or "").partition("\n    - ")
    return text.partition("\n\n")[0]


FRONT_DOOR = Path(locframework.__file__)
PROGRAM = """
from locframework import OPERATOR, Framework, LocError, PluginError, Settings
from locframework import SettingsError, create_app, hookimpl, KeyQuery, NewKey
from locframework import Framewrok
"""


def test_type_checkers_see_the_names_that_there_are_and_no_others(tmp_path):
    """Of the framework, mypy reads two files alone: a second, not a minute."""
    program = tmp_path / "embedder.py"
    program.write_text(PROGRAM)

    options = ["--strict", "--follow-imports=skip", f"--cache-dir={tmp_path}"]
    records = FRONT_DOOR.with_name("records.py")
    command = [sys.executable, "-m", "mypy", *options, program, FRONT_DOOR, records]
    checked = subprocess.run(command, capture_output=True, text=True, timeout=120)

    said = [line for line in checked.stdout.splitlines() if "error:" in line]
    assert len(said) == 1, checked.stdout + checked.stderr
    assert 'has no attribute "Framewrok"' in said[0]
