"""Child processes of a server: long work that no request waits for, with limits on what it may take."""

import os
import sys
from contextlib import suppress

FAULT = 2
"""The exit code of a child process that cannot do its work because of its input; the reason is on standard error."""

OUT_OF_MEMORY = 3
"""The exit code of a child process whose memory did not suffice, also not for a sentence."""

MEMORY = 8 << 30
"""Bytes of address space; a small file can unpack to any size."""

CPU_S = 600
"""Seconds of computing, also for a process whose server has died."""


def command(module: str) -> list[str]:
    """Return the command that runs *module*, one of this package."""
    # -P: no module is imported from the working folder, whatever an uploaded file is called.
    return [sys.executable, "-P", "-m", f"touchstone.annotate.{module}"]


def environment() -> dict[str, str]:
    """Return the environment of a child process, which computes on one processor."""
    return {**os.environ, "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"}


def limit(memory: int = MEMORY, cpu_s: int = CPU_S) -> None:
    """Limit what this process may take, where the system can; a child process begins with it.

    Parameters
    ----------
    memory
        Bytes of address space.
    cpu_s
        Seconds of computing.
    """
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 5))  # the first sends SIGXCPU, the second SIGKILL)
