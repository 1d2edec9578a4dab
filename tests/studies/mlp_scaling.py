#!/usr/bin/env python3
"""With which power do time and instructions of MLP training grow with steps, layers, batch and dim?

    tests/studies/mlp_scaling.py times SUITE [--base 256] [--rounds 20]
        CPU time, with the interval over the rounds. Needs a quiet machine.

    tests/studies/mlp_scaling.py instructions SUITE [--base 64]
        The same from instruction counts, which do not depend on the load. A count has no noise, so no interval
        either: the exponents between neighbouring sizes say how straight the line is. Counting a base of 256 takes hours.

SUITE is steelyard_cpu_suite. `steelyard run` measures and `steelyard sweep` fits and judges the claims: steps, layers and
batch cost linearly, dim with its square. Beside each exponent stands the one of the closed formula for the operations,
from the smallest size to the largest. Counting needs Valgrind.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from machine import machine

CLAIMS = {"steps": 1, "layers": 1, "batch": 1, "dim": 2}
TOLERANCE = 0.05  # of an exponent; what it is off over a sweep of 1 to 5 is 8 % of the last size
BASES = {256: {"batch": 256, "dim": 256, "layers": 4, "steps": 2}, 64: {"batch": 64, "dim": 64, "layers": 2, "steps": 2}}
TIMES = range(1, 6)
METRICS = {"times": "cpu_time", "instructions": "instructions"}


def shape_of(base, axis, times):
    return dict(base, **{axis: base[axis] * times})


def name_of(shape):
    return "mlp_training/f32/" + "/".join(f"{key}:{shape[key]}" for key in ("batch", "dim", "layers", "steps"))


def operations(shape):
    """As mlp_training_cost has it: three products, GELU, its gradient and the biases' gradient a layer and step."""
    values = shape["batch"] * shape["dim"]
    return shape["steps"] * shape["layers"] * (6 * values * shape["dim"] + (9 + 18 + 1) * values)


def exponent(first, last, times):
    return math.log(last / first) / math.log(times)


def interval_text(interval):
    """Absent: fewer than two rounds had every size. Of a count it has no width."""
    return "none" if not interval or interval[0] == interval[1] else f"[{interval[0]:.3f}, {interval[1]:.3f}]"


def steelyard(arguments, options, accepted):
    """Standard output of the program; its statuses other than those accepted end this one."""
    done = subprocess.run([options.steelyard] + arguments, stdout=subprocess.PIPE, text=True)
    if done.returncode not in accepted:
        sys.exit(f"{options.steelyard} {arguments[0]} left with {done.returncode}")
    return done.stdout


def measure(options, base, archive):
    names = sorted({name_of(shape_of(base, axis, times)) for axis in CLAIMS for times in TIMES})
    timing = ["--counts", "never", "--rounds", str(options.rounds), "--repetitions", "3", "--min-time", "20ms"]
    counting = ["--counts", "always", "--rounds", "2", "--repetitions", "1", "--min-time", "1ms"]  # a run has times too
    steelyard(["run", "--no-store", "--output", archive, "--budget", "120m"] +
              (timing if options.what == "times" else counting) +
              ["--filter", "^(" + "|".join(map(re.escape, names)) + ")$", "--", options.suite, "--steelyard_large"],
              options, (0,))


def sweep(options, archive, axis):
    """The one sweep over this axis, as `steelyard sweep --json` has it. 1 and 2: the claim is refuted or undecided."""
    found = json.loads(steelyard(["sweep", archive, "--over", axis, "--metric", METRICS[options.what], "--json", "--quiet",
                                  "--expect", str(CLAIMS[axis]), "--tolerance", str(TOLERANCE)], options, (0, 1, 2)))
    if len(found["sweeps"]) != 1 or len(found["sweeps"][0]["sizes"]) != len(TIMES):
        sys.exit(f"{axis}: found {len(found['sweeps'])} sweeps, wanted one over {len(TIMES)} sizes")
    return found["sweeps"][0]


def print_table(options, base, archive):
    print(f"| axis | from | to | exponent of the operations | exponent of the {options.what} | 95 % interval | "
          f"between neighbours | claim |")
    print("|---|---|---|---|---|---|---|---|")
    for axis, claim in CLAIMS.items():
        fit = sweep(options, archive, axis)
        sizes, levels = fit["sizes"], fit["levels"]
        formula = exponent(operations(base), operations(shape_of(base, axis, TIMES[-1])), TIMES[-1])
        neighbours = (exponent(levels[i], levels[i + 1], sizes[i + 1] / sizes[i]) for i in range(len(sizes) - 1))
        print(f"| {axis} | {sizes[0]:.0f} | {sizes[-1]:.0f} | {formula:.3f} | {fit['exponent']:.3f} | "
              f"{interval_text(fit['interval'])} | {', '.join(f'{step:.3f}' for step in neighbours)} | "
              f"{claim} +- {TOLERANCE}: {fit['verdict']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=METRICS)
    parser.add_argument("suite", help="the program steelyard_cpu_suite")
    parser.add_argument("--base", type=int, choices=sorted(BASES), help="dim of the base: 256 for times, 64 for counts")
    parser.add_argument("--rounds", type=int, default=20, help="of times; an even number")
    parser.add_argument("--steelyard", help="the program steelyard; default: beside the suite")
    options = parser.parse_args()
    if options.rounds < 2 or options.rounds % 2:
        parser.error(f"--rounds: found {options.rounds}, wanted an even number of at least 2")
    options.suite = os.path.abspath(options.suite)
    options.steelyard = options.steelyard or os.path.join(os.path.dirname(options.suite), "steelyard")
    for program in (options.suite, options.steelyard):
        if not os.access(program, os.X_OK):
            parser.error(f"{program}: no such program; build the targets steelyard and steelyard_cpu_suite")
    base = BASES[options.base or (256 if options.what == "times" else 64)]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["STEELYARD_STATE"] = folder
        archive = os.path.join(folder, "mlp.syrun")
        measure(options, base, archive)
        print(f"Machine: {machine()}\n")
        print_table(options, base, archive)


if __name__ == "__main__":
    main()
