"""The contract of Storage, part SM: how translation memories are listed."""

from msgspec.structs import replace

from locframework.access.records import Scope
from locframework.memories.records import Assignment, KeptMemory, MemoryQuery
from locframework.storage import Storage

from .storage_memory_records import add_memory
from .storage_records import ALL, add_project, at


class StorageMemoryListsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sm3_memories_are_listed_where_one_may_look(self, storage: Storage) -> None:
        mine, theirs = add_project(storage), add_project(storage)
        b, a = add_memory(storage, mine, "b"), add_memory(storage, mine, "a")
        far = add_memory(storage, theirs, "far")
        use = Assignment(b.id, True, "none", 0, 0)
        storage.memories.assign(mine.id, use)

        def listed(
            scopes: list[Scope] | None, sort: str = "name", **where: str
        ) -> list[str]:
            page = storage.memories.list_memories(
                scopes,
                MemoryQuery(sort=sort),  # type: ignore[arg-type]
                **where,
            )
            assert page.total == len(page.items)
            return [one.name for one in page.items]

        assert listed([Scope(mine.organization_id)]) == ["a", "b"]
        assert listed([Scope(mine.organization_id)], "-name") == ["b", "a"]
        assert listed([Scope(mine.organization_id, mine.id)]) == ["b"]
        assert listed([Scope(theirs.organization_id, mine.id)]) == []
        assert listed([]) == []
        assert listed(None) == ["a", "b", "far"]
        whole = [Scope(mine.organization_id)]
        assert listed(whole, project_id=mine.id) == ["b"]
        assert listed(whole, project_id=theirs.id) == []
        assert listed([Scope(theirs.organization_id)], project_id=mine.id) == []
        renamed = replace(b, name="Häfen  \tund 100%")
        storage.memories.update(KeptMemory(renamed, mine.organization_id))
        assert listed(whole, search="häfen und") == ["Häfen  \tund 100%"]
        assert listed(None, search="%") == ["Häfen  \tund 100%"]
        assert listed(None, search="a", project_id=theirs.id) == []
        assert far.id != a.id

    def test_sm16_a_deleted_project_uses_no_memory(self, storage: Storage) -> None:
        of = add_project(storage)
        mine = add_memory(storage, of)
        storage.memories.assign(of.id, Assignment(mine.id, True, "all", 0, 0))

        storage.projects.delete(of.id, at(1))

        assert storage.memories.projects_of(mine.id) == []
        scope = [Scope(of.organization_id, of.id)]
        assert storage.memories.list_memories(scope, ALL).items == []
