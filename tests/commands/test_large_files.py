"""Files of any size are read from the disk, piece by piece: memory stays as it is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from locframework import OPERATOR
from locframework.glossaries.records import NewGlossary
from locframework.memories.records import NewMemory

PROGRAM = Path(sys.executable).parent / "locframework"
SIZE = 24 * 1024 * 1024

TEXT = "x" * 2000
TMX = (
    '<tmx version="1.4"><header srclang="en"/><body>\n',
    f"<tu><prop>{TEXT * 16}</prop><tuv xml:lang='en'><seg>Pay</seg></tuv></tu>\n",
    "</body></tmx>",
)
MEMORY_CSV = "en,de\n", f'Pay,"{TEXT * 60}"\n', ""
GLOSSARY_CSV = "term,en,de\n", f"quay,{TEXT},{TEXT}\n", ""
CONCEPT = (
    "<conceptEntry><langSec xml:lang='en'><termSec><term>quay</term><termNote "
    f"type='x'>{TEXT * 16}</termNote></termSec></langSec></conceptEntry>\n"
)
TBX = "<tbx><text><body>\n", CONCEPT, "</body></text></tbx>"


def peak_of(area, folder, parts, size):
    """The most bytes of memory that an import of a file of that size takes."""
    head, part, tail = parts
    path = folder / "large"
    with path.open("w") as file:
        file.write(head)
        for _ in range(max(1, size // len(part))):
            file.write(part)
        file.write(tail)
    with subprocess.Popen(
        [PROGRAM, area, "import", path], stdout=subprocess.DEVNULL
    ) as running:
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0
    return used.ru_maxrss * 1024


@pytest.mark.parametrize(
    ("area", "parts"),
    [("tm", TMX), ("tm", MEMORY_CSV), ("glossary", GLOSSARY_CSV), ("glossary", TBX)],
    ids=["memory-tmx", "memory-csv", "glossary-csv", "glossary-tbx"],
)
def test_memory_does_not_grow_with_a_file(framework, project, folder, area, parts):
    if area == "tm":
        memory = NewMemory("Main", "en", organization_id=project.organization_id)
        framework.memories.create_memory(OPERATOR, memory)
    else:
        glossary = NewGlossary("Ports", "en", organization_id=project.organization_id)
        framework.glossaries.create_glossary(OPERATOR, glossary)
    small = peak_of(area, folder, parts, 0)

    assert peak_of(area, folder, parts, SIZE) < small + SIZE // 2
