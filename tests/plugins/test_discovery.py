"""The plugin host: which plugins are found, and what they get."""

from typing import Annotated, Literal, Optional

from msgspec import Meta, Struct, field

from locframework import hookimpl
from locframework.plugins import PluginHost

from .samples import EVENT, Install, Listener, WordyPlugin, plugin_source, refusal_of


def test_installed_plugins_get_their_settings_and_tell_of_themselves(
    install: Install,
) -> None:
    hook = "@hookimpl\n    def loc_on_event(self, event): pass"
    install("wordy", plugin_source("width: int = 3", hook), dist="loc-wordy")

    host = PluginHost.discover({"wordy": {"width": "7"}})

    found = next(each for each in host.loaded() if each.name == "wordy")
    assert (found.distribution, found.version) == ("loc-wordy", "1.2")
    assert (found.hooks, found.settings) == (["loc_on_event"], ["width: int = 3"])


def test_a_plugin_without_settings_needs_no_settings_type(install: Install) -> None:
    install(
        "silent",
        """
        from locframework import hookimpl
        class Plugin:
            @hookimpl
            def loc_on_event(self, event): pass
        """,
    )

    host = PluginHost.discover({})

    found = next(each for each in host.loaded() if each.name == "silent")
    assert (found.hooks, found.settings) == (["loc_on_event"], [])
    assert "unknown field `a`" in refusal_of(silent={"a": 1})


class ManySettings(Struct, rename="kebab"):
    needed: int
    width: Annotated[int, Meta(ge=1)] = 3
    comment: Literal[";", "#"] = ";"
    folder: str | None = None
    server: Optional[str] = None  # noqa: UP045
    names: list[str] = []
    ports: tuple[Annotated[int, Meta(ge=1)], ...] = (443,)
    by_host: dict[str, list[int]] = field(default_factory=lambda: {"a": [1]})


def test_settings_are_told_as_they_are_written() -> None:
    class Plugin:
        name = "many"
        settings_type = ManySettings

        @hookimpl
        def loc_on_event(self) -> None: ...

    [found] = PluginHost.discover({}, more=[Plugin()], installed=False).loaded()

    assert found.settings == [
        "needed: int",
        "width: int = 3",
        "comment: ';' | '#' = ';'",
        "folder: str | None = None",
        "server: str | None = None",
        "names: list[str] = []",
        "ports: tuple[int, ...] = (443,)",
        "by-host: dict[str, list[int]] = {'a': [1]}",
    ]


def test_plugins_are_listed_by_name() -> None:
    host = PluginHost.discover({}, more=[WordyPlugin("zebra"), WordyPlugin("ant")])

    names = [each.name for each in host.loaded()]
    assert names == sorted(names)
    assert {"ant", "zebra", "peewee"} <= set(names)


def test_without_discovery_there_are_only_the_plugins_made_by_hand() -> None:
    host = PluginHost.discover({}, more=[WordyPlugin("ant", "ant")], installed=False)

    assert [each.name for each in host.loaded()] == ["ant"]
    assert list(host.formats) == ["ant"]


def test_a_blocked_plugin_is_not_loaded_and_may_keep_its_settings(
    install: Install,
) -> None:
    install("cursed", "raise SystemError('must not be imported')")

    host = PluginHost.discover({"cursed": {"a": 1}}, blocked=["cursed", "json"])

    names = {each.name for each in host.loaded()}
    assert not names & {"cursed", "json"}
    assert "json-nested" not in host.formats


def test_two_hosts_share_nothing() -> None:
    heard: list[str] = []
    host = PluginHost.discover({}, more=[Listener("ear", heard)], installed=False)
    other = PluginHost.discover({}, more=[WordyPlugin("ant", "ant")], installed=False)

    other.tell(EVENT)

    assert heard == []
    assert not host.formats
