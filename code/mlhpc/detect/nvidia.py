"""NVIDIA GPUs, as ``nvidia-smi`` lists them, and the traces of them that it cannot hide.

``nvidia-smi`` numbers by bus, which is neither the number of /dev/nvidiaN nor Slurm's: a GPU is
known by its uuid. Any cell can be ``[N/A]``, ``[Not Supported]`` or ``[Insufficient
Permissions]``: such a field is unknown, with the cell as the reason.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from mlhpc.detect.listing import Listing, Symptom
from mlhpc.detect.seam import Outcome, System
from mlhpc.detect.values import Gpu

TIMEOUT_S = 10.0
FIELDS = "index,name,uuid,memory.total,driver_version,mig.mode.current"
# drivers before 450 know no MIG, and refuse the whole query for it
OLD_FIELDS = "index,name,uuid,memory.total,driver_version"
VENDOR = "0x10de"
NO_SLICE = "a GPU in MIG mode, and no slice of it"
DISPLAY_CLASSES = ("0x0300", "0x0302")

# what nvidia-smi writes -> what is wrong; the first that fits
_SYMPTOMS: tuple[tuple[str, Symptom], ...] = (
    ("version mismatch", "mismatch"),
    ("couldn't communicate with the nvidia driver", "silent"),
    ("driver not loaded", "silent"),
    ("driver is not loaded", "silent"),
    ("no devices were found", "empty"),
    ("unable to determine the device handle", "lost"),
    ("gpu is lost", "lost"),
)
_GPU_LINE = r"GPU ([0-9]+): .*\(UUID: (GPU-[^)]+)\)"
_MIG_LINE = r"\s+MIG (\S+)\s+Device\s+([0-9]+): \(UUID: (MIG-[^)]+)\)"


def ask(system: System) -> Listing:
    """All GPUs and slices that ``nvidia-smi`` shows, whatever the environment hides."""
    outcome = _query(system, FIELDS)
    if "is not a valid field to query" in outcome.out + outcome.err:
        outcome = _query(system, OLD_FIELDS)
    rows = [row for line in outcome.out.splitlines() if (row := _cells(line))]
    gpus = tuple(_gpu(row) for row in rows)
    if any(row[-1] == "Enabled" for row in rows):
        gpus = tuple(_with_slices(gpus, rows, system))
    if rows and not gpus:
        return Listing("nvidia-smi", symptom="empty", said=NO_SLICE)
    symptom = _symptom(outcome, bool(rows))
    return Listing("nvidia-smi", gpus, symptom, outcome.said if symptom else "")


def hardware_count(system: System) -> int | None:
    """NVIDIA GPUs on the PCI bus, seen or unseen by the driver; None where there is no bus."""
    return pci_count(system, VENDOR)


def pci_count(system: System, vendor: str) -> int | None:
    """Display controllers of a vendor on the PCI bus; None where the bus cannot be read."""
    devices = system.names("sys/bus/pci/devices")
    if not devices:
        return None
    folders = (f"sys/bus/pci/devices/{device}" for device in devices)
    return sum(
        (system.text(f"{folder}/vendor") or "").strip() == vendor
        and (system.text(f"{folder}/class") or "").startswith(DISPLAY_CLASSES)
        for folder in folders
    )


def kernel_driver(system: System) -> str | None:
    """The version of the NVIDIA driver in the kernel; None where none is loaded."""
    text = system.text("proc/driver/nvidia/version") or ""
    version = re.search(r"Module[^0-9]*(?:for \S+\s+)?([0-9]+(?:\.[0-9]+)+)", text)
    return version[1] if version else ("of unknown version" if text else None)


def _query(system: System, fields: str) -> Outcome:
    command = ["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader,nounits"]
    return system.run(command, TIMEOUT_S)


def _symptom(outcome: Outcome, has_rows: bool) -> Symptom:
    if outcome.missing:
        return "missing"
    if outcome.timed_out:
        return "hangs"
    said = (outcome.out + outcome.err).lower()
    known: Symptom | None = next((name for words, name in _SYMPTOMS if words in said), None)
    if known:
        return known
    return "" if has_rows else "odd"


def _cells(line: str) -> list[str]:
    """Index, name, uuid, memory, driver, MIG mode; empty where the line is no such row."""
    cells = [cell.strip() for cell in line.split(",")]
    if len(cells) == len(OLD_FIELDS.split(",")):
        cells.append("")
    if len(cells) < len(FIELDS.split(",")):
        return []
    # only a name could hold a comma
    return [cells[0], ",".join(cells[1:-4]), *cells[-4:]]


def _gpu(row: list[str]) -> Gpu:
    unknown = {
        field: f"nvidia-smi answers {cell or 'nothing'}"
        for field, cell in zip(("index", "name", "uuid", "memory_gib", "driver"), row, strict=False)
        if not _is_known(cell) or (field in {"index", "memory_gib"} and not cell.isdigit())
    }
    if row[3] == "0":
        unknown["memory_gib"] = "nvidia-smi answers 0"
    index, name, uuid, memory_mib, driver, _ = row
    return Gpu(
        index=None if "index" in unknown else int(index),
        name=None if "name" in unknown else name,
        uuid=None if "uuid" in unknown else uuid,
        memory_gib=None if "memory_gib" in unknown else round(int(memory_mib) / 1024, 2),
        driver=None if "driver" in unknown else driver,
        unknown=unknown,
    )


def _is_known(cell: str) -> bool:
    return bool(cell) and not cell.startswith("[") and cell not in {"N/A", "ERR!", "Unknown"}


# --- MIG: slices of a GPU ------------------------------------------------------------------


def _with_slices(gpus: tuple[Gpu, ...], rows: list[list[str]], system: System) -> Iterator[Gpu]:
    """Each GPU in MIG mode replaced by its slices: as a whole it cannot be used."""
    slices = list(_slices(system))
    for gpu, row in zip(gpus, rows, strict=True):
        if row[-1] != "Enabled":
            yield gpu
            continue
        memory_mib = _slice_memory_mib(system)
        for parent, place, profile, uuid in slices:
            if parent == gpu.uuid:
                yield _slice(gpu, profile, uuid, memory_mib.get((parent, place)))


def _slices(system: System) -> Iterator[tuple[str, int, str, str]]:
    """(uuid of the GPU, number of the slice, profile, uuid of the slice)."""
    parent = ""
    for line in system.run(["nvidia-smi", "-L"], TIMEOUT_S).out.splitlines():
        if match := re.match(_GPU_LINE, line):
            parent = match[2]
        elif match := re.match(_MIG_LINE, line):
            yield parent, int(match[2]), match[1], match[3]


def _slice(gpu: Gpu, profile: str, uuid: str, memory_mib: int | None) -> Gpu:
    unknown = {field: why for field, why in gpu.unknown.items() if field != "memory_gib"}
    if memory_mib is None:
        unknown["memory_gib"] = f"nvidia-smi does not say; the profile is {profile}"
    memory_gib = round(memory_mib / 1024, 2) if memory_mib else None
    return replace(gpu, uuid=uuid, mig=profile, memory_gib=memory_gib, unknown=unknown)


def _slice_memory_mib(system: System) -> dict[tuple[str, int], int]:
    """Memory by (uuid of the GPU, number of the slice), from the long listing in XML.

    The listing is the tool's own and flat; an XML library would cost more than all the rest.
    """
    listing = system.run(["nvidia-smi", "-q", "-x"], TIMEOUT_S).out
    sizes = {}
    for gpu in listing.split("<gpu ")[1:]:
        uuid = re.search(r"<uuid>(GPU-[^<]+)</uuid>", gpu)
        for piece in re.findall(r"<mig_device>.*?</mig_device>", gpu, re.DOTALL):
            place = re.search(r"<index>([0-9]+)</index>", piece)
            total = re.search(r"<fb_memory_usage>\s*<total>([0-9]+) MiB</total>", piece)
            if uuid and place and total:
                sizes[uuid[1], int(place[1])] = int(total[1])
    return sizes
