#!/usr/bin/env python3
"""How often are two commands told apart that are equal, or 1, 2 and 5 % apart, by `ab --command` and by hyperfine?

    tests/studies/commands_against_hyperfine.py [--steelyard build/release/bin/steelyard] [--seconds 5] [--tries 8]

Builds a program that works for a given time, and gives each tool the same two commands and the same time: hyperfine
(-N, no shell) as many runs of each as fit, `ab` that budget, without counting instructions, which would settle it.
Prints a Markdown table: of equal pairs the false alarms, of the others how often the slower one was called slower.
hyperfine gives no verdict, so two are read from what it exports, as its users do:

    faster   its last line, "A ran 1.02 +- 0.01 times faster than B", excludes 1: the ratio of means is beyond its
             deviation (hyperfine's formula, from the deviations of the runs)
    Welch    a t test of the exported times at 5 % (B. L. Welch, Biometrika 34, 1947; as scripts/welch_ttest.py does)

Needs hyperfine and a C compiler.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

from machine import machine
from study import binomial_interval, percent

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = """#include <stdlib.h>
int main(int count, char** words) {
  unsigned x = 1;
  for (long i = atol(words[count - 1]); i > 0; --i) {
    x = x * 1664525u + 1013904223u;
    asm volatile("" : "+r"(x));
  }
  return 0;
}
"""


def moments(values):
    mean = sum(values) / len(values)
    return mean, sum((value - mean) ** 2 for value in values) / (len(values) - 1)


def t_tail(t, freedom):
    """Two-sided p of Student's t, by Simpson's rule over the density."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    def density(x):
        return scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2)
    steps = 2000
    width = abs(t) / steps
    inside = sum((1 if i in (0, steps) else 4 if i % 2 else 2) * density(i * width) for i in range(steps + 1))
    return max(0.0, 1 - 2 * inside * width / 3)


def hyperfine(words, runs, folder):
    """+1: the second is called slower, -1: faster, 0: neither; by each of the two readings."""
    exported = os.path.join(folder, "hyperfine.json")
    options = ["-N", "--style", "none", "--warmup", "1", "--runs", str(runs), "--export-json", exported]
    subprocess.run(["hyperfine"] + options + words, check=True, capture_output=True)
    with open(exported) as stream:
        times = [result["times"] for result in json.load(stream)["results"]]
    (a, va), (b, vb) = moments(times[0]), moments(times[1])
    ratio = b / a
    deviation = ratio * math.sqrt(va / a ** 2 + vb / b ** 2)
    sign = 1 if b > a else -1
    beyond = max(ratio, 1 / ratio) - deviation * (1 if b > a else 1 / ratio ** 2) > 1
    ea, eb = va / len(times[0]), vb / len(times[1])
    freedom = (ea + eb) ** 2 / (ea ** 2 / (len(times[0]) - 1) + eb ** 2 / (len(times[1]) - 1))
    welch = t_tail((b - a) / math.sqrt(ea + eb), freedom) < 0.05
    return sign if beyond else 0, sign if welch else 0


def steelyard(program, words, seconds, seed, folder):
    done = subprocess.run([program, "ab", "--no-store", "--json", "--counts", "never", "--minimum-effect", "0.5%",
                           "--budget", f"{seconds}s", "--seed", str(seed), "--name", "work"]
                          + [word for one in words for word in ("--command", one)],
                          capture_output=True, text=True, cwd=folder,
                          env=dict(os.environ, STEELYARD_STATE=os.path.join(folder, "state")))
    if done.returncode not in (0, 1, 2):
        sys.exit(f"ab left with {done.returncode}:\n{done.stderr}")
    row = next(row for row in json.loads(done.stdout)["comparisons"] if row["metric"] == "real_time")
    return {"regression": 1, "improvement": -1}.get(row["verdict"], 0), row["verdict"]


def share(count, tries):
    low, high = binomial_interval(count, tries)
    return f"{count} of {tries} ({percent(low)} to {percent(high)})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steelyard", default=os.path.join(ROOT, "build", "release", "bin", "steelyard"))
    parser.add_argument("--seconds", type=int, default=5, help="of each tool and try")
    parser.add_argument("--tries", type=int, default=8, help="of each difference; of equal pairs twice as many")
    parser.add_argument("--milliseconds", type=float, default=20, help="of one process")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "work.c"), os.path.join(folder, "work")
        with open(source, "w") as stream:
            stream.write(WORK)
        subprocess.run(["cc", "-O2", "-o", program, source], check=True)
        fastest = min(timed([program, "10000000"]) for _ in range(5))
        loops = int(10_000_000 * options.milliseconds / 1000 / fastest)
        program_under_test = os.path.abspath(options.steelyard)
        runs = max(2, int(options.seconds / 2 / (options.milliseconds / 1000)))
        print(f"| difference | `ab --command` | shown unchanged | hyperfine, \"faster\" | hyperfine, Welch |")
        print("|---|---|---|---|---|")
        for difference in (0, 1, 2, 5):
            words = [f"{program} {loops}", f"{program} {int(loops * (1 + difference / 100))}"]
            tries = options.tries * (2 if difference == 0 else 1)
            found, unchanged, faster, welch = 0, 0, 0, 0
            for number in range(tries):
                seed = 1000 * difference + number
                called, verdict = steelyard(program_under_test, words, options.seconds, seed, folder)
                by_faster, by_welch = hyperfine(words, runs, folder)
                right = (lambda call: call != 0) if difference == 0 else (lambda call: call > 0)
                found, faster, welch = found + right(called), faster + right(by_faster), welch + right(by_welch)
                unchanged += verdict == "unchanged"
            name = "equal: false alarms" if difference == 0 else f"{difference} %: found"
            print(f"| {name} | {share(found, tries)} | {unchanged} | {share(faster, tries)} | {share(welch, tries)} |",
                  flush=True)
        print(f"\n{options.seconds} s for each tool and try, {options.milliseconds:g} ms a process, {runs} runs of "
              f"each command by hyperfine. {machine()}, load {os.getloadavg()[0]:.1f} at the end.")


def timed(words):
    begun = time.monotonic()
    subprocess.run(words, check=True)
    return time.monotonic() - begun


if __name__ == "__main__":
    main()
