"""Runs the jobs of a database with an engine whose calls are counted in a file.

Arguments: the database, a folder, the file, the crash point (or -), and the number of
the call in which the process is killed (or 0).
"""

import os
import sys
from decimal import Decimal
from pathlib import Path

from locframework import Framework, Settings, hookimpl, transactions
from locframework.ports import Translated, Translations, TranslatorInfo

PRICE = Decimal("0.25")
ITEMS = 3  # of a call


class Paid:
    """An engine that takes money for each item."""

    name = "paid"

    def __init__(self, bill, killed_in=0):
        self._bill = bill
        self._killed_in = killed_in
        self._calls = 0

    @hookimpl
    def loc_provide_translators(self):
        return [self]

    def describe(self):
        return TranslatorInfo("paid", "Paid", most_items=ITEMS)

    def estimate(self, batch):
        return PRICE * len(batch.items)

    def translate(self, batch, seconds):
        self._calls += 1
        with self._bill.open("a") as bill:
            bill.write("".join(f"{item.key}\n" for item in batch.items))
        if self._calls == self._killed_in:
            os.kill(os.getpid(), 9)
        outcomes = {
            item.id: Translated(
                tuple(p.upper() if isinstance(p, str) else p for p in item.pieces)
            )
            for item in batch.items
        }
        return Translations(outcomes, self.estimate(batch))


def settings(database, folder):
    return {
        "start_scheduler": False,
        "translator": "paid",
        "plugins": {
            "peewee": {"database": database},
            "disk": {"folder": f"{folder}/blobs"},
            "rapidfuzz": {"folder": f"{folder}/matching"},
        },
    }


if __name__ == "__main__":
    database, folder, bill, crash_at, killed_in = sys.argv[1:]
    engine = Paid(Path(bill), int(killed_in))
    with Framework(Settings.of(settings(database, folder)), [engine]) as framework:
        if crash_at != "-":
            transactions.arm(crash_at)
        framework.runner.run_until_idle()
