"""The plugin host: what it finds, how it calls hooks, and what stops the start."""

import logging
import sys
from textwrap import dedent
from types import ModuleType, SimpleNamespace
from typing import Annotated, Literal

import pytest
from msgspec import Meta, Struct, field

from locframework import Framework, Settings, hookimpl, ports
from locframework.access.records import Caller, Grant
from locframework.compatibility import DEPRECATED, RENAMED
from locframework.errors import PluginError, SettingsError, Unauthorized, Unavailable
from locframework.events import SYSTEM, Actor, Event
from locframework.formats.records import FormatInfo
from locframework.plugins import PluginHost, chosen, installed_entries

EVENT = Event("1", "key.created", "org", "p", None, SYSTEM, [{}], "2026-11-21")
ANNA = Caller(Actor("user", "anna"), (Grant("org", frozenset({"key_create"})),))


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Installs a plugin as pip does: a module, and a dist-info folder beside it."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(name, source, *, dist=""):
        module = f"plugin_{name}_{tmp_path.name}".replace("-", "_")
        (tmp_path / f"{module}.py").write_text(dedent(source))
        info = tmp_path / f"{(dist or name).replace('-', '_')}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {dist or name}\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(
            f"[locframework]\n{name} = {module}:Plugin\n"
        )

    return install


def plugin_source(settings="pass", hooks="pass"):
    return f"""
from typing import ClassVar
from msgspec import Struct
from locframework import hookimpl
class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    {settings}
class Plugin:
    settings_type: ClassVar = Settings
    def __init__(self, settings): self.settings = settings
    @hookimpl
    def loc_on_close(self): pass
    {hooks}
"""


def host_of(*plugins):
    return PluginHost.discover({}, more=plugins, installed=False)


def refusal_of(more=None, **settings):
    plugins = [] if more is None else [more]
    with pytest.raises((PluginError, SettingsError)) as caught:
        PluginHost.discover(settings, more=plugins)
    line = str(caught.value)
    assert "\n" not in line
    return line


def plugin(name, **hooks):
    """A plugin made in code, with these functions as its hooks."""
    marked = {hook: hookimpl(call) for hook, call in hooks.items()}
    return SimpleNamespace(name=name, **marked)


def listener(name, heard):
    return plugin(name, loc_on_event=lambda event: heard.append(f"{name} {event.type}"))


def answering(answer):
    """A function that returns this, or raises it."""

    def answering(*_):
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return answering


def doorman(name, token, answer):
    def decide(token_):
        return answering(answer)() if token_ == token else None

    return plugin(name, loc_decide_caller=lambda token: decide(token))


def format_of(id_):
    """A format, as far as the host looks at one."""
    info = FormatInfo(id_, "A format", ".txt", "text/plain")
    return SimpleNamespace(info=info, recognizes=print, read=print, write=print)


def format_plugin(name, *ids):
    return plugin(name, loc_provide_formats=lambda: [format_of(id_) for id_ in ids])


# what is found


def test_installed_plugins_get_their_settings_and_describe_themselves(install):
    install("wordy", plugin_source("width: int = 3"), dist="loc-wordy")

    host = PluginHost.discover({"wordy": {"width": "7"}})

    found = next(each for each in host.loaded if each.name == "wordy")
    assert (found.distribution, found.version) == ("loc-wordy", "1.2")
    assert (found.hooks, found.settings) == (["loc_on_close"], ["width: int = 3"])


def test_a_plugin_without_settings_needs_no_settings_type(install):
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

    found = next(each for each in host.loaded if each.name == "silent")
    assert (found.hooks, found.settings) == (["loc_on_event"], [])
    assert "unknown setting 'a'" in refusal_of(silent={"a": 1})


class ManySettings(Struct, rename="kebab"):
    needed: int
    width: Annotated[int, Meta(ge=1)] = 3
    comment: Literal[";", "#"] = ";"
    folder: str | None = None
    names: list[str] = []
    ports: tuple[Annotated[int, Meta(ge=1)], ...] = (443,)
    by_host: dict[str, list[int]] = field(default_factory=lambda: {"a": [1]})


