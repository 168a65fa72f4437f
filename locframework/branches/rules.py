"""What a branch may be called, beyond the pattern of its name."""

from locframework.errors import ValidationFailed
from locframework.fields import is_id

from .records import MAIN

ENDS_OF_PATHS = ("diff", "merge", "update")
"""Of ``…/branches/{branch}/diff``: a name that ends so would be read as one of them."""

_NO_PARTS = ("", ".", "..")  # what clients and proxies take out of a path


def check_name(name: str, path: str = "$.name") -> None:
    """Raise ValidationFailed for a name that would mean something else."""
    if name.lower() == MAIN:  # in no list of branches, so nobody would tell them apart
        _refuse(path, f"{MAIN} is the main line: a branch needs another name")
    if is_id(name):
        _refuse(
            path, "a branch is also found by its id, so no name may look like an id"
        )
    first, *rest = name.split("/")
    if any(part in _NO_PARTS for part in (first, *rest)):
        _refuse(path, "no part between slashes may be empty, . or ..")
    if rest and rest[-1] in ENDS_OF_PATHS:
        _refuse(path, f"the last part may not be {' or '.join(ENDS_OF_PATHS)}")


def _refuse(path: str, message: str) -> None:
    raise ValidationFailed.at(path, "name", message)
