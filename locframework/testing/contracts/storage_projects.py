"""The contract of Storage, parts SP and SE: projects, languages, the event log."""

from typing import Any

import pytest
from msgspec.structs import replace

from locframework.access.records import Scope
from locframework.events import Actor, EventFilter, EventLine, Touch
from locframework.fields import new_id
from locframework.paging import PageRequest, SortedRequest
from locframework.storage import Storage

from .storage_access import NAMES
from .storage_key_records import key
from .storage_records import (
    ALL,
    add_branch,
    add_project,
    at,
    delete_language,
    event,
    job,
    language,
    organization,
    project,
    token,
)


class StorageProjectsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sp1_a_project_comes_back_with_its_keys_counted(
        self, storage: Storage
    ) -> None:
        owner = organization()
        made = project(
            owner,
            description="Über",
            key_separator="/",
            main_protected=True,
            tm_enabled=False,
            blocking_checks=("placeholders", "length"),
            check_severities={"length": "off"},
        )
        storage.access.organizations.insert(owner)

        storage.projects.insert(replace(made, key_count=7))

        assert storage.projects.find(made.id) == made  # which has no keys
        assert storage.projects.find(new_id()) is None

    def test_sp2_a_saved_project_is_changed(self, storage: Storage) -> None:
        old, other = add_project(storage), add_project(storage)
        new = replace(
            old,
            name="New",
            slug="new",
            description="d",
            source_language="de",
            key_separator="|",
            main_protected=True,
            tm_enabled=False,
            blocking_checks=("a",),
            check_severities={"b": "error"},
            updated_at=at(1),
        )

        storage.projects.update(replace(new, key_count=7))

        assert storage.projects.find(old.id) == new
        assert storage.projects.find(other.id) == other

    def test_sp3_a_deleted_project_is_not_found_by_any_question(
        self, storage: Storage
    ) -> None:
        made = add_project(storage)
        storage.projects.languages.insert(language(made, "en"))

        storage.projects.delete(made.id, at(1))
        storage.projects.update(replace(made, name="Back"))

        assert storage.projects.find(made.id) is None
        assert storage.projects.list_projects(None, ALL).items == []
        scopes = [Scope(made.organization_id), Scope(made.organization_id, made.id)]
        for scope in scopes:
            assert storage.projects.list_projects([scope], ALL).total == 0
        assert storage.projects.list_languages(made.id) == []

    def test_sp4_projects_are_listed_by_code_point_then_id(
        self, storage: Storage
    ) -> None:
        owner = organization()
        made = [project(owner, name) for name in [*NAMES, "ab", "ab"]]
        storage.access.organizations.insert(owner)
        for one in reversed(made):
            storage.projects.insert(one)
        in_order = sorted(made, key=lambda one: (one.name, one.id))

        every = storage.projects.list_projects(None, ALL)
        own = storage.projects.list_projects([Scope(owner.id)], ALL)
        second = storage.projects.list_projects(None, PageRequest(page=2, limit=7))

        assert every.items == own.items == in_order
        assert second.items == in_order[7:14]
        assert second.total == own.total == len(made)

    def test_sp9_a_list_goes_by_the_field_asked_for_then_id(
        self, storage: Storage
    ) -> None:
        owner = organization()
        made = [
            replace(project(owner, name), created_at=at(number % 3))
            for number, name in enumerate([*NAMES, "ab", "ab"])
        ]
        storage.access.organizations.insert(owner)
        for one in reversed(made):
            storage.projects.insert(one)

        def ids(sort: str) -> list[str]:
            page = SortedRequest(limit=200, sort=sort)
            return [one.id for one in storage.projects.list_projects(None, page).items]

        by_time = sorted(made, key=lambda one: (one.created_at, one.id))
        by_name = sorted(made, key=lambda one: (one.name, one.id))
        assert ids("createdAt") == [one.id for one in by_time]
        assert ids("-createdAt") == [one.id for one in reversed(by_time)]
        assert ids("-name") == [one.id for one in reversed(by_name)]
        assert ids("") == ids("name")
        with pytest.raises(ValueError, match="colour"):
            ids("colour")

    def test_sp5_a_scope_reaches_its_organization_or_its_one_project(
        self, storage: Storage
    ) -> None:
        a, b, c = (add_project(storage, name) for name in "abc")
        d = project(organization(id=a.organization_id), "d")
        storage.projects.insert(d)

        def names(*scopes: Scope) -> str:
            page = storage.projects.list_projects(scopes, ALL)
            assert page.total == len(page.items)
            return "".join(one.name for one in page.items)

        assert names() == ""
        assert names(Scope(a.organization_id)) == "ad"
        assert names(Scope(a.organization_id), Scope(b.organization_id)) == "abd"
        assert names(Scope(a.organization_id, d.id)) == "d"
        assert names(Scope(a.organization_id, d.id), Scope(c.organization_id)) == "cd"
        assert names(Scope(b.organization_id, d.id)) == ""  # not b's project
        assert names(Scope(new_id()), Scope(new_id(), new_id())) == ""

    def test_sp6_languages_are_listed_in_the_order_they_were_added(
        self, storage: Storage
    ) -> None:
        made, other = add_project(storage), add_project(storage)
        languages = [
            language(made, "en", is_source=True, icon="🇬🇧", direction="ltr"),
            language(made, "ar", direction="rtl", plural_forms=("zero", "other")),
            language(made, "pt-BR", fallback_language_code="pt", plural_forms=()),
            language(made, "de", icon=""),
        ]
        languages = [
            replace(one, id=f"{new_id()[:-1]}{number}")
            for number, one in enumerate(languages)
        ]
        languages.sort(key=lambda one: one.id)
        for one in [*reversed(languages), language(other, "en")]:
            storage.projects.languages.insert(one)

        assert storage.projects.list_languages(made.id) == languages
        assert storage.projects.list_languages(new_id()) == []

    def test_sp7_a_saved_language_is_changed_and_a_removed_one_gone(
        self, storage: Storage
    ) -> None:
        made, other = add_project(storage), add_project(storage)
        old, kept = language(made, "de"), language(made, "en")
        elsewhere = language(other, "de")
        for one in (old, kept, elsewhere):
            storage.projects.languages.insert(one)
        new = replace(
            old,
            label="Deutsch",
            icon="🇩🇪",
            direction="rtl",
            is_source=True,
            fallback_language_code="en",
            plural_forms=("other",),
        )

        storage.projects.languages.update(new)

        assert sorted_by_code(storage, made.id) == [new, kept]

        delete_language(storage, made.id, "de")

        assert storage.projects.list_languages(made.id) == [kept]
        assert storage.projects.list_languages(other.id) == [elsewhere]

    @pytest.mark.parametrize("status", ["open", "merged", "closed"])
    def test_sp10_a_project_has_the_keys_of_open_branches_too(
        self, storage: Storage, status: Any
    ) -> None:
        made, other = add_project(storage), add_project(storage)
        spring = add_branch(storage, made)
        before = storage.projects.has_keys(made.id)
        own = key(made)
        with storage.transaction():
            storage.branch_keys(made.id, spring.id).add_keys([own], [])

        storage.branches.save_branch(replace(spring, status=status))
        on_branch = storage.projects.has_keys(made.id)
        with storage.transaction():
            storage.keys.add_keys([key(made)], [])

        assert (before, on_branch) == (False, status == "open")
        assert storage.projects.has_keys(made.id)
        assert not storage.projects.has_keys(other.id)

    def test_sp8_deleted_projects_are_purged_in_pieces(self, storage: Storage) -> None:
        old, young, kept = (add_project(storage, name) for name in "abc")
        for one in (old, young, kept):
            storage.projects.languages.insert(language(one, "en"))
            storage.access.tokens.insert(token(one.id, project_id=one.id))
            with storage.transaction():
                storage.events.add([event(one) for _ in range(25)])
                storage.jobs.add(job(one))
        storage.projects.delete(old.id, at(1))
        storage.projects.delete(young.id, at(3))

        pieces = [storage.purge("projects", at(2), 10) for _ in range(6)]

        assert pieces[:2] == [10, 10]
        assert sum(pieces) >= 25 + 4  # with the language, token, job and itself
        assert pieces[-1] == 0
        assert storage.access.find_holder(old.id) is None
        assert storage.events.list_events(old.id, 100) == []
        for one in (young, kept):
            assert storage.access.find_holder(one.id)
            assert len(storage.events.list_events(one.id, 100)) == 25
        assert storage.projects.find(kept.id) == kept


class StorageEventsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_se1_events_are_listed_newest_first(self, storage: Storage) -> None:
        made, other = add_project(storage), add_project(storage)
        events = [
            event(made, f"t{number}", id=new_id(), created_at=at(59 - number))
            for number in range(8)
        ]
        with storage.transaction():
            storage.events.add(events[:5])
            storage.events.add([event(other)])
            storage.events.add(events[5:])

        assert storage.events.list_events(made.id, 100) == events[::-1]
        assert storage.events.list_events(made.id, 3) == events[:-4:-1]
        assert storage.events.list_events(new_id(), 3) == []

    def test_se2_an_event_comes_back_as_it_was(self, storage: Storage) -> None:
        made = add_project(storage)
        told = event(
            made,
            "translation.updated",
            branch="feature/x",
            actor=Actor("token", "t1"),
            job_id=new_id(),
            merge_of=new_id(),
            items=[
                {"z": None, "a": [True, 1, 1.5, "1"], "revision": 2**53},
                {"keyId": "k2", "pluralForm": None, "deep": {"b": {"a": []}}},
            ],
        )

        with storage.transaction():
            storage.events.add([told])

        assert storage.events.list_events(made.id, 1) == [told]

    def test_se3_events_need_the_transaction_of_their_change(
        self, storage: Storage
    ) -> None:
        made = add_project(storage)

        with pytest.raises(RuntimeError):
            storage.events.add([event(made)])

        assert storage.events.list_events(made.id, 1) == []

    def test_se4_events_are_found_by_who_when_what_and_why(
        self, storage: Storage
    ) -> None:
        made, key_id, job_id = add_project(storage), new_id(), new_id()
        item = {"keyId": key_id, "languageCode": "de"}
        told = [
            event(made, "t0", actor=Actor("user", "anna"), created_at=at(0)),
            event(made, "t1", created_at=at(1), items=[{"keyId": new_id()}, item]),
            event(made, "t2", branch="spring", created_at=at(2), job_id=job_id),
            event(made, "t3", created_at=at(3), merge_of="b1"),
            event(made, "t4", branch="spring", created_at=at(4)),
        ]
        with storage.transaction():
            storage.events.add([*told, event(add_project(storage), "t5")])

        def found(**where: Any) -> str:
            request = EventFilter(**where)
            page = storage.events.page_of_events(made.id, request, PageRequest())
            walked = list(storage.events.walk_events(made.id, request))
            assert page.items == walked[::-1]
            assert page.total == len(walked)
            return "".join(each.type[1:] for each in walked)

        spring = EventLine("spring", "b1", since=at(3))
        assert found() == "01234"
        assert found(actor_id="anna") == "0"
        assert found(since=at(1), until=at(3)) == "123"
        assert found(key_id=key_id) == "1"
        assert found(job_id=job_id) == "2"
        assert found(line=EventLine(None)) == "013"
        assert found(line=spring) == "34"
        assert found(line=EventLine("spring", until=at(3))) == "2"
        assert found(line=spring, since=at(4), actor_id="nobody") == ""
        page = storage.events.page_of_events(
            made.id, EventFilter(), PageRequest(2, limit=3)
        )
        assert [each.type for each in page.items] == ["t1", "t0"]
        assert page.total == 5

    def test_se5_a_key_knows_the_events_that_were_about_it(
        self, storage: Storage
    ) -> None:
        made, other = add_project(storage), add_project(storage)
        keys = [new_id() for _ in range(3)]
        one, two, _ = ({"keyId": id_} for id_ in keys)
        trace = {"description": ["", "d\0"]}
        told = [
            event(made, "t0", id=new_id(), created_at=at(5), items=[one, one, two]),
            event(made, "t1", id=new_id(), created_at=at(4), items=[two]),
            event(made, "t2", id=new_id(), created_at=at(1), items=[one]),
            event(made, "t3", id=new_id(), branch="spring", items=[one]),
        ]
        with storage.transaction():
            storage.events.add(told[:2], {"t0": {keys[1]: trace}})
            storage.events.add(told[2:])
            storage.events.add(
                [event(other, "t4", items=[one])], {"t4": {keys[0]: trace}}
            )

        def touched(branch: str | None = None, minute: int = 0) -> list[Touch]:
            return storage.events.touches(
                made.id, keys, branch=branch, since=at(minute)
            )

        first = [
            Touch(told[0].id, "t0", keys[0], None, told[0].created_at),
            Touch(told[0].id, "t0", keys[1], trace, told[0].created_at),
            Touch(told[1].id, "t1", keys[1], None, told[1].created_at),
            Touch(told[2].id, "t2", keys[0], None, told[2].created_at),
        ]
        assert sorted(touched(), key=_in_order) == sorted(first, key=_in_order)
        assert [each.type for each in touched()] == ["t0", "t0", "t1", "t2"]
        assert [each.type for each in touched(minute=4)] == ["t0", "t0", "t1"]
        assert touched("spring") == [
            Touch(told[3].id, "t3", keys[0], None, told[3].created_at)
        ]
        assert touched("autumn") == []
        assert storage.events.list_events(made.id, 9) == told[::-1]


def _in_order(touch: Touch) -> tuple[str, str]:
    return touch.type, touch.key_id


def sorted_by_code(storage: Storage, project_id: str) -> list[object]:
    """The languages, whatever their ids."""
    found = storage.projects.list_languages(project_id)
    return [*sorted(found, key=lambda one: one.language_code)]