def test_settings_are_described_as_they_are_declared():
    many = listener("many", [])
    many.settings_type = ManySettings

    [found] = host_of(many).loaded

    assert found.settings == [
        "needed: int",
        "width: int = 3",
        "comment: Literal[';', '#'] = ';'",
        "folder: str | None = None",
        "names: list[str] = []",
        "ports: tuple[int, ...] = (443,)",
        "by-host: dict[str, list[int]] = {'a': [1]}",
    ]


def test_plugins_are_listed_by_name():
    host = PluginHost.discover({}, more=[format_plugin("zebra"), format_plugin("ant")])

    names = [each.name for each in host.loaded]
    assert names == sorted(names)
    assert {"ant", "zebra", "peewee"} <= set(names)


def test_a_blocked_plugin_is_not_loaded_and_may_keep_its_settings(install):
    install("cursed", "raise SystemError('must not be imported')")

    host = PluginHost.discover({"cursed": {"a": 1}}, blocked=["cursed", "json"])

    names = {each.name for each in host.loaded}
    assert not names & {"cursed", "json"}
    assert "json-nested" not in host.formats


def test_two_hosts_share_nothing():
    heard = []
    host, other = host_of(listener("ear", heard)), host_of(format_plugin("ant", "ant"))

    other.tell(EVENT)

    assert heard == []
    assert not host.formats
    assert [each.name for each in other.loaded] == list(other.formats) == ["ant"]


def test_a_module_with_hooks_is_a_plugin():
    module = ModuleType("our_rules")
    module.loc_on_event = hookimpl(lambda event: None)

    [found] = host_of(module).loaded

    assert (found.name, found.hooks) == ("our_rules", ["loc_on_event"])


# how hooks are called


def test_no_outcome_hangs_on_the_order_in_which_plugins_are_given():
    def outcome(*names):
        heard = []
        plugins = [listener(name, heard) for name in names]
        plugins += [format_plugin(f"w{name}", name) for name in names]
        for name in names:
            plugins.append(doorman(f"d{name}", "t", Caller(Actor("user", name))))
        host = host_of(*plugins)
        host.tell(EVENT)
        return list(host.formats), heard, host.caller("t")

    assert outcome("a", "b", "c") == outcome("c", "a", "b") == outcome("b", "c", "a")


def test_the_first_plugin_that_knows_a_token_answers():
    host = host_of(*(doorman(name, "t", ANNA) for name in "abc"))

    assert host.caller("t") == ANNA
    assert host.caller("u") is None


@pytest.mark.parametrize("answer", [Unauthorized(), RuntimeError("down"), "anna"])
def test_a_plugin_that_fails_or_calls_a_token_bad_lets_nobody_in(answer, caplog):
    host = host_of(doorman("a", "secret-token", ANNA), doorman("b", "x", None))
    failing = host_of(doorman("a", "t", ANNA), doorman("b", "secret-token", answer))

    assert host.caller("secret-token") == ANNA
    with pytest.raises(Unauthorized):
        failing.caller("secret-token")
    is_failure = not isinstance(answer, Unauthorized)
    assert ("plugin b failed in loc_decide_caller" in caplog.text) is is_failure
    assert "secret-token" not in caplog.text


def test_a_listener_that_fails_stops_no_other(caplog):
    heard = []
    broken = plugin("b", loc_on_event=answering(RuntimeError("broken")))
    bell = plugin("d", loc_on_event=lambda: heard.append("ring"))  # takes no event
    host = host_of(listener("a", heard), broken, listener("c", heard), bell)

    with caplog.at_level(logging.ERROR):
        host.tell(EVENT)

    assert heard == ["a key.created", "c key.created", "ring"]
    assert "plugin b failed in loc_on_event key.created" in caplog.text


