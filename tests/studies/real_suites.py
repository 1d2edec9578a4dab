#!/usr/bin/env python3
"""Gates of real Google Benchmark programs that you have built already: this project neither fetches nor builds other
people's code. Prints Markdown tables; docs/measured/real_suites.md has those of released libraries.

    tests/studies/real_suites.py same PROGRAM [--gates 20] [--one-copy] [-- --benchmark_filter=...]
        A/A gates: `steelyard ab PROGRAM PROGRAM`, timing alone. Every change that a gate calls is a false alarm. With
        --one-copy each gate gets two copies of the program, made for it, that stay the same in all its rounds: two
        scripts run them, and what a script runs Steelyard leaves where it is. So it was before each round had copies of
        its own.

    tests/studies/real_suites.py releases BASELINE CANDIDATE [-- ...]
        One gate of two releases, timing alone: how much of what both have is decided.

    tests/studies/real_suites.py commit BASELINE CANDIDATE [-- ...]
        One gate with counts. Leaves with 1 where a count that moved by less than 1 % fails the gate.

    tests/studies/real_suites.py steer BASELINE CANDIDATE [--known-baseline] [-- ...]
        Three gates with counts, in random order: with every benchmark timed as if nothing were known of it
        (--demand-decision), with what counting proves equal timed until the first look, and with that left untimed
        (--skip-time equal_code). How long each took and what it decided. With --known-baseline another gate before them
        has counted the baseline.

    tests/studies/real_suites.py table FOLDER
        The tables of all gates that are kept there.

    all but table: [--cwd DIR] [--budget 120s] [--beside-compilation] [--label TEXT] [--out FOLDER] [--seed 1]
                   [--steelyard build/release/bin/steelyard]

Each gate is kept in FOLDER as soon as it ends (a new folder without --out). Gates of the same programs, arguments and
Steelyard that FOLDER has already count: an interrupted study goes on where it was. Gate i has the seed --seed + i - 1.
With --beside-compilation a compiler runs all the while, one process after the other.

Needs python3 and nothing else, and g++ for --beside-compilation. Leave the machine alone while it runs.
"""
import argparse
import collections
import contextlib
import hashlib
import json
import math
import os
import random
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile

from machine import machine
from program_copy import write_copy
from study import STEELYARD, binomial_interval, steelyard

CHANGED = ("regression", "improvement")
DECIDED = CHANGED + ("unchanged",)
ONE_SIDED = ("missing", "new")
# How a gate of `steer` is asked for what its study is about.
STEERED = {"not steered": ["--demand-decision"], "to the first look": [], "untimed": ["--skip-time", "equal_code"]}
SMALL_COUNT = 0.01  # what counted_minimum_effect is by default
# Why a row ends undecided: the report's JSON has it in the reason alone. Each is one column.
ENDINGS = {"budget": ("budget spent after", "not reached"), "futile": ("a decision within",),
           "all rounds": ("planned round",)}

# Compiles for some seconds with g++ -O2: templates by recursion, each with a loop of its own to optimize.
SOURCE = """#include <algorithm>
#include <map>
#include <string>
#include <vector>
template <int N> struct Level {
  std::map<std::string, std::vector<Level<N - 1>>> parts;
  int weigh(int x) const {
    int sum = N * x;
    for (const auto& [name, values] : parts) {
      for (const auto& value : values) sum += value.weigh(x + static_cast<int>(name.size())) % (N + 2);
    }
    return sum;
  }
  void order() {
    for (auto& [name, values] : parts) {
      std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.weigh(1) < b.weigh(N); });
    }
  }
};
template <> struct Level<0> {
  int weigh(int x) const { return x; }
};
template <int N> int all(int x) {
  Level<N> level;
  level.order();
  if constexpr (N > 1) x += all<N - 1>(x);
  return level.weigh(x);
}
int run(int x) { return all<24>(x); }
"""


# --- measuring ---

