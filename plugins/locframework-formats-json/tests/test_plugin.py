"""The plugin is found, configured, and provides its formats."""

import pytest

from locframework.errors import PluginError
from locframework.plugins import PluginHost
from locframework.ports import Catalogue, Entry, FileOptions

IDS = {
    "arb",
    "json-chrome",
    "json-flat",
    "json-formatjs",
    "json-go-i18n",
    "json-i18next",
    "json-i18next-v3",
    "json-laravel",
    "json-nested",
    "json-nextcloud",
    "json-vue-i18n",
}


def test_the_plugin_provides_its_formats() -> None:
    host = PluginHost.discover({})

    assert {id_ for id_ in host.formats if host.plugin_of_format(id_) == "json"} == IDS


def test_the_indent_is_a_setting_of_all_formats() -> None:
    host = PluginHost.discover({"json": {"indent": 0}})
    options = FileOptions(key_separator=".", source_language="en")
    catalogue = Catalogue("en", [Entry("a", "b")])

    for id_ in IDS:
        written = host.formats[id_].write([catalogue], options)
        assert written.content.count(b"\n") == 1


@pytest.mark.parametrize("settings", [{"indent": -1}, {"indent": 9}, {"tabs": True}])
def test_wrong_settings_stop_the_start(settings: dict[str, object]) -> None:
    with pytest.raises(PluginError, match=r"^plugin 'json' .*settings: "):
        PluginHost.discover({"json": settings})