def test_a_plugin_that_fails_to_check_its_settings_refuses_them():
    host = host_of(plugin("lost", loc_decide_settings=answering(KeyError("folder"))))

    with pytest.raises(PluginError, match=r"loc_decide_settings: KeyError\('folder'\)"):
        host.require_usable(Settings())


def test_what_does_not_work_for_plugins_at_the_moment_is_returned():
    busy, lost = Unavailable("no answer"), Unavailable("no model")
    host = host_of(
        plugin("a", loc_decide_settings=answering(busy)),
        plugin("b", loc_decide_settings=answering(None)),
        plugin("c", loc_decide_settings=answering(lost)),
    )

    assert host.require_usable(Settings()) == ["a: no answer", "c: no model"]


def test_plugins_get_the_application_in_the_order_of_their_names():
    told = []
    c, a = (plugin(n, loc_on_start=lambda framework, n=n: told.append((n, framework)))
            for n in "ca")  # fmt: skip

    host_of(c, a).start("the framework")

    assert told == [("a", "the framework"), ("c", "the framework")]


def test_a_plugin_that_fails_to_close_stops_no_other(caplog):
    closed = []
    a, c = (plugin(n, loc_on_close=lambda n=n: closed.append(n)) for n in "ac")
    host = host_of(a, plugin("b", loc_on_close=answering(OSError("full"))), c)

    host.close()

    assert len(closed) == 2
    assert "plugin b failed in loc_on_close" in caplog.text


# what stops the start


@pytest.mark.parametrize(
    ("declared", "given", "said"),
    [
        ("width: int = 3", {"width": "wide"}, "Expected `int`, got `str` - at "),
        (
            "width: int = 3",
            {"widht": 3},
            "unknown setting 'widht'; did you mean ",
        ),
    ],
)
def test_settings_that_do_not_fit(install, declared, given, said):
    install("wordy", plugin_source(declared), dist="loc-wordy")

    line = refusal_of(wordy=given)

    assert line.startswith(f"plugin 'wordy' (loc-wordy 1.2): settings: {said}")


def test_a_setting_that_the_plugin_itself_finds_wrong(install):
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


PROVIDER = """
    @hookimpl
    def loc_provide_blob_stores(self): return []
"""


def test_an_unused_plugin_that_lacks_settings_is_not_configured(install):
    install("wordy", plugin_source("width: int", PROVIDER), dist="loc-wordy")
    fault = "plugin 'wordy' (loc-wordy 1.2): settings: Object missing required field"

    host = PluginHost.discover({})
    with pytest.raises(SettingsError, match="disk; not configured: plugin 'wordy'"):
        Framework(Settings(blob_store="wordy"))
    with pytest.raises(SettingsError, match=r"available: https$"):
        Framework(Settings(webhook_transport="wordy"))

    assert host.not_configured["wordy"].fault == f"{fault} `width`"
    assert "wordy" not in [each.name for each in host.loaded]
    assert PluginHost.discover({"wordy": {}}).not_configured == host.not_configured
    assert refusal_of(wordy={"widht": 1}).endswith("did you mean 'width'?")


def test_a_translator_that_is_set_needs_its_settings():
    with pytest.raises(SettingsError, match=r"'openai' .* required field `url`"):
        Framework(Settings(translator="openai"))


@pytest.mark.parametrize(
    "hook", ["loc_provide_checks", "loc_provide_commands", "loc_on_event"]
)
def test_a_plugin_that_only_adds_something_waits_for_its_settings(
    install, hook, caplog
):
    own = f"@hookimpl\n    def {hook}(self): 1 / 0\n"
    install("wordy", plugin_source("width: int", own), dist="loc-wordy")

    with caplog.at_level(logging.INFO):
        host = PluginHost.discover({})

    found = host.not_configured["wordy"]
    assert (found.distribution, found.version) == ("loc-wordy", "1.2")
    assert found.hooks == {hook, "loc_on_close"}
    assert caplog.messages.count(f"not configured: {found.fault}") == 1


