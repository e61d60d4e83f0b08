"""Speed and quality against peers, measured side by side in one run."""

import os
import resource
import subprocess
from pathlib import Path

os.environ["TOUCHSTONE_CACHE"] = "off"
"""What is measured is work: analyses that an earlier run kept would hide it. Programs that are started inherit this."""


def cost_of(command: list[str]) -> tuple[float, float]:
    """Return CPU seconds and peak megabytes of a command."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"failed with {process.returncode}: {' '.join(command)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def peak_megabytes() -> float:
    """Return the peak memory of this process, in megabytes.

    The system counts what the process that started it held as well (``ru_maxrss``), so Linux is asked otherwise.
    """
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def within(what: str, seconds: float, most: float) -> None:
    """Print a cost, and stop where it is more than it may be."""
    print(f"{what}: {seconds:.2f} s CPU (bound {most:g} s)")
    if seconds > most:
        raise SystemExit(f"too slow: {what}")
