"""``@hookimpl``: pluggy's marker, with ``durable`` beside its options."""

from collections.abc import Callable
from typing import TypeVar, overload

import pluggy

Method = TypeVar("Method", bound=Callable[..., object])

DURABLE = "locframework_durable"
"""The attribute of a method that is a durable listener."""

_PLUGGY = pluggy.HookimplMarker("locframework")


class HookimplMarker:
    """Marks a plugin's method as the answer to the hook of the same name.

    ``durable`` is for ``loc_on_event``: it gets each committed event at least once, in
    the background, also after a crash. Other options are those of
    ``pluggy.HookimplMarker``, for example ``optionalhook``.
    """

    @overload
    def __call__(self, function: Method) -> Method: ...

    @overload
    def __call__(
        self,
        function: None = None,
        *,
        durable: bool = False,
        **options: bool | str | None,
    ) -> Callable[[Method], Method]: ...

    def __call__(
        self,
        function: Method | None = None,
        *,
        durable: bool = False,
        **options: bool | str | None,
    ) -> Method | Callable[[Method], Method]:
        def mark(method: Method) -> Method:
            if durable:
                setattr(method, DURABLE, True)
            marked: Method = _PLUGGY(method, **options)  # type: ignore[arg-type]
            return marked

        return mark if function is None else mark(function)
