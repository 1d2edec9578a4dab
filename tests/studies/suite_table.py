#!/usr/bin/env python3
"""What the CPU suite's kernels achieve on this machine, as a Markdown table.

    tests/studies/suite_table.py SUITE [--large] [--filter REGEX] [--processes 5]

Each process runs all benchmarks, three samples of one; its figure is their median. Shown are the median over the
processes of the time, the lowest and the highest, and the rates at the median. Operations and bytes are those of the
closed formulas (docs/reference/cpu_suite.md); nothing here is read off a hardware counter. Needs a quiet machine.
"""
import argparse
import json
import statistics
import subprocess
import sys

from machine import machine

UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1, "ns"))


def digits(value):
    """Three significant ones, never in powers of ten."""
    for least, places in ((100, 0), (10, 1), (1, 2)):
        if value >= least:
            return f"{value:.{places}f}"
    return f"{value:.3g}"


def duration(ns):
    scale, unit = next(((s, u) for s, u in UNITS if ns >= s), UNITS[-1])
    return f"{digits(ns / scale)} {unit}"


def run_suite(arguments):
    """One process: its context, and benchmark -> (ns, operations, bytes) of an iteration."""
    command = [arguments.suite, "--benchmark_format=json", "--benchmark_repetitions=3",
               f"--benchmark_min_time={arguments.min_time}", f"--benchmark_filter={arguments.filter}"]
    done = subprocess.run(command + (["--steelyard_large"] if arguments.large else []), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{arguments.suite} left with {done.returncode}:\n{done.stderr}")
    if not done.stdout:
        sys.exit(f"--filter: no benchmark matches {arguments.filter!r}")
    report = json.loads(done.stdout)
    samples = {}
    for row in report["benchmarks"]:
        if row.get("error_occurred"):
            print(f"left out: {row['name']}: {row['error_message']}", file=sys.stderr)
        elif row["run_type"] == "iteration":
            ns, seconds = row["real_time"], row["cpu_time"] * 1e-9  # Google Benchmark's rates are over the CPU time
            samples.setdefault(row["run_name"], []).append((ns, row["flops"] * seconds, row["bandwidth"] * seconds))
    return report["context"], {name: sorted(values)[len(values) // 2] for name, values in samples.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", help="the program steelyard_cpu_suite")
    parser.add_argument("--large", action="store_true", help="with the sizes above the budget")
    parser.add_argument("--filter", default=".*", help="benchmarks whose name matches; --filter=-REGEX: all others")
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--min-time", default="0.05", help="seconds of one sample, at least")
    arguments = parser.parse_args()
    if arguments.processes < 1:
        parser.error(f"--processes: found {arguments.processes}, wanted at least 1")
    times, costs, context = {}, {}, {}
    for done in range(arguments.processes):
        print(f"process {done + 1} of {arguments.processes}", file=sys.stderr)
        context, rows = run_suite(arguments)
        for name, (ns, flops, moved) in rows.items():
            times.setdefault(name, []).append(ns)
            costs[name] = (flops, moved)
    print(f"Machine: {machine()}; one thread; OpenBLAS's kernels: {context.get('openblas_core')}; "
          f"our own: {context.get('vector_set')}.\n")
    print("| benchmark | time | of processes, from - to | op/byte | Gop/s | GB/s |")
    print("|---|---|---|---|---|---|")
    for name, values in times.items():
        flops, moved = costs[name]
        ns = statistics.median(values)
        print(f"| {name} | {duration(ns)} | {duration(min(values))} - {duration(max(values))} | {digits(flops / moved)} | "
              f"{digits(flops / ns)} | {digits(moved / ns)} |")


if __name__ == "__main__":
    main()
