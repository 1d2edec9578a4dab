#!/usr/bin/env python3
"""How often does `steelyard ab` find a real slowdown of 2 % within a minute of measuring, and how often is it wrong
about equal builds? Real measurements on this machine; prints a Markdown table.

    tests/studies/planted_two_percent.py BUILD [--tries 20] [--budget 60s]
        planted_before against planted_after of the build folder's bin (tests/studies/planted_kernels.cpp). A try counts
        as found where count_words is a regression and sort_words is not. Exits with 1 below 19 of 20.

    tests/studies/planted_two_percent.py BUILD --same-build [--tries 40]
        planted_before against itself: every regression is a false alarm of the gate, every improvement a false verdict.

BUILD is a build folder with the programs of the tests: build/check, or an optimized one (cmake --preset release
-DSTEELYARD_BUILD_TESTS=ON, targets steelyard, planted_before and planted_after).
Needs python3 and nothing else. Leave the machine alone while it runs.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

from machine import machine
from study import binomial_interval


def ab(options, seed):
    """One try: (verdict by benchmark, ratio by benchmark, most rounds, seconds)."""
    bins = os.path.join(options.build, "bin")
    candidate = "planted_before" if options.same_build else "planted_after"
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as state:
        done = subprocess.run(
            [os.path.join(bins, "steelyard"), "ab", os.path.join(bins, "planted_before"), os.path.join(bins, candidate),
             "--counts", "never", "--no-store", "--json", "--budget", options.budget, "--seed", str(seed)],
            capture_output=True, text=True, env=dict(os.environ, STEELYARD_STATE=state))
    if done.returncode not in (0, 1):
        sys.exit(f"steelyard ab left with {done.returncode}:\n{done.stderr}")
    rows = json.loads(done.stdout)["comparisons"]
    names = {row["benchmark"].split("/")[-1]: row for row in rows}
    return ({name: row["verdict"] for name, row in names.items()}, {name: row["ratio"] for name, row in names.items()},
            max(row["rounds"] for row in rows), time.monotonic() - begun)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="for example build/check")
    parser.add_argument("--tries", type=int, default=0)
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--same-build", action="store_true")
    options = parser.parse_args()
    tries = options.tries or (40 if options.same_build else 20)
    good = wrong = 0
    times, rounds, ratios = [], [], []
    for seed in range(1, tries + 1):
        verdicts, ratio, most, took = ab(options, seed)
        if set(verdicts) != {"count_words", "sort_words"}:
            sys.exit(f"expected two benchmarks, found {sorted(verdicts)}")
        changed = sorted(name for name, verdict in verdicts.items() if verdict in ("regression", "improvement"))
        expected = [] if options.same_build else ["count_words"]
        regressed = [name for name in changed if verdicts[name] == "regression"]
        good += regressed == expected == changed
        wrong += any(name != "count_words" or options.same_build for name in regressed)
        times.append(took)
        rounds.append(most)
        ratios.append(ratio["count_words"])
        print(f"try {seed}: {verdicts}, count_words {100 * (ratio['count_words'] - 1):+.2f} %, {most} rounds, "
              f"{took:.1f} s", file=sys.stderr, flush=True)
    low, high = binomial_interval(wrong if options.same_build else good, tries)
    what = "gates with a false regression" if options.same_build else "tries that found it, and it alone"
    print(f"Machine: {machine()}.\n")
    print(f"| {what} | exact 95 % interval | change seen, median | rounds, median | seconds a try, median and most |")
    print("|---|---|---|---|---|")
    print(f"| {wrong if options.same_build else good} of {tries} | {100 * low:.1f} to {100 * high:.1f} % "
          f"| {100 * (statistics.median(ratios) - 1):+.2f} % | {statistics.median(rounds):g} "
          f"| {statistics.median(times):.1f}, {max(times):.1f} |")
    if not options.same_build and good < math.ceil(0.95 * tries):
        sys.exit(1)


if __name__ == "__main__":
    main()
