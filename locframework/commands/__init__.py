"""The command ``locframework``: serves, works, inspects, imports and exports."""

from .entry import main

__all__ = ["main"]
