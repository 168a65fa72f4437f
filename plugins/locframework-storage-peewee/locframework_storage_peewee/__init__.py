"""Keeps everything in SQLite or PostgreSQL: the storage ``peewee``."""

from .plugin import PeeweePlugin, PeeweeProvider, PeeweeSettings
from .storage import PeeweeStorage

__all__ = ["PeeweePlugin", "PeeweeProvider", "PeeweeSettings", "PeeweeStorage"]
