"""What ``from locframework import …`` gives, at run time and to type checkers."""

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest
from msgspec import Struct
from msgspec.structs import fields

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


def taken():
    """Each record that a service in ``help(Framework)`` takes, with the parameter."""
    _, _, text = (Framework.__doc__ or "").partition("\n    - ")
    framework = Framework()
    names = re.findall(r"\w+", text.partition("\n\n")[0])
    for service in [getattr(framework, n) for n in names if hasattr(framework, n)]:
        for _, method in inspect.getmembers(service, inspect.ismethod):
            types = get_type_hints(method)
            if "caller" not in types or method.__name__.startswith("_"):
                continue
            for parameter in inspect.signature(method).parameters.values():
                type_ = types[parameter.name]
                if inspect.isclass(type_) and issubclass(type_, Struct):
                    yield type_, parameter


def test_records_that_services_take_are_imported_from_the_front_door():
    types = {type_ for type_, _ in taken()}
    there = {getattr(locframework, each.__name__, None) for each in types}

    assert len(types) > 50
    between_services = {"Scope", "StoredGlossary", "StoredMemory"}
    assert {each.__name__ for each in types - there} == between_services


def test_queries_and_options_need_not_be_given():
    needed = {
        type_.__name__
        for type_, parameter in taken()
        if parameter.default is inspect.Parameter.empty
        and not any(field.required for field in fields(type_))
    }
    assert {name for name in needed if not name.endswith("Changes")} == {
        "RevertRequest",  # one filter at least
        "ReplayMany",
    }


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
