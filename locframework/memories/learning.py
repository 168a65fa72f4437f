"""Keeps memories in step with the projects that they learn from."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from locframework.events import Event
from locframework.fields import Clock, new_id, timestamp
from locframework.keys.comparing import states_of
from locframework.keys.records import KeyState
from locframework.projects.records import Project

from .learned import Learned, Segment, best_of, kept, segments_of
from .records import (
    AssignedMemory,
    KeyLink,
    MemoryEntry,
    MemoryWriting,
    StoredTranslation,
    Texts,
)
from .store import MemoryStorage

KEYS_AT_ONCE = 500
_OF_KEYS = ("key.", "translation.")


class _Changed(threading.local):
    """The keys that the thread's transaction has changed, by project id."""

    def __init__(self) -> None:
        self.keys: dict[str, dict[str, None]] = {}


class Learning:
    """Teaches memories what values of main say, and makes them forget what is gone.

    A memory then holds just what the keys of its projects say now, beside what was
    written to it by hand or from files. An entry or translation is of who said it
    first: saying the same again changes nothing.
    """

    def __init__(self, storage: MemoryStorage, clock: Clock) -> None:
        self._storage = storage
        self._store = storage.memories
        self._clock = clock
        self._changed = _Changed()

    def on_event(self, event: Event) -> None:
        """Inside the transaction of every event: note the keys of main it is about.

        They are learned once, at the end of the transaction. One statement where no
        memory learns from the project.
        """
        project_id = event.project_id
        if project_id is None or event.branch is not None:
            return
        if event.type.startswith(_OF_KEYS):
            name = (Learning, project_id)
            self._storage.before_commit(name, lambda: self._begin(project_id))
            noted = self._changed.keys[project_id]
            noted.update((str(item["keyId"]), None) for item in event.items)

    def _begin(self, project_id: str) -> Callable[[], None]:
        self._changed.keys[project_id] = {}
        return lambda: self._end(project_id)

    def _end(self, project_id: str) -> None:
        key_ids = list(self._changed.keys.pop(project_id))
        writing = writing_of(self._store.list_assigned(project_id))
        project = self._storage.projects.find(project_id) if writing else None
        if project is None:
            return
        for at in range(0, len(key_ids), KEYS_AT_ONCE):
            self.learn(project, writing, key_ids[at : at + KEYS_AT_ONCE])

    def learn(
        self,
        project: Project,
        memories: Sequence[AssignedMemory],
        key_ids: Collection[str],
    ) -> None:
        """In a transaction: what these keys say on main, and nothing else of them.

        ``memories`` learn from the project, in the order in which everybody locks
        them. A number of statements that grows with the keys / 500.
        """
        states = states_of(self._storage.keys, project.id, key_ids)
        for each in memories:
            writing = self._store.begin(each.memory.id)
            if writing is None:
                continue
            languages = self._store.list_languages(each.memory.id)
            codes = {language.language_code for language in languages}
            teaching = _Teaching(project, each, codes)
            segments = teaching.segments(states.values())
            self._teach(writing, teaching, key_ids, segments)

    def let_go(self, project: Project, tm_id: str, entry_ids: Sequence[str]) -> None:
        """In a transaction: the project teaches a memory no more that others teach too.

        Of these entries, which both teach, the others' words follow them, and the rest
        stays as if written by hand. What it alone has taught stays as it is, until it
        teaches again. A constant number of statements for each of the others.
        """
        writing = self._store.begin(tm_id)
        if writing is None:
            return
        links = self._store.find_links(tm_id, entry_ids=entry_ids)
        mine = {each for each in links if each.project_id == project.id}
        codes = {each.language_code for each in self._store.list_languages(tm_id)}
        key_ids = {link.key_id for link in mine}
        others = self._others(tm_id, codes, key_ids, entry_ids)
        left = {link for link in mine if link.entry_id in others.live}
        self._hand_over(writing, left, others.segments)

    def _hand_over(
        self,
        writing: MemoryWriting,
        left: Collection[KeyLink],
        taught: Iterable[tuple[str, Segment]],
    ) -> None:
        """Entries lose the links of who teaches no more: what nobody else says of them
        now is as if written by hand."""
        store, now = self._store, timestamp(self._clock())
        said: dict[str, list[Segment]] = {link.entry_id: [] for link in left}
        for entry_id, segment in taught:
            if entry_id in said:
                said[entry_id].append(segment)
        rows = store.translations_of(writing.tm_id, list(said))
        store.put_translations(
            writing,
            [
                replace(row, is_learned=False, updated_at=now)
                for entry_id, segments in said.items()
                for row in _not_of(best_of(segments), rows.get(entry_id, ()))
            ],
        )
        there = set(
            store.find_links(writing.tm_id, key_ids={link.key_id for link in left})
        )
        store.replace_links(writing, there, there - {*left})

    def _teach(
        self,
        writing: MemoryWriting,
        teaching: _Teaching,
        key_ids: Collection[str],
        segments: Sequence[Segment],
    ) -> None:
        store, now = self._store, timestamp(self._clock())
        before = store.find_links(writing.tm_id, key_ids=key_ids)
        there = store.entry_ids_by_text(
            writing.tm_id, {segment.texts for segment in segments}
        )
        touched = {link.entry_id for link in before} | {*there.values()}
        taught: dict[str, list[Segment]] = {id_: [] for id_ in touched}
        new: dict[Texts, list[Segment]] = {}
        for segment in segments:
            if segment.texts in there:
                taught[there[segment.texts]].append(segment)
            else:
                new.setdefault(segment.texts, []).append(segment)
        others = self._others(
            writing.tm_id, teaching.language_codes, key_ids, touched, teaching
        )
        for entry_id, segment in others.segments:
            taught[entry_id].append(segment)
        alive = {link.entry_id for link in before} | others.live
        if touched - alive:  # who taught them teaches no more: their words stay
            store.detach_entries(writing, touched - alive)
        if left := {link for link in others.left if link.entry_id in alive}:
            said = ((id_, each) for id_ in taught for each in taught[id_])
            self._hand_over(writing, left, said)
        self._rework(writing, taught, now)
        made = self._make(writing, new, now)
        links = [
            KeyLink(teaching.project.id, *segment.place, there[segment.texts])
            for segment in segments
            if segment.texts in there
        ]
        store.replace_links(writing, before, links + self._links(teaching, new, made))

    def _others(
        self,
        tm_id: str,
        language_codes: Collection[str],
        key_ids: Collection[str],
        entry_ids: Collection[str],
        known: _Teaching | None = None,
    ) -> _Others:
        """What other keys than these, of any project, teach of these entries."""
        mine, found = set(key_ids), _Others()
        links = self._store.find_links(tm_id, entry_ids=entry_ids) if entry_ids else []
        others = [link for link in links if link.key_id not in mine]
        segments: list[tuple[str, Segment]] = []
        for project_id in dict.fromkeys(link.project_id for link in others):
            here = [link for link in others if link.project_id == project_id]
            if known is not None and known.project.id == project_id:
                theirs: _Teaching | None = known
            else:
                theirs = self._teaching_of(project_id, tm_id, language_codes)
            if theirs is None:
                found.left.update(here)
                continue
            found.live.update(link.entry_id for link in here)
            ids = {link.key_id for link in here}
            states = states_of(self._storage.keys, project_id, ids)
            by_place = {each.place: each for each in theirs.segments(states.values())}
            for link in here:
                segment = by_place.get((link.key_id, link.plural_form))
                if segment is not None:
                    segments.append((link.entry_id, segment))
        # a key may say something else by now, and a job be about to learn it
        texts = {segment.texts for _, segment in segments}
        there = self._store.entry_ids_by_text(tm_id, texts) if texts else {}
        found.segments += [
            each for each in segments if there.get(each[1].texts) == each[0]
        ]
        return found

    def _teaching_of(
        self, project_id: str, tm_id: str, language_codes: Collection[str]
    ) -> _Teaching | None:
        """How a project teaches the memory; None: it does not any more."""
        project = self._storage.projects.find(project_id)
        assigned = writing_of(self._store.list_assigned(project_id))
        here = [each for each in assigned if each.memory.id == tm_id]
        if project is None or not here:
            return None
        return _Teaching(project, here[0], language_codes)

    def _rework(
        self,
        writing: MemoryWriting,
        taught: Mapping[str, Sequence[Segment]],
        now: str,
    ) -> None:
        """Bring entries that are there up to date with all that their keys say."""
        if not taught:
            return
        rows = self._store.translations_of(writing.tm_id, list(taught))
        put: list[StoredTranslation] = []
        gone: list[tuple[str, str]] = []
        empty: list[str] = []
        for entry_id, segments in taught.items():
            old = {row.translation.language_code: row for row in rows.get(entry_id, ())}
            new = _after(entry_id, old, best_of(segments), now)
            put += [row for code, row in new.items() if row is not old.get(code)]
            if new:
                gone += [(entry_id, code) for code in old if code not in new]
            else:
                empty.append(entry_id)
        if empty:
            learned = self._store.learned_entries(writing.tm_id, empty)
            self._store.remove_entries(writing, learned)
            gone += [
                (id_, row.translation.language_code)
                for id_ in empty
                if id_ not in learned
                for row in rows.get(id_, ())
            ]
        if gone:
            self._store.remove_translations(writing, gone, now)
        if put:
            self._store.put_translations(writing, put)

    def _make(
        self, writing: MemoryWriting, new: Mapping[Texts, Sequence[Segment]], now: str
    ) -> dict[Texts, str]:
        """New entries; their ids by text."""
        made = [
            MemoryEntry(
                id=new_id(),
                tm_id=writing.tm_id,
                source_text=texts[0],
                context=texts[1],
                created_at=now,
                updated_at=now,
                translations=tuple(
                    learned.translation
                    for _, learned in sorted(best_of(segments).items())
                ),
            )
            for texts, segments in new.items()
        ]
        if made:
            self._store.add_entries(writing, made, learned=True)
        return {(each.source_text, each.context): each.id for each in made}

    def _links(
        self,
        teaching: _Teaching,
        new: Mapping[Texts, Sequence[Segment]],
        made: Mapping[Texts, str],
    ) -> list[KeyLink]:
        return [
            KeyLink(teaching.project.id, *segment.place, made[texts])
            for texts, segments in new.items()
            for segment in segments
        ]


