"""
A matrix product against threads
================================

How much faster a matrix product gets with every core you give it, and with more threads than cores.

gpu: no
exclusive: yes
"""

# %% [markdown]
# Most of the work in a neural network is matrix products, and a matrix product can be cut into
# pieces that need nothing from each other. So more threads should mean less time.
#
# **Predict.** Two numbers, before you read on. You double the threads: how much faster is a
# product of two 1024 × 1024 matrices? And what happens when you ask for twice as many threads
# as you have cores?

# %%
import joblib
import matplotlib.pyplot as plt
import torch
from torch.utils.benchmark import Timer

cores = joblib.cpu_count()  # the cores this process may use, not those of the machine
threads = [2**k for k in range(20) if 2**k < cores] + [cores, 2 * cores]
sizes = [128, 1024]
print(f"{cores} cores; trying {', '.join(map(str, threads))} threads")

# %% [markdown]
# `Timer` warms up, repeats, and gives the median; on a GPU it waits until the work is done. A
# stopwatch around a single call would time the first touch of the memory as well. A product of two
# *n* × *n* matrices takes 2*n*³ additions and multiplications.


# %%
def gflops(size, threads, device="cpu"):
    """Billions of operations a second in a product of two size x size matrices."""
    matrix = torch.rand(size, size, device=device)
    timer = Timer("matrix @ matrix", globals={"matrix": matrix}, num_threads=threads)
    seconds = timer.blocked_autorange(min_run_time=0.3).median
    return 2 * size**3 / seconds / 1e9


speed = {(size, n): gflops(size, n) for size in sizes for n in threads}
for size in sizes:
    row = ", ".join(f"{n} threads {speed[size, n]:.0f}" for n in threads)
    print(f"{size} x {size}, GFLOP/s: {row}")

# %% [markdown]
# **What to look for.** Up to the number of cores, how close does each line stay to the dotted
# one, which doubles whenever the threads do? Beyond it threads take turns on the same cores and wait for
# each other at the end of every product. A small product ends so often that this hurts it most.
#
# On the cluster the number of cores is what you asked Slurm for. A program that starts a thread
# for each core of the *node* works to the right of the vertical line.

# %%
speedup = {(size, n): speed[size, n] / speed[size, 1] for size, n in speed}
figure, axes = plt.subplots(layout="constrained")
for size, marker, dash in zip(sizes, "os", ["--", "-"], strict=True):
    line = [speedup[size, n] for n in threads]
    (drawn,) = axes.plot(threads, line, marker=marker, linestyle=dash)
    axes.annotate(f"{size} × {size}", (threads[-1], line[-1]), xytext=(8, 0),
                  textcoords="offset points", va="center", color=drawn.get_color())  # fmt: skip
axes.plot([1, cores], [1, cores], color="gray", linestyle=":")
axes.annotate("ideal", (cores, cores), xytext=(-8, 0), textcoords="offset points",
              ha="right", color="gray")  # fmt: skip
axes.axvline(cores, color="gray", linewidth=0.8)
axes.set_xscale("log", base=2)
axes.set_xticks(threads, threads)
axes.set(
    xlabel=f"threads (the vertical line: {cores} cores)", ylabel="speed-up over one thread (×)"
)
axes.set_ylim(bottom=0)

at_cores = {size: speedup[size, cores] for size in sizes}
at_twice = {size: speedup[size, 2 * cores] for size in sizes}
print(f"{cores} threads: " + ", ".join(f"{at_cores[size]:.2f} x for {size}" for size in sizes))
print(f"{2 * cores} threads: " + ", ".join(f"{at_twice[size]:.2f} x for {size}" for size in sizes))
figure.set_label(
    f"Line chart of the speed-up of a matrix product over one thread, on {cores} cores. "
    + " ".join(
        f"{size} by {size}: {at_cores[size]:.1f} times at {cores} threads, "
        f"{at_twice[size]:.1f} times at {2 * cores} threads."
        for size in sizes
    )
)
measured = {
    "cores": (cores, "cores"),
    "one_thread": (speed[1024, 1], "GFLOP/s"),
    "all_cores": (speed[1024, cores], "GFLOP/s"),
    "speedup": (at_cores[1024], "×"),
    "small_twice_the_cores": (at_twice[128], "×"),
}
if torch.cuda.is_available():
    measured["gpu"] = (gflops(4096, 1, "cuda"), "GFLOP/s")
    print(f"The GPU, 4096 x 4096: {measured['gpu'][0]:.0f} GFLOP/s")
plt.show()
