#!/usr/bin/env python3
"""How often is Steelyard wrong on this machine? Two studies with real measurements; each prints a Markdown table.

    tests/studies/study.py same-build PROGRAM [--tries 10] [--ab-arguments "..."]
        `ab` of two copies of a benchmark program, made for each try, concurrently and all of one side before all of the
        other. Nothing changed, so every regression or improvement is a false alarm, and the spread of the estimated
        ratios is error.

    tests/studies/study.py planted [--tries 10]
        The slowdown that ci/demo plants (its third commit against its second): how often the gate finds it, and which
        function it names first.

Needs python3 and a built build/release/bin/steelyard. Leave the machine alone while it runs.
"""
import argparse
import collections
import json
import math
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

from machine import machine
from program_copy import write_copy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STEELYARD = os.path.join(ROOT, "build", "release", "bin", "steelyard")


def steelyard(arguments, state, accepted, program=STEELYARD, folder=None):
    """Runs the program and returns (exit status, parsed JSON of its standard output or of --output, seconds)."""
    begun = time.monotonic()
    done = subprocess.run([program] + arguments, capture_output=True, text=True, cwd=folder,
                          env=dict(os.environ, STEELYARD_STATE=state, STEELYARD_STORE="embedded"))
    if done.returncode not in accepted:
        sys.exit(f"steelyard {shlex.join(arguments)} left with {done.returncode}:\n{done.stderr}")
    return done.returncode, json.loads(done.stdout), time.monotonic() - begun


def percent(value):
    return f"{100 * value:.2f} %"


def binomial_interval(k, n):
    """Exact 95 % interval of a share, k of n (Clopper and Pearson 1934), by bisection on the binomial tails."""
    def least(count):  # the share at which `count` or more of n have a chance of 2.5 %
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            tail = sum(math.comb(n, i) * middle**i * (1 - middle)**(n - i) for i in range(count, n + 1))
            low, high = (middle, high) if tail < 0.025 else (low, middle)
        return low
    return (least(k) if k else 0.0), (1 - least(n - k) if k < n else 1.0)


def same_build(options, state):
    extra = shlex.split(options.ab_arguments)
    print(f"Machine: {machine()}. {options.tries} tries of each layout with `{os.path.basename(options.program)}`.\n")
    print("| layout | comparisons | regression | improvement | unchanged | inconclusive | gates that failed | spread of "
          "the ratio (s.d.) | worst | false alarms at p <= .05 |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for layout in options.layouts.split(","):
        verdicts, errors, failed, alarms, tested = collections.Counter(), [], 0, 0, 0
        for seed in range(1, options.tries + 1):
            copies = [os.path.join(state, f"build-{side}") for side in "ab"]
            draw = random.Random(seed)
            for copy in draw.sample(copies, 2):
                write_copy(options.program, copy, draw)
            status, comparison, _ = steelyard(
                ["ab", *copies, "--layout", layout, "--counts", "never", "--json", "--quiet",
                 "--no-store", "--seed", str(seed)] + extra, state, (0, 1, 2))
            failed += status == 1
            for row in comparison["comparisons"]:
                verdicts[row["verdict"]] += 1
                if row["ratio"]:
                    errors.append(math.log(row["ratio"]))
                if row["p"] is not None:
                    tested += 1
                    alarms += row["p"] <= 0.05
            print(f"{layout}: {seed} of {options.tries}", file=sys.stderr)
        spread = statistics.pstdev(errors, 0) if errors else math.nan
        print(f"| {layout} | {sum(verdicts.values())} | {verdicts['regression']} | {verdicts['improvement']} | "
              f"{verdicts['unchanged']} | {verdicts['inconclusive']} | {failed} of {options.tries} | {percent(spread)} | "
              f"{percent(max(map(abs, errors), default=math.nan))} | "
              + (f"{alarms} of {tested} |" if tested else "no p: not concurrent |"))
        if tested:
            low, high = binomial_interval(alarms, tested)
            print(f"{layout}: false alarms at p <= .05 exactly {percent(low)} to {percent(high)}; "
                  f"no failed gate of {options.tries} bounds their rate by {percent(1 - 0.05**(1 / options.tries))}",
                  file=sys.stderr)


def planted(options, state):
    repository = os.path.join(state, "textkit")
    subprocess.run([os.path.join(ROOT, "ci", "demo", "make_repository.sh"), repository], check=True,
                   stdout=subprocess.DEVNULL)
    commits = subprocess.run(["git", "-C", repository, "rev-list", "--reverse", "HEAD"], check=True,
                             capture_output=True, text=True).stdout.split()
    os.chdir(repository)
    print(f"Machine: {machine()}. {options.tries} gates of the third commit against the second.\n")
    print("| try | exit status | benchmark | time: ratio [95 % interval] | verdict | instructions: ratio | function named "
          "first | other alarms | seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    found = 0
    for seed in range(1, options.tries + 1):
        status, comparison, took = steelyard(
            ["gate", "--base", commits[1], "--head", commits[2], "--json", "--quiet", "--seed", str(seed)], state,
            (0, 1, 2))
        rows = comparison["comparisons"]
        hit = [r for r in rows if r["verdict"] == "regression" and r["metric"] == "instructions"]
        name = hit[0]["benchmark"] if hit else "none"
        timed = next((r for r in rows if r["benchmark"] == name and r["metric"] == "real_time"), None)
        others = sum(r["verdict"] in ("regression", "improvement") and r["benchmark"] != name for r in rows)
        functions = (hit[0]["functions"] if hit else []) or [{"name": "none"}]
        found += status == 1
        interval = "-" if not timed else f"{timed['ratio']:.3f} [{timed['interval'][0]:.3f}, {timed['interval'][1]:.3f}]"
        print(f"| {seed} | {status} | {name} | {interval} | {timed['verdict'] if timed else '-'} | "
              f"{hit[0]['ratio'] if hit else float('nan'):.4f} | `{functions[0]['name']}` | {others} | {took:.0f} |",
              flush=True)
    print(f"\nFound in {found} of {options.tries}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    studies = parser.add_subparsers(dest="study", required=True)
    first = studies.add_parser("same-build")
    first.add_argument("program")
    first.add_argument("--layouts", default="duet,interleaved,sequential")
    first.add_argument("--ab-arguments", default="")
    second = studies.add_parser("planted")
    for study in (first, second):
        study.add_argument("--tries", type=int, default=10)
    options = parser.parse_args()
    if options.study == "same-build":
        options.program = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory(prefix="steelyard-study.") as state:
        os.chmod(state, 0o711)  # the embedded store's server may run as another user
        try:
            (same_build if options.study == "same-build" else planted)(options, state)
        finally:
            subprocess.run([STEELYARD, "db", "stop", "--quiet"], env=dict(os.environ, STEELYARD_STATE=state),
                           capture_output=True)


if __name__ == "__main__":
    main()
