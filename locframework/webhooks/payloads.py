"""Writes what is sent of an event: thin, and in parts where it would grow too large."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from locframework.events import Event

PAYLOAD_MOST = 20_000  # bytes, "under 20 KB" (decisions 2.7)

_encoder = msgspec.json.Encoder()


def payloads(event: Event, items: Sequence[Mapping[str, object]]) -> Iterator[str]:
    """The payloads that tell the items: mostly one, each smaller than 20 KB.

    ``{ type, timestamp, data: { projectId, branch, actor, items } }``.
    """
    written = _written(event, items)
    if len(written) < PAYLOAD_MOST or len(items) == 1:
        yield written.decode()
        return
    half = len(items) // 2
    yield from payloads(event, items[:half])
    yield from payloads(event, items[half:])


def _written(event: Event, items: Sequence[Mapping[str, object]]) -> bytes:
    return _encoder.encode(
        {
            "type": event.type,
            "timestamp": event.created_at,
            "data": {
                "projectId": event.project_id,
                "branch": event.branch,
                "actor": event.actor,
                "items": items,
            },
        }
    )
