"""Manifest and files over HTTP, for anyone who knows the public key."""

from locframework.http.operation import RawResponse, operation
from locframework.http.records import Raw, RequestInfo

from .public import PublicContent
from .records import (
    BlobName,
    BuildingStatus,
    Manifest,
    NotThere,
    PublicKey,
    TooMuch,
)

TAG = "Content"
_FILE = '{\n  "checkout": {\n    "pay": "Bezahlen"\n  }\n}\n'
_UNCHANGED = RawResponse(
    304, "Unchanged since the ETag given", headers=("ETag", "Cache-Control")
)
_NOT_FOUND = RawResponse(
    404,
    "`not_found`: unknown key, or the distribution is paused; cacheable for 60 s",
    "application/json",
    NotThere,
    ("Cache-Control",),
)
_REFUSED = RawResponse(
    429,
    "`rate_limited`, or `quota_exceeded`: over the organization's quota",
    "application/json",
    TooMuch,
    ("Retry-After", "X-Service-Quota"),
)


class ContentEndpoints:
    """Declares the public operations; the URL is itself the credential."""

    def __init__(self, content: PublicContent) -> None:
        self._content = content

    @operation(
        "GET",
        "/content/{publicKey}/manifest.json",
        public=True,
        rate="content",
        tag=TAG,
        raw=(
            RawResponse(
                200,
                "The manifest of the current release",
                "application/json",
                Manifest,
                ("ETag", "Cache-Control", "X-Service-Release", "X-Service-Quota"),
            ),
            RawResponse(
                202,
                "The first release is still being built",
                "application/json",
                BuildingStatus,
                ("Retry-After", "Cache-Control"),
            ),
            _UNCHANGED,
            _NOT_FOUND,
            _REFUSED,
        ),
    )
    def read_manifest(self, public_key: PublicKey, request: RequestInfo) -> Raw:
        """Read the manifest of a distribution.

        Plain JSON, without a token, from any origin. `If-None-Match` with the `ETag` of
        an earlier answer gives 304.
        """
        return self._content.read_manifest(
            public_key,
            request.base_url,
            request.if_none_match,
            is_head=request.method == "HEAD",
        )

    @operation(
        "GET",
        "/content/{publicKey}/b/{blob}",
        public=True,
        rate="content",
        tag=TAG,
        raw=(
            RawResponse(
                200,
                "The file, with the `contentType` that the manifest names",
                "application/octet-stream",
                None,
                ("ETag", "Cache-Control", "X-Service-Quota"),
                example=_FILE,
            ),
            _UNCHANGED,
            _NOT_FOUND,
            _REFUSED,
        ),
    )
    def read_file(
        self, public_key: PublicKey, blob: BlobName, request: RequestInfo
    ) -> Raw:
        """Read a published file.

        Take the address from `files[].url` of the manifest. It never changes: a
        changed file has another address.
        """
        is_head = request.method == "HEAD"
        return self._content.read_file(
            public_key, blob, request.if_none_match, is_head=is_head
        )
