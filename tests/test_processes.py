"""Serving processes: who is replaced, and who may not start."""

import os
import socket
import subprocess
import sys

import pytest
from msgspec.structs import replace

from locframework.errors import SettingsError
from locframework.processes import Registration, ServingProcess, is_replaced

HOST = socket.gethostname()
NOW, SOON = "2026-11-26T12:00:00.000Z", "2026-11-26T12:00:30.000Z"
OWN = ServingProcess("own", HOST, "127.0.0.1:80", os.getpid(), True, SOON)
OTHER = ServingProcess("other", HOST, "127.0.0.1:81", os.getppid(), True, SOON)
MEMORY, REDIS = "memory://", "redis://127.0.0.1:6379/0"


def dead_pid():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_process_that_runs_is_not_replaced():
    assert not is_replaced(OTHER, OWN, NOW)
    assert not is_replaced(replace(OTHER, pid=1), OWN, NOW)
    assert not is_replaced(replace(OTHER, address=""), replace(OWN, address=""), NOW)
    assert not is_replaced(replace(OWN, host="elsewhere"), OWN, NOW)


@pytest.mark.parametrize("change", ["lease", "address", "own pid", "dead pid"])
def test_a_process_that_serves_no_more_is_replaced(change):
    changes = {
        "lease": {"lease_until": NOW, "host": "elsewhere"},
        "address": {"address": OWN.address},
        "own pid": {"pid": OWN.pid},
        "dead pid": {"pid": dead_pid()},
    }

    assert is_replaced(replace(OTHER, **changes[change]), OWN, NOW)


@pytest.fixture
def store(workspace):
    return workspace.framework.storage.processes


@pytest.fixture
def registration(workspace, store):
    def make(rate_limit_storage, address="127.0.0.1:80"):
        clock = workspace.framework.clock
        return Registration(store, clock, rate_limit_storage, address)

    return make


def lasting(process):
    return replace(process, lease_until="2999-01-01T00:00:00.000Z")


@pytest.mark.parametrize(("own", "other"), [(MEMORY, False), (REDIS, True)])
def test_a_second_process_that_counts_apart_is_refused(store, registration, own, other):
    there = lasting(replace(OTHER, has_own_limits=other))
    store.save(there)

    with (
        pytest.raises(SettingsError, match="rate_limit_storage") as refused,
        registration(own),
    ):
        pass

    assert "127.0.0.1:81" in str(refused.value)
    assert refused.value.setting == "rate_limit_storage"
    assert store.list_all() == [there]


def test_processes_that_count_together_serve_together(store, registration):
    there = lasting(replace(OTHER, has_own_limits=False))
    store.save(there)

    with registration(REDIS):
        assert len(store.list_all()) == 2

    assert store.list_all() == [there]


def test_a_restart_replaces_the_entry_of_its_address(store, registration):
    store.save(lasting(replace(OTHER, address="127.0.0.1:80")))

    with registration(MEMORY):
        [only] = store.list_all()

        assert (only.address, only.pid) == ("127.0.0.1:80", os.getpid())
        assert only.has_own_limits
    assert store.list_all() == []


def test_the_lease_is_renewed(store, registration, monkeypatch):
    monkeypatch.setattr("locframework.processes.RENEW_SECONDS", 0.01)

    with registration(MEMORY):
        [first] = store.list_all()
        while store.list_all() == [first]:
            pass
        [renewed] = store.list_all()

    assert renewed.lease_until > first.lease_until
