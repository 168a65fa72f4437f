"""Encodes what a request carries: texts of query strings, and forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from secrets import token_hex

from .records import Upload

Text = str | int | float | bool
Texts = Mapping[str, Text | Sequence[Text] | None]


def multipart(form: Texts, files: Mapping[str, Upload]) -> tuple[bytes, str]:
    """A multipart/form-data body and its Content-Type."""
    boundary = token_hex(16)
    parts = []
    for name, text in pairs(form):
        head = f'Content-Disposition: form-data; name="{_quoted(name)}"'
        parts.append((head, text.encode("utf-8", "surrogatepass")))
    for name, file in files.items():
        head = (
            f'Content-Disposition: form-data; name="{_quoted(name)}"; '
            f'filename="{_quoted(file.name)}"\r\n'
            f"Content-Type: {file.content_type}"
        )
        parts.append((head, file.content))
    body = b"".join(
        f"--{boundary}\r\n{head}\r\n\r\n".encode("utf-8", "surrogatepass")
        + content
        + b"\r\n"
        for head, content in parts
    )
    return (
        body + f"--{boundary}--\r\n".encode(),
        f"multipart/form-data; boundary={boundary}",
    )


def pairs(texts: Texts) -> list[tuple[str, str]]:
    """Return each name with each of its texts; what is None is left out."""
    found = []
    for name, value in texts.items():
        many = isinstance(value, Sequence) and not isinstance(value, str)
        for each in value if many else [value]:  # type: ignore[union-attr]
            if each is not None:
                found.append((name, _text(each)))
    return found


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _quoted(text: str) -> str:
    """What browsers write in place of characters that would end a header's text."""
    for character, code in ("\r", "%0D"), ("\n", "%0A"), ('"', "%22"):
        text = text.replace(character, code)
    return text