@pytest.mark.parametrize("hook", ["loc_decide_write", "loc_decide_caller"])
def test_a_plugin_that_decides_needs_its_settings(install, hook):
    """Without it, people could do what it forbids."""
    own = PROVIDER + f"    @hookimpl\n    def {hook}(self): return None\n"
    install("wordy", plugin_source("width: int", own))

    assert refusal_of().endswith(
        "Object missing required field `width`; it decides what people may do; set it,"
        " or name it in blocked_plugins"
    )
    assert PluginHost.discover({}, blocked=["wordy"])


def test_settings_of_a_plugin_that_there_is_not():
    start, _, available = refusal_of(jsn={}).partition("available: ")

    assert start == "settings: plugins: no installed plugin provides 'jsn'; "
    assert {"disk", "json", "peewee"} <= set(available.split(", "))


def test_settings_of_a_plugin_that_was_made_by_hand():
    """They would be ignored without a word."""
    line = refusal_of(format_plugin("ant"), ant={"legs": 6})

    assert line == "plugin 'ant' (types): was made in code, so it takes no settings"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError"),
        ("Plugin = 3", "TypeError"),
        ("x = 1", "AttributeError"),
        (plugin_source() + "    def __init__(self): pass", "TypeError"),
        ("raise SystemExit", "SystemExit"),
        (plugin_source() + "    def __init__(self, _): exit()", "SystemExit"),
    ],
    ids=["import", "no class", "nothing", "constructor", "exit", "exit late"],
)
def test_a_plugin_that_cannot_be_loaded(install, source, reason):
    install("wordy", source, dist="loc-wordy")

    start = f"plugin 'wordy' (loc-wordy 1.2): cannot be loaded: {reason}("
    assert refusal_of().startswith(start)


def test_two_installed_plugins_of_one_name(install):
    install("wordy", plugin_source(), dist="loc-wordy")
    install("wordy", plugin_source(), dist="loc-wordier")

    assert refusal_of() in (
        "plugin 'wordy' (loc-wordy 1.2): another plugin has this name: loc-wordier 1.2",
        "plugin 'wordy' (loc-wordier 1.2): another plugin has this name: loc-wordy 1.2",
    )


def test_a_handmade_plugin_with_the_name_of_an_installed_one():
    line = refusal_of(format_plugin("json"))

    assert "another plugin has this name: locframework-formats-json " in line


@pytest.mark.parametrize("name", ["My Plugin!", "a b", "-a", "é", "a\n"])
def test_a_name_that_is_none(name):
    assert refusal_of(format_plugin(name)) == (
        f"plugin {name!r} (types): its name may only have letters, 0-9, ., _ and -"
    )


def test_an_entry_point_whose_name_is_none_is_not_imported(install):
    install("My Plugin!", "raise SystemError('must not be imported')", dist="loc-my")

    assert refusal_of().startswith(
        "plugin 'My Plugin!' (loc-my 1.2): its name may only"
    )


class Ant:
    def __repr__(self):
        return "the password"

    @hookimpl
    def loc_on_event(self, evnt): ...


class Unmarked:
    def loc_decide_caller(self):  # it would never be called
        return None


class Late:
    @hookimpl
    async def loc_on_event(self, event: Event) -> None: ...


