"""SQLite and PostgreSQL both keep the contract of the port Storage."""

import pytest

from locframework.testing.contracts.storage import StorageContract
from tests.databases import Migrated

from .conftest import migrate


@pytest.fixture(scope="module")
def migrated(tmp_path_factory):
    """Connections are kept: the contract does not ask how they end."""
    folder = tmp_path_factory.mktemp("contract")
    with Migrated(folder, migrate, keeps_connections=True) as migrated:
        yield migrated


class TestPeeweeStorage(StorageContract):
    """The fixture ``storage`` of conftest.py gives both databases."""
