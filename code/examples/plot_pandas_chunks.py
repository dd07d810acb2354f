"""
A table in chunks, and the memory it takes
==========================================

The same answer from the same CSV file, read whole and read in chunks, with the peak memory of each.

gpu: no
exclusive: no
"""

# %% [markdown]
# "The data do not fit into memory" need not mean that you need more memory. If all you want is a
# summary, you can read the file in pieces and keep only what the summary needs.
#
# **Predict.** You read the file below in chunks of a tenth of its rows. Does the peak memory
# fall to a tenth? Does the run take longer?

# %%
import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

ROWS = 500_000
folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "weather.csv"


def write_table():
    random = np.random.default_rng(seed=0)
    readings = {name: random.normal(15, 8, ROWS).round(2) for name in ("air", "soil", "water")}
    pd.DataFrame({"station": random.integers(0, 50, ROWS), **readings}).to_csv(path, index=False)


# %% [markdown]
# The summary is the mean of each column at each station. In chunks you add up sums and counts: a
# mean of means would be wrong where the chunks differ in size.


# %%
def means(chunk_rows):
    """The mean of each column for each station; chunk_rows None reads the file whole."""
    if chunk_rows is None:
        return pd.read_csv(path).groupby("station").mean()
    total = count = 0
    for chunk in pd.read_csv(path, chunksize=chunk_rows):
        stations = chunk.groupby("station")
        total = stations.sum().add(total, fill_value=0)
        count = stations.count().add(count, fill_value=0)
    return total / count


# %% [markdown]
# A process never gives its peak back, so each case runs in a process of its own. It starts as a copy of this one; you count what it
# adds to that.


# %%
def peak_mib():
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB, on a Mac bytes
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def in_a_process(work, *arguments):
    """Run work in a new process; return its answer, MiB above the start, and seconds."""
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def run():
        before, start = peak_mib(), time.perf_counter()
        answer = work(*arguments)
        sender.send((answer, peak_mib() - before, time.perf_counter() - start))

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    sender.close()  # so that receiving ends, if the process dies
    result = receiver.recv()
    process.join()
    return result


# %%
in_a_process(write_table)
print(f"The file: {ROWS} rows, {path.stat().st_size / 2**20:.1f} MiB")
cases = {"whole": None, **{f"{ROWS // parts}": ROWS // parts for parts in (2, 10, 100)}}
results = {name: in_a_process(means, rows) for name, rows in cases.items()}
folder.cleanup()

whole = results["whole"][0]
for name, (answer, mib, seconds) in results.items():
    pd.testing.assert_frame_equal(answer, whole)  # the same means, to rounding
    print(f"rows at a time: {name:>6}   peak {mib:5.1f} MiB   {seconds:.2f} s")
print("All of them give the same means.")

# %% [markdown]
# **What to look for.** How far does the peak fall, and where does it stop falling? Some memory goes
# to things that do not shrink with the chunk. Very small chunks cost time, because every chunk
# has a price of its own; the times here are of single runs, so trust only large differences.
#
# Ask Slurm for the peak that you measured and a margin, not for the size of the file.

# %%
names = list(results)
peaks = [results[name][1] for name in names]
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
bars = axes.barh(names[::-1], peaks[::-1], height=0.6)
axes.bar_label(bars, [f"{mib:.0f} MiB, {results[name][2]:.2f} s" for name, mib in
                      zip(names[::-1], peaks[::-1], strict=True)], padding=6)  # fmt: skip
axes.set(xlabel="peak memory above the start (MiB)", ylabel="rows at a time")
axes.margins(x=0.3)

least = min(names, key=lambda name: results[name][1])
share = 100 * results[least][1] / results["whole"][1]
print(f"The lowest peak, {least} rows at a time, is {share:.0f}% of the peak of the whole table.")
figure.set_label(
    f"Bar chart of peak memory for a table of {ROWS} rows by rows read at a time. "
    + ", ".join(f"{name}: {mib:.0f} MiB" for name, mib in zip(names, peaks, strict=True))
    + "."
)
measured = {
    "whole": (results["whole"][1], "MiB"),
    "least": (results[least][1], "MiB"),
    "share": (share, "%"),
    "file": (path.name, ""),
}
plt.show()
