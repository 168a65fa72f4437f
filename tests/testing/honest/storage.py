"""The shipped storage on SQLite, part by part. Its mutants: mutants/storage.py. The
plugin's own tests run the whole contract on SQLite and PostgreSQL."""

import pytest
from locframework_storage_peewee import PeeweeProvider

from locframework.testing.contracts.storage_access import StorageAccessContract
from locframework.testing.contracts.storage_delivery import StorageDeliveryContract
from locframework.testing.contracts.storage_events import StorageEventsContract
from locframework.testing.contracts.storage_glossaries import StorageGlossariesContract
from locframework.testing.contracts.storage_jobs import StorageJobsContract
from locframework.testing.contracts.storage_key_model import StorageKeyModelContract
from locframework.testing.contracts.storage_keys import StorageKeysContract
from locframework.testing.contracts.storage_memories import StorageMemoriesContract
from locframework.testing.contracts.storage_transactions import (
    StorageTransactionsContract,
)
from locframework.testing.contracts.storage_webhooks import StorageWebhooksContract
from tests.databases import Migrated


def migrate(url):
    storage = PeeweeProvider(url).open()
    storage.migrate()
    storage.close()


class OnSqlite:
    @pytest.fixture(scope="class")
    def migrated(self, tmp_path_factory):
        folder = tmp_path_factory.mktemp("contract")
        with Migrated(folder, migrate, keeps_connections=True) as migrated:
            yield migrated

    @pytest.fixture
    def storage(self, migrated, tmp_path):
        with migrated.url("sqlite", tmp_path) as url:
            storage = PeeweeProvider(url).open()
            yield storage
            storage.close()


class TestAccess(OnSqlite, StorageAccessContract):
    pass


class TestDelivery(OnSqlite, StorageDeliveryContract):
    pass


class TestEvents(OnSqlite, StorageEventsContract):
    pass


class TestGlossaries(OnSqlite, StorageGlossariesContract):
    pass


class TestJobs(OnSqlite, StorageJobsContract):
    pass


class TestKeys(OnSqlite, StorageKeyModelContract, StorageKeysContract):
    pass


class TestMemories(OnSqlite, StorageMemoriesContract):
    pass


class TestTransactions(OnSqlite, StorageTransactionsContract):
    pass


class TestWebhooks(OnSqlite, StorageWebhooksContract):
    pass
