"""Files over HTTP."""

from msgspec import Struct

from locframework.access.records import Caller
from locframework.errors import PayloadTooLarge, UnreadableFile
from locframework.http.operation import RawResponse, operation
from locframework.http.records import Prepared, Raw, RequestInfo
from locframework.http.responses import if_none_match_matches

from .records import IMAGE_MOST, File, FileForm, ImageType
from .service import Files

FORM_MOST = IMAGE_MOST + 64 * 1024  # with the other parts of the form
EXTENSIONS: dict[ImageType, str] = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
}
HEADERS = ("ETag", "Cache-Control", "Content-Disposition", "Content-Security-Policy")
POLICY = "default-src 'none'; sandbox"  # whatever the bytes are, they run nothing
CACHED = "private, max-age=31536000, immutable"


class FileAnswer(Struct, frozen=True):
    """One file."""

    file: File


class FileEndpoints:
    """``/projects/{projectId}/files``."""

    tag = "Files"

    def __init__(self, files: Files) -> None:
        self._files = files

    @operation(
        "POST",
        "/projects/{projectId}/files",
        permission="key_update",
        status=201,
        errors=(UnreadableFile, PayloadTooLarge),
        upload_limit=FORM_MOST,
    )
    def add_file(
        self, caller: Caller, project_id: str, form: FileForm
    ) -> Prepared[FileAnswer]:
        """Upload an image, to be a key's screenshot.

        PNG, JPEG or WebP by its content, at most 5 MiB. A key names it by
        `screenshotFileId`. A file that no key has named for 30 days is removed.
        """
        add = self._files.prepare_file(caller, project_id, form.file.content)
        return Prepared(lambda: FileAnswer(add()))

    @operation(
        "GET",
        "/projects/{projectId}/files/{fileId}",
        permission="translation_read",
        raw=(
            *(
                RawResponse(200, "The image", each, headers=HEADERS)
                for each in EXTENSIONS
            ),
            RawResponse(304, "Unchanged since the ETag given", headers=HEADERS[:2]),
        ),
    )
    def get_file(
        self, caller: Caller, project_id: str, file_id: str, request: RequestInfo
    ) -> Raw:
        """Read an image.

        The bytes as they were uploaded. They never change: `If-None-Match` gives 304.
        """
        file, content = self._files.read_file(caller, project_id, file_id)
        etag = f'"{file.blob}"'
        headers = {"ETag": etag, "Cache-Control": CACHED}
        if if_none_match_matches(request.if_none_match, etag):
            return Raw(b"", None, status=304, headers=headers)
        name = f"{file.id}.{EXTENSIONS[file.content_type]}"
        headers["Content-Disposition"] = f'inline; filename="{name}"'
        headers["Content-Security-Policy"] = POLICY
        return Raw(content(), file.content_type, headers=headers)
