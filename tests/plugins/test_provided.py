"""What of a plugin's provisions stops the start: names twice, what keeps no port."""

from types import SimpleNamespace
from typing import ClassVar

import pytest

from locframework import hookimpl
from locframework.errors import PluginError, SettingsError
from locframework.plugins import PluginHost

from .samples import WordyPlugin, refusal_of


def test_one_name_from_two_plugins() -> None:
    with pytest.raises(PluginError) as caught:
        PluginHost.discover({}, more=[WordyPlugin("a", "x"), WordyPlugin("b", "x")])

    assert str(caught.value).endswith(
        "loc_provide_formats: 'x' is provided by plugin 'a' already"
    )
    assert str(caught.value).startswith("plugin 'b' (")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": "length"}, "'length' is provided by plugin 'locframework' already"),
        ({"name": "No Tabs"}, "name 'No Tabs' is not lower snake case"),
        ({"name": "x" * 101}, "is not lower snake case"),
        ({"name": None}, "checks: name None is not lower snake case"),
        ({"needs": "source"}, "needs 'source' is not one of key, language_code, texts"),
        ({"needs": ["tags"]}, "needs ['tags'] is not one of key,"),
        ({"severity": "fatal"}, ": severity 'fatal' is not error, warning or off"),
        ({"severity": []}, ": severity [] is not error, warning or off"),
        ({"find": None}, "find is not a method"),
    ],
)
def test_a_check_that_does_not_keep_its_port(
    change: dict[str, object], reason: str
) -> None:
    class Checking:
        name = "checking"

        @hookimpl
        def loc_provide_checks(self) -> list[object]:
            right = {"name": "tabs", "severity": "error", "find": lambda _: []}
            right["description"] = "Finds tabs."
            return [SimpleNamespace(**right | change)]

    line = refusal_of(Checking())
    assert line.startswith("plugin 'checking' (")
    assert "loc_provide_checks: " in line
    assert reason in line


def test_one_name_twice_from_one_plugin() -> None:
    assert refusal_of(WordyPlugin("a", "x", "x")).endswith(
        "loc_provide_formats: 'x' is provided by plugin 'a' already"
    )


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (RuntimeError("no database"), "RuntimeError('no database')"),
        ([3], "int is not of type StorageProvider: it lacks name"),
        (3, "TypeError(\"'int' object is not iterable\")"),
    ],
    ids=["raises", "no name", "no list"],
)
def test_a_plugin_that_provides_nothing_usable(given: object, reason: str) -> None:
    class Ant:
        name: ClassVar = "ant"

        @hookimpl
        def loc_provide_storages(self) -> object:
            if isinstance(given, Exception):
                raise given
            return given

    assert refusal_of(Ant()).endswith(f": loc_provide_storages: {reason}")


def test_a_storage_that_nobody_provides_lists_those_there_are() -> None:
    host = PluginHost.discover({})

    with pytest.raises(SettingsError) as caught:
        host.storage("mongo")
    assert str(caught.value) == (
        "settings: storage: no installed plugin provides 'mongo'; available: peewee"
    )


def test_a_blob_store_that_nobody_provides_lists_those_there_are() -> None:
    host = PluginHost.discover({}, installed=False)

    with pytest.raises(SettingsError) as caught:
        host.blob_store("s3")
    assert str(caught.value) == (
        "settings: blob_store: no installed plugin provides 's3'; available: none"
    )


def test_a_transport_that_nobody_provides_lists_those_there_are() -> None:
    host = PluginHost.discover({})

    with pytest.raises(SettingsError) as caught:
        host.transport("pigeon")
    assert str(caught.value) == (
        "settings: webhook_transport: no installed plugin provides 'pigeon';"
        " available: https"
    )
    assert caught.value.setting == "webhook_transport"


def test_a_matcher_that_nobody_provides_lists_those_there_are() -> None:
    host = PluginHost.discover({})

    with pytest.raises(SettingsError) as caught:
        host.matcher("soundex")
    assert str(caught.value) == (
        "settings: matcher: no installed plugin provides 'soundex';"
        " available: postgres, rapidfuzz"
    )
