"""The web glue that knows no area: endpoints are declared, all else follows."""

from .operation import DeclarationError, RawAnswer, operation
from .records import Accepted, Raw, RequestInfo, Upload

__all__ = [
    "Accepted",
    "DeclarationError",
    "Raw",
    "RawAnswer",
    "RequestInfo",
    "Upload",
    "operation",
]
