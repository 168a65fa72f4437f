"""The plugin: its settings, what it says at the start, and its name."""

import logging
import re
import ssl

import msgspec
import pytest
from locframework_webhooks_https import HttpsPlugin, HttpsSettings

from locframework.outgoing.channel import tls_context, warn_once
from locframework.ports import SettingsError
from locframework.testing.certificates import Authority


@pytest.fixture(autouse=True)
def nothing_was_said():
    warn_once.cache_clear()


def settings(**given):
    """As the host makes them of a settings file."""
    return msgspec.convert(given, HttpsSettings, strict=False)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"allowed_networks": ["127.0.0.0/33"]}, "127.0.0.0/33"),
        ({"allowed_networks": ["127.0.0.1/8"]}, "host bits"),
        ({"allowed_networks": ["localhost"]}, "localhost"),
        ({"allowed_ports": []}, "allowed_ports: is empty"),
        ({"allowed_ports": [0]}, "allowed_ports"),
        ({"allowed_ports": [65536]}, "allowed_ports"),
        ({"networks": []}, "unknown field `networks`"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(given, told):
    with pytest.raises(msgspec.ValidationError, match=told):
        settings(**given)


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("/nowhere/ca.pem", "ca_file: /nowhere/ca.pem: No such file"),
        (__file__, "ca_file: .*: holds no certificates"),
    ],
)
def test_a_file_without_authorities_is_refused(file, told):
    with pytest.raises(SettingsError, match=told) as refusal:
        HttpsPlugin(settings(ca_file=file))

    assert refusal.value.setting == "ca_file"


def test_nothing_is_said_at_the_start_when_nothing_is_widened(caplog, tmp_path):
    HttpsPlugin(settings())
    HttpsPlugin(settings(ca_file=str(Authority(tmp_path).ca_file)))

    assert caplog.records == []


def test_what_is_widened_is_told_loudly_at_the_start(caplog):
    given = settings(
        allowed_networks=["127.0.0.0/8", "10.1.0.0/16"], allowed_ports=[8443]
    )
    for _ in range(3):
        HttpsPlugin(given)

    networks, ports = caplog.records  # once in a process
    assert {networks.levelno, ports.levelno} == {logging.WARNING}
    assert "127.0.0.0/8, 10.1.0.0/16" in networks.getMessage()
    assert "development only" in networks.getMessage()
    assert re.search(r"\b8443\b", ports.getMessage())


def test_keys_of_sessions_are_written_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))

    tls_context(ca_file=None)

    assert not (tmp_path / "keys").exists()
    assert ssl.create_default_context().keylog_filename  # it would have, by default


def test_a_system_without_authorities_is_told_of(caplog, monkeypatch, tmp_path):
    there = ssl.get_default_verify_paths()
    none = there._replace(openssl_cafile="/nowhere/f", openssl_capath="/nowhere/d")
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: none)

    HttpsPlugin(settings(ca_file=str(Authority(tmp_path).ca_file)))
    assert caplog.records == []
    HttpsPlugin(settings())

    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert "no authorities at /nowhere/f and /nowhere/d" in record.getMessage()
