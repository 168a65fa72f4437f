"""An honest transport into a queue, and the shipped one. Their mutants:
mutants/transport.py."""

import re
import threading
import time

import pytest
from locframework_webhooks_https import HttpsSettings, HttpsTransport

from locframework.ports import Answer, UrlNotAllowed
from locframework.testing.contracts.transports import (
    HttpsTransportContract,
    Place,
    TransportContract,
)

URL = re.compile("queue://[a-z]{1,50}")


class Queue:
    """What keeps messages until somebody takes them; refuses one that takes long."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds
        self.messages = []

    def append(self, headers, body, seconds):
        """Raises TimeoutError."""
        time.sleep(min(self.seconds, seconds))
        if self.seconds > seconds:
            raise TimeoutError
        self.messages.append((headers, body))


class QueueTransport:
    name = "queue"

    def __init__(self, queue):
        self.queue = queue
        self.lock = threading.Lock()

    def check_url(self, url):
        if not URL.fullmatch(url):
            raise UrlNotAllowed("url: is not queue://NAME")

    def send(self, post):
        began = time.monotonic()
        status, error = 202, None
        try:
            self.check_url(post.url)
            self.queue.append(post.headers, post.body, post.seconds)
        except UrlNotAllowed:
            status, error = None, "url_not_allowed"
        except TimeoutError:
            status, error = None, "timeout"
        took = time.monotonic() - began
        return Answer(status, error, duration_ms=int(took * 1000))


class TestQueue(TransportContract):
    @pytest.fixture
    def place(self):
        queue = Queue()
        return Place(QueueTransport(queue), "queue://hooks", lambda: queue.messages)

    @pytest.fixture
    def broken_place(self):
        return Place(QueueTransport(Queue(60)), "queue://hooks", list)


class TestHttps(HttpsTransportContract):
    @pytest.fixture
    def open_transport(self):
        def open_transport(allowed):
            given = (allowed.networks, allowed.ports, allowed.ca_file)
            return HttpsTransport(HttpsSettings(*given))

        return open_transport
