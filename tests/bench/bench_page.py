"""Python in the page: a cold click to its result, a second run, an answer of the planner.

Run as a program it prints one line of JSON. The built site (``MLHPC_SITE``, else ``site/``) is
served from this machine; each round is a new reader with nothing stored.
"""

import json
import os
import shutil
import statistics
import sys
import time
from pathlib import Path

from bench_lighthouse import CHECKOUT, served
from playwright.sync_api import Browser, sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
LIMIT_MS = 120_000
CALLS = 20
# what the page's own script waits for: an answer of the planner, from call to result
PLAN = """async number => {
    const { python } = await import("../assets/javascripts/python.js");
    const own = { model: "resnet50", laptop_hours: "20 days" };
    const given = size => ({ fields: { ...own, data_size: `${size} GB` } });
    await python.call("plan_project", given(100));
    const times = [];
    for (let at = 0; at < number; at++) {
        const begin = performance.now();
        await python.call("plan_project", given(101 + at));
        times.push(performance.now() - begin);
    }
    return times.sort((a, b) => a - b)[Math.floor(number / 2)];
}"""


def once(browser: Browser, address: str) -> tuple[float, float, float]:
    """Seconds of a cold cell, of the same cell again, and of a plan once Python is there."""
    tab = browser.new_context().new_page()
    tab.set_default_timeout(LIMIT_MS)
    tab.goto(f"{address}01-why-hpc/", wait_until="networkidle")
    cell = tab.locator("#cell-sweep")
    run, said = cell.get_by_role("button", name="Run"), cell.get_by_role("status")
    times = []
    for _ in range(2):
        begin = time.perf_counter()
        run.click()
        said.get_by_text("Done.").wait_for()
        times.append(time.perf_counter() - begin)
    plan_ms = float(tab.evaluate(PLAN, CALLS))
    tab.context.close()
    return times[0], times[1], plan_ms / 1000


def measure(repeats: int) -> dict[str, float | int]:
    """Medians over ``repeats`` readers: ``cold_s``, ``again_s``, ``plan_ms``."""
    site = Path(os.environ.get("MLHPC_SITE", CHECKOUT / "site"))
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with served(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        rounds = [once(browser, address) for _ in range(repeats)]
        browser.close()
    cold, again, plan = (statistics.median(values) for values in zip(*rounds, strict=True))
    return {"cold_s": round(cold, 2), "again_s": round(again, 3), "plan_ms": round(1000 * plan, 1),
            "repeats": repeats}  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 3)))
