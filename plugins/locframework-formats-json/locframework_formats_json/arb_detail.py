"""What the records keep of an ARB file beyond our model, under the name ``arb``."""

from collections.abc import Mapping

from locframework.ports import Detail

Kept = dict[str, object]

# members of the detail
ATTRIBUTES = "attributes"  # Entry.key_detail: all of ``@name`` that is not ours
ARGUMENT = "argument"  # Entry.key_detail: of the plural, when it is not ``count``
EXACT = "exact"  # Entry.detail: forms spelled as numbers, {"one": "=1"}
EMPTY = "empty"  # Entry.detail: forms that show nothing, ["zero"] of ``=0{}``

# members of ``@name`` that we write
X_KEY = "x-key"  # the key, where the name is another
X_PLURAL = "x-plural"  # false: the message is one text; or the plural's forms

DEFAULT_ARGUMENT = "count"


def detail_with(kept: Kept) -> Detail | None:
    """The detail that keeps these members, empty ones left out."""
    filled = {name: value for name, value in kept.items() if value}
    return {"arb": filled} if filled else None


def kept_in(detail: Detail | None) -> Mapping[str, object]:
    """What ``detail_with`` was given; empty for the details of other formats."""
    return as_object((detail or {}).get("arb"))


def as_object(value: object) -> Mapping[str, object]:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}
