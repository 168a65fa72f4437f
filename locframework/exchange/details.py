"""Keeps what files say beyond our model, so that an export gives it back."""

from collections.abc import Iterable, Mapping, Sequence

from locframework.keys.records import FileDetail
from locframework.keys.store import KeyStore
from locframework.keys.working_set import WorkingSet
from locframework.projects.records import Project

from .records import ImportBatch, ImportedDetail, ImportedKey

Kept = Mapping[str, FileDetail]


class DetailKeeper:
    """Writes the details of a batch; those that are kept already are not written."""

    def __init__(self, store: KeyStore, project: Project, batch: ImportBatch) -> None:
        self._store = store
        self._project = project
        self._batch = batch
        self._kept: dict[tuple[str, str], Kept] = {}

    def keep(self, keys: Sequence[ImportedKey], written: WorkingSet) -> None:
        """The details of these keys, which were written just now."""
        self._put(
            self._detail(detail, key_id=there.id)
            for key in keys
            if key.details and (there := written.named(key.name)) is not None
            for detail in key.details
        )

    def keep_files(self, module: str | None) -> None:
        """The details of the files as a whole."""
        self._store.put_details(
            [self._detail(detail, module=module or "") for detail in self._batch.files]
        )

    def _put(self, details: Iterable[FileDetail]) -> None:
        news = [detail for detail in details if not self._is_kept(detail)]
        if news:
            self._store.put_details(news)

    def _is_kept(self, detail: FileDetail) -> bool:
        place = detail.family, detail.language_code
        if place not in self._kept:
            self._kept[place] = self._store.details_of(self._project.id, *place)
        return self._kept[place].get(detail.key_id) == detail

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