class _Others(Struct):
    """What other keys teach of some entries."""

    segments: list[tuple[str, Segment]] = []
    live: set[str] = set()
    """The entries that keys of projects which teach the memory are linked to."""
    left: set[KeyLink] = set()
    """The links of projects that teach it no more."""


class _Teaching(Struct, frozen=True):
    """A project that teaches a memory."""

    project: Project
    assigned: AssignedMemory
    language_codes: Collection[str]  # the memory's

    def segments(self, states: Iterable[KeyState]) -> list[Segment]:
        source, mode = self.project.source_language, self.assigned.assignment.write_mode
        return [
            segment
            for state in states
            for segment in segments_of(state, source, mode, self.language_codes)
        ]


def writing_of(assigned: Iterable[AssignedMemory]) -> list[AssignedMemory]:
    """Those that learn, in the order in which everybody locks them."""
    learning = [each for each in assigned if each.assignment.write_mode != "none"]
    return sorted(learning, key=lambda each: each.memory.id)


def _not_of(
    best: Mapping[str, Learned], rows: Iterable[StoredTranslation]
) -> list[StoredTranslation]:
    """Those that were learned, and that these do not teach."""

    def is_taught(row: StoredTranslation) -> bool:
        said = best.get(row.translation.language_code)
        if said is None:
            return False
        same = said.translation.value == row.translation.value
        return same and said.translation.status == row.translation.status

    return [row for row in rows if row.is_learned and not is_taught(row)]


def _after(
    entry_id: str,
    old: Mapping[str, StoredTranslation],
    best: Mapping[str, Learned],
    now: str,
) -> dict[str, StoredTranslation]:
    """The translations of an entry, by language code."""
    found = {
        code: kept(entry_id, old.get(code), best.get(code), now)
        for code in {**old, **best}
    }
    return {code: row for code, row in found.items() if row is not None}
