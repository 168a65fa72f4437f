"""Answers public requests for manifests and files, and meters what was delivered."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import msgspec
from msgspec import Struct

from locframework.access.records import Quota
from locframework.access.store import AccessStore
from locframework.blobs.service import Blobs
from locframework.errors import ReleaseNotFound, Unavailable
from locframework.fields import Clock
from locframework.http.records import Raw, RequestInfo
from locframework.http.responses import (
    CONTENT_NOT_FOUND,
    CONTENT_NOT_FOUND_CACHE,
    JSON,
    if_none_match_matches,
)
from locframework.transactions import Transactions

from .records import PublicHead, Usage
from .rules import (
    BLOB_NAME,
    BUILDING_RETRY_SECONDS,
    FILE_CACHE,
    MANIFEST_CACHE,
    PUBLIC_KEY,
    manifest,
    manifest_etag,
)
from .store import DeliveryStore

log = logging.getLogger("locframework.delivery")

WRITE_SECONDS = 10.0
QUOTA_READ_SECONDS = 5.0
MANIFESTS_IN_MEMORY = 16  # of the current releases, by host; the least used go first
QUOTA_HEADER = "X-Service-Quota"


class _QuotaState(Struct):
    quota: Quota | None
    stored: Usage
    month: str
    read_at: float


@dataclass(eq=False, repr=False)
class Meter:
    """Counts usage by organization and calendar month (UTC), in memory. It is written
    every ten seconds and at the end, so a process that is killed loses ten seconds of
    counts at most; a quota change shows within five."""

    _store: DeliveryStore
    _organizations: AccessStore
    _transactions: Transactions
    _clock: Clock
    _later: Callable[[Callable[[], None]], None]

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str]] = Counter()  # by month, organization
        self._bytes: Counter[tuple[str, str]] = Counter()
        self._states: dict[str, _QuotaState] = {}
        self._written_at = time.monotonic()

    def count(self, organization_id: str, byte_size: int) -> None:
        """Count one response with a body of so many bytes."""
        place = (self._month(), organization_id)
        now = time.monotonic()
        with self._lock:
            self._requests[place] += 1
            self._bytes[place] += byte_size
            is_due = now - self._written_at > WRITE_SECONDS
            if is_due:
                self._written_at = now
        if is_due:
            self._later(self.write)

    def is_exceeded(self, organization_id: str) -> bool:
        """Return whether the organization has used up the quota of this month."""
        now, month = time.monotonic(), self._month()
        state = self._states.get(organization_id)
        if (
            state is None
            or state.month != month
            or now - state.read_at > QUOTA_READ_SECONDS
        ):
            organization = self._organizations.organizations.find(organization_id)
            quota = organization.delivery_quota if organization else None
            stored = Usage(0, 0)
            if quota is not None:
                stored = self._store.usage_of(organization_id, month)
            state = _QuotaState(quota, stored, month, now)
            self._states[organization_id] = state
        if state.quota is None:
            return False
        place = (month, organization_id)
        with self._lock:
            requests = state.stored.requests + self._requests[place]
            sent = state.stored.bytes + self._bytes[place]
        return requests >= state.quota.requests or sent >= state.quota.bytes

    def write(self) -> None:
        """Add the counts to the stored usage."""
        with self._lock:
            requests, sent = self._requests, self._bytes
            self._requests, self._bytes = Counter(), Counter()
            self._states.clear()
        if not requests:
            return
        by_month: dict[str, list[tuple[str, Usage]]] = {}
        for place in sorted(requests):
            usage = Usage(requests[place], sent[place])
            by_month.setdefault(place[0], []).append((place[1], usage))
        try:
            with self._transactions.transaction():
                for month, usages in by_month.items():
                    self._store.add_usage(month, usages)
        except Unavailable:
            log.warning("usage could not be written; it is kept for the next time")
            with self._lock:
                self._requests.update(requests)
                self._bytes.update(sent)

    def _month(self) -> str:
        return f"{self._clock():%Y-%m}"


NOT_FOUND = Raw(
    CONTENT_NOT_FOUND,
    content_type=JSON,
    status=404,
    headers={"Cache-Control": CONTENT_NOT_FOUND_CACHE},
)
"""For an unknown key, a paused one, and an absent file: the same for all, so that
nothing can be probed (service.md, Errors)."""

BUILDING = Raw(
    b'{"status":"building"}',
    content_type=JSON,
    status=202,
    headers={"Retry-After": str(BUILDING_RETRY_SECONDS), "Cache-Control": "no-store"},
)

REFUSED = Raw(
    b'{"error":"quota_exceeded"}',
    content_type=JSON,
    status=429,
    headers={
        "Retry-After": "3600",
        "Cache-Control": "no-store",
        QUOTA_HEADER: "exceeded",
    },
)


class PublicContent:
    """Manifests and files. One statement a request, two for the first of a release."""

    def __init__(
        self, store: DeliveryStore, blobs: Blobs, meter: Meter, *, quota_refuses: bool
    ) -> None:
        self._store = store
        self._blobs = blobs
        self._meter = meter
        self._quota_refuses = quota_refuses
        self._manifest = lru_cache(MANIFESTS_IN_MEMORY)(self._encode_manifest)

    def read_manifest(self, public_key: str, request: RequestInfo) -> Raw:
        """Return the current release's manifest, 304, 202 while building, or 404."""
        head = self._head(public_key)
        if head is None:
            return NOT_FOUND
        if head.release_id is None:
            return BUILDING
        try:
            body, etag = self._manifest(public_key, request.base_url, head)
        except ReleaseNotFound:
            return NOT_FOUND
        headers = {
            "ETag": etag,
            "Cache-Control": MANIFEST_CACHE,
            "X-Service-Release": str(head.version),
        }
        return self._respond(request, head, lambda: body, JSON, headers)

    def read_file(self, public_key: str, blob: str, request: RequestInfo) -> Raw:
        """Return a file of any release of the distribution, 304, or 404. Raises
        Unavailable for a lost or damaged file."""
        head = self._head(public_key)
        if head is None or not BLOB_NAME.fullmatch(blob):
            return NOT_FOUND
        found = self._store.names_blob(head.distribution_id, blob)
        if found is None:
            return NOT_FOUND
        content_type, storage = found
        headers = {"ETag": f'"{blob}"', "Cache-Control": FILE_CACHE}

        def content() -> bytes:
            found = self._blobs.get(blob, store=storage)
            if found is None:
                raise Unavailable("a published file is missing from its store")
            return found

        return self._respond(request, head, content, content_type, headers)

    def _head(self, public_key: str) -> PublicHead | None:
        if not PUBLIC_KEY.fullmatch(public_key):
            return None
        head = self._store.find_head(public_key)
        return None if head is None or head.is_paused else head

    def _encode_manifest(
        self, public_key: str, base_url: str, head: PublicHead
    ) -> tuple[bytes, str]:
        release = self._store.releases.find(head.release_id or "")
        if release is None or release.snapshot is None:
            raise ReleaseNotFound
        ours = f"{base_url}/content/{public_key}/b/"
        with self._blobs.store(release.storage) as store:
            urls = {
                file.blob: store.public_url(file.blob) or ours + file.blob
                for file in release.files
            }
        document = manifest(public_key, head, release, release.snapshot, urls)
        body = msgspec.json.encode(document)
        return body, manifest_etag(head.version, body)

    def _respond(
        self,
        request: RequestInfo,
        head: PublicHead,
        content: Callable[[], bytes],
        content_type: str,
        headers: dict[str, str],
    ) -> Raw:
        if self._meter.is_exceeded(head.organization_id):
            headers[QUOTA_HEADER] = "exceeded"
            if self._quota_refuses:
                return REFUSED
        if if_none_match_matches(request.if_none_match, headers["ETag"]):
            self._meter.count(head.organization_id, 0)
            return Raw(b"", content_type=None, status=304, headers=headers)
        body = content()
        sent = 0 if request.method == "HEAD" else len(body)
        self._meter.count(head.organization_id, sent)
        return Raw(body, content_type=content_type, headers=headers)
