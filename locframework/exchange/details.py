"""Keeps what files say beyond our model, so that an export gives it back."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from locframework.keys.file_records import FileDetail
from locframework.keys.store import KeyStore
from locframework.keys.writing.unit_of_work import UnitOfWork
from locframework.projects.records import Project

from .records import ImportBatch, ImportedDetail, ImportedKey

_Place = tuple[str, str]  # family and language


class DetailKeeper:
    """Writes the details of a batch; those that are kept already are not written."""

    def __init__(self, store: KeyStore, project: Project, batch: ImportBatch) -> None:
        self._store = store
        self._project = project
        self._batch = batch

    def keep(self, keys: Sequence[ImportedKey], written: UnitOfWork) -> None:
        """The details of these keys, which were written just now."""
        news: dict[_Place, list[FileDetail]] = defaultdict(list)  # of new keys
        known: dict[_Place, list[FileDetail]] = defaultdict(list)
        changed: list[FileDetail] = []
        for detail in self._details(keys, written):
            those = news if written.is_new(detail.key_id) else known
            those[detail.family, detail.language_code].append(detail)
        for place, details in known.items():
            ids = [detail.key_id for detail in details]
            kept = self._store.details_of(self._project.id, *place, ids)
            changed += [each for each in details if kept.get(each.key_id) != each]
        if news:
            self._store.add_details([*chain.from_iterable(news.values())])
        if changed:
            self._store.put_details(changed)

    def keep_files(self, module: str | None) -> None:
        """The details of the files as a whole."""
        self._store.put_details(
            [self._detail(detail, module=module or "") for detail in self._batch.files]
        )

    def _details(
        self, keys: Sequence[ImportedKey], written: UnitOfWork
    ) -> Iterator[FileDetail]:
        for key in keys:
            there = written.named(key.name) if key.details else None
            if there is not None:
                for detail in key.details:
                    yield self._detail(detail, key_id=there.id)

    def _detail(
        self, detail: ImportedDetail, *, key_id: str = "", module: str = ""
    ) -> FileDetail:
        return FileDetail(
            project_id=self._project.id,
            family=detail.family,
            key_id=key_id,
            module=module,
            language_code=detail.language_code,
            detail=detail.detail,
        )
