"""How hooks are called: in no order that counts, and each plugin on its own."""

import logging

import pytest
from msgspec import Struct

from locframework import hookimpl
from locframework.access.records import Caller, Grant, Scope
from locframework.errors import PluginError, Unauthorized
from locframework.events import Actor, Event
from locframework.plugins import PluginHost
from locframework.settings import Settings

from .samples import EVENT, Listener, WordyPlugin

ANNA = Caller(Actor("user", "anna"), (Grant("org", frozenset({"key_create"})),))


class Broken(Listener):
    @hookimpl
    def loc_on_event(self, event: Event) -> None:
        raise RuntimeError("broken listener")


class Holder(Struct):
    name: str
    closed: list[str]

    @hookimpl
    def loc_on_close(self) -> None:
        self.closed.append(self.name)


class Stuck(Holder):
    @hookimpl
    def loc_on_close(self) -> None:
        raise OSError("the disk is full")


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


# loc_decide_settings


def test_a_plugin_that_fails_to_judge_its_settings_refuses_them() -> None:
    class Lost:
        @hookimpl
        def loc_decide_settings(self) -> None:
            raise KeyError("folder")

    host = PluginHost.discover({}, more=[Lost()], installed=False)

    with pytest.raises(PluginError, match=r"loc_decide_settings: KeyError\('folder'\)"):
        host.require_usable(Settings())


# loc_on_close


def test_a_plugin_that_fails_to_close_stops_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    closed: list[str] = []
    plugins = [Holder("a", closed), Stuck("b", closed), Holder("c", closed)]
    host = PluginHost.discover({}, more=plugins, installed=False)

    host.close()

    assert closed == ["a", "c"]
    assert "plugin b failed in loc_on_close" in caplog.text
