"""Settings: from a file and the environment into one struct, or one line."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.errors import SettingsError
from locframework.settings import Settings


def load(toml: str = "", folder: Path | None = None, **environ: str) -> Settings:
    named = {f"LOCFRAMEWORK_{name}": value for name, value in environ.items()}
    if folder is None:
        return Settings.load(environ=named)
    file = folder / "settings.toml"
    file.write_text(toml, encoding="utf-8")
    return Settings.load(file, environ=named)


def refusal_of(toml: str = "", folder: Path | None = None, **environ: str) -> str:
    with pytest.raises(SettingsError) as caught:
        load(toml, folder, **environ)
    line = str(caught.value)
    assert line.startswith("settings: ")
    assert "\n" not in line
    return line


def test_nothing_said_is_the_defaults() -> None:
    assert load() == Settings()
    assert Settings.of({}) == Settings()


def test_a_file_may_be_named_by_text(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("job_workers = 5", encoding="utf-8")

    assert Settings.load(str(file), environ={}).job_workers == 5
    with pytest.raises(SettingsError, match="cannot read"):
        Settings.load(str(tmp_path / "absent.toml"), environ={})


def test_a_file_sets_what_it_names(tmp_path: Path) -> None:
    toml = """
    job_workers = 5
    blocked_plugins = ["json"]
    [server]
    port = 0
    [plugins.peewee]
    database = "sqlite:///x"
    """

    settings = load(toml, tmp_path)

    assert settings.job_workers == 5
    assert settings.blocked_plugins == ("json",)
    assert (settings.server.port, settings.server.host) == (0, "127.0.0.1")
    assert settings.plugins == {"peewee": {"database": "sqlite:///x"}}


def test_the_environment_overrules_the_file(tmp_path: Path) -> None:
    toml = 'job_workers = 5\n[plugins.peewee]\ndatabase = "a"\nother = 1'

    settings = load(
        toml, tmp_path, JOB_WORKERS="7", PLUGINS__PEEWEE__DATABASE="b", SERVER__PORT="9"
    )

    assert settings.job_workers == 7
    assert settings.server.port == 9
    assert settings.plugins == {"peewee": {"database": "b", "other": 1}}


@pytest.mark.parametrize(
    ("text", "value"), [("true", True), ("false", False), ("1", True), ("0", False)]
)
def test_a_boolean_is_read_from_its_text(text: str, value: bool) -> None:
    assert load(START_SCHEDULER=text).start_scheduler is value


def test_the_process_environment_is_what_is_read_by_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LOCFRAMEWORK_JOB_WORKERS", "9")

    assert Settings.load().job_workers == 9
    assert "LOCFRAMEWORK_JOB_WORKERS" in os.environ


def test_variables_of_the_tests_are_no_settings() -> None:
    settings = load(
        TEST_POSTGRES_URL="postgresql://x", REQUIRE_SERVERS="1", SETTINGS="a.toml"
    )

    assert settings == Settings()


def test_variables_of_others_are_not_looked_at() -> None:
    assert Settings.load(environ={"JOB_WORKERS": "x", "PATH": "/"}) == Settings()


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('job_workers = "many"', "Expected `int`, got `str` - at `$.job_workers`"),
        ("job_worker = 2", "Object contains unknown field `job_worker`"),
        ("job_workers = 0", "Expected `int` >= 1 - at `$.job_workers`"),
        ("[server]\nport = 70000", "Expected `int` <= 65535 - at `$.server.port`"),
        ("[server]\nprot = 1", "unknown field `prot` - at `$.server`"),
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
def test_what_cannot_be_used_is_named(tmp_path: Path, toml: str, said: str) -> None:
    assert said in refusal_of(toml, tmp_path)


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"JOB_WORKERS": "many"}, "$.job_workers"),
        ({"JOB_WORKER": "2"}, "unknown field `job_worker`"),
        ({"SERVER": "x", "SERVER__PORT": "1"}, "server is not a table"),
        ({"BASE_URL": "l10n.example.com/api/v1"}, "base_url"),
    ],
)
def test_what_the_environment_says_wrong_is_named_too(
    environ: dict[str, str], said: str
) -> None:
    assert said in refusal_of(**environ)


def test_a_file_that_is_not_there_and_one_that_is_no_text(tmp_path: Path) -> None:
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
def test_a_base_url_is_an_address_up_to_the_version(url: str) -> None:
    assert Settings.of({"base_url": url}).base_url == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/api/v1",
        "l10n.example.com/api/v1",
        "ftp://l10n.example.com/api/v1",
        "https:///api/v1",
        "https://l10n.example.com",
        "https://l10n.example.com/api/v1/",
        "https://l10n.example.com/api/v1?x=1",
        "https://anna:secret@l10n.example.com/api/v1",
        "https://l10n.example.com/api/v1\n",
    ],
)
def test_any_other_base_url_is_refused_however_it_is_given(url: str) -> None:
    """Manifests would name files that nobody can fetch."""
    with pytest.raises(SettingsError, match="base_url"):
        Settings.of({"base_url": url})
    with pytest.raises(SettingsError, match="base_url"):
        Settings(base_url=url)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://anna:s3cret@x.example/api/v1", "may not name a user"),
        ("https://s3cret@x.example/api/v1", "may not name a user"),
        ("https://anna:s3cret@x.example", "may not name a user"),
        ("ftp://anna:s3cret@x.example/api/v1", "is not an http or https address"),
        ("https://x.example", "is not an http or https address"),
    ],
)
def test_what_is_wrong_with_a_base_url_is_told_without_its_user(
    url: str, told: str
) -> None:
    with pytest.raises(SettingsError, match=told) as caught:
        Settings(base_url=url)

    assert "s3cret" not in str(caught.value)
    assert "x.example" in str(caught.value)


@given(
    st.dictionaries(
        st.from_regex(r"LOCFRAMEWORK_[A-Z_]{0,20}", fullmatch=True),
        st.text(max_size=20),
        max_size=4,
    )
)
def test_no_environment_ends_in_another_exception(environ: dict[str, str]) -> None:
    with suppress(SettingsError):
        Settings.load(environ=environ)


@pytest.mark.parametrize(
    ("given", "kept"),
    [("*", "*"), ("10.0.0.2", "10.0.0.2"), ("2001:DB8:0::1", "2001:db8::1")],
)
def test_a_trusted_proxy_is_every_one_or_an_address_as_connections_show_it(
    given: str, kept: str
) -> None:
    assert load(SERVER__TRUSTED_PROXY=given).server.trusted_proxy == kept
