"""Certificates for tests: an authority of its own for each, worth nothing elsewhere."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import trustme

HOURS = timedelta(hours=1)


class Authority:
    """Signs certificates; whoever trusts ``ca_file`` takes them for good."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = 0
        self._authority = trustme.CA()
        self.ca_file = folder / "test-authority.pem"
        self._authority.cert_pem.write_to_path(self.ca_file)

    def certificate(
        self, *hosts: str, begins: timedelta = -HOURS, ends: timedelta = 24 * HOURS
    ) -> Path:
        """Make a key and its certificate for names and addresses, valid from ``begins``
        to ``ends``."""
        now = datetime.now(UTC)
        made = self._authority.issue_cert(
            *hosts, not_before=now + begins, not_after=now + ends
        )
        self._made += 1
        file = self._folder / f"certificate-{self._made}.pem"
        made.private_key_and_cert_chain_pem.write_to_path(file)
        return file
