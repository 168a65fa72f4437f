"""What ``from locframework import …`` gives, at run time and to type checkers."""

import subprocess
import sys
from pathlib import Path

import pytest

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


def test_every_name_of_the_front_door_is_there():
    for name in locframework.__all__:
        assert getattr(locframework, name) is not None


FRONT_DOOR = Path(locframework.__file__)
PROGRAM = """
from locframework import OPERATOR, Framework, LocError, PluginError, Settings
from locframework import SettingsError, create_app, hookimpl
from locframework import Framewrok
"""


def test_type_checkers_see_the_names_that_there_are_and_no_others(tmp_path):
    """Of the framework, mypy reads the front door alone: a second, not a minute."""
    program = tmp_path / "embedder.py"
    program.write_text(PROGRAM)

    options = ["--strict", "--follow-imports=skip", f"--cache-dir={tmp_path}"]
    command = [sys.executable, "-m", "mypy", *options, program, FRONT_DOOR]
    checked = subprocess.run(command, capture_output=True, text=True, timeout=120)

    said = [line for line in checked.stdout.splitlines() if "error:" in line]
    assert len(said) == 1, checked.stdout + checked.stderr
    assert 'has no attribute "Framewrok"' in said[0]
