#!/usr/bin/env python3
"""What a copy is worth: how far do byte-identical copies of one Google Benchmark program lie apart? Prints a Markdown
table; docs/fresh_copies.md says what it is for.

    bench/self/copy_luck.py PROGRAM [--filter REGEX] [--copies 8] [--rounds 14] [--min-time 20ms] [--cwd DIR]
        Copies with names of equal length, the pages of each written in random order. In every round each runs once, in
        random order, on one core; a process measures all benchmarks once. For each benchmark, on logarithms, with k
        copies of n processes each, copy i with the mean m_i (one-way analysis of variance):
            within^2  = sum_ij (x_ij - m_i)^2 / (k (n - 1))
            between^2 = max(0, (n sum_i (m_i - m)^2 / (k - 1) - within^2) / n)
        `largest` is the largest median of a copy over the smallest; p the share of 500 draws, the seen one among them,
        in which the copies, exchanged at random within each round, lie at least as far apart. Where no copy matters p
        is at most .05 for one benchmark in twenty.

    bench/self/copy_luck.py PROGRAM --reread 8 [--rounds 14] [...]
        One copy. Eight times its pages are dropped from the page cache and read anew in random order (the file's bytes
        and name stay), and as many processes as --rounds follow: two halves, between which nothing is done. The step
        from half to half where pages were read anew, against the step where nothing was done, as roots of mean squares.

Without end there is --limit: what would take longer than that ends after the last whole round. Needs python3 and
nothing else. TMPDIR says where the copies lie: a disk, for a file system in memory (tmpfs) keeps its pages. Leave the
machine alone while it runs.
"""
import argparse
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

from machine import machine
from program_copy import MOST_LEFT, reread, write_copy

NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
DRAWS = 500


def seconds_of(text):
    found = re.fullmatch(r"([0-9.]+)(ms|s|m)", text)
    if not found:
        raise argparse.ArgumentTypeError(f'found "{text}", wanted a duration with its unit (ms s m)')
    return float(found[1]) * {"ms": 1e-3, "s": 1, "m": 60}[found[2]]


def time_text(nanoseconds):
    unit = next((unit for unit in ("s", "ms", "us") if nanoseconds >= NANOSECONDS[unit]), "ns")
    return f"{nanoseconds / NANOSECONDS[unit]:.4g} {unit}"


def change(log_ratio):
    return f"{100 * math.expm1(log_ratio):+.2f}"


def min_time_argument(program, options):
    """--benchmark_min_time with "s", which Google Benchmark takes since 1.8 and wants, or without."""
    value = f"--benchmark_min_time={options.min_time:g}"
    tried = subprocess.run([program, "--benchmark_list_tests=true", value + "s"], cwd=options.cwd, capture_output=True,
                           text=True)
    return value + "s" if tried.returncode == 0 and "expected to be a" not in tried.stderr else value


def on_core(core):
    return lambda: os.sched_setaffinity(0, {core})


def measure(program, options, min_time):
    """One process: median time in ns by benchmark."""
    command = [program, f"--benchmark_filter={options.filter}", min_time, "--benchmark_format=json"]
    done = subprocess.run(command, cwd=options.cwd, capture_output=True, text=True, timeout=options.limit,
                          preexec_fn=on_core(options.core))
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"{command} left with {done.returncode}; does it run from another place?\n{done.stderr}")
    times = {}
    for row in json.loads(done.stdout[done.stdout.index("{"):])["benchmarks"]:
        if row.get("run_type", "iteration") == "iteration" and not row.get("error_occurred") and row["real_time"] > 0:
            name = row.get("run_name", row["name"])
            times.setdefault(name, []).append(row["real_time"] * NANOSECONDS[row["time_unit"]])
    return {name: statistics.median(values) for name, values in times.items()}


