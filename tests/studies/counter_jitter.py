#!/usr/bin/env python3
"""How far the counters of one build lie apart: runs `steelyard run --counters ...` several times and prints, for each
benchmark and counter, the value and how many different ones there were.

    tests/studies/counter_jitter.py build/check/bin/steelyard build/check/bin/counters_allocating --runs 10
"""
import argparse
import collections
import json
import subprocess

COUNTED = ["instructions", "l1_hits", "ll_hits", "ram_hits", "estimated_cycles", "branches", "branch_mispredictions",
           "heap_allocations", "heap_bytes", "heap_peak_bytes"]


def values_of(options):
    command = [options.steelyard, "run", "--json", "--quiet", "--no-store", "--rounds", "2", "--min-time", "1ms",
               "--counts", "always", "--counters", options.counters, "--filter", options.filter, "--", options.program]
    document = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    for measurement in document["measurements"]:
        if measurement["metric"] not in COUNTED:
            continue
        for invocation in measurement["invocations"]:
            for value in invocation["values"]:
                yield (measurement["benchmark"], measurement["metric"]), value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steelyard")
    parser.add_argument("program")
    parser.add_argument("--filter", default=".")
    parser.add_argument("--counters", default="cache,branch,heap")
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    seen = collections.defaultdict(list)
    for _ in range(options.runs):
        for key, value in values_of(options):
            seen[key].append(value)
    print("| benchmark | counter | least | most | different values |")
    print("|---|---|---|---|---|")
    for (benchmark, metric), values in seen.items():
        print(f"| {benchmark} | `{metric}` | {min(values):,.10g} | {max(values):,.10g} "
              f"| {len(set(values))} of {len(values)} |")


main()
