"""
A random forest against cores
=============================

How much faster a forest of decision trees is fitted with more cores, for a small and a larger table.

gpu: no
exclusive: yes
"""

# %% [markdown]
# A random forest is many decision trees, and no tree needs to know of another. That suits the cores
# of a CPU node; scikit-learn, which you use here, has no GPU version of it.
#
# **Predict.** You fit the same forest with `n_jobs=1` and then with every core you have, once
# on a small table and once on a larger one. Which of the two comes closer to the ideal? Will the
# forest that you get be the same?

# %%
import statistics
import time

import joblib
import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

cores = joblib.cpu_count()  # the cores this process may use, not those of the machine
jobs = [2**k for k in range(20) if 2**k < cores] + [cores]
tables = {rows: make_classification(rows, n_features=20, random_state=0) for rows in (100, 3000)}


# %%
def fit(rows, n_jobs):
    """Fit 50 trees; return the forest and the seconds that it took."""
    forest = RandomForestClassifier(n_estimators=50, n_jobs=n_jobs, random_state=0)
    start = time.perf_counter()
    forest.fit(*tables[rows])
    return forest, time.perf_counter() - start


fit(100, cores)  # warm-up: the first fit starts the threads
seconds = {}
for rows in tables:
    for n in jobs:
        seconds[rows, n] = statistics.median(fit(rows, n)[1] for _ in range(5))
        print(f"{rows} rows, n_jobs={n}: {seconds[rows, n]:.3f} s (median of 5)")

# %% [markdown]
# Each tree draws its random numbers from a seed of its own, which does not depend on the core that grows it. So
# the number of cores must not change the forest; you check that it did not.

# %%
features, _ = tables[3000]
serial, _ = fit(3000, 1)
parallel, _ = fit(3000, cores)
same = (serial.predict_proba(features) == parallel.predict_proba(features)).all()
print(f"1 and {cores} cores give {'the same' if same else 'DIFFERENT'} predictions")

# %% [markdown]
# **What to look for.** Compare both lines with the dotted one. Handing trees to cores and collecting
# them takes time too, and where the trees are tiny that is a good part of the work. When
# the small forest gains little or nothing, that is why: it does not need a bigger machine.

# %%
speedup = {(rows, n): seconds[rows, 1] / seconds[rows, n] for rows, n in seconds}
figure, axes = plt.subplots(layout="constrained")
for rows, marker, dash in zip(tables, "os", ["--", "-"], strict=True):
    line = [speedup[rows, n] for n in jobs]
    (drawn,) = axes.plot(jobs, line, marker=marker, linestyle=dash)
    axes.annotate(f"{rows} rows", (cores, line[-1]), xytext=(8, 0), va="center",
                  textcoords="offset points", color=drawn.get_color())  # fmt: skip
axes.plot([1, cores], [1, cores], color="gray", linestyle=":")
axes.annotate("ideal", (cores, cores), xytext=(8, 0), textcoords="offset points",
              va="center", color="gray")  # fmt: skip
axes.set(xlabel="cores (n_jobs)", ylabel="speed-up over one core (×)", ylim=(0, None))
axes.set_xticks(jobs)

print(
    f"On {cores} cores: "
    + ", ".join(f"{speedup[rows, cores]:.2f} x for {rows} rows" for rows in tables)
)
figure.set_label(
    f"Line chart of the speed-up of fitting a random forest against cores. On {cores} cores: "
    + ", ".join(f"{speedup[rows, cores]:.1f} times for {rows} rows" for rows in tables)
    + "."
)
measured = {
    "cores": (cores, "cores"),
    "speedup": (speedup[3000, cores], "×"),
    "speedup_small": (speedup[100, cores], "×"),
    "one_core": (seconds[3000, 1], "s"),
    "all_cores": (seconds[3000, cores], "s"),
}
plt.show()
