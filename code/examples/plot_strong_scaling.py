"""
Strong scaling and Amdahl's law
===============================

The same training on more processes: how much faster, and where that ends.

gpu: better
exclusive: yes
uses: code/jobs/scaling/train_ddp.py
"""

# %% [markdown]
# In data-parallel training every process holds the whole network and a share of each batch. After
# each step the processes average their gradients. The shares shrink as the processes grow in number;
# the averaging does not. So one part of a step, *p*, is divided among *n* processes, and the rest
# is not. This is Amdahl's law:
#
# speed-up(*n*) = 1 / ((1 − *p*) + *p* / *n*)
#
# **Predict.** If nine tenths of a step can be shared, how fast can the training become with as many
# processes as you like?

# %%
import json
import statistics
import subprocess
import sys
from pathlib import Path

import joblib
import matplotlib.pyplot as plt
import torch

from mlhpc import content, record

# beside this script, or in the checkout that mlhpc was installed from
beside = Path(globals().get("__file__", "")).resolve().parent.parent / "jobs"
jobs = beside if beside.is_dir() else content.find().root.parent / "code" / "jobs"
program = jobs / "scaling" / "train_ddp.py"

# %% [markdown]
# A record of at least four counts of processes is worth more than what this machine can try. Where
# there is none, one and two processes are timed here, and the result says so.


# %%
def recorded():
    """Seconds a step by number of processes, from committed records, and where they were made."""
    found = record.load_all(content.find().measurements)
    runs = [one for one in found if one.benchmark == "scaling" and one.params["mode"] == "strong"]
    seconds = {one.params["processes"]: one.median for one in runs}
    machines = {one.provenance["gpu_model"] or one.provenance["cpu_model"] for one in runs}
    return (seconds, machines.pop()) if len(seconds) >= 4 and len(machines) == 1 else ({}, "")


# %%
def run(counts):
    """Train with each number of processes; give the median seconds of a step for each."""
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
    options = "--batch 256 --width 32 --steps 12 --processes".split()
    command = [*launch, str(max(counts)), str(program), *options, *map(str, counts)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    results = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {one["params"]["processes"]: statistics.median(one["samples"]) for one in results}


# %%
seconds, machine = recorded()
if not seconds:
    most = torch.cuda.device_count() if torch.cuda.is_available() else min(2, joblib.cpu_count())
    seconds, machine = run([n for n in (1, 2, 4, 8) if n <= most]), "this machine"
    print("No record of four counts of processes yet: timed here, as far as this machine goes.")
speedup = {n: seconds[1] / taken for n, taken in seconds.items()}
for n in seconds:
    print(f"{n} processes: {1000 * seconds[n]:.0f} ms a step, speed-up {speedup[n]:.2f} x")

# %% [markdown]
# From a measured speed-up the law gives the shared part: *p* = (1 − 1/speed-up) / (1 − 1/*n*). Two
# counts only fix one number, so take the line beyond them as a question, not as a promise. A result
# above the ideal line means that the machine was busy with something else meanwhile.

# %%
more = {n: s for n, s in speedup.items() if n > 1}
shares = [(1 - 1 / s) / (1 - 1 / n) for n, s in more.items()]
p = min(1.0, max(0.0, statistics.median(shares))) if shares else None
if p is None:
    print("One process only: nothing to fit.")
else:
    limit = f"never more than {1 / (1 - p):.1f} x" if p < 1 else "no limit seen"
    print(f"The shared part of a step: p = {p:.2f}; with any number of processes {limit}.")

# %% [markdown]
# **What to look for.** The distance between your line and the ideal one. It is the time that all
# processes spend on what only one of them would have needed.

# %%
figure, axes = plt.subplots(layout="constrained")
counts = list(range(1, 9))
axes.plot(counts, counts, color="gray", linestyle=":")
axes.annotate("ideal", (8, 8), xytext=(6, 0), textcoords="offset points", va="center", color="gray")
if p is not None:
    law = [1 / ((1 - p) + p / n) for n in counts]
    axes.plot(counts, law, color="C1", linestyle="--")
    axes.annotate(
        "Amdahl", (8, law[-1]), xytext=(6, 0), textcoords="offset points", va="center", color="C1"
    )
axes.plot(list(speedup), list(speedup.values()), marker="o", linestyle="none", color="C0")
axes.annotate("measured", (max(speedup), speedup[max(speedup)]), xytext=(8, -12),
              textcoords="offset points", color="C0")  # fmt: skip
print(f"Measured on {machine} with {', '.join(map(str, speedup))} processes.")
print("The dashed line is Amdahl's law: beyond the dots it is a forecast.")
axes.set(xlabel="processes", ylabel="speed-up over one process (×)", xlim=(0.8, 9.2), ylim=(0, 8.8))

figure.set_label(
    f"Speed-up of data-parallel training against processes, measured on {machine}: "
    + ", ".join(f"{s:.2f} times with {n}" for n, s in speedup.items())
    + (f". Amdahl's law with a shared part of {p:.2f} goes through it." if p is not None else ".")
)
measured = {"most": (max(speedup), "processes"), "speedup": (speedup[max(speedup)], "×")}
if p is not None:
    measured["shared_part"] = (100 * p, "%")
plt.show()
