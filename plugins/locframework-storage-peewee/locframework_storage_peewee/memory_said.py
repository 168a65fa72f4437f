"""Keeps beside each entry of a memory what stands for all that it says."""

from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b

from .database import Database
from .key_lists import chunks

Value = tuple[str, str, str]  # language code, value and status, as they are applied


def said_of(values: Iterable[Value]) -> str:
    """Equal exactly for those that say the same; empty for nothing."""
    told = sorted(each for each in values if each[1])
    text = "\0".join(part for each in told for part in each)
    return blake2b(text.encode(), digest_size=16).hexdigest() if told else ""


def said_by(database: Database, entry_ids: Collection[str]) -> dict[str, str]:
    """What ``said_of`` answers for each of these entries, by id."""
    values: dict[str, list[Value]] = {id_: [] for id_ in entry_ids}
    of_entry = database.engine.join_each(
        "memory_translations", "t", "t.entry = e.number"
    )
    for some in chunks(values):
        rows = database.rows(
            f"""SELECT e.id, t.language_code, t.value, t.status
                FROM memory_entries e {of_entry} WHERE {database.among("e.id")}""",
            (database.listed(some),),
        )
        for id_, code, value, status in rows:
            values[id_].append((code, value, status))
    return {id_: said_of(there) for id_, there in values.items()}


def tell_again(database: Database, entry_ids: Sequence[str]) -> None:
    """Note what these entries say now; their translations were written."""
    for some in chunks(entry_ids):
        database.run_many(
            "UPDATE memory_entries SET said = ? WHERE id = ?",
            [(said, id_) for id_, said in said_by(database, some).items()],
        )
