"""A mistake of a plugin's author, and how it is made in an honest plugin."""

import inspect
import sys
import textwrap
from dataclasses import dataclass
from types import ModuleType
from typing import Any

OURS = ("locframework", "tests.")


@dataclass(frozen=True)
class Mutant:
    """A function or class of an honest plugin with a mistake in its source."""

    name: str
    """What the author got wrong."""
    where: Any
    """The function, method, property or class."""
    old: str
    """Text that stands once in its source."""
    new: str

    def source(self) -> str:
        """Return the source with the mistake. Raises ValueError if ``old`` does not
        stand there once, or if the mistake could be no Python."""
        source = textwrap.dedent(inspect.getsource(_function(self.where)))
        if source.count(self.old) != 1:
            times = source.count(self.old)
            raise ValueError(f"{self.name}: {self.old!r} stands there {times} times")
        if inspect.isclass(self.where) and "super()" in source:
            raise ValueError(f"{self.name}: super() would be that of another class")
        changed = source.replace(self.old, self.new)
        compile(changed, self.name, "exec")
        return changed

    def apply(self) -> None:
        """Make the mistake in this process."""
        function = _function(self.where)
        module = sys.modules[function.__module__]
        made: dict[str, Any] = {}
        *owners, name = function.__qualname__.split(".")
        owner: Any = module
        for each in owners:
            owner = getattr(owner, each)
        body = textwrap.indent(self.source(), "    ")
        code = f"def make(__class__):\n{body}\n    return {name}"  # for super()
        code = f"from __future__ import annotations\n{code}"
        exec(compile(code, f"<{self.name}>", "exec"), vars(module), made)
        made[name] = made["make"](owner)
        if inspect.isclass(self.where):  # in place: there are instances of it
            for attribute, value in vars(made[name]).items():
                if attribute not in ("__dict__", "__weakref__"):
                    setattr(self.where, attribute, value)
        elif owners:
            setattr(owner, name, made[name])
        else:
            for imported_by in _ours():
                if vars(imported_by).get(name) is self.where:
                    setattr(imported_by, name, made[name])


def _function(where: Any) -> Any:
    """The function of a property."""
    return where.fget if isinstance(where, property) else where


def _ours() -> list[ModuleType]:
    return [each for name, each in [*sys.modules.items()] if name.startswith(OURS)]
