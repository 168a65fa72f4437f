"""Writes one PO message: the other way of the parser."""

from .messages import Message
from .quoting import quoted

_PREVIOUS = ("msgctxt", "msgid", "msgid_plural")


def render(message: Message, width: int) -> str:
    """The lines of a message, without a line feed at the end.

    ``width`` is where texts and references are wrapped; 0 never does.
    """
    lines: list[str] = []
    if message.comment is not None:
        _remark(lines, "#", message.comment)
    if message.extracted is not None:
        _remark(lines, "#.", message.extracted)
    if message.references is not None:
        _remark(lines, "#:", message.references)
    if message.fuzzy:
        lines.append(f"#, fuzzy, {message.flags}" if message.flags else "#, fuzzy")
    elif message.flags:
        lines.append(f"#, {message.flags}")
    if message.previous:
        for keyword in _PREVIOUS:
            if keyword in message.previous:
                lines.append(quoted(keyword, message.previous[keyword], width, "#| "))
    if message.msgctxt is not None:
        lines.append(quoted("msgctxt", message.msgctxt, width))
    lines.append(quoted("msgid", message.msgid, width))
    if message.msgid_plural is None:
        lines.append(quoted("msgstr", message.texts[0], width))
        return "\n".join(lines)
    lines.append(quoted("msgid_plural", message.msgid_plural, width))
    for index, text in enumerate(message.texts):
        lines.append(quoted(f"msgstr[{index}]", text, width))
    return "\n".join(lines)


def _remark(lines: list[str], mark: str, text: str) -> None:
    for line in text.split("\n"):
        lines.append(f"{mark} {line}" if line else mark)