@contextlib.contextmanager
def compilation():
    """A compiler in a loop. It ends with its process group, or when this script is no more."""
    with tempfile.TemporaryDirectory(prefix="steelyard-compilation.") as folder:
        with open(os.path.join(folder, "levels.cpp"), "w") as source:
            source.write(SOURCE)
        compiling = "g++ -std=c++17 -O2 -c levels.cpp -o levels.o"
        subprocess.run(shlex.split(compiling), cwd=folder, check=True)
        loop = subprocess.Popen(["sh", "-c", f"while kill -0 {os.getpid()} && {compiling}; do :; done"], cwd=folder,
                                start_new_session=True, stderr=subprocess.DEVNULL)
        try:
            yield
            if loop.poll() is not None:
                sys.exit("the compiler ended by itself: the last gates were not measured beside it")
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(loop.pid, signal.SIGKILL)
            loop.wait()


def copies_of_program(program, folder, seed):
    """Two files where gates of equal builds have two; paths of equal length."""
    draw = random.Random(seed)
    paths = [os.path.join(folder, f"build-{side}") for side in "ab"]
    for path in draw.sample(paths, 2):
        write_copy(program, path, draw)
    return paths


def scripts_of_copies(program, folder, seed):
    """Two scripts, each of which runs a copy of its own; all paths are of equal length."""
    scripts, draw = [], random.Random(seed)
    for side in draw.sample("ab", 2):  # whose pages are taken first must not be a side's
        copy, script = (os.path.join(folder, f"{what}-{side}") for what in ("copy", "runs"))
        write_copy(program, copy, draw)
        with open(script, "w") as text:
            text.write(f'#!/bin/sh\nexec {shlex.quote(copy)} "$@"\n')
        os.chmod(script, 0o700)
        scripts.append(script)
    return sorted(scripts)


def ab(options, programs, seed, state, how=()):
    """(exit status, report, seconds) of one gate."""
    counts = ["--counts", "always"] if options.study in ("commit", "steer") else ["--counts", "never"]
    return steelyard(["ab", *programs, *counts, *how, "--no-store", "--json", "--quiet", "--budget", options.budget,
                      "--seed", str(seed), *(["--", *options.arguments] if options.arguments else [])],
                     state, (0, 1, 2), options.steelyard, options.cwd)


def gate(options, seed):
    with tempfile.TemporaryDirectory(prefix="steelyard-study.") as state:
        if not options.one_copy:
            equal = options.study == "same"
            programs = copies_of_program(options.programs[0], state, seed) if equal else options.programs
            return ab(options, programs, seed, state)
        status, report, seconds = ab(options, scripts_of_copies(options.programs[0], state, seed), seed, state)
        told = report["baseline"]["settings"].get("fresh_copies", "")
        if told and "keeps its pages" not in told:
            sys.exit(f"--one-copy: this Steelyard makes copies of what a script runs: {told}")
        return status, report, seconds


def steered_gates(options, seed):
    """(variant, exit status, report, seconds) of each variant."""
    for variant in random.Random(seed).sample(list(STEERED), len(STEERED)):
        with tempfile.TemporaryDirectory(prefix="steelyard-study.") as state:
            if options.known_baseline:
                steelyard(["ab", options.programs[0], options.programs[0], "--counts", "always", "--no-store", "--json",
                           "--quiet", "--rounds", "2", "--min-time", "1ms", "--repetitions", "1", "--budget", "20m",
                           *(["--", *options.arguments] if options.arguments else [])],
                          state, (0, 1, 2), options.steelyard, options.cwd)
            yield variant, *ab(options, options.programs, seed, state, STEERED[variant])


# --- keeping ---

def hash_of(file):
    with open(file, "rb") as content:
        return hashlib.sha256(content.read()).hexdigest()[:16]


def identity_of(options):
    """What gates of one row of a table have in common."""
    return {"study": options.study, "label": options.label, "programs": [hash_of(p) for p in options.programs],
            "arguments": options.arguments, "budget": options.budget, "one_copy": options.one_copy,
            "beside_compilation": options.beside_compilation, "known_baseline": options.known_baseline,
            "steelyard": hash_of(options.steelyard), "machine": machine()}


