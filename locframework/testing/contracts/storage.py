"""The contract of the port Storage; clauses as in docs/internals/contracts.md."""

from .storage_access import StorageAccessContract
from .storage_delivery import StorageDeliveryContract
from .storage_events import StorageEventsContract
from .storage_glossaries import StorageGlossariesContract
from .storage_jobs import StorageJobsContract
from .storage_key_model import StorageKeyModelContract
from .storage_keys import StorageKeysContract
from .storage_listeners import StorageListenersContract
from .storage_memories import StorageMemoriesContract
from .storage_plugins import StoragePluginsContract
from .storage_repositories import StorageRepositoriesContract
from .storage_transactions import StorageTransactionsContract
from .storage_webhooks import StorageWebhooksContract


class StorageContract(
    StorageTransactionsContract,
    StorageRepositoriesContract,
    StorageAccessContract,
    StorageEventsContract,
    StorageJobsContract,
    StorageListenersContract,
    StorageKeyModelContract,
    StorageKeysContract,
    StorageDeliveryContract,
    StorageGlossariesContract,
    StorageMemoriesContract,
    StorageWebhooksContract,
    StoragePluginsContract,
):
    """Subclass it as ``Test…`` and give the fixture ``storage``. It is a migrated
    database of its own for each test, opened. An area of which nothing may be tested
    yet is left out by naming the other parts instead."""