class Around:
    @hookimpl(wrapper=True)
    def loc_on_event(self, event):
        yield


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("json", "(builtins): it has no hook: no method marked @hookimpl"),
        (SimpleNamespace(), "(types): it has no hook: no method marked @hookimpl"),
        (plugin("a", loc_on_evnt=lambda: None), "(types): unknown hook loc_on_evnt"),
        (SimpleNamespace(loc_on_evnt=print), "(types): unknown hook loc_on_evnt"),
        (Unmarked(), ": loc_decide_caller lacks @hookimpl"),
        (Late(), ": loc_on_event is async; hooks are plain methods"),
        (Around(), ": loc_on_event is a wrapper; hooks are plain methods"),
        (Ant, ": is a class; give an object of it"),
        (Ant(), ": loc_on_event has no argument 'evnt'; it may have: event"),
        (
            plugin("a", loc_on_close=lambda event: None),
            ": loc_on_close has no argument 'event'; it has none",
        ),
    ],
)
def test_what_is_no_plugin(given, reason):
    line = refusal_of(given)

    assert reason in line
    assert "the password" not in line


@pytest.mark.parametrize("type_", [dict, int, "Settings"])
def test_a_settings_type_that_is_no_struct(type_):
    ant = format_plugin("ant")
    ant.settings_type = type_

    assert refusal_of(ant).startswith("plugin 'ant' (types): ")


# what is provided


PORTS = {
    "storages": ("StorageProvider", "name open"),
    "blob_stores": ("BlobStore", "name put get has delete names public_url"),
    "formats": ("Format", "info recognizes read write"),
    "transports": ("Transport", "name check_url send"),
    "matchers": ("Matcher", "name find distance forget"),
    "checks": ("Check", "name description severity find"),
}
MEMBERS = [
    (kind, port, member)
    for kind, (port, members) in PORTS.items()
    for member in members.split()
]
VALUES = {
    "name": "thing",
    "info": FormatInfo("thing", "Thing", ".txt", "text/plain"),
    "severity": "error",
    "description": "Finds things.",
}


def providing(kind, answer):
    return plugin("giver", **{f"loc_provide_{kind}": answering(answer)})


def provided_refusal(kind, answer):
    start, _, reason = refusal_of(providing(kind, answer)).partition(": ")
    hook, _, reason = reason.partition(": ")
    assert (start, hook) == ("plugin 'giver' (types)", f"loc_provide_{kind}")
    return reason


def whole(kind, **changes):
    """The least that has all members of the port, with some changed."""
    members = PORTS[kind][1].split()
    values = {member: VALUES.get(member, lambda *_: None) for member in members}
    return SimpleNamespace(**values | changes)


@pytest.mark.parametrize("kind", PORTS)
def test_what_has_all_members_of_its_port_is_taken(kind):
    item = whole(kind)

    assert getattr(host_of(providing(kind, [item])), kind)["thing"] is item


@pytest.mark.parametrize(("kind", "port", "member"), MEMBERS)
def test_what_lacks_a_member_of_its_port_is_refused(kind, port, member):
    item = whole(kind)
    delattr(item, member)

    said = f"SimpleNamespace is not of type {port}: it lacks {member}"
    assert provided_refusal(kind, [item]) == said


@pytest.mark.parametrize("kind", [*PORTS, "event_types"])
def test_a_forgotten_return_is_refused_and_an_empty_list_is_not(kind):
    assert provided_refusal(kind, None) == "returns None; return a list"
    host = host_of(providing(kind, []))
    assert set(getattr(host, kind)) == set(getattr(host_of(), kind))


def test_what_is_provided_may_be_yielded():
    def yielding():
        yield format_of("ant")

    assert list(host_of(plugin("a", loc_provide_formats=yielding)).formats) == ["ant"]


@pytest.mark.parametrize(
    ("kind", "answer", "reason"),
    [
        ("storages", RuntimeError("no database"), "RuntimeError('no database')"),
        ("storages", [3], "int is not of type StorageProvider: it lacks name"),
        ("storages", 3, "returns 3; return a list"),
        ("formats", [Ant], "Ant is a class; give an object of it"),
        ("formats", [whole("formats", info={"id": "ini"})], "AttributeError("),
        ("event_types", [{"type": "x"}], "dict is not of type EventType: it lacks"),
    ],
)
def test_a_plugin_that_provides_nothing_usable(kind, answer, reason):
    assert provided_refusal(kind, answer).startswith(reason)


