"""The port for sending webhooks: one attempt, out and back."""

from typing import Protocol

from .records import Answer, Post


class Transport(Protocol):
    """Brings requests to receivers that strangers named, and nowhere else.

    Only to addresses that are global unicast, as of the moment of each attempt: a
    name that is public today may be 127.0.0.1 tomorrow. A name that cannot be looked
    up, one that leads elsewhere too, and one that leads elsewhere only look the same
    from outside, so that nobody learns the names of a private network.

    Signing, retries and the log are the framework's. Any number of threads call at
    once.
    """

    @property
    def name(self) -> str:
        """The name that the setting ``webhook_transport`` chooses by."""
        ...

    def judge(self, url: str) -> None:
        """Raise UrlNotAllowed when nothing would be sent there now.

        Looks the name up, which takes up to 3 seconds: not within a transaction.
        Connects to nothing.
        """
        ...

    def send(self, post: Post) -> Answer:
        """Make the one attempt and tell what came of it.

        Raises nothing, whatever URL and receiver do, and is back a second after
        ``post.seconds`` at the latest. A status counts once the headers of the answer
        are whole: a body that is cut, or never ends, does not change it. Redirects
        are answers, and are not followed.
        """
        ...