def kept_in(folder):
    """All gates of a folder, in order."""
    gates = []
    for name in sorted(os.listdir(folder)):
        if name.startswith("gate-") and name.endswith(".json"):
            with open(os.path.join(folder, name)) as file:
                gates.append(json.load(file))
    return gates


def keep(folder, record):
    number = 1
    while os.path.exists(os.path.join(folder, f"gate-{number:05}.json")):
        number += 1
    path = os.path.join(folder, f"gate-{number:05}.json")
    with open(path + ".part", "w") as file:
        json.dump(record, file)
    os.replace(path + ".part", path)


# --- reading ---

def timed(record):
    """Rows of time of benchmarks that both sides have."""
    return [row for row in record["report"]["comparisons"]
            if row["kind"] == "noisy" and row["verdict"] not in ONE_SIDED]


def decided(rows):
    return sum(row["verdict"] in DECIDED for row in rows)


def decided_of(rows):
    return f"{decided(rows)} of {len(rows)}"


def changed(rows):
    return [row for row in rows if row["verdict"] in CHANGED]


def change(ratio):
    return f"{100 * (ratio - 1):+.1f} %"


def log_ratios(rows):
    return [math.log(row["ratio"]) for row in rows if row["ratio"]]


def deviation(rows):
    """Of the log ratios about 0, where those of equal programs lie."""
    return math.sqrt(statistics.fmean(x * x for x in log_ratios(rows))) if log_ratios(rows) else math.nan


def worst(rows):
    """The row farthest from 1; None where none has a ratio."""
    return max((row for row in rows if row["ratio"]), key=lambda row: abs(math.log(row["ratio"])), default=None)


def median_and(extreme, values, text="{:.0f}"):
    return f"{text.format(statistics.median(values))}, {text.format(extreme(values))}" if values else "-"


def copies_of(record):
    """What the sides ran: the setting fresh_copies of the report, in short."""
    if record["one_copy"]:
        return "one a gate"
    told = record["report"]["baseline"]["settings"].get("fresh_copies", "not told")
    return next((words for words in ("one a round", "read anew each round", "keeps its pages") if words in told), told)


def ending(row):
    return next((name for name, words in ENDINGS.items() if any(word in row["reason"] for word in words)), "other")


def progress(record, number, count):
    rows = timed(record)
    alarms = ", ".join(f"{row['benchmark']} {change(row['ratio'])}" for row in changed(rows))
    what = "alarm: " + alarms if alarms else "no alarm"
    if record["study"] != "same":
        what = f"{len(changed(rows))} changed"
    print(f"gate {number} of {count}: {record['seconds']:.0f} s, {decided(rows)} of {len(rows)} decided, {what}",
          file=sys.stderr, flush=True)


# --- tables: (head, row of the gates of one identity) by study ---

def same_row(gates):
    rows = [timed(record) for record in gates]
    alarmed = sum(bool(changed(gate_rows)) for gate_rows in rows)
    low, high = binomial_interval(alarmed, len(gates))
    often = collections.Counter(row["benchmark"] for gate_rows in rows for row in changed(gate_rows))
    again = ", ".join(f"`{name}` ({count})" for name, count in often.most_common() if count > 1)
    farthest = worst([row for gate_rows in rows for row in gate_rows])
    shares = [100 * decided(gate_rows) / len(gate_rows) for gate_rows in rows if gate_rows]
    deviations = [100 * deviation(gate_rows) for gate_rows in rows if log_ratios(gate_rows)]
    return [gates[0]["label"], copies_of(gates[0]),
            "yes" if gates[0]["beside_compilation"] else "no", str(max(map(len, rows))),
            str(len(gates)), str(alarmed), f"{100 * low:.1f} to {100 * high:.1f} %",
            str(sum(record["status"] == 1 for record in gates)), again or "none",
            median_and(min, shares, "{:.0f} %"), median_and(max, deviations, "{:.2f} %"),
            f"{change(farthest['ratio'])} (`{farthest['benchmark']}`)" if farthest else "-",
            median_and(max, [record["seconds"] for record in gates]),
            median_and(max, [row["rounds"] for gate_rows in rows for row in gate_rows])]


