"""Compiles the C files where there is a compiler; else the wheel is pure Python."""

import os
import shlex
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "locframework_matching_rapidfuzz"


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts ``_kernel.so`` beside its sources, for editable installs and wheels.

    ``LOCFRAMEWORK_NO_KERNEL=1`` leaves it out; ``CC`` and ``CFLAGS`` are heeded.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the library; on any failure go on without it."""
        folder = Path(self.root, PACKAGE)
        library = folder / "_kernel.so"
        library.unlink(missing_ok=True)
        if os.environ.get("LOCFRAMEWORK_NO_KERNEL") or not compile_to(
            library, sorted(folder.glob("*.c"))
        ):
            self.app.display_warning("nothing is compiled: numpy does the work")
            return
        build_data["artifacts"].append(f"{PACKAGE}/{library.name}")
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"  # any Python: it is called by ctypes


def compile_to(library: Path, sources: list[Path]) -> bool:
    """Whether a C compiler made the library."""
    compiler = shlex.split(os.environ.get("CC") or "cc")
    flags = ["-O3", "-std=gnu11", *shlex.split(os.environ.get("CFLAGS", ""))]
    making = library.with_suffix(f".{os.getpid()}")
    command = [*compiler, *flags, "-shared", "-fPIC", "-o", making, *sources]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    making.replace(library)
    return True
