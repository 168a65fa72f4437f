"""SQLite and PostgreSQL both keep the contract of the port Storage."""

from locframework.testing.contracts.storage import StorageContract


class TestPeeweeStorage(StorageContract):
    """The fixture ``storage`` of conftest.py gives both databases."""
