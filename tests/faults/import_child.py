"""Runs the due jobs of a database, and dies where the environment says."""

import json
import sys
from pathlib import Path

from locframework import Framework, Settings


def main(database_url: str, folder: str) -> None:
    plugins = {
        "peewee": {"database": database_url},
        "disk": {"folder": str(Path(folder) / "blobs")},
    }
    settings = Settings.of({"start_scheduler": False, "plugins": plugins})
    with Framework(settings) as framework:
        print(json.dumps("ready"), flush=True)
        sys.stdin.readline()
        framework.runner.run_until_idle()
        print(json.dumps("done"), flush=True)


main(sys.argv[1], sys.argv[2])
