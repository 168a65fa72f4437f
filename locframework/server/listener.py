"""Accepts connections, keeps their number and their clients in bounds, and stops."""

import ipaddress
import logging
import socket
from collections.abc import Callable, Iterable
from errno import EMFILE, ENFILE
from time import monotonic
from wsgiref.types import WSGIApplication

from .channel import Channel
from .limits import ServerLimits
from .share import Share
from .waitress_parts import Adjustments, TcpWSGIServer, wasyncore
from .workers import Workers

log = logging.getLogger(__name__)

SWEEP_SECONDS = 0.5
ACCEPT_BACKLOG = 1024
STOPPING_TURN_SECONDS = 0.05
# A connection is left for so long to processes that have fewer. They may be stuck.
LEAVE_SECONDS = 0.025
# Without a descriptor for one more, to accept would fail again at once, for ever.
OUT_OF_FILES_SECONDS = 0.25
OUT_OF_FILES_TOLD_SECONDS = 60
# A kept connection's next request may be on its way when we stop. It is answered.
LAST_REQUEST_SECONDS = 0.3
# Not X-Forwarded-Host: few proxies set it, and all the others pass on the client's.
BELIEVED_PROXY_HEADERS = ("x-forwarded-for", "x-forwarded-proto")


class Listener(TcpWSGIServer):  # type: ignore[misc]
    """A waitress server on a socket that listens already."""

    def __init__(
        self,
        app: WSGIApplication,
        listening: socket.socket,
        *,
        threads: int,
        trusted_proxy: str | None,
        limits: ServerLimits,
        is_one_of_several: bool,
        share: Share,
    ) -> None:
        self.limits = limits
        self.is_one_of_several = is_one_of_several
        self.is_stopping = False
        self._trusted_proxy = trusted_proxy
        self._channels: set[Channel] = set()
        self._by_address: dict[str, set[Channel]] = {}
        self._doomed: list[Channel] = []
        self._swept_at = monotonic()
        self._leaves_until: float | None = None  # a connection, to another process
        self._has_seen_one = False
        self._is_short_until = self._is_told_until = monotonic()  # of open files
        self._share = share
        share.tell(0)
        self._workers = Workers(threads, poll=self._turn, wake=self.wake)
        super().__init__(
            app,
            map={},
            _sock=listening,
            dispatcher=self._workers,
            adj=_adjustments(trusted_proxy, limits),
            sockinfo=(listening.family, listening.type, 0, listening.getsockname()),
            bind_socket=False,
        )
        self.channel_class = self._admit

    def run_until(self, is_asked_to_stop: Callable[[], bool]) -> None:
        """Serves; then lets running requests end, within ``limits.stop_seconds``."""
        self._workers.watch_until(is_asked_to_stop)
        self._workers.take_lead()
        self._stop(until=monotonic() + self.limits.stop_seconds)

    def wake(self) -> None:
        """Ends the waiting of who polls. Signal handlers may."""
        self.trigger.pull_trigger()

    def wake_all(self) -> None:
        """Has everybody ask whether to stop. Signal handlers may."""
        self.wake()
        self._workers.call()

    def _turn(self, timeout: float) -> None:
        if monotonic() < self._is_short_until:
            timeout = min(timeout, OUT_OF_FILES_SECONDS)
        until = self._leaves_until
        if until is not None:
            timeout = min(timeout, max(0.0, until - monotonic()))
        is_over = until is not None and monotonic() >= until
        self._has_seen_one = False
        wasyncore.loop(timeout=timeout, use_poll=True, map=self._map, count=1)
        if is_over and not self._has_seen_one:
            self._leaves_until = None  # another process has taken it
        now = monotonic()
        if (elapsed := now - self._swept_at) >= SWEEP_SECONDS:
            self._swept_at = now
            # Of a copy, here as below: a worker may close a channel meanwhile.
            self._doomed += [
                channel
                for channel in list(self._channels)
                if channel.is_overdue(now, elapsed)
            ]
        self._close_the_doomed()

    def _close_the_doomed(self) -> None:
        """Closes at once, and outside of the loop, which may hold their events.

        Waitress's own ``will_close`` waits until the socket can be written to: for
        ever, if its reader does not read.
        """
        for channel in self._doomed:
            if channel.connected:
                channel.handle_close()
        self._doomed.clear()

    def _stop(self, until: float) -> None:
        self.is_stopping = True
        self._accept_the_queue()
        wasyncore.dispatcher.close(self)  # the socket; waitress's own takes more
        self._last_turn(timeout=0)  # reads what has come already
        for channel in list(self._channels):
            channel.close_after_answer()
        idle_until = monotonic() + LAST_REQUEST_SECONDS
        while self._channels and (now := monotonic()) < until:
            if now > idle_until:
                self._doomed += [
                    channel
                    for channel in list(self._channels)
                    if not channel.is_busy and not channel.is_in_exchange
                ]
            self._last_turn(timeout=STOPPING_TURN_SECONDS)
        self._doomed += self._channels
        self._close_the_doomed()  # wakes a worker that waits for its reader
        self._workers.end(timeout=max(0.2, until - monotonic()))
        wasyncore.close_all(self._map)

    def _last_turn(self, timeout: float) -> None:
        self._turn(timeout)
        self._workers.hand_out()

    def _accept_the_queue(self) -> None:
        """Takes in who connected before we were asked to stop."""
        before = -1
        while before != len(self._channels):
            before = len(self._channels)
            self.handle_accept()

    # Who gets in

    def _admit(
        self,
        server: "Listener",
        conn: socket.socket,
        address: tuple[str, int],
        adjustments: Adjustments,
        map: dict[int, object],
    ) -> None:
        """Opens a channel if there is room, or room can be made."""
        network = network_of(address[0])
        of_address = self._by_address.get(network, set())
        is_free = self._trusted_proxy in ("*", address[0])
        if (
            not is_free
            and len(of_address) >= self.limits.connections_per_address
            and not self._close_one_of_address(of_address)
        ) or (
            len(self._channels) >= self.limits.connections
            and not self._close_one(self._channels)
        ):
            conn.close()
            return
        channel = Channel(self, conn, address, adjustments, map=map)
        self._channels.add(channel)
        self._by_address.setdefault(network, set()).add(channel)
        self._share.tell(len(self._channels))

    def _close_one_of_address(self, channels: Iterable[Channel]) -> bool:
        """Closes one that is idle, if there is one: its client connects again.

        One that is new may have sent its request already, which would be lost.
        """
        idle = [channel for channel in list(channels) if channel.is_idle]
        return self._close_one(idle) or self._close_one(channels)

    def _close_one(self, channels: Iterable[Channel]) -> bool:
        """Closes the client nearest to its deadline. False: all are being served."""
        waiting = (channel for channel in list(channels) if not channel.is_busy)
        slowest = min(waiting, key=lambda channel: channel.deadline, default=None)
        if slowest is None:
            return False
        self._doomed.append(slowest)
        self.forget(slowest)
        return True

    def forget(self, channel: Channel) -> None:
        """Counts the channel no more."""
        self._channels.discard(channel)
        self._share.tell(len(self._channels))
        network = network_of(channel.addr[0])
        of_address = self._by_address.get(network, set())
        of_address.discard(channel)
        if not of_address:
            self._by_address.pop(network, None)

    # What waitress calls

    def add_task(self, task: Channel) -> None:
        task.request_arrived()
        super().add_task(task)

    def pull_trigger(self) -> None:
        if not self._workers.is_led_by_me:  # who leads will look by itself
            self.wake()

    def readable(self) -> bool:
        until = self._leaves_until
        if monotonic() < self._is_short_until:
            return False
        return bool(self.accepting) and (
            until is None or monotonic() >= until or self._share.is_least
        )

    def handle_accept(self) -> None:
        self._has_seen_one = True
        is_ours = self.is_stopping or self._share.is_least
        if self._leaves_until is None and not is_ours:
            self._leaves_until = monotonic() + LEAVE_SECONDS
        else:
            super().handle_accept()

    def accept(self) -> tuple[socket.socket, tuple[str, int]] | None:
        try:
            accepted: tuple[socket.socket, tuple[str, int]] | None = super().accept()
        except OSError as error:
            if error.errno not in (EMFILE, ENFILE):
                raise
            self._is_short_of_files(str(error.strerror))
            return None
        return accepted

    def _is_short_of_files(self, reason: str) -> None:
        """Has a client that waits make room, and tells of it once a minute."""
        now = monotonic()
        self._is_short_until = now + OUT_OF_FILES_SECONDS
        if now >= self._is_told_until:
            self._is_told_until = now + OUT_OF_FILES_TOLD_SECONDS
            count = len(self._channels)
            log.error("%s connections are open, and no more can be: %s", count, reason)
        if not self.is_stopping:
            self._close_one(self._channels)

    def fix_addr(self, address: tuple[str, int]) -> tuple[str, int]:
        """An IPv4 client of an IPv6 socket keeps its plain address."""
        return address[0].removeprefix("::ffff:"), address[1]


def network_of(address: str) -> str:
    """What counts as one client: an IPv4 address, or an IPv6 network of 64 bits."""
    if ":" not in address:
        return address
    whole = ipaddress.IPv6Address(address.partition("%")[0])
    return whole.exploded[:19]


def _adjustments(trusted_proxy: str | None, limits: ServerLimits) -> Adjustments:
    proxy = {
        "trusted_proxy": trusted_proxy,
        "trusted_proxy_count": 1,
        "trusted_proxy_headers": " ".join(BELIEVED_PROXY_HEADERS),
    }
    return Adjustments(
        ident=None,
        backlog=ACCEPT_BACKLOG,
        max_request_header_size=limits.head_bytes,
        max_request_body_size=limits.body_bytes,
        outbuf_high_watermark=limits.buffered_answer_bytes,
        **(proxy if trusted_proxy else {}),
    )
