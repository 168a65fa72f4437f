"""Runs that are killed: no text is lost, and none is paid over the budget."""

import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from locframework.testing.workspace import open_workspace

from .paid_worker import ITEMS, PRICE, Paid

pytestmark = pytest.mark.kill

WORKER = Path(__file__).with_name("paid_worker.py")
KEYS = 10
PLACES = [
    ("ai_translate.before_call", 0),
    ("ai_translate.after_call", 0),
    ("ai_translate.after_step", 0),
    ("job.before_step", 0),
    ("job.after_step", 0),
    ("job.before_commit", 0),
    *[("-", call) for call in range(1, 5)],
]


@pytest.mark.parametrize(
    ("crash_at", "killed_in", "most"),
    [(*place, None) for place in PLACES] + [(*place, "1.50") for place in PLACES[:-2]],
)
def test_a_killed_run_goes_on_and_says_what_it_may_have_paid_again(
    database_url, tmp_path, crash_at, killed_in, most
):
    bill, late = tmp_path / "bill", [timedelta(0)]
    bill.touch()
    with open_workspace(
        database_url,
        tmp_path,
        plugins=[Paid(bill)],
        translator="paid",
        clock=lambda: datetime.now(UTC) + late[0],
    ) as shop:
        project = shop.project(languages=["de"])
        for number in range(KEYS):
            shop.key(
                project, f"k{number}", values={"en": f"Text {'abcdefghij'[number]}"}
            )
        path = f"/projects/{project['id']}"
        body = {"languageCodes": ["de"], "maxCost": most}
        job = shop.owner.post(f"{path}/ai/translate", json=body).data["job"]

        arguments = [database_url, tmp_path, bill, crash_at, str(killed_in)]
        ended = subprocess.run([sys.executable, WORKER, *arguments], check=False)
        late[0] = timedelta(minutes=2)  # the lease is over
        found = job
        ends = time.monotonic() + 20
        while found["finishedAt"] is None and time.monotonic() < ends:
            shop.run_jobs()  # PostgreSQL notices after a moment that the process died
            found = shop.owner.get(f"{path}/jobs/{job['id']}").data["job"]
        spent = shop.owner.get(f"{path}/ai/usage").data["budget"]["spent"]
    assert ended.returncode != 0
    result = found["result"]
    assert Decimal(spent) == Decimal(result["cost"])
    paid = Counter(bill.read_text().split())
    outcomes = Counter(item["key"] for item in result["items"])
    assert outcomes == {f"k{number}": 1 for number in range(KEYS)}
    assert PRICE * paid.total() <= Decimal(result["cost"])
    if most is None:
        assert result["translated"] == KEYS
        assert paid.total() <= KEYS + ITEMS
    else:
        assert Decimal(result["cost"]) <= Decimal(most)
        assert PRICE * paid.total() <= Decimal(most)
