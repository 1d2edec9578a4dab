#!/usr/bin/env python3
"""With which power do time and instructions of MLP training grow with steps, layers, batch and dim?

    bench/self/mlp_scaling.py times SUITE [--base 256] [--processes 20]
        One slope of log time on log size a process and axis; the mean over the processes with its 95 % interval
        (Student's t: processes are independent, the points of one process are not).

    bench/self/mlp_scaling.py instructions SUITE [--base 64]
        The same from instruction counts, which do not depend on the load. A count has no noise, so no interval: the
        exponents between neighbouring sizes say how straight the line is. Counting a base of 256 takes hours.

SUITE is steelyard_cpu_suite. The instructions need build/*/bin/steelyard (--steelyard) and Valgrind; the times need a
quiet machine. Beside each measured exponent stands the one of the closed formula for the operations.
"""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

AXES = ("steps", "layers", "batch", "dim")
BASES = {256: {"batch": 256, "dim": 256, "layers": 4, "steps": 2}, 64: {"batch": 64, "dim": 64, "layers": 2, "steps": 2}}
TIMES = range(1, 6)
# Quantiles of Student's t at 97.5 %, for 1 to 30 degrees of freedom.
T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
     2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)


def machine():
    model = "unknown CPU"
    with open("/proc/cpuinfo") as cpuinfo:
        for line in cpuinfo:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{model}, {os.cpu_count()} cores, Linux {os.uname().release}"


def shape_of(base, axis, times):
    return dict(base, **{axis: base[axis] * times})


def name_of(shape):
    return "mlp_training/f32/" + "/".join(f"{key}:{shape[key]}" for key in ("batch", "dim", "layers", "steps"))


def operations(shape):
    """As mlp_training_cost has it: three products, GELU, its gradient and the biases' gradient a layer and step."""
    values = shape["batch"] * shape["dim"]
    return shape["steps"] * shape["layers"] * (6 * values * shape["dim"] + (9 + 18 + 1) * values)


def slope(values):
    """Of log value on log size, by least squares; values: one for each of TIMES."""
    x = [math.log(times) for times in TIMES]
    y = [math.log(value) for value in values]
    x_mean, y_mean = statistics.fmean(x), statistics.fmean(y)
    return sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y)) / sum((a - x_mean) ** 2 for a in x)


def sweep_names(base):
    return {axis: [name_of(shape_of(base, axis, times)) for times in TIMES] for axis in AXES}


def filter_of(names):
    return "^(" + "|".join(sorted({re.escape(name).replace("\\-", "-") for row in names.values() for name in row})) + ")$"


def expected(base, axis):
    return slope([operations(shape_of(base, axis, times)) for times in TIMES])


def run_suite(suite, names):
    """One process: benchmark -> seconds of an iteration, the median of its samples."""
    done = subprocess.run([suite, "--steelyard_large", f"--benchmark_filter={filter_of(names)}", "--benchmark_format=json",
                           "--benchmark_repetitions=3", "--benchmark_min_time=0.02",
                           "--benchmark_enable_random_interleaving=true"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{suite} left with {done.returncode}:\n{done.stderr}")
    samples = {}
    for row in json.loads(done.stdout)["benchmarks"]:
        if row.get("error_occurred"):
            sys.exit(f"{row['name']}: {row['error_message']}")
        if row["run_type"] == "iteration":
            samples.setdefault(row["run_name"], []).append(row["cpu_time"])
    return {name: statistics.median(values) for name, values in samples.items()}


def print_times(arguments):
    base = BASES[arguments.base]
    names = sweep_names(base)
    slopes = {axis: [] for axis in AXES}
    for done in range(arguments.processes):
        print(f"process {done + 1} of {arguments.processes}", file=sys.stderr)
        seconds = run_suite(arguments.suite, names)
        for axis in AXES:
            slopes[axis].append(slope([seconds[name] for name in names[axis]]))
    print("| axis | from | to | exponent of the operations | exponent of the time | 95 % interval |")
    print("|---|---|---|---|---|---|")
    for axis in AXES:
        mean = statistics.fmean(slopes[axis])
        degrees = len(slopes[axis]) - 1
        half = (T[degrees - 1] if degrees <= len(T) else 1.96 + 2.5 / degrees) * statistics.stdev(slopes[axis])
        half /= math.sqrt(len(slopes[axis]))
        print(f"| {axis} | {base[axis]} | {5 * base[axis]} | {expected(base, axis):.3f} | {mean:.3f} | "
              f"[{mean - half:.3f}, {mean + half:.3f}] |")


def count(arguments, names):
    """benchmark -> instructions of an iteration, by `steelyard run`."""
    with tempfile.TemporaryDirectory() as state:
        done = subprocess.run([arguments.steelyard, "run", "--counts", "always", "--no-store", "--json", "--quiet",
                               "--rounds", "2", "--repetitions", "1", "--min-time", "1ms", "--budget", "60m",
                               "--filter", filter_of(names), "--", arguments.suite, "--steelyard_large"],
                              capture_output=True, text=True, env=dict(os.environ, STEELYARD_STATE=state))
    if done.returncode != 0:
        sys.exit(f"{arguments.steelyard} left with {done.returncode}:\n{done.stderr}")
    run = json.loads(done.stdout)
    for failure in run["failures"]:
        sys.exit(f"{failure['benchmark']}: {failure['reason']}")
    return {row["benchmark"]: row["value"] for row in run["measurements"] if row["metric"] == "instructions"}


def print_instructions(arguments):
    base = BASES[arguments.base]
    names = sweep_names(base)
    counts = count(arguments, names)
    print("| axis | from | to | exponent of the operations | exponent of the instructions | between neighbours |")
    print("|---|---|---|---|---|---|")
    for axis in AXES:
        values = [counts[name] for name in names[axis]]
        steps = [math.log(values[i + 1] / values[i]) / math.log((i + 2) / (i + 1)) for i in range(len(values) - 1)]
        print(f"| {axis} | {base[axis]} | {5 * base[axis]} | {expected(base, axis):.3f} | {slope(values):.3f} | "
              f"{', '.join(f'{step:.3f}' for step in steps)} |")
    print(f"\nThe base is {counts[name_of(base)]:.0f} instructions an iteration.", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("times", "instructions"))
    parser.add_argument("suite", help="the program steelyard_cpu_suite")
    parser.add_argument("--base", type=int, choices=sorted(BASES), help="dim of the base: 256 for times, 64 for counts")
    parser.add_argument("--processes", type=int, default=20, help="at least 2; of times")
    parser.add_argument("--steelyard", help="the program steelyard; default: beside the suite")
    arguments = parser.parse_args()
    if arguments.processes < 2:
        parser.error(f"--processes: found {arguments.processes}, wanted at least 2: an interval needs two slopes")
    arguments.suite = os.path.abspath(arguments.suite)
    arguments.steelyard = arguments.steelyard or os.path.join(os.path.dirname(arguments.suite), "steelyard")
    arguments.base = arguments.base or (256 if arguments.what == "times" else 64)
    print(f"Machine: {machine()}\n")
    print_times(arguments) if arguments.what == "times" else print_instructions(arguments)


if __name__ == "__main__":
    main()
