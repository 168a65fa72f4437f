"""Tells when a language has become complete: no key of a line lacks a text in it."""

from collections.abc import Callable

from locframework.branches.records import Line
from locframework.events import Actor, EventLog
from locframework.storage import Storage


class Completion:
    """Appends ``language.completed``, once for each transaction that completes one."""

    def __init__(self, storage: Storage, events: EventLog) -> None:
        self._storage = storage
        self._events = events

    def watch(self, actor: Actor, line: Line) -> None:
        """Before keys or texts of a line are written, in the transaction that does.

        What counts is how the line stands before the transaction and at its end, so
        it may be asked any number of times. Costs a read of the statistics each.
        """
        name = (Completion, line.project.id, line.branch_id)
        self._storage.before_commit(name, lambda: self._begin(actor, line))

    def _begin(self, actor: Actor, line: Line) -> Callable[[], None]:
        before = self._complete(line)
        return lambda: self._end(actor, line, before)

    def _end(self, actor: Actor, line: Line, before: set[str]) -> None:
        new = self._complete(line) - before
        if not new or self._is_empty(line):
            return
        self._events.append(
            "language.completed",
            organization_id=line.project.organization_id,
            project_id=line.project.id,
            actor=actor,
            items=[
                {"languageId": each.id, "languageCode": each.language_code}
                for each in self._storage.projects.list_languages(line.project.id)
                if each.language_code in new
            ],
            branch=line.name,
        )

    def _is_empty(self, line: Line) -> bool:
        """A line without keys lacks no text, but that concerns nobody."""
        counts = self._storage.statistics.counts_of(line.project.id, line.branch_id)
        return counts.key_count == 0

    def _complete(self, line: Line) -> set[str]:
        store = self._storage.statistics
        return store.complete_languages(line.project.id, line.branch_id)
