"""Answers public requests for manifests and files, and meters what was delivered."""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import timedelta
from threading import Lock

import msgspec
from msgspec import Struct

from locframework.access.records import Quota
from locframework.access.store import AccessStore
from locframework.blobs.service import Blobs
from locframework.errors import Unavailable
from locframework.fields import Clock
from locframework.http.responses import (
    CONTENT_NOT_FOUND,
    CONTENT_NOT_FOUND_CACHE,
    JSON,
    if_none_match_matches,
)
from locframework.transactions import Transactions

from .records import PublicHead, ReleaseFile, Usage
from .rules import (
    BUILDING_RETRY_SECONDS,
    FILE_CACHE,
    MANIFEST_CACHE,
    added,
    is_blob_name,
    is_public_key,
    manifest,
    manifest_etag,
    month_of,
)
from .store import DeliveryStore

log = logging.getLogger("locframework.delivery")

WRITTEN_EVERY_SECONDS = 10.0
QUOTA_LOOKED_UP_EVERY_SECONDS = 5.0
NOTHING = Usage(0, 0)


class _Standing(Struct):
    """What is known of an organization's quota, for some seconds."""

    quota: Quota | None
    stored: Usage
    looked_up_at: float
    month: str


class Meter:
    """Usage by organization and calendar month (UTC), gathered in memory.

    Written every ten seconds and at the end, so a process that is killed loses ten
    seconds of counts at most; a quota change shows within five.
    """

    def __init__(
        self,
        store: DeliveryStore,
        organizations: AccessStore,
        transactions: Transactions,
        clock: Clock,
        later: Callable[[Callable[[], None]], None],
    ) -> None:
        self._store = store
        self._organizations = organizations
        self._transactions = transactions
        self._clock = clock
        self._later = later
        self._lock = threading.Lock()
        self._gathered: dict[tuple[str, str], Usage] = {}  # (month, organization)
        self._standings: dict[str, _Standing] = {}
        self._written_at = time.monotonic()

    def count(self, organization_id: str, byte_size: int) -> None:
        """One public answer of so many bytes was given."""
        place = (month_of(self._clock()), organization_id)
        now = time.monotonic()
        with self._lock:
            usage = self._gathered.get(place, NOTHING)
            self._gathered[place] = Usage(usage.requests + 1, usage.bytes + byte_size)
            is_due = now - self._written_at > WRITTEN_EVERY_SECONDS
            if is_due:
                self._written_at = now
        if is_due:
            self._later(self.write)

    def is_exceeded(self, organization_id: str) -> bool:
        """Whether the organization was delivered more this month than its quota."""
        standing = self._standing(organization_id)
        if standing.quota is None:
            return False
        with self._lock:
            gathered = self._gathered.get((standing.month, organization_id), NOTHING)
        usage = added(standing.stored, gathered)
        quota = standing.quota
        return usage.requests >= quota.requests or usage.bytes >= quota.bytes

    def seconds_left_of_month(self) -> int:
        """Until the counts start anew."""
        now = self._clock()
        first = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        following = (first + timedelta(days=32)).replace(day=1)
        return int((following - now).total_seconds()) + 1

    def write(self) -> None:
        """Add what was gathered to what is stored."""
        with self._lock:
            gathered, self._gathered = self._gathered, {}
            self._standings.clear()
        if not gathered:
            return
        by_month: dict[str, list[tuple[str, Usage]]] = {}
        for (month, organization_id), usage in sorted(gathered.items()):
            by_month.setdefault(month, []).append((organization_id, usage))
        try:
            with self._transactions.transaction():
                for month, usages in by_month.items():
                    self._store.add_usage(month, usages)
        except Unavailable:
            log.warning("usage could not be written; it is kept for the next time")
            self._take_back(gathered)

    def _take_back(self, gathered: Mapping[tuple[str, str], Usage]) -> None:
        with self._lock:
            for place, usage in gathered.items():
                now = self._gathered.get(place, NOTHING)
                self._gathered[place] = added(now, usage)

    def _standing(self, organization_id: str) -> _Standing:
        now, month = time.monotonic(), month_of(self._clock())
        known = self._standings.get(organization_id)
        since = now - QUOTA_LOOKED_UP_EVERY_SECONDS
        if known is not None and known.month == month and known.looked_up_at > since:
            return known
        organization = self._organizations.organizations.find(organization_id)
        quota = organization.delivery_quota if organization else None
        stored = NOTHING
        if quota is not None:
            stored = self._store.usage_of(organization_id, month)
        known = _Standing(quota, stored, now, month)
        self._standings[organization_id] = known
        return known


HELD_BYTES_MOST = 16 * 1024 * 1024
QUOTA_HEADER = "X-Service-Quota"
RETRY_MOST_SECONDS = 3600


class PublicAnswer(Struct, frozen=True):
    """A public answer, outside the envelope."""

    status: int
    content: bytes
    content_type: str | None  # None: no body, 304
    headers: dict[str, str]


NOT_FOUND = PublicAnswer(
    404, CONTENT_NOT_FOUND, JSON, {"Cache-Control": CONTENT_NOT_FOUND_CACHE}
)
"""For an unknown key, a paused one, a file that is not there: all the same, so that
nothing can be probed (service.md, Errors)."""

BUILDING = PublicAnswer(
    202,
    b'{"status":"building"}',
    JSON,
    {"Retry-After": str(BUILDING_RETRY_SECONDS), "Cache-Control": "no-store"},
)


