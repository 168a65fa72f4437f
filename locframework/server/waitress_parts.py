"""The parts of waitress that this package builds on, all of 3.0's inside.

types-waitress describes them for callers, not for subclasses; hence they are untyped
here. An update of waitress is checked against this list.
"""

from waitress import wasyncore  # type: ignore[import-untyped]
from waitress.adjustments import Adjustments  # type: ignore[import-untyped]
from waitress.channel import HTTPChannel  # type: ignore[import-untyped]
from waitress.parser import (  # type: ignore[import-untyped]
    HTTPRequestParser,
    ParsingError,
)
from waitress.receiver import ChunkedReceiver  # type: ignore[import-untyped]
from waitress.server import TcpWSGIServer  # type: ignore[import-untyped]
from waitress.task import ErrorTask, WSGITask  # type: ignore[import-untyped]
from waitress.utilities import (  # type: ignore[import-untyped]
    BadRequest,
    build_http_date,
)

__all__ = [
    "Adjustments",
    "BadRequest",
    "ChunkedReceiver",
    "ErrorTask",
    "HTTPChannel",
    "HTTPRequestParser",
    "ParsingError",
    "TcpWSGIServer",
    "WSGITask",
    "build_http_date",
    "wasyncore",
]
