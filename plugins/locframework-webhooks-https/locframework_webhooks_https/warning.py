"""Warns of what operators set, once: whoever serves opens the framework several times
before."""

import logging
from functools import cache

log = logging.getLogger(__package__)


@cache
def warn_once(message: str, *given: object) -> None:
    """Log the warning, unless this process has said the very same before."""
    log.warning(message, *given)