def releases_row(gates):
    rows = timed(gates[0])
    verdicts = collections.Counter(row["verdict"] for row in rows)
    endings = collections.Counter(ending(row) for row in rows if row["verdict"] == "inconclusive")
    failed = len(rows) - decided(rows) - verdicts["inconclusive"]
    return [gates[0]["label"], "yes" if gates[0]["beside_compilation"] else "no", str(len(rows)),
            f"{decided(rows)} ({100 * decided(rows) / max(1, len(rows)):.0f} %)",
            *(str(verdicts[verdict]) for verdict in ("regression", "improvement", "unchanged", "inconclusive")),
            *(str(endings[name]) for name in (*ENDINGS, "other")), str(failed), f"{gates[0]['seconds']:.0f}",
            median_and(max, [row["rounds"] for row in rows])]


def small_counts(record):
    """Rows of counts that moved by less than 1 %."""
    return [row for row in record["report"]["comparisons"]
            if row["kind"] != "noisy" and row["ratio"] and 0 < abs(row["ratio"] - 1) < SMALL_COUNT]


def that_fail(rows):
    return [row for row in rows if row["gates"] and row["verdict"] == "regression"]


def commit_row(gates):
    counts = [row for row in gates[0]["report"]["comparisons"] if row["kind"] != "noisy"]
    small = small_counts(gates[0])
    summary = ", ".join(f"{count} {verdict}" for verdict, count in gates[0]["report"]["summary"].items() if count)
    moved = sum(row["ratio"] not in (None, 1) for row in counts)
    return [gates[0]["label"], str(gates[0]["status"]), str(len(counts)), str(moved), str(len(small)),
            str(len(that_fail(small))), str(len(that_fail(counts))), summary or "no rows", f"{gates[0]['seconds']:.0f}"]


def steer_row(gates):
    """Of the last gate of each variant."""
    of = {record["variant"]: record for record in gates}
    if set(of) != set(STEERED):
        return [gates[0]["label"], "not all gates were taken"]
    def each(value):
        return [str(value(of[variant])) for variant in STEERED]
    def rows(record, metric):
        return [row for row in record["report"]["comparisons"]
                if row["metric"] == metric and row["verdict"] not in ONE_SIDED]
    names = of["to the first look"]["report"]["candidate"]["settings"].get("timing.first_look_only", "")
    return [gates[0]["label"], "known" if gates[0]["known_baseline"] else "counted",
            str(len(rows(gates[0], "real_time"))),
            str(len(names.split("\n")) if names else 0),
            *each(lambda record: f"{record['seconds']:.0f}"),
            *each(lambda record: sum(row["rounds"] for row in rows(record, "real_time"))),
            *each(lambda record: decided_of([row for row in rows(record, "real_time") if row["rounds"]])),
            *each(lambda record: decided(rows(record, "instructions"))),
            *each(lambda record: len(changed(rows(record, "real_time"))))]


TABLES = {
    "same": (["program", "copies", "beside a compilation", "benchmarks", "gates", "with a false alarm",
              "exact 95 % interval", "failed (exit status 1)", "called changed in more than one gate",
              "decided: median, least", "s.d. of log ratios: median, largest", "worst ratio",
              "seconds: median, longest", "rounds: median, most"], same_row),
    "releases": (["releases", "beside a compilation", "benchmarks of both", "decided", "regression", "improvement",
                  "unchanged", "inconclusive", *(f"of these: {name}" for name in ENDINGS), "of these: other",
                  "failed", "seconds", "rounds: median, most"], releases_row),
    "commit": (["change", "exit status", "counts", "moved", "moved below 1 %", "of these fail the gate",
                "counts that fail the gate", "all rows", "seconds"], commit_row),
    "steer": (["change", "baseline", "benchmarks", "proven equal before they were timed",
               *(f"{what}: {variant}" for what in ("seconds", "rounds", "times decided", "counts decided",
                                                   "times changed") for variant in STEERED)], steer_row),
}


