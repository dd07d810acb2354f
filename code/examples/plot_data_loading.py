"""
Loading data with more workers, cold and warm
=============================================

How many pictures a second reach your training loop, by the number of workers and by whether the files were read before.

gpu: no
exclusive: yes
"""

# %% [markdown]
# Before a picture reaches the network it is read from storage, decoded and turned into numbers.
# A GPU does none of that: CPU cores do. `DataLoader` can hand the work to *worker* processes.
#
# There is a trap when you time this. The system keeps what it has read in memory, so a second
# pass over the files may not touch the storage at all. The first pass is *cold*, the second *warm*.
#
# **Predict.** Which will matter more here: a second worker, or a warm cache?

# %%
import os
import statistics
import tempfile
import time
from pathlib import Path

import joblib
import matplotlib.pyplot as plt
import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

# %% [markdown]
# You make a folder of JPEG pictures, as a data set has them.

# %%
PICTURES, SIZE = 48, 384
folder = tempfile.TemporaryDirectory()
random = np.random.default_rng(seed=0)
paths = [Path(folder.name) / f"{number}.jpg" for number in range(PICTURES)]
for path in paths:
    coarse = random.integers(0, 255, (SIZE // 8, SIZE // 8, 3), dtype=np.uint8)
    Image.fromarray(coarse).resize((SIZE, SIZE)).save(path, quality=95)
print(f"{PICTURES} pictures, {sum(path.stat().st_size for path in paths) / 2**20:.1f} MiB in all")


# %%
class Pictures(Dataset):
    def __len__(self):
        return PICTURES

    def __getitem__(self, number):
        with Image.open(paths[number]) as picture:
            pixels = np.asarray(picture.resize((224, 224)), dtype=np.float32)
        return torch.from_numpy(pixels / 255).permute(2, 0, 1)


def pictures_per_second(loader):
    start = time.perf_counter()
    loaded = sum(len(batch) for batch in loader)  # a training step would stand here
    return loaded / (time.perf_counter() - start)


# %% [markdown]
# To make the files cold again you ask the system to forget them. It may refuse: some file systems
# live in memory, others do not answer. So you look whether it did, by a read that is
# only allowed to take what is in memory already.


# %%
def forget(paths):
    """Ask the system to drop the files from its memory; return how many really left it."""
    gone = 0
    for path in paths if hasattr(os, "posix_fadvise") else []:
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            try:
                os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)
            except BlockingIOError:  # "it would have to wait": not in memory
                gone += 1
            except OSError:  # this file system does not say
                pass
    return gone


# %% [markdown]
# Every number of workers gets one pass that is not timed: it starts them. Then come three rounds, in
# which each takes one pass cold and one warm; so a slow moment of the machine hits all alike.


# %%
def loader_with(workers):
    return DataLoader(Pictures(), batch_size=8, num_workers=workers, persistent_workers=workers > 0)


workers = [n for n in (0, 1, 2, 4, 8, 16) if n <= max(2, joblib.cpu_count())]
loaders = {n: loader_with(n) for n in workers}
passes = {(state, n): [] for n in workers for state in ("cold", "warm")}
gone = []
for n in workers:
    pictures_per_second(loaders[n])
for n in workers * 3:
    gone.append(forget(paths))
    passes["cold", n].append(pictures_per_second(loaders[n]))
    passes["warm", n].append(pictures_per_second(loaders[n]))

# %%
rate = {case: statistics.median(rates) for case, rates in passes.items()}
for n in workers:
    print(f"workers {n}: {rate['cold', n]:.0f} pictures/s cold, {rate['warm', n]:.0f} warm")
loaders.clear()  # ends the workers
is_cold = min(gone) == PICTURES
if is_cold:
    print("Cold: before each cold pass no file was in this machine's memory.")
else:
    print(f"NOT cold: only {min(gone)} of {PICTURES} files are known to have left the memory.")

# %% [markdown]
# **What to look for.** Does the line rise until you have as many workers as cores? One worker is
# not faster than none by much: it only lets loading go on *while* your loop does something else,
# and here the loop does nothing else. Then compare cold with warm: a large gap says that storage is what you wait for, a
# small one that decoding is, and there only cores help. Below this machine's memory there may be
# further caches, in the disk or the file server, that you cannot empty.
#
# In a job, ask Slurm for as many cores as you use workers, and one more for the training loop.

# %%
figure, axes = plt.subplots(layout="constrained")
for state, marker, dash in [("cold", "s", "--"), ("warm", "o", "-")]:
    line = [rate[state, n] for n in workers]
    (drawn,) = axes.plot(workers, line, marker=marker, linestyle=dash)
    label = state if is_cold or state == "warm" else "first pass (not cold)"
    axes.annotate(label, (workers[-1], line[-1]), xytext=(8, 6 if state == "warm" else -6),
                  textcoords="offset points", va="center", color=drawn.get_color())  # fmt: skip
axes.set(xlabel="workers (0: the loop itself loads)", ylabel="pictures a second", ylim=(0, None))
axes.set_xticks(workers)

best = max(workers, key=lambda n: rate["warm", n])
gain = rate["warm", best] / rate["warm", 0]
warm_gain = rate["warm", best] / rate["cold", best]
print(f"Best with {best} workers: {gain:.2f} x the pictures of 0 workers, both warm.")
print(f"Warm against cold at {best} workers: {warm_gain:.2f} x.")
figure.set_label(
    f"Line chart of pictures loaded a second against workers. Warm: {rate['warm', 0]:.0f} with 0 "
    f"workers, {rate['warm', best]:.0f} with {best}, the best. "
    f"{'Cold' if is_cold else 'First pass, not cold'}: {rate['cold', 0]:.0f} and {rate['cold', best]:.0f}."
)
measured = {
    "rate_0": (rate["warm", 0], "pictures/s"),
    "rate_best": (rate["warm", best], "pictures/s"),
    "best_workers": (best, "workers"),
    "gain": (gain, "×"),
    "warm_over_cold": (warm_gain, "×"),
}
folder.cleanup()
plt.show()
