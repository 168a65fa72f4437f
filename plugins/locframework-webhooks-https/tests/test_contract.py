"""The transport keeps the contract of its port."""

import pytest
from locframework_webhooks_https import HttpsSettings, HttpsTransport

from locframework.testing.contracts.transports import HttpsTransportContract


class TestHttpsTransport(HttpsTransportContract):
    @pytest.fixture
    def open_transport(self):
        def open_transport(allowed):
            given = (allowed.networks, allowed.ports, allowed.ca_file)
            return HttpsTransport(HttpsSettings(*given))

        return open_transport
