"""The web glue that knows no area: endpoints are declared, all else follows."""

from .operation import DeclarationError, RawResponse, operation
from .records import Accepted, Prepared, Raw, RequestInfo, Upload, UploadedFile

__all__ = [
    "Accepted",
    "DeclarationError",
    "Prepared",
    "Raw",
    "RawResponse",
    "RequestInfo",
    "Upload",
    "UploadedFile",
    "operation",
]