def print_tables(gates):
    """One for each study, with a row for each identity, in the order in which they were begun."""
    for study, (head, row_of) in TABLES.items():
        groups = {}
        for record in gates:
            if record["study"] == study:
                identity = {name: value for name, value in record.items()
                            if name not in ("seed", "status", "seconds", "report", "variant")}
                groups.setdefault(json.dumps(identity, sort_keys=True), []).append(record)
        if not groups:
            continue
        told = {f"Machine: {members[0]['machine']}. Budget of a gate {members[0]['budget']}."
                for members in groups.values()}
        print(*sorted(told), "", f"| {' | '.join(head)} |", "|---" * len(head) + "|", sep="\n")
        for members in groups.values():
            print(f"| {' | '.join(row_of(members))} |")
        print()


def measure(options):
    identity, count = identity_of(options), options.gates if options.study == "same" else 1
    def mine():
        kept = kept_in(options.out)
        return [record for record in kept if {name: record.get(name, False) for name in identity} == identity]
    taken = {record["seed"] for record in mine()}
    seeds = [seed for seed in range(options.seed, options.seed + count) if seed not in taken]
    if options.study == "steer" and seeds:
        for variant, status, report, seconds in steered_gates(options, options.seed):
            record = {**identity, "seed": options.seed, "variant": variant, "status": status, "seconds": seconds,
                      "report": report}
            keep(options.out, record)
            progress(record, list(STEERED).index(variant) + 1, len(STEERED))
        return mine()
    with compilation() if options.beside_compilation and seeds else contextlib.nullcontext():
        for seed in seeds:
            status, report, seconds = gate(options, seed)
            record = {**identity, "seed": seed, "status": status, "seconds": seconds, "report": report}
            keep(options.out, record)
            progress(record, seed - options.seed + 1, count)
    return mine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    studies = parser.add_subparsers(dest="study", required=True)
    same, releases, commit, steer, table = (studies.add_parser(name) for name in (*TABLES, "table"))
    same.add_argument("programs", nargs=1, metavar="PROGRAM")
    same.add_argument("--gates", type=int, default=20)
    same.add_argument("--one-copy", action="store_true")
    for study in (releases, commit, steer):
        study.add_argument("programs", nargs=2, metavar="PROGRAM")
        study.set_defaults(one_copy=False)
    for study in (same, releases, commit, steer):
        study.set_defaults(known_baseline=False)
        study.add_argument("--cwd", help="where the programs run; default: here")
        study.add_argument("--budget", default="120s", help="of one gate")
        study.add_argument("--beside-compilation", action="store_true")
        study.add_argument("--label", help="the row's name; default: of the programs' files")
        study.add_argument("--out", help="folder in which the gates are kept")
        study.add_argument("--seed", type=int, default=1)
        study.add_argument("--steelyard", default=STEELYARD)
    steer.add_argument("--known-baseline", action="store_true")
    table.add_argument("folder")
    own = sys.argv[1:sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    options = parser.parse_args(own)
    if options.study == "table":
        print_tables(kept_in(options.folder))
        return
    options.arguments = sys.argv[len(own) + 2:]
    options.programs = [os.path.abspath(program) for program in options.programs]
    options.steelyard = os.path.abspath(options.steelyard)
    options.label = options.label or " to ".join(f"`{os.path.basename(program)}`" for program in options.programs)
    if options.study == "same":
        options.programs *= 1 if options.one_copy else 2
    options.out = options.out or tempfile.mkdtemp(prefix="steelyard-gates.")
    os.makedirs(options.out, exist_ok=True)
    print(f"gates are kept in {options.out}", file=sys.stderr)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))  # and the compiler with it
    gates = measure(options)
    print_tables(gates)
    if options.study == "commit" and that_fail(small_counts(gates[0])):
        sys.exit(1)


if __name__ == "__main__":
    main()
