"""What stops the start, with one line that says what to mend."""

from collections.abc import Iterator
from types import ModuleType, SimpleNamespace

import pytest

from locframework import hookimpl
from locframework.errors import PluginError
from locframework.events import Event
from locframework.plugins import PluginHost

from .samples import Install, Listener, Wordy, WordyPlugin, plugin_source, refusal_of


def test_a_setting_of_the_wrong_type(install: Install) -> None:
    install("wordy", plugin_source("width: int = 3"), dist="loc-wordy")

    assert refusal_of(wordy={"width": "wide"}) == (
        "plugin 'wordy' (loc-wordy 1.2): settings: "
        "Expected `int`, got `str` - at `$.width`"
    )


def test_a_setting_that_there_is_not(install: Install) -> None:
    install("wordy", plugin_source("width: int = 3"))

    assert refusal_of(wordy={"widht": 3}) == (
        "plugin 'wordy' (wordy 1.2): settings: Object contains unknown field `widht`"
    )


def test_a_required_setting_that_is_left_out(install: Install) -> None:
    install("wordy", plugin_source("width: int"))

    assert refusal_of() == (
        "plugin 'wordy' (wordy 1.2): settings: Object missing required field `width`"
    )


def test_a_setting_that_the_plugin_itself_finds_wrong(install: Install) -> None:
    source = plugin_source("file: str = 'x'") + (
        "    def __init__(self, settings):\n"
        "        from locframework.ports import SettingsError\n"
        "        raise SettingsError('file: x: No such file', 'file')"
    )
    install("wordy", source)

    with pytest.raises(PluginError) as caught:
        PluginHost.discover({})
    assert str(caught.value) == (
        "plugin 'wordy' (wordy 1.2): settings: file: x: No such file"
    )
    assert caught.value.setting == "plugins.wordy.file"


def test_settings_of_a_plugin_that_there_is_not() -> None:
    line = refusal_of(jsn={})

    assert line.startswith(
        "settings: plugins: no installed plugin provides 'jsn'; available: "
    )
    assert {"disk", "json", "peewee"} <= set(
        line.partition("available: ")[2].split(", ")
    )


def test_settings_of_a_plugin_that_was_made_by_hand() -> None:
    """They would be ignored without a word."""
    line = refusal_of(WordyPlugin("ant"), ant={"legs": 6})

    assert line.startswith("plugin 'ant' (")
    assert line.endswith("was made in code, so it takes no settings")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError"),
        ("1 / 0", "ZeroDivisionError"),
        ("Plugin = 3", "TypeError"),
        ("x = 1", "AttributeError"),
        (plugin_source() + "    def __init__(self): pass", "TypeError"),
        ("raise SystemExit", "SystemExit"),
        (plugin_source() + "    def __init__(self, _): exit()", "SystemExit"),
    ],
    ids=["import", "fault", "no class", "nothing", "constructor", "exit", "exit late"],
)
def test_a_plugin_that_cannot_be_loaded(
    install: Install, source: str, reason: str
) -> None:
    install("wordy", source, dist="loc-wordy")

    line = refusal_of()

    start = f"plugin 'wordy' (loc-wordy 1.2): cannot be loaded: {reason}("
    assert line.startswith(start)


def test_two_installed_plugins_of_one_name(install: Install) -> None:
    install("wordy", plugin_source(), dist="loc-wordy")
    install("wordy", plugin_source(), dist="loc-wordier")

    line = refusal_of()

    assert line in (
        "plugin 'wordy' (loc-wordy 1.2): another plugin has this name: loc-wordier 1.2",
        "plugin 'wordy' (loc-wordier 1.2): another plugin has this name: loc-wordy 1.2",
    )


def test_a_handmade_plugin_with_the_name_of_an_installed_one() -> None:
    line = refusal_of(WordyPlugin("json"))

    assert "another plugin has this name: locframework-formats-json " in line


@pytest.mark.parametrize("name", ["My Plugin!", "a b", "-a", "é", "a\n"])
def test_a_name_that_is_none(name: str) -> None:
    line = refusal_of(WordyPlugin(name))

    assert line == (
        f"plugin {name!r} (tests.plugins.samples): "
        "its name may only have letters, 0-9, ., _ and -"
    )


def test_a_name_that_is_no_text() -> None:
    plugin = WordyPlugin("ant")
    plugin.name = 3  # type: ignore[assignment]

    assert refusal_of(plugin) == (
        "plugin 'WordyPlugin' (tests.plugins.samples): its name is not text: 3"
    )


def test_a_hook_that_nobody_would_wait_for() -> None:
    class Waiting:
        @hookimpl
        async def loc_on_event(self, event: object) -> None: ...

    line = refusal_of(Waiting())

    assert "loc_on_event is async, and would never run: write a plain def" in line


