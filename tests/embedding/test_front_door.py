"""What ``from locframework import …`` gives, at run time and to type checkers."""

import pytest

import locframework
from locframework import Framework, PluginError, Settings, SettingsError


def test_what_stops_the_start_is_imported_from_where_it_begins() -> None:
    with pytest.raises(SettingsError, match="unknown field `job_worker`"):
        Settings.of({"job_worker": 2})
    with pytest.raises(PluginError, match="is a class; make an object of it"):
        Framework(plugins=[object])


def test_every_name_of_the_front_door_is_there() -> None:
    for name in locframework.__all__:
        assert getattr(locframework, name) is not None
