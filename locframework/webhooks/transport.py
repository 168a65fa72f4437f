"""The port for sending webhooks: one attempt, out and back."""

from typing import Protocol

from .records import Answer, Post


class Transport(Protocol):
    """Sends requests to URLs that users have entered.

    Only to addresses that are global unicast at the moment of the attempt: a name that
    is public today may be 127.0.0.1 tomorrow. The error is the same for a name without
    an address and for one with other addresses, so that nobody learns the names of a
    private network.

    The framework signs, retries and logs. Any number of threads call at once.
    """

    @property
    def name(self) -> str:
        """The name that the setting ``webhook_transport`` chooses by."""

    def check_url(self, url: str) -> None:
        """Raise UrlNotAllowed if nothing would be sent there now. Looks up the name, in
        up to 3 seconds: not within a transaction."""

    def send(self, post: Post) -> Answer:
        """Make one attempt, and return its answer.

        Raises nothing, whatever URL and receiver do, and is back a second after
        ``post.seconds`` at the latest. A status counts once the headers of the answer
        are whole: a body that is cut, or never ends, does not change it. Redirects
        are answers, and are not followed.
        """
