"""The contract of the port Storage, all parts; clauses as in docs/contracts.md."""

from .storage_blobs import StorageBlobsContract, StorageProjectFilesContract
from .storage_branch_keys import StorageBranchKeysContract
from .storage_branches import StorageBranchesContract
from .storage_delivery import StorageDeliveryContract
from .storage_events import StorageEventsContract
from .storage_files import StorageFilesContract
from .storage_findings import StorageFindingsContract
from .storage_glossaries import StorageGlossariesContract
from .storage_history import StorageHistoryContract
from .storage_idempotency import StorageIdempotencyContract
from .storage_jobs import StorageJobsContract
from .storage_key_lists import StorageKeyListsContract
from .storage_keys import StorageKeysContract
from .storage_management import (
    StorageAccessContract,
    StorageProjectsContract,
    StorageRepositoriesContract,
)
from .storage_memories import StorageMemoriesContract
from .storage_memory_texts import StorageMemoryTextsContract
from .storage_processes import StorageProcessesContract
from .storage_recount import StorageRecountContract
from .storage_statistics import StorageStatisticsContract
from .storage_transactions import StorageTransactionsContract
from .storage_values import StorageValuesContract
from .storage_webhooks import StorageWebhooksContract


class StorageContract(
    StorageTransactionsContract,
    StorageAccessContract,
    StorageRepositoriesContract,
    StorageProjectsContract,
    StorageEventsContract,
    StorageJobsContract,
    StorageBlobsContract,
    StorageKeysContract,
    StorageKeyListsContract,
    StorageValuesContract,
    StorageFindingsContract,
    StorageHistoryContract,
    StorageFilesContract,
    StorageBranchesContract,
    StorageBranchKeysContract,
    StorageStatisticsContract,
    StorageRecountContract,
    StorageDeliveryContract,
    StorageGlossariesContract,
    StorageIdempotencyContract,
    StorageProcessesContract,
    StorageProjectFilesContract,
    StorageMemoriesContract,
    StorageMemoryTextsContract,
    StorageWebhooksContract,
):
    """Subclass it as ``Test…`` and give the fixture ``storage``.

    It is a migrated database of its own for each test, opened. An area of which
    nothing may be tested yet is left out by naming the other parts instead.
    """
