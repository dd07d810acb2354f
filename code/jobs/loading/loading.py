"""Read files as a training does, and time it: by workers, cold and warm, by storage tier.

    python loading.py --folder /scratch/$USER/loading --workers 0 2 4 8
    python loading.py --folder /bigdata/LAB/$USER/loading --tier bigdata

Two kinds of work: many small files (images, decoded by a data loader with some workers), and one
large file, read in a row. The files are made first, so bounded: at most --gib. 'cold' is the first
reading after the system was told to forget them, 'warm' one after they were read before. Where
the system does not forget, cold is not measured, and that is a finding.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mlhpc.errors import InputError
from mlhpc.train import program, report
from mlhpc.train.device import CPU

MIB, GIB = 2**20, 2**30
SIDE, QUALITY = 256, 90
BLOCK = 8 * MIB


def main() -> None:
    options = arguments()
    with working_folder(options) as folder:
        images = make_images(folder / "images", options.images)
        seconds(lambda: list(loader(images[:1], 0)))  # what is imported at the first use
        for workers in options.workers:
            time_images(images, workers, options)
        time_sequential(make_large(folder / "large.bin", options.gib), options)


def time_images(images: list[Path], workers: int, options: argparse.Namespace) -> None:
    """Time one pass of a data loader over all images, forgotten first and then remembered."""
    params = {"kind": "images", "tier": options.tier, "workers": workers, "images": len(images)}

    def one_pass() -> int:
        return sum(len(batch) for batch in loader(images, workers))

    time_both(one_pass, images, params, unit="images/s", amount=len(images), options=options)


def time_sequential(large: Path, options: argparse.Namespace) -> None:
    """Time reading one large file from its beginning to its end."""
    size = large.stat().st_size
    params = {"kind": "sequential", "tier": options.tier, "gib": round(size / GIB, 3)}

    def one_pass() -> int:
        return read(large)

    time_both(one_pass, [large], params, unit="MB/s", amount=size / 1e6, options=options)


def time_both(
    work: Callable[[], object],
    files: list[Path],
    params: report.Params,
    *,
    unit: str,
    amount: float,
    options: argparse.Namespace,
) -> None:
    """Cold, then warm; each repetition of 'cold' begins with files that are forgotten."""
    cold, warm = {**params, "cache": "cold"}, {**params, "cache": "warm"}
    if forget(files):
        taken = [seconds(work) for _ in range(options.repeats) if forget(files)]
        tell(cold, unit, amount, taken)
    else:
        report.finding("loading", cold, "the system did not forget the files")
    work()
    tell(warm, unit, amount, [seconds(work) for _ in range(options.repeats)])


def tell(params: report.Params, unit: str, amount: float, taken: list[float]) -> None:
    rates = [amount / one for one in taken]
    report.result("loading", params, unit, rates, seconds=taken, device=CPU)


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def forget(paths: list[Path]) -> bool:
    """Ask the system to drop files from its cache; False where it offers no way to."""
    if not hasattr(os, "posix_fadvise"):
        return False
    for path in paths:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fdatasync(handle)  # what is not on the disk yet cannot be dropped
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(handle)
    return True


def read(path: Path) -> int:
    """Read a file block by block; return its bytes."""
    buffer, total = bytearray(BLOCK), 0
    with path.open("rb", buffering=0) as stream:
        while count := stream.readinto(buffer):
            total += count
    return total


def loader(images: list[Path], workers: int):
    """torch's data loader over image files: each is opened, decoded, made a tensor."""
    from torch.utils.data import DataLoader

    return DataLoader(Images(images), batch_size=32, num_workers=workers, collate_fn=list)


class Images:
    """Image files as a data set."""

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, at: int):
        import numpy
        import torch
        from PIL import Image

        with Image.open(self.paths[at]) as image:
            return torch.from_numpy(numpy.asarray(image.convert("RGB")).copy())


def make_images(folder: Path, count: int) -> list[Path]:
    """JPEG files of noise that is smooth enough to compress as photographs do."""
    import numpy
    from PIL import Image

    folder.mkdir(parents=True)
    random = numpy.random.default_rng(0)
    paths = [folder / f"{number:06}.jpg" for number in range(count)]
    for path in paths:
        coarse = random.integers(0, 256, (SIDE // 8, SIDE // 8, 3), dtype=numpy.uint8)
        Image.fromarray(coarse).resize((SIDE, SIDE)).save(path, quality=QUALITY)
    return paths


def make_large(path: Path, gib: float) -> Path:
    """One file of random bytes, flushed to the disk."""
    block = os.urandom(BLOCK)
    with path.open("wb") as stream:
        for _ in range(max(1, round(gib * GIB / BLOCK))):
            stream.write(block)
        stream.flush()
        os.fsync(stream.fileno())
    return path


@contextmanager
def working_folder(options: argparse.Namespace) -> Iterator[Path]:
    """A new folder with room for the files; it is removed at the end. Raises InputError."""
    parent = options.folder or Path(tempfile.gettempdir())
    if not parent.is_dir():
        raise InputError(f"folder: {parent} is no folder; make it first: mkdir -p {parent}")
    free = shutil.disk_usage(parent).free
    if free < 2 * options.gib * GIB:
        raise InputError(f"folder: {parent} has {free / GIB:.1f} GiB free; --gib {options.gib:g} "
                         f"wants twice that")  # fmt: skip
    folder = Path(tempfile.mkdtemp(prefix="loading-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time reading: workers, cold and warm, by tier.")
    parser.add_argument("--folder", type=Path, help="where the files are made (default: temporary)")
    parser.add_argument("--tier", default="local", help="what to call that storage in the result")
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 1, 2], metavar="N")
    parser.add_argument("--images", type=int, default=2000)
    parser.add_argument("--gib", type=float, default=1.0, help="size of the large file")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--device", choices=["auto", "cpu"], default="auto")
    parser.add_argument("--smoke", action="store_true", help="a small case that takes seconds")
    options = parser.parse_args()
    if options.smoke:
        options.workers, options.images, options.gib, options.repeats = [0, 1], 64, 1 / 64, 2
    if min(options.images, options.repeats) < 1 or not 0 < options.gib <= 64:
        parser.error("--images and --repeats: from 1; --gib: more than 0, at most 64")
    return options


if __name__ == "__main__":
    sys.exit(program.run(main))
