"""What the formats here call the parts of a JSON file."""

from locframework.ports import JsonLayout as Layout
from locframework.ports import TreeContainer as Container
from locframework.ports import TreeItem as Item
from locframework.ports import TreeValue as Value

__all__ = ["Container", "Item", "Layout", "Value"]