@pytest.mark.parametrize("kind", [kind for kind in PORTS if kind != "checks"])
@pytest.mark.parametrize("name", ["My Store", "S3", "1st", "", "-ini", 3, None])
def test_the_name_that_something_is_chosen_by_is_plain(kind, name):
    item = format_of(name) if kind == "formats" else whole(kind, name=name)

    said = f"name {name!r} is not lower-case letters, 0-9, _, -"
    assert provided_refusal(kind, [item]) == said


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": "length"}, "'length' is provided by plugin 'locframework' already"),
        ({"name": "No Tabs"}, "name 'No Tabs' is not lower snake case"),
        ({"name": "x" * 101}, f"name '{'x' * 101}' is not lower snake case"),
        ({"name": None}, "name None is not lower snake case"),
        ({"needs": "source"}, "needs 'source' is not one of key, language_code, texts"),
        ({"needs": ["tags"]}, "needs ['tags'] is not one of key,"),
        ({"severity": "fatal"}, "severity 'fatal' is not error, warning or off"),
        ({"severity": []}, "severity [] is not error, warning or off"),
    ],
)
def test_a_check_that_does_not_keep_its_port(change, reason):
    assert provided_refusal("checks", [whole("checks", **change)]).startswith(reason)


@pytest.mark.parametrize(
    ("plugins", "reason"),
    [
        (
            [format_plugin("a", "x"), format_plugin("b", "x")],
            "'x' is provided by plugin 'a' already (types)",
        ),
        ([format_plugin("b", "x", "x")], "'x' is provided twice"),
    ],
)
def test_one_name_twice(plugins, reason):
    with pytest.raises(PluginError) as caught:
        host_of(*plugins)

    told = f"plugin 'b' (types): loc_provide_formats: {reason}"
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("there", "listed"), [({}, "none"), ({"b": 1, "a": 2}, "a, b")]
)
def test_what_nobody_provides_lists_those_there_are(there, listed):
    with pytest.raises(SettingsError) as caught:
        chosen("matcher", "soundex", there)

    assert caught.value.setting == "matcher"
    assert str(caught.value) == (
        "settings: matcher: no installed plugin provides 'soundex';"
        f" available: {listed}"
    )


@pytest.mark.parametrize(
    "setting", ["storage", "blob_store", "webhook_transport", "matcher"]
)
def test_a_setting_that_chooses_what_nobody_provides_stops_the_start(setting):
    with pytest.raises(SettingsError, match=f"settings: {setting}: .* 'pigeon'; avail"):
        Framework(Settings.of({setting: "pigeon"}))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda: None, "thing: NoneType is not of type Storage: it lacks access"),
        (
            lambda: SimpleNamespace(access=1),
            "thing: SimpleNamespace is not of type Storage: it lacks",
        ),
        (lambda: 1 / 0, "thing: ZeroDivisionError("),
        (lambda: sys.exit(3), "thing: SystemExit(3)"),
    ],
)
def test_a_storage_that_does_not_open_names_its_plugin(answer, said):
    stored = whole("storages", open=answer)

    with pytest.raises(PluginError) as caught:
        Framework(Settings(storage="thing"), [providing("storages", [stored])])

    start = "plugin 'giver' (types): loc_provide_storages: "
    assert str(caught.value).startswith(start + said)


@pytest.mark.parametrize(
    "refusal",
    [SettingsError("file: is none", "file"), Unavailable("its server is down")],
)
def test_what_a_storage_itself_says_of_settings_and_servers_passes(refusal):
    stored = whole("storages", open=answering(refusal))

    with pytest.raises(type(refusal)) as caught:
        Framework(Settings(storage="thing"), [providing("storages", [stored])])

    assert caught.value is refusal


# the version of the ports