def test_a_hook_without_self() -> None:
    class Selfless:
        @hookimpl
        def loc_decide_refusal(permission): ...

    assert refusal_of(Selfless()).endswith(": loc_decide_refusal lacks self")


def test_a_hook_whose_yield_would_keep_it_from_running() -> None:
    class Yielding:
        @hookimpl
        def loc_on_event(self, event: object) -> Iterator[object]:
            yield event

    line = refusal_of(Yielding())

    assert "loc_on_event has a yield, and would never run: return instead" in line


def test_what_is_provided_may_be_yielded() -> None:
    class Yielding:
        @hookimpl
        def loc_provide_formats(self) -> Iterator[object]:
            yield Wordy("ant")

    host = PluginHost({"yielding": Yielding()})

    assert list(host.formats) == ["ant"]


def test_a_name_that_cannot_be_read() -> None:
    class Broken(WordyPlugin):
        def __getattribute__(self, name: str) -> object:
            if name == "name":
                raise RuntimeError("not yet")
            return super().__getattribute__(name)

    line = refusal_of(Broken("ant"))

    assert "its name cannot be read: RuntimeError('not yet')" in line
    assert "plugin 'Broken'" in line


def test_an_entry_point_whose_name_is_none(install: Install) -> None:
    install("My Plugin!", "raise SystemError('must not be imported')", dist="loc-my")

    assert refusal_of().startswith(
        "plugin 'My Plugin!' (loc-my 1.2): its name may only"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("json", "plugin 'str' (builtins): 'json' has no hook"),
        (None, "plugin 'NoneType' (builtins): None has no hook"),
        (SimpleNamespace(), "plugin 'SimpleNamespace' (types): it has no hook"),
    ],
    ids=["text", "None", "object"],
)
def test_what_is_no_plugin_at_all(given: object, said: str) -> None:
    with pytest.raises(PluginError) as caught:
        PluginHost.discover({}, more=[given])

    assert str(caught.value) == f"{said}: no method marked @hookimpl"


def test_a_module_with_hooks_is_a_plugin() -> None:
    module = ModuleType("our_rules")
    module.loc_on_event = hookimpl(lambda event: None)  # type: ignore[attr-defined]

    host = PluginHost.discover({}, more=[module], installed=False)

    assert [(each.name, each.hooks) for each in host.loaded()] == [
        ("our_rules", ["loc_on_event"])
    ]


@pytest.mark.parametrize("type_", ["dict", "int", "'Settings'"])
def test_a_settings_type_that_is_no_struct(install: Install, type_: str) -> None:
    install("wordy", plugin_source() + f"    settings_type = {type_}\n")

    line = refusal_of()

    assert line.startswith("plugin 'wordy' (wordy 1.2): cannot be loaded: TypeError(")
    assert "settings_type is not a msgspec.Struct: " in line


def test_a_settings_type_that_is_no_struct_of_a_plugin_made_by_hand() -> None:
    plugin = WordyPlugin("ant")
    plugin.settings_type = dict  # type: ignore[attr-defined]

    assert refusal_of(plugin) == (
        "plugin 'ant' (tests.plugins.samples): "
        "settings_type is not a msgspec.Struct: <class 'dict'>"
    )


def test_a_misspelt_hook(install: Install) -> None:
    hook = "@hookimpl\n    def loc_on_evnt(self, event): pass"
    install("wordy", plugin_source(hooks=hook))

    assert refusal_of() == "plugin 'wordy' (wordy 1.2): unknown hook loc_on_evnt"


def test_a_misspelt_hook_without_its_mark() -> None:
    class Ant:
        def loc_on_evnt(self, event: Event) -> None: ...

    assert refusal_of(Ant()).endswith(": unknown hook loc_on_evnt")


def test_a_hook_without_its_mark() -> None:
    """It would never be called."""

    class Ant:
        def loc_on_event(self, event: Event) -> None: ...

    assert refusal_of(Ant()).endswith(": loc_on_event lacks @hookimpl")


def test_an_argument_that_the_hook_does_not_have() -> None:
    class Ant:
        @hookimpl
        def loc_on_event(self, evnt: Event) -> None: ...

    line = refusal_of(Ant())
    assert "loc_on_event(evnt" in line
    assert "{'evnt'}" in line


@pytest.mark.parametrize("option", ["wrapper", "tryfirst", "trylast"])
def test_a_hook_that_wants_to_be_called_before_or_around_others(option: str) -> None:
    class Ant:
        @hookimpl(**{option: True})
        def loc_decide_refusal(self):
            yield

    assert refusal_of(Ant()).endswith(
        ": loc_decide_refusal: no outcome may depend on the order of plugins"
    )


def test_a_class_in_place_of_an_object() -> None:
    assert refusal_of(Listener).endswith(": is a class; give an object of it")