class Clock:
    """Says how far a study is, and when another step would pass its limit."""

    def __init__(self, limit):
        self.limit, self.begun, self.last, self.longest = limit, time.monotonic(), time.monotonic(), 0

    def step(self, what, number, count):
        """After step `number` of `count`; false: another one would take too long."""
        now = time.monotonic()
        self.longest, self.last = max(self.longest, now - self.last), now
        if sys.stderr.isatty():
            left = (count - number) * (now - self.begun) / number
            sys.stderr.write(f"\r{what} {number} of {count}, {left:.0f} s left  " + ("\n" if number == count else ""))
        if number < count and now - self.begun + self.longest > self.limit:
            print(f"\nended after {what} {number} of {count}: another would pass --limit", file=sys.stderr)
            return False
        return True


def variance_components(groups):
    """Standard deviations (between groups, within one) by one-way analysis of variance; groups of equal size."""
    k, n = len(groups), len(groups[0])
    means = [statistics.fmean(group) for group in groups]
    within = sum((x - m)**2 for group, m in zip(groups, means) for x in group) / (k * (n - 1))
    among = n * sum((m - statistics.fmean(means))**2 for m in means) / (k - 1)
    return math.sqrt(max(0, (among - within) / n)), math.sqrt(within)


def exchange_p(groups, draw):
    """Share of draws, this one included, in which groups whose members are exchanged within each round lie as far
    apart: by the sum of their squared sums, which grows with the ratio of the variances between and within."""
    centre = statistics.fmean(x for group in groups for x in group)
    rounds = [[x - centre for x in values] for values in zip(*groups)]

    def apart(values):
        return sum(sum(group)**2 for group in zip(*values))
    seen = apart(rounds) * (1 - 1e-12)
    return (1 + sum(apart([draw.sample(values, len(values)) for values in rounds]) >= seen
                    for _ in range(DRAWS - 1))) / DRAWS


def root_mean_square(values):
    return math.sqrt(statistics.fmean(x * x for x in values))


def logarithms(times, groups, benchmark):
    """By group, its processes' logarithms of time. `times`: by group, one dictionary a process."""
    return [[math.log(process[benchmark]) for process in times[group]] for group in groups]


def in_every(processes):
    """Benchmarks that every process measured, in the program's order."""
    return [name for name in processes[0] if all(name in process for process in processes)]


def compare_copies(options, folder, draw):
    copies = [os.path.join(folder, f"copy{number:04}") for number in range(options.copies)]
    for copy in copies:
        write_copy(options.program, copy, draw)
    min_time = min_time_argument(copies[0], options)
    measure(copies[0], options, min_time)  # a warm-up, for the machine
    times, clock = {copy: [] for copy in copies}, Clock(options.limit)
    for number in range(1, options.rounds + 1):
        for copy in draw.sample(copies, len(copies)):
            times[copy].append(measure(copy, options, min_time))
        if not clock.step("round", number, options.rounds):
            break
    rounds = len(times[copies[0]])
    if rounds < 2:
        sys.exit("one round tells nothing of copies: raise --limit, or take fewer benchmarks")
    rows = []
    for name in in_every([process for copy in copies for process in times[copy]]):
        groups = logarithms(times, copies, name)
        medians = [statistics.median(group) for group in groups]
        rows.append((name, medians, *variance_components(groups), exchange_p(groups, draw)))
    return rounds, rows, [times[copy] for copy in copies]


def print_copies(options, rounds, rows):
    print(f"Machine: {machine()}. {options.copies} copies of `{os.path.basename(options.program)}` "
          f"({os.stat(options.program).st_size / 1024:.0f} KiB), {rounds} rounds on core {options.core}, samples of at "
          f"least {1e3 * options.min_time:g} ms, seed {options.seed}.\n")
    print("| benchmark | median | median of each copy, % from that | s.d. between copies | s.d. within a copy | "
          "largest | p |")
    print("|---|---|---|---|---|---|---|")
    for name, medians, between, within, p in sorted(rows, key=lambda row: -row[2]):
        centre = statistics.median(medians)
        print(f"| `{name}` | {time_text(math.exp(centre))} | {' '.join(change(m - centre) for m in medians)} | "
              f"{100 * between:.2f} % | {100 * within:.2f} % | {change(max(medians) - min(medians))} % | {p:.3f} |")
    betweens = [row[2] for row in rows]
    print(f"\nOf {len(rows)} benchmarks the s.d. between copies is {100 * statistics.median(betweens):.2f} % in "
          f"the median, {100 * max(betweens):.2f} % at most, above .4 % in {sum(b > 0.004 for b in betweens)}; p is at "
          f"most .05 in {sum(row[4] <= 0.05 for row in rows)}.")