@pytest.mark.parametrize("wanted", ["1", "1.0", None])
def test_a_plugin_that_was_written_for_these_ports(wanted):
    own = plugin("own", loc_on_close=lambda: None)
    own.requires_ports = wanted

    assert [each.name for each in host_of(own).loaded] == ["own"]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (
            "2",
            "for ports 2, these are 1.0; install a newer locframework",
        ),
        ("1.7", "for ports 1.7, these are 1.0; install a newer locframework"),
        ("0.9", "these are 1.0; install a version of loc-wordy for ports 1"),
        (1, "requires_ports = 1 is not a version such as '1' or '1.2'"),
        (">=1", "requires_ports = '>=1' is not a version such as '1' or '1.2'"),
    ],
)
def test_a_plugin_that_was_written_for_other_ports(install, wanted, said):
    source = plugin_source() + f"    requires_ports = {wanted!r}\n"
    source += "    def __init__(self, settings): 1 / 0  # never called\n"
    install("wordy", source, dist="loc-wordy")

    line = refusal_of()

    assert line.startswith("plugin 'wordy' (loc-wordy 1.2): ")
    assert line.endswith(said)


def test_every_shipped_plugin_says_which_ports_it_was_written_for():
    for entry in installed_entries():
        assert entry.load().requires_ports == "1", entry.name


def test_an_optional_hook_that_is_unknown_is_left_out():
    later = plugin("later", loc_on_event=lambda event: None)
    later.loc_on_full_moon = hookimpl(lambda: None, optionalhook=True)

    assert host_of(later).loaded[0].hooks == ["loc_on_event"]


@pytest.mark.parametrize(
    "used", ["loc_on_event", "loc_on_event(event)", "Format.recognizes"]
)
def test_what_is_deprecated_is_named_once_with_plugin_file_and_line(
    monkeypatch, caplog, used
):
    class Own:
        name = "own"

        @hookimpl
        def loc_on_event(self, event):
            pass

        @hookimpl
        def loc_provide_formats(self):
            return [ByHand(), ByHand("other")]

    class ByHand:
        read = write = print

        def __init__(self, id_="own"):
            self.info = FormatInfo(id_, "A format", ".txt", "text/plain")

        def recognizes(self, file):
            pass

    method = ByHand.recognizes if used[0] == "F" else Own.loc_on_event
    line = method.__code__.co_firstlineno
    monkeypatch.setitem(DEPRECATED, used, "use the moon")

    with pytest.warns(DeprecationWarning, match="deprecated: use the moon") as warned:
        host_of(Own())

    [warning] = warned
    assert (warning.filename, warning.lineno) == (__file__, line)
    told = f"{__file__}:{line}: {used} is deprecated: use the moon"
    assert caplog.messages == [f"plugin own ({__name__}): {told}"]


def test_an_old_name_in_the_ports_warns_where_it_is_imported(monkeypatch):
    monkeypatch.setitem(RENAMED, "Catalog", "Catalogue")

    with pytest.warns(DeprecationWarning, match="its name is now Catalogue") as warned:
        from locframework.ports import Catalog

    assert Catalog is ports.Catalogue
    assert warned[0].filename == __file__
    with pytest.raises(ImportError, match="NoSuchName"):
        from locframework.ports import NoSuchName  # noqa: F401


def test_two_plugins_with_one_id_are_both_named_with_their_distributions(install):
    source = """
        from types import SimpleNamespace
        from locframework import hookimpl
        from locframework.ports import FormatInfo
        class Plugin:
            @hookimpl
            def loc_provide_formats(self):
                info = FormatInfo("ini", "INI", ".ini", "text/plain")
                return [SimpleNamespace(info=info, recognizes=0, read=0, write=0)]
    """
    install("ini-a", source, dist="loc-ini-a")
    install("ini-b", source, dist="loc-ini-b")

    assert refusal_of() == (
        "plugin 'ini-b' (loc-ini-b 1.2): loc_provide_formats: 'ini' is provided by"
        " plugin 'ini-a' already (loc-ini-a 1.2)"
    )
