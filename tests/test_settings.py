"""Settings: from a file and the environment into one struct, or one line."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, ValidationError, convert

from locframework.errors import SettingsError
from locframework.settings import Settings, fault_in, source_of


def load(toml="", folder=None, **environ):
    named = {f"LOCFRAMEWORK_{name}": value for name, value in environ.items()}
    if folder is None:
        return Settings.load(environ=named)
    file = folder / "settings.toml"
    file.write_text(toml, encoding="utf-8")
    return Settings.load(file, environ=named)


def refusal_of(toml="", folder=None, **environ):
    with pytest.raises(SettingsError) as caught:
        load(toml, folder, **environ)
    line = str(caught.value)
    assert line.startswith("settings: ")
    assert "\n" not in line
    return line


def test_nothing_said_is_the_defaults():
    of_others = {
        "JOB_WORKERS": "x",
        "LOCFRAMEWORK_TEST_POSTGRES_URL": "postgresql://x",
        "LOCFRAMEWORK_REQUIRE_SERVERS": "1",
        "LOCFRAMEWORK_SETTINGS": "a.toml",
    }

    assert load() == Settings.of({}) == Settings()
    assert Settings.load(environ=of_others) == Settings()


def test_the_environment_overrules_the_file(tmp_path):
    toml = """
    job_workers = 5
    blocked_plugins = ["json"]
    [server]
    port = 0
    [plugins.peewee]
    database = "a"
    other = 1
    """

    of_file = load(toml, tmp_path)
    both = load(
        toml, tmp_path, JOB_WORKERS="7", PLUGINS__PEEWEE__DATABASE="b", SERVER__PORT="9"
    )

    assert (of_file.job_workers, both.job_workers) == (5, 7)
    assert of_file.blocked_plugins == both.blocked_plugins == ("json",)
    assert (of_file.server.port, of_file.server.host) == (0, "127.0.0.1")
    assert both.server.port == 9
    assert of_file.plugins == {"peewee": {"database": "a", "other": 1}}
    assert both.plugins == {"peewee": {"database": "b", "other": 1}}


@pytest.mark.parametrize(
    ("text", "value"), [("true", True), ("false", False), ("1", True), ("0", False)]
)
def test_a_boolean_is_read_from_its_text(text, value):
    assert load(START_SCHEDULER=text).start_scheduler is value


def test_the_process_environment_is_what_is_read_by_default(monkeypatch):
    monkeypatch.setenv("LOCFRAMEWORK_JOB_WORKERS", "9")

    assert Settings.load().job_workers == 9


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('job_workers = "many"', "Expected `int`, got `str` - at `$.job_workers`"),
        ("job_workers = 0", "Expected `int` >= 1 - at `$.job_workers`"),
        ("[server]\nport = 70000", "Expected `int` <= 65535 - at `$.server.port`"),
        ("plugins = 3", "Expected `object`, got `int` - at `$.plugins`"),
        ('base_url = "https://x.example"', "ends with /api/v1"),
        (
            '[server]\ntrusted_proxy = "localhost"',
            """server.trusted_proxy: 'localhost' is not an IP address or "*\"""",
        ),
        ('[server]\ntrusted_proxy = "10.0.0.0/8"', "is not an IP address"),
        ('[server]\ntrusted_proxy = ""', "is not an IP address"),
        ("job_workers =", "settings.toml: "),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path, toml, said):
    assert said in refusal_of(toml, tmp_path)


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"JOB_WORKERS": "many"}, "$.job_workers"),
        ({"JOB_WORKER": "2"}, "did you mean 'job_workers'?"),
        ({"SERVER": "x", "SERVER__PORT": "1"}, "server is not a table"),
        ({"BASE_URL": "l10n.example.com/api/v1"}, "base_url"),
    ],
)
def test_what_the_environment_says_wrong_is_named_too(environ, said):
    assert said in refusal_of(**environ)


@pytest.mark.parametrize(
    ("toml", "wanted"),
    [
        ("job_worker = 2", "job_workers"),
        ("storages = 'peewee'", "storage"),
        ("blobStore = 'disk'", "blob_store"),
        ("baseurl = 'http://localhost/api/v1'", "base_url"),
        ("rate_limit = 'memory://'", "rate_limit_storage"),
        ("quota_refuse = true", "quota_refuses"),
        ("scheduler_start = true", "start_scheduler"),
        ("block_plugins = ['json']", "blocked_plugins"),
        ("[server]\nprot = 1", "port"),
        ("[webhook]\nsenders = 2", "webhooks"),
        ("[webhooks]\nsecret = 'x'", "secret_key"),
    ],
)
def test_for_a_misspelt_setting_the_nearest_is_suggested(tmp_path, toml, wanted):
    line = refusal_of(toml, tmp_path)

    assert line.startswith("settings: unknown setting '")
    assert line.endswith(f"'; did you mean {wanted!r}?")


