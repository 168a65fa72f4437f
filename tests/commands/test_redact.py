"""What logs may not show."""

import io
import logging
import time
from collections.abc import Iterator

import pytest

from locframework.commands.redact import RedactingFormatter, redact
from locframework.errors import PluginError, SettingsError

PERSONAL = "svc_pat_aM9OFdFuRFpjTEW0zvfZIoKlsrup8URyzfCX0ysgHy"
PROJECT = "svc_proj_04u8iorYGsjkZ9fJP1Q1PkFblMTH7mGHRHT00j952t"
SIGNING = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw/x+y="
PUBLIC_KEY = "Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm8"


@pytest.fixture
def written() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    logger, stream = logging.Logger("canary"), io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(RedactingFormatter(logging.Formatter("%(message)s")))
    logger.addHandler(handler)
    yield logger, stream
    handler.close()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"token {PERSONAL} was used", "token svc_pat_… was used"),
        (f"({PROJECT})", "(svc_proj_…)"),
        (f"secret={SIGNING}", "secret=whsec_…"),
        ("Authorization: Bearer my own scheme", "Authorization: …"),
        ("authorization: Basic dXNlcjpwYXNz\r\nHost: x", "authorization: …\r\nHost: x"),
        (
            "{'Authorization': 'Token abc', 'Host': 'x'}",
            "{'Authorization': '…', 'Host'",
        ),
        ("sent Bearer abc.def-ghi", "sent Bearer …"),
        (
            f"GET /content/{PUBLIC_KEY}/manifest.json",
            "GET /content/Zm9v…/manifest.json",
        ),
        ("postgresql://loc:s3cret@db:5432/loc", "postgresql://loc:…@db:5432/loc"),
    ],
)
def test_a_secret_is_cut_out_and_the_rest_stays(text, left):
    assert redact(text).startswith(left)


def test_what_is_no_secret_is_left_alone():
    text = "job 0199 of project web-shop ended; svc_other and whsec are words"

    assert redact(text) == text


def test_no_text_that_a_client_may_send_is_looked_at_for_long():
    begun = time.process_time()

    assert redact("a." * 32_000) == "a." * 32_000

    assert time.process_time() - begun < 2.0  # it took 14 s


def test_a_secret_among_the_arguments_is_redacted(written):
    logger, stream = written

    logger.warning("the token %s of %s is odd", PERSONAL, "ada")

    assert stream.getvalue() == "the token svc_pat_… of ada is odd\n"


def test_a_secret_in_a_trace_is_redacted(written):
    logger, stream = written

    try:
        raise ValueError(f"cannot use {PERSONAL}")
    except ValueError:
        logger.exception("it failed")

    assert "ValueError: cannot use svc_pat_…" in stream.getvalue()
    assert PERSONAL not in stream.getvalue()


def test_the_record_is_left_as_it_was_for_other_handlers(written):
    logger, _ = written
    seen: list[str] = []

    class Other(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append(record.getMessage())

    logger.addHandler(Other())
    logger.warning("token %s", PERSONAL)

    assert seen == [f"token {PERSONAL}"]


@pytest.mark.parametrize(
    "address",
    [
        "redis://:s3cret@h:1/0",
        "redis://s3cret@h",
        "postgresql://u:s3/c@r#s3cret@h/name",
    ],
)
def test_an_error_of_settings_or_plugins_shows_nobody_of_an_address(address):
    faults = [
        SettingsError(f"settings: {address!r} is wrong"),
        PluginError("p", "p 1.0", f"settings: {address!r} is wrong", "plugins.p"),
    ]

    for fault in map(str, faults):
        assert "s3cret" not in fault
        assert "://…@h" in fault
        assert fault.endswith("' is wrong")
