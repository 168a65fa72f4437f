"""What the formats here call the parts of a document of JSON."""

from locframework.ports import TREE_DEPTH as DEEPEST
from locframework.ports import Json, is_forbidden
from locframework.ports import JsonDocument as Document
from locframework.ports import JsonObject as Object
from locframework.ports import JsonUnreadable as Unreadable
from locframework.ports import encoded_json as encoded
from locframework.ports import parse_json as parse

__all__ = [
    "DEEPEST",
    "Document",
    "Json",
    "Object",
    "Unreadable",
    "encoded",
    "is_forbidden",
    "parse",
]
