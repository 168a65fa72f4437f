"""What the server answers by itself: in the API's envelope, without asking the API."""

from typing import Protocol

from locframework.errors import LocError, PayloadTooLarge, ValidationFailed
from locframework.http.dispatch import REQUEST_ID, request_id, valid_request_id
from locframework.http.responses import JSON, NO_STORE, failure

from .waitress_parts import ErrorTask

_CODES = {413: PayloadTooLarge.code, 500: LocError.code}
_MESSAGES = {
    413: "the body is larger than this server takes",
    431: "the request line and header fields are larger than this server takes",
    500: "the request failed; see the log",
}


class ServerFault(Protocol):
    """An error of waitress."""

    code: int
    reason: str
    body: str


class Refusal(ErrorTask):  # type: ignore[misc]
    """The answer to a request that the application never sees. Closes."""

    def execute(self) -> None:
        error: ServerFault = self.request.error
        body = envelope(error)
        self.status = f"{error.code} {error.reason}"
        self.response_headers += [
            ("Content-Type", JSON),
            ("Cache-Control", NO_STORE),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Request-Id", self._request_id()),
        ]
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)

    def _request_id(self) -> str:
        asked = valid_request_id(self.request.headers.get("X_REQUEST_ID"))
        return request_id({REQUEST_ID: asked} if asked else {})


def envelope(error: ServerFault) -> bytes:
    """The failure envelope of an error of waitress."""
    code = _CODES.get(error.code, ValidationFailed.code)
    return failure(code, _MESSAGES.get(error.code, error.body), None)