@pytest.mark.parametrize(
    ("variable", "wanted"),
    [
        ("PORT", "server.port"),
        ("SERVER_TRUSTED_PROXY", "server.trusted_proxy"),
        ("SECRET_KEY", "webhooks.secret_key"),
        ("PLUGINS_PEEWEE_DATABASE", "plugins.peewee.database"),
    ],
)
def test_for_a_setting_outside_its_table_the_variable_is_suggested(variable, wanted):
    right = "LOCFRAMEWORK_" + wanted.replace(".", "__").upper()

    said = refusal_of(**{variable: "1"})

    assert said.endswith(f"; did you mean {wanted!r} ({right})?")


class Inner(Struct, frozen=True, forbid_unknown_fields=True):
    port: int = 1


class Outer(Struct, forbid_unknown_fields=True):
    table: Inner = Inner()
    maybe: Inner | None = None
    several: list[Inner] = []


@pytest.mark.parametrize(
    ("tree", "fault"),
    [
        ({"colour": 1}, "'colour'; there are maybe, several, table"),
        ({"table": {"prot": 1}}, "'table.prot'; did you mean 'port'?"),
        ({"maybe": {"prot": 1}}, "'maybe.prot'"),
        ({"several": [{"prot": 1}]}, "'several.prot'"),
    ],
)
def test_an_unknown_setting_is_named_wherever_it_is(tree, fault):
    with pytest.raises(ValidationError) as caught:
        convert(tree, Outer)

    assert fault_in(caught.value, Outer) == f"unknown setting {fault}"


TOML = """\
# port = 1
storage = "port" # port
webhooks.senders = 3
plugins.a = { port = 1 }
[server] # host
trusted_proxy = "*"
port = 2
[plugins.b]
port = 3
"""


@pytest.mark.parametrize(
    ("setting", "line"),
    [
        ("storage", 2),
        ("webhooks.senders", 3),
        ("plugins.a.port", 4),
        ("server", 5),
        ("server.port", 7),
        ("plugins.b", 8),
        ("plugins.b.port", 9),
    ],
)
def test_a_setting_is_found_in_its_line(tmp_path, setting, line):
    path = tmp_path / "settings.toml"
    path.write_text(TOML)

    assert source_of(setting, path, {}) == f"{path}, line {line}"
    assert source_of("server.host", path, {}) == ""


def test_a_file_that_is_not_there_and_one_that_is_no_text(tmp_path):
    with pytest.raises(SettingsError, match=r"cannot read .*No such file"):
        Settings.load(tmp_path / "absent.toml", environ={})
    (tmp_path / "settings.toml").write_bytes(b"storage = '\xff'")
    with pytest.raises(SettingsError, match=r"settings\.toml"):
        Settings.load(tmp_path / "settings.toml", environ={})


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:8080/api/v1",
        "https://l10n.example.com/api/v1",
        "https://example.com/a/b/api/v1",
        "http://[::1]:8080/api/v1",
    ],
)
def test_a_base_url_is_an_address_up_to_the_version(url):
    assert Settings.of({"base_url": url}).base_url == url


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("", "is not an http or https address"),
        ("/api/v1", "is not an http or https address"),
        ("x.example/api/v1", "is not an http or https address"),
        ("ftp://anna:s3cret@x.example/api/v1", "is not an http or https address"),
        ("https:///api/v1", "is not an http or https address"),
        ("https://x.example", "is not an http or https address"),
        ("https://x.example/api/v1/", "is not an http or https address"),
        ("https://x.example/api/v1?x=1", "is not an http or https address"),
        ("https://x.example/api/v1\n", "is not an http or https address"),
        ("https://anna:s3cret@x.example/api/v1", "may not name a user"),
        ("https://s3cret@x.example/api/v1", "may not name a user"),
        ("https://anna:s3cret@x.example", "may not name a user"),
    ],
)
def test_any_other_base_url_is_refused_without_its_user(url, told):
    """Manifests would name files that nobody can fetch."""
    for make in (
        lambda: Settings.of({"base_url": url}),
        lambda: Settings(base_url=url),
    ):
        with pytest.raises(SettingsError, match=told) as caught:
            make()
        assert "base_url" in str(caught.value)
        assert "s3cret" not in str(caught.value)


@given(
    st.dictionaries(
        st.from_regex(r"LOCFRAMEWORK_[A-Z_]{0,20}", fullmatch=True),
        st.text(max_size=20),
        max_size=4,
    )
)
def test_no_environment_ends_in_another_exception(environ):
    with suppress(SettingsError):
        Settings.load(environ=environ)


@pytest.mark.parametrize(
    ("given", "kept"),
    [("*", "*"), ("10.0.0.2", "10.0.0.2"), ("2001:DB8:0::1", "2001:db8::1")],
)
def test_a_trusted_proxy_is_every_one_or_an_address_as_connections_show_it(given, kept):
    assert load(SERVER__TRUSTED_PROXY=given).server.trusted_proxy == kept
