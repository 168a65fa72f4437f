"""Contract of the store of serving processes."""

from msgspec.structs import replace

from locframework.processes import ServingProcess
from locframework.storage import Storage

from .storage_records import at

ONE = ServingProcess("a", "böx", "[::1]:8080", 2**31 - 1, True, at(1))
OTHER = ServingProcess("b", "box", "", 1, False, at(1))


class StorageProcessesContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sn1_processes_are_listed_as_they_were_saved(
        self, storage: Storage
    ) -> None:
        for each in (OTHER, ONE):
            storage.processes.save(each)

        assert storage.processes.list_all() == [ONE, OTHER]

    def test_sn2_saving_again_renews_the_lease(self, storage: Storage) -> None:
        renewed = replace(ONE, lease_until=at(2))
        for each in (ONE, renewed):
            storage.processes.save(each)

        assert storage.processes.list_all() == [renewed]

    def test_sn3_only_the_named_are_deleted(self, storage: Storage) -> None:
        for each in (ONE, OTHER):
            storage.processes.save(each)

        storage.processes.delete([ONE.id, "absent"])

        assert storage.processes.list_all() == [OTHER]
        storage.processes.delete([])
        assert storage.processes.list_all() == [OTHER]
