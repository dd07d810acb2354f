"""macOS: what ``sysctl`` says of cores, memory and the GPU on the chip."""

from collections.abc import Mapping

from mlhpc.detect.seam import System
from mlhpc.detect.values import Gpu

TIMEOUT_S = 3.0
KEYS = ("hw.memsize", "hw.logicalcpu", "hw.optional.arm64", "machdep.cpu.brand_string")
SHARED = "shared with the processor: it is part of the machine's memory"


def facts(system: System) -> dict[str, str]:
    """The values by key; empty on any other system, and where ``sysctl`` fails."""
    if not system.exists("System/Library/CoreServices/SystemVersion.plist"):
        return {}
    outcome = system.run(["sysctl", *KEYS], TIMEOUT_S)
    pairs = (line.partition(": ") for line in outcome.out.splitlines())
    return {key: value.strip() for key, separator, value in pairs if separator}


def gpu(mac: Mapping[str, str]) -> Gpu | None:
    """The GPU of an Apple chip; None on an Intel Mac, of whose GPU sysctl says nothing."""
    if mac.get("hw.optional.arm64") != "1":
        return None
    chip = mac.get("machdep.cpu.brand_string", "Apple chip")
    return Gpu(
        index=0,
        name=f"{chip} GPU",
        unknown={
            "uuid": "an Apple GPU has none",
            "memory_gib": SHARED,
            "driver": "part of macOS",
        },
    )
