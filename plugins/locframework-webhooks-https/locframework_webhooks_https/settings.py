"""Settings of [plugins.https], and warnings about them, logged once a process."""

import logging
from functools import cache
from ipaddress import ip_network
from typing import Annotated

from msgspec import Meta, Struct

log = logging.getLogger(__package__)


@cache
def warn_once(message: str, *given: object) -> None:
    """Log the warning, unless this process has said the very same before."""
    log.warning(message, *given)


Port = Annotated[int, Meta(ge=1, le=65535)]


class HttpsSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """What may be reached beside port 443 of public addresses, and who is trusted.

    Raises ValueError for a network that is none.
    """

    allowed_networks: tuple[str, ...] = ()  # "127.0.0.0/8": for development only
    allowed_ports: tuple[Port, ...] = (443,)
    ca_file: str | None = None  # certificates of authorities, beside the system's

    def __post_init__(self) -> None:
        for network in self.allowed_networks:
            try:
                ip_network(network)
            except ValueError as error:
                raise ValueError(f"allowed_networks: {error}") from None
        if not self.allowed_ports:
            raise ValueError("allowed_ports: is empty")
