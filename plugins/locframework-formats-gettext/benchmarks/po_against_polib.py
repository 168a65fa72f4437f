"""Reads and writes 100,000 messages beside polib: python3 po_against_polib.py [NUMBER]

The messages are Django's German ones, each under a context of its own. The answers
are compared before anything is timed. Times are of the processor, best of three.
"""

import gc
import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polib
from locframework_formats_gettext import GettextPlugin, GettextSettings

from locframework.ports import FileOptions, SourceFile

OPTIONS = FileOptions(key_separator=".", source_language="en")


def main(number: int) -> None:
    text = catalogue(number)
    [po, _] = GettextPlugin(GettextSettings()).loc_provide_formats()
    file = SourceFile("de.po", text.encode())
    ours = po.read(file, OPTIONS)
    theirs = polib._POFileParser(text).parse()
    for entry, their in zip(ours[0].entries, theirs, strict=True):
        assert entry.is_plural or (entry.value or "") == their.msgstr
    rows = [
        (
            "read",
            best(lambda: po.read(file, OPTIONS)),
            best(lambda: polib._POFileParser(text).parse()),
        ),
        ("write", best(lambda: po.write(ours, OPTIONS)), best(lambda: str(theirs))),
    ]
    lines = [f"{number:,} messages, {len(file.content) / 1e6:.1f} MB"]
    for name, our_time, their_time in rows:
        lines.append(
            f"{name:5}  ours {number / our_time:9,.0f}/s  "
            f"polib {number / their_time:9,.0f}/s  ratio {their_time / our_time:.2f}"
        )
    sys.stdout.write("\n".join(lines) + "\n")


def catalogue(number: int) -> str:
    """PO text of so many messages."""
    spec = importlib.util.find_spec("django")
    assert spec is not None
    assert spec.origin is not None
    root = Path(spec.origin).parent
    texts = [path.read_text() for path in sorted(root.rglob("de/LC_MESSAGES/*.po"))]
    header = texts[0].split("\n\n")[0]
    messages = [
        block.strip()
        for text in texts
        for block in text.split("\n\n")[1:]
        if "msgid" in block and "msgctxt" not in block and "#~" not in block
    ]
    chosen = (messages[index % len(messages)] for index in range(number))
    blocks = [
        block.replace('msgid "', f'msgctxt "{index}"\nmsgid "', 1)
        for index, block in enumerate(chosen)
    ]
    return "\n\n".join([header, *blocks]) + "\n"


def best(call: Callable[[], object]) -> float:
    """The shortest processor time of three calls, in seconds."""
    times = []
    for _ in range(3):
        gc.collect()
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
