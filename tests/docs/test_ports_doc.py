"""docs/reference/ports/: each name of locframework.ports is on one page."""

import re
from collections import Counter
from pathlib import Path

from locframework import hookspecs, ports

PAGES = Path(__file__).parents[2] / "docs" / "reference" / "ports"
NAME = re.compile(r"^(?:\.\. auto(?:class|function|data):: |- `)(\w+)`?$", re.M)


def test_every_name_that_plugins_import_is_on_one_page():
    pages = [page.read_text("utf-8") for page in PAGES.glob("*.md")]
    found = Counter(name for page in pages for name in NAME.findall(page))

    source = Path(ports.__file__).read_text("utf-8")
    exported = set(re.findall(r"^from .* import \w+ as ([A-Za-z]\w*)$", source, re.M))
    assert found == Counter(exported)


def test_help_names_every_port_and_every_name_there_is_exported():
    told = set(re.findall(r"\b[A-Z][a-z]+[A-Z]?\w*\b", ports.__doc__ or ""))
    asked = {
        name
        for hook in vars(hookspecs).values()
        if getattr(hook, "__name__", "").startswith("loc_provide_")
        for name in re.findall(r"\w+", str(hook.__annotations__["return"]))
    }

    there = asked & set(vars(ports))
    assert len(there) > 9
    assert there <= told
