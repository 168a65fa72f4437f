"""The plugin host: who is let in, what stops the start, and how hooks are called."""

import logging
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import ClassVar

import pytest
from msgspec import Struct

from locframework import hookimpl
from locframework.access.records import Caller, Grant, Scope
from locframework.errors import PluginError, SettingsError, Unauthorized
from locframework.events import SYSTEM, Actor, Event
from locframework.formats.records import FormatInfo
from locframework.plugins import PluginHost

ANNA = Caller(Actor("user", "anna"), (Grant("org", frozenset({"key_create"})),))
EVENT = Event("1", "key.created", "org", "p", None, SYSTEM, [{}], "2026-11-21")

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Installs a plugin as pip does: a module, and a dist-info folder beside it."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(name: str, source: str, *, entry: str = "", dist: str = "") -> None:
        module = f"plugin_{name}_{tmp_path.name}".replace("-", "_")
        (tmp_path / f"{module}.py").write_text(dedent(source))
        info = tmp_path / f"{(dist or name).replace('-', '_')}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {dist or name}\nVersion: 1.2\n")
        line = f"{name} = {entry or f'{module}:Plugin'}"
        (info / "entry_points.txt").write_text(f"[locframework]\n{line}\n")

    return install


def plugin_source(settings: str = "pass", hooks: str = "pass") -> str:
    return f"""
from typing import ClassVar
from msgspec import Struct
from locframework import hookimpl
class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    {settings}
class Plugin:
    settings_type: ClassVar = Settings
    def __init__(self, settings): self.settings = settings
    {hooks}
"""


def refusal_of(more: object = None, **settings: dict[str, object]) -> str:
    plugins = [] if more is None else [more]
    with pytest.raises((PluginError, SettingsError)) as caught:
        PluginHost.discover(settings, more=plugins)
    line = str(caught.value)
    assert "\n" not in line
    return line


class Listener:
    """Keeps the types of the events that it hears."""

    def __init__(self, name: str, heard: list[str]) -> None:
        self.name = name
        self._heard = heard

    @hookimpl
    def loc_on_event(self, event: Event) -> None:
        self._heard.append(f"{self.name} {event.type}")


class Broken(Listener):
    @hookimpl
    def loc_on_event(self, event: Event) -> None:
        raise RuntimeError("broken listener")


class Wordy:
    """A format, as far as the host looks at one."""

    def __init__(self, id_: str) -> None:
        self.info = FormatInfo(id_, id_, ".txt", "text/plain")


class WordyPlugin:
    def __init__(self, name: str, *ids: str) -> None:
        self.name = name
        self._formats = [Wordy(id_) for id_ in ids]

    @hookimpl
    def loc_provide_formats(self) -> list[Wordy]:
        return self._formats


class Doorman:
    """Knows callers by their token; a token it was told to dislike is an error."""

    def __init__(self, name: str, known: dict[str, Caller | Exception]) -> None:
        self.name = name
        self._known = known

    @hookimpl
    def loc_decide_caller(self, token: str) -> Caller | None:
        found = self._known.get(token)
        if isinstance(found, Exception):
            raise found
        return found


class Judge:
    def __init__(self, name: str, verdict: str | Exception | None) -> None:
        self.name = name
        self._verdict = verdict

    @hookimpl
    def loc_decide_refusal(
        self, caller: Caller, permission: str, scope: Scope
    ) -> str | None:
        if isinstance(self._verdict, Exception):
            raise self._verdict
        return self._verdict


# what is found


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


# what stops the start, with one line that says what to mend


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

    assert line.startswith("settings: plugins: 'jsn' is not provided; there is: ")
    assert {"disk", "json", "peewee"} <= set(line.partition("is: ")[2].split(", "))


def test_settings_of_a_plugin_that_was_made_by_hand() -> None:
    """They would be ignored without a word."""
    line = refusal_of(WordyPlugin("ant"), ant={"legs": 6})

    assert line.startswith("plugin 'ant' (")
    assert line.endswith("is made by hand, so it takes no settings")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError"),
        ("1 / 0", "ZeroDivisionError"),
        ("Plugin = 3", "TypeError"),
        ("x = 1", "AttributeError"),
        (plugin_source() + "    def __init__(self): pass", "TypeError"),
    ],
    ids=["import", "fault", "no class", "nothing", "constructor"],
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

    assert line.startswith("plugin 'wordy' (loc-word")
    assert line.endswith(" 1.2): another has this name")


def test_a_handmade_plugin_with_the_name_of_an_installed_one() -> None:
    assert refusal_of(WordyPlugin("json")).endswith("another has this name")


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
        ": loc_decide_refusal: no outcome may hang on the order of plugins"
    )


def test_a_class_in_place_of_an_object() -> None:
    assert refusal_of(Listener).endswith(": is a class; make an object of it")


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
        ({"name": None}, "TypeError"),
        ({"severity": "fatal"}, "severity 'fatal' is not error, warning or off"),
        ({"find": None}, "find is no method"),
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
        ([3], "AttributeError(\"'int' object has no attribute 'name'\")"),
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
        "settings: storage: 'mongo' is not provided; there is: peewee"
    )