class _Held(Struct, frozen=True):
    body: bytes
    etag: str


def _size(place: tuple[object, ...], held: _Held) -> int:
    """The bytes that holding it takes, about."""
    return len(held.body) + sum(len(str(part)) for part in place)


class PublicContent:
    """Manifests and files. One statement a request, two for the first of a release."""

    def __init__(
        self,
        store: DeliveryStore,
        blobs: Blobs,
        meter: Meter,
        *,
        quota_refuses: bool,
    ) -> None:
        self._store = store
        self._blobs = blobs
        self._meter = meter
        self._quota_refuses = quota_refuses
        self._held: OrderedDict[tuple[object, ...], _Held] = OrderedDict()
        self._held_bytes = 0
        self._lock = Lock()

    def read_manifest(
        self,
        public_key: str,
        base_url: str,
        if_none_match: str | None,
        *,
        is_head: bool = False,
    ) -> PublicAnswer:
        """The manifest of the current release, 304, 202 while building, or 404.

        ``is_head``: the body is not sent, so none of it is counted.
        """
        head = self._head(public_key)
        if head is None:
            return NOT_FOUND
        if head.release_id is None:
            return BUILDING
        held = self._manifest(public_key, base_url, head)
        if held is None:
            return NOT_FOUND
        headers = {
            "ETag": held.etag,
            "Cache-Control": MANIFEST_CACHE,
            "X-Service-Release": str(head.version),
        }
        is_unchanged = if_none_match_matches(if_none_match, held.etag)
        return self._answer(head, held.body, JSON, headers, is_unchanged, is_head)

    def read_file(
        self,
        public_key: str,
        blob: str,
        if_none_match: str | None,
        *,
        is_head: bool = False,
    ) -> PublicAnswer:
        """A file of any release of the distribution, 304, or 404.

        Raises Unavailable for a file that the store has lost or damaged: never
        other bytes than those of its name.
        """
        head = self._head(public_key)
        if head is None or not is_blob_name(blob):
            return NOT_FOUND
        found = self._store.names_blob(head.distribution_id, blob)
        if found is None:
            return NOT_FOUND
        content_type, storage = found
        etag = f'"{blob}"'
        headers = {"ETag": etag, "Cache-Control": FILE_CACHE}
        if if_none_match_matches(if_none_match, etag):
            return self._answer(head, b"", content_type, headers, True, is_head)
        content = self._blobs.get(blob, store=storage)
        if content is None:
            raise Unavailable("a published file is missing from its store")
        return self._answer(head, content, content_type, headers, False, is_head)

    def _head(self, public_key: str) -> PublicHead | None:
        if not is_public_key(public_key):
            return None
        head = self._store.find_head(public_key)
        return None if head is None or head.is_paused else head

    def _manifest(
        self, public_key: str, base_url: str, head: PublicHead
    ) -> _Held | None:
        place = (head.release_id, public_key, base_url, head.name, head.channel)
        with self._lock:
            held = self._held.get(place)
            if held is not None:
                self._held.move_to_end(place)
                return held
        held = self._make(public_key, base_url, head)
        if held is not None:
            self._hold(place, held)
        return held

    def _hold(self, place: tuple[object, ...], held: _Held) -> None:
        """Keep it for the next, and let the longest unused go.

        A place names the host that the client asked for, so anybody can make new
        ones; bytes bound what that costs, not their number.
        """
        size = _size(place, held)
        if size > HELD_BYTES_MOST:
            return
        with self._lock:
            if place in self._held:  # another thread made the same
                return
            self._held[place] = held
            self._held_bytes += size
            while self._held_bytes > HELD_BYTES_MOST:
                self._held_bytes -= _size(*self._held.popitem(last=False))

    def _make(self, public_key: str, base_url: str, head: PublicHead) -> _Held | None:
        release = self._store.releases.find(head.release_id or "")
        if release is None or release.snapshot is None:
            return None
        store = self._blobs.store(release.storage)

        def url_of(file: ReleaseFile) -> str:
            ours = f"{base_url}/content/{public_key}/b/{file.blob}"
            return store.public_url(file.blob) or ours

        document = manifest(public_key, head, release, release.snapshot, url_of)
        body = msgspec.json.encode(document)
        return _Held(body, manifest_etag(head.version, body))

    def _answer(
        self,
        head: PublicHead,
        body: bytes,
        content_type: str,
        headers: dict[str, str],
        is_unchanged: bool,
        is_head: bool,
    ) -> PublicAnswer:
        if self._meter.is_exceeded(head.organization_id):
            headers[QUOTA_HEADER] = "exceeded"
            if self._quota_refuses:
                return self._refused()
        sent = 0 if is_unchanged or is_head else len(body)
        self._meter.count(head.organization_id, sent)
        if is_unchanged:
            return PublicAnswer(304, b"", None, headers)
        return PublicAnswer(200, body, content_type, headers)

    def _refused(self) -> PublicAnswer:
        seconds = min(self._meter.seconds_left_of_month(), RETRY_MOST_SECONDS)
        headers = {
            "Retry-After": str(seconds),
            "Cache-Control": "no-store",
            QUOTA_HEADER: "exceeded",
        }
        return PublicAnswer(429, b'{"error":"quota_exceeded"}', JSON, headers)
