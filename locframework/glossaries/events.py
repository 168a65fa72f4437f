"""What others hear of glossaries: each linked project for itself (decisions 2.7)."""

from collections.abc import Mapping, Sequence

from locframework.access.records import Caller
from locframework.events import EventLog

from .records import StoredGlossary

Item = Mapping[str, object]


class GlossaryEvents:
    """Appends the events of a glossary, in the transaction that is open."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def append(
        self, caller: Caller, stored: StoredGlossary, type_: str, items: Sequence[Item]
    ) -> None:
        """One for each linked project; without any, one of the organization."""
        named = [{"glossaryId": stored.id, **item} for item in items]
        for project_id in stored.glossary.project_ids or (None,):
            self._log.append(
                f"glossary.{type_}",
                organization_id=stored.organization_id,
                project_id=project_id,
                actor=caller.actor,
                items=named,
            )

    def append_link(
        self, caller: Caller, stored: StoredGlossary, project_id: str, type_: str
    ) -> None:
        """``glossary.attached`` and ``glossary.detached``, of the one project."""
        self._log.append(
            f"glossary.{type_}",
            organization_id=stored.organization_id,
            project_id=project_id,
            actor=caller.actor,
            items=[{"glossaryId": stored.id}],
        )
