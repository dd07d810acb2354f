"""AMD GPUs, as ``rocm-smi`` or its successor ``amd-smi`` lists them."""

import json
import re
from collections.abc import Mapping
from typing import Any

from mlhpc.detect.listing import Listing
from mlhpc.detect.nvidia import pci_count
from mlhpc.detect.seam import Outcome, System
from mlhpc.detect.values import Gpu
from mlhpc.units import GIB

TIMEOUT_S = 10.0
VENDOR = "0x1002"
ROCM_SMI = ["rocm-smi", "--showproductname", "--showmeminfo", "vram", "--showuniqueid",
            "--showdriverversion", "--json"]  # fmt: skip
AMD_SMI = ["amd-smi", "static", "--asic", "--vram", "--driver", "--json"]


def ask(system: System) -> Listing:
    """All AMD GPUs that the first of the two tools that is installed lists."""
    for command, read in ((ROCM_SMI, _read_rocm_smi), (AMD_SMI, _read_amd_smi)):
        outcome = system.run(command, TIMEOUT_S)
        if outcome.missing:
            continue
        if outcome.timed_out:
            return Listing(command[0], symptom="hangs")
        gpus = tuple(read(_document(outcome)))
        return Listing(command[0], gpus, "" if gpus else "empty", "" if gpus else outcome.said)
    return Listing("rocm-smi", symptom="missing")


def has_compute_driver(system: System) -> bool:
    """Whether the kernel has ROCm's driver: a graphics card alone is not enough to compute."""
    return system.exists("dev/kfd")


def hardware_count(system: System) -> int | None:
    """AMD display controllers on the PCI bus; None where there is no bus."""
    return pci_count(system, VENDOR)


def _document(outcome: Outcome) -> Any:
    """The JSON in the output: the tools can write warnings before it, and text after it."""
    start = re.search(r"^[\[{]", outcome.out, re.MULTILINE)
    if start is None:
        return None
    try:
        return json.JSONDecoder().raw_decode(outcome.out, start.start())[0]
    except ValueError:
        return None


def _read_rocm_smi(document: Any) -> list[Gpu]:
    """``{"card0": {"Card Series": ..., "VRAM Total Memory (B)": "..."}, "system": {...}}``."""
    if not isinstance(document, Mapping):
        return []
    tables = {key: _lower(value) for key, value in document.items() if isinstance(value, Mapping)}
    driver = tables.get("system", {}).get("driver version")
    cards = sorted(
        (int(key[4:]), table) for key, table in tables.items() if re.fullmatch("card[0-9]+", key)
    )
    return [
        _gpu(
            index,
            table.get("card series") or table.get("device name"),
            _uuid(table.get("unique id")),
            _gib(table.get("vram total memory (b)"), 1),
            driver,
        )
        for index, table in cards
    ]


def _read_amd_smi(document: Any) -> list[Gpu]:
    """A list of GPUs, under ``gpu_data`` in newer versions; sizes ``{"value", "unit": "MB"}``."""
    entries = document.get("gpu_data") if isinstance(document, Mapping) else document
    gpus = []
    for entry in entries if isinstance(entries, list) else []:
        asic, vram, driver = (_lower(entry.get(key)) for key in ("asic", "vram", "driver"))
        size = vram.get("size", vram.get("size_mb"))
        size = size.get("value") if isinstance(size, Mapping) else size
        # what amd-smi calls MB is 1024 * 1024 bytes
        memory_gib = _gib(size, 1024 * 1024)
        version = driver.get("version", driver.get("driver_version"))
        gpus.append(_gpu(entry.get("gpu"), asic.get("market_name"), None, memory_gib, version))
    return gpus


def _gpu(
    index: object, name: object, uuid: object, memory_gib: float | None, driver: object
) -> Gpu:
    texts = {"name": _said(name), "uuid": _said(uuid), "driver": _said(driver)}
    unknown = {field: "the tool does not say" for field, text in texts.items() if text is None}
    if memory_gib is None:
        unknown["memory_gib"] = "the tool does not say"
    number = index if isinstance(index, int) else None
    return Gpu(number, texts["name"], texts["uuid"], memory_gib, None, texts["driver"], unknown)


def _uuid(unique_id: object) -> str | None:
    """``0x1f9d`` as ROCR_VISIBLE_DEVICES takes it: ``GPU-1f9d``."""
    text = _said(unique_id) or ""
    return f"GPU-{text[2:]}" if text.startswith("0x") else None


def _lower(table: object) -> dict[str, Any]:
    """Keys differ in case between versions ("Card series", "Card Series")."""
    items = table.items() if isinstance(table, Mapping) else ()
    return {str(key).lower(): value for key, value in items}


def _said(value: object) -> str | None:
    text = str(value).strip() if isinstance(value, str | int) else ""
    return None if text in {"", "N/A", "n/a", "None"} else text


def _gib(value: object, unit_bytes: int) -> float | None:
    text = _said(value) or ""
    return round(int(text) * unit_bytes / GIB, 2) if text.isdigit() and int(text) else None