def compare_readings(options, folder, draw):
    copy = os.path.join(folder, "copy0000")
    write_copy(options.program, copy, draw)
    min_time = min_time_argument(copy, options)
    measure(copy, options, min_time)  # all that it needs is in memory now
    halves, pages, clock = [], [], Clock(options.limit)
    for number in range(1, options.reread + 1):
        in_memory, left = reread(copy, draw)
        if left > MOST_LEFT * in_memory:
            sys.exit(f"{copy}: {left} of {in_memory} pages stayed in memory; set TMPDIR to a folder on a disk")
        pages.append((in_memory, left))
        for _ in range(2):
            halves.append([measure(copy, options, min_time) for _ in range(options.rounds // 2)])
        if not clock.step("reading", number, options.reread):
            break
    if len(halves) < 4:
        sys.exit("one reading tells nothing: raise --limit, or take fewer benchmarks")
    rows = []
    for name in in_every([process for half in halves for process in half]):
        logs = logarithms(halves, range(len(halves)), name)
        levels = [statistics.median(first + second) for first, second in zip(logs[::2], logs[1::2])]
        steps = [abs(b - a) for a, b in zip(map(statistics.median, logs), map(statistics.median, logs[1:]))]
        rows.append((name, levels, root_mean_square(steps[1::2]), root_mean_square(steps[::2])))
    return pages, rows, halves


def print_readings(options, pages, rows):
    most_left = max(left for _, left in pages)
    print(f"Machine: {machine()}. One copy of `{os.path.basename(options.program)}`, its pages read anew "
          f"{len(pages)} times, {options.rounds // 2 * 2} processes each on core {options.core}, samples of at least "
          f"{1e3 * options.min_time:g} ms, seed {options.seed}. Of {pages[0][0]} pages in memory {most_left} at most "
          "stayed when they were dropped (mincore).\n")
    print("| benchmark | median | level after each reading, % from that | largest | step where pages were read anew | "
          "step where nothing was done |")
    print("|---|---|---|---|---|---|")
    for name, levels, at_reading, at_nothing in sorted(rows, key=lambda row: -row[2]):
        centre = statistics.median(levels)
        print(f"| `{name}` | {time_text(math.exp(centre))} | {' '.join(change(level - centre) for level in levels)} | "
              f"{change(max(levels) - min(levels))} % | {100 * at_reading:.2f} % | {100 * at_nothing:.2f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--filter", default=".", help="only benchmarks whose name matches")
    parser.add_argument("--copies", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=14)
    parser.add_argument("--reread", type=int, default=0, metavar="TIMES", help="one file's pages read anew instead")
    parser.add_argument("--min-time", type=seconds_of, default="20ms", help="of a sample")
    parser.add_argument("--limit", type=seconds_of, default="30m", help="of the whole study")
    parser.add_argument("--cwd", help="where the program runs; default: here")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", help="every value as JSON there as well")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    least = 4 if options.reread else 2  # processes: two halves with a median each
    if min(options.copies, options.reread or 2) < 2 or options.rounds < least:
        parser.error(f"wanted at least 2 copies, 2 readings and {least} rounds")
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="steelyard-copies.") as folder:
        study = compare_readings if options.reread else compare_copies
        told, rows, values = study(options, folder, draw)
    if not rows:
        sys.exit(f"{options.program}: no benchmark matches {options.filter}")
    if options.out:
        with open(options.out, "w") as out:
            json.dump({"machine": machine(), **vars(options), "ns": values}, out)
    (print_readings if options.reread else print_copies)(options, told, rows)


if __name__ == "__main__":
    main()
