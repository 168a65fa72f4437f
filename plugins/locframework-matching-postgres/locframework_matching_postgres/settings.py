"""The settings of ``[plugins.postgres]``."""

from typing import Annotated

from msgspec import Meta, Struct


class MatchingSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the index is. Raises ValueError for an address of another kind.

    What an address leaves out is libpq's: ``PGHOST`` and its like, the local socket.
    """

    database: str = "postgresql://"
    patience_seconds: Annotated[int, Meta(ge=1, le=600)] = 10  # for another's building

    def __post_init__(self) -> None:
        if not self.database.startswith(("postgresql://", "postgres://")):
            raise ValueError("database: postgresql://user@host/name, please")