def test_a_blob_store_that_nobody_provides_lists_those_there_are() -> None:
    host = PluginHost.discover({}, installed=False)

    with pytest.raises(SettingsError) as caught:
        host.blob_store("s3")
    assert str(caught.value) == (
        "settings: blob_store: 's3' is not provided; there is: none"
    )


def test_a_transport_that_nobody_provides_lists_those_there_are() -> None:
    host = PluginHost.discover({})

    with pytest.raises(SettingsError) as caught:
        host.transport("pigeon")
    assert str(caught.value) == (
        "settings: webhook_transport: 'pigeon' is not provided; there is: https"
    )
    assert caught.value.setting == "webhook_transport"


def test_a_matcher_that_nobody_provides_lists_those_there_are() -> None:
    host = PluginHost.discover({})

    with pytest.raises(SettingsError) as caught:
        host.matcher("soundex")
    assert str(caught.value) == (
        "settings: matcher: 'soundex' is not provided; there is: postgres, rapidfuzz"
    )


# the order of plugins


def test_no_outcome_hangs_on_the_order_in_which_plugins_are_given() -> None:
    def outcome(*names: str) -> tuple[object, ...]:
        heard: list[str] = []
        plugins: list[object] = [Listener(name, heard) for name in names]
        plugins += [WordyPlugin(f"w{name}", name) for name in names]
        plugins += [Doorman(f"d{name}", {"t": Caller(Actor("user", name))})
                    for name in names]  # fmt: skip
        plugins += [Judge(f"j{name}", name) for name in names]
        host = PluginHost.discover({}, more=plugins, installed=False)
        host.tell(EVENT)
        caller, scope = host.caller("t"), Scope("org")
        return list(host.formats), heard, caller, host.refusal(ANNA, "x", scope)

    assert outcome("a", "b", "c") == outcome("c", "a", "b") == outcome("b", "c", "a")


# loc_decide_caller


def test_the_first_plugin_that_knows_a_token_answers() -> None:
    doormen = [Doorman("a", {}), Doorman("b", {"t": ANNA}), Doorman("c", {})]
    host = PluginHost.discover({}, more=doormen, installed=False)

    assert host.caller("t") == ANNA
    assert host.caller("u") is None


def test_a_plugin_may_say_that_a_token_is_its_own_and_bad() -> None:
    doormen = [Doorman("a", {"t": ANNA}), Doorman("b", {"t": Unauthorized()})]
    host = PluginHost.discover({}, more=doormen, installed=False)

    with pytest.raises(Unauthorized):
        host.caller("t")


def test_a_plugin_that_fails_lets_nobody_in(caplog: pytest.LogCaptureFixture) -> None:
    doorman = Doorman("a", {"secret-token": RuntimeError("directory is down")})
    host = PluginHost.discover({}, more=[doorman], installed=False)

    with pytest.raises(Unauthorized):
        host.caller("secret-token")
    assert "plugin a failed in loc_decide_caller" in caplog.text
    assert "secret-token" not in caplog.text


# loc_decide_refusal


def test_any_reason_refuses_and_silence_does_not() -> None:
    judges = [Judge("a", None), Judge("b", "closed on Sundays"), Judge("c", None)]
    host = PluginHost.discover({}, more=judges, installed=False)
    mild = PluginHost.discover({}, more=[Judge("a", None)], installed=False)

    assert host.refusal(ANNA, "key_create", Scope("org")) == "closed on Sundays"
    assert mild.refusal(ANNA, "key_create", Scope("org")) is None


def test_a_judge_that_fails_refuses(caplog: pytest.LogCaptureFixture) -> None:
    judge = Judge("a", RuntimeError("no idea"))
    host = PluginHost.discover({}, more=[judge], installed=False)

    assert host.refusal(ANNA, "key_create", Scope("org")) == (
        "a plugin could not decide"
    )
    assert "no idea" in caplog.text
    assert "plugin a failed in loc_decide_refusal" in caplog.text


# loc_on_event


def test_a_listener_that_fails_stops_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    heard: list[str] = []
    listeners = [Listener("a", heard), Broken("b", heard), Listener("c", heard)]
    host = PluginHost.discover({}, more=listeners, installed=False)

    with caplog.at_level(logging.ERROR):
        host.tell(EVENT)

    assert heard == ["a key.created", "c key.created"]
    assert "plugin b failed in loc_on_event key.created" in caplog.text


def test_a_listener_may_take_no_arguments_at_all() -> None:
    heard: list[str] = []

    class Bell(Struct):
        @hookimpl
        def loc_on_event(self) -> None:
            heard.append("ring")

    host = PluginHost.discover({}, more=[Bell()], installed=False)
    host.tell(EVENT)

    assert heard == ["ring"]
