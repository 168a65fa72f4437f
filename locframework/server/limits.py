"""What one client may cost a server, and the error of a server that cannot start."""

from msgspec import Struct

KIB, MIB = 1024, 1024 * 1024


class ServerError(Exception):
    """Serving cannot start, or goes no further; the message is one line."""


class ServerLimits(Struct, frozen=True, kw_only=True):
    """How long, how much and how many. The defaults are CHOSEN; tests shorten them.

    Who oversteps one is cut off, or has a 400, 413 or 431 in the API's envelope;
    the application is never asked.
    """

    # A request: its head and body, from the first byte (or the connection) on.
    request_seconds: float = 15.0
    body_bytes_per_second: int = 64 * KIB  # each that has come earns more time
    head_bytes: int = 16 * KIB
    body_bytes: int = 51 * MIB  # uploads are 50 MiB (decisions 2.2), plus multipart
    idle_seconds: float = 60.0  # of silence between two requests of one connection

    # An answer: how long it may stand still, and how slowly it may be read.
    answer_seconds: float = 20.0
    answer_bytes_per_second: int = 4 * KIB
    # An answer of more waits in a worker for its reader, who must then be fast.
    buffered_answer_bytes: int = 16 * MIB
    waiting_answer_bytes_per_second: int = 256 * KIB

    # Connections of one process. Over these, the one that is nearest to its
    # deadline makes room: a flood of slow ones drives out itself. Of one address
    # an idle one goes first.
    connections: int = 1000
    connections_per_address: int = 50  # the trusted proxy has no such limit

    stop_seconds: float = 10.0  # for running requests, once asked to stop
    # For on_stop afterwards, in each of several processes; then it is killed. Ours
    # gives webhooks that are being sent 10 seconds, and then running jobs as much.
    on_stop_seconds: float = 25.0
