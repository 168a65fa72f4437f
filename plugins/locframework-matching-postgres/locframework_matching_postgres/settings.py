"""The settings of ``[plugins.postgres]``."""

from typing import Annotated

from msgspec import Meta, Struct
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

UNREADABLE = (
    "is not an address such as postgresql://user:password@host:5432/name, with %25 for"
    " a % of the password, %2F for a /, and after a ? only PostgreSQL's options"
)


class MatchingSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the index is. Raises ValueError for an address of another kind.

    What an address leaves out is libpq's: ``PGHOST`` and its like, the local socket.
    """

    database: str = "postgresql://"
    patience_seconds: Annotated[int, Meta(ge=1, le=600)] = 10  # for another's building

    def __post_init__(self) -> None:
        if not self.database.startswith(("postgresql://", "postgres://")):
            raise ValueError("database: must be postgresql://user@host/name")
        try:
            conninfo_to_dict(self.database.replace(" ", "%20"))
        except ProgrammingError:  # what it says quotes the password
            raise ValueError(f"database: {UNREADABLE}") from None
