#!/usr/bin/env python3
"""How much of a gate's wall time is Callgrind's? On the demo project, with cost control off and on.

    tests/studies/count_share.py [--steelyard build/release/bin/steelyard] [--tries 3] [-- OPTIONS OF GATE]
    tests/studies/count_share.py --tries 1 -- --rounds 2 --filter tokenize    # a short trial; no figures

Three gates, each in both ways, as a Markdown table:
    different   the demo's planted slowdown against the commit before it: two different builds
    comment     a commit that changes one comment in a source file
    known       another candidate (a function more) against the baseline of `different`, which was counted then

Off is --recount --no-count-cache. A gate's wall time holds building both commits, timing and counting; the time of the
counting is what the gate itself records (setting counting.wall). "Taken over" says of how many benchmarks one side was
not counted. A gate that is not the case it stands for (a baseline that was not known, a comment that was counted) ends
the script. Needs git, cmake, ninja, g++, Google Benchmark, Valgrind, and a machine that does nothing else.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from machine import machine

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OFF = ["--recount", "--no-count-cache"]
NOT_COUNTED = "not counted again"
# What the counted rows say where cost control is on; by the gate.
SAID = {"different": "", "comment": "; not counted again: every loaded section",
        "known": "; the baseline was not counted again"}


def git(folder, *arguments):
    environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1",
                       GIT_AUTHOR_NAME="Textkit", GIT_AUTHOR_EMAIL="textkit@example.invalid",
                       GIT_COMMITTER_NAME="Textkit", GIT_COMMITTER_EMAIL="textkit@example.invalid")
    return subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True, text=True,
                          env=environment).stdout.split()


def commit_line(folder, line, message):
    with open(os.path.join(folder, "textkit", "tokenize.cpp"), "a", encoding="utf-8") as file:
        file.write(line + "\n")
    git(folder, "commit", "--quiet", "--all", "--message", message)


def make_repository(folder):
    """The demo's commits, one that changes a comment and one that adds a function; their ids, oldest first.

    The demo's first, second and fourth commit are the same program: they differ in names."""
    subprocess.run([os.path.join(ROOT, "ci", "demo", "make_repository.sh"), folder], check=True, capture_output=True)
    commit_line(folder, "// Changes no instruction.", "textkit: add a comment")
    commit_line(folder, "int textkit_revision() { return 6; }", "textkit: say the revision")
    return git(folder, "log", "--reverse", "--format=%H")


def gate(options, folder, state, baseline, candidate, extra):
    """(seconds of the gate, seconds of its counting, the reasons of its counted rows)."""
    begun = time.monotonic()
    command = [options.steelyard, "gate", "--base", baseline, "--head", candidate, "--no-store", "--json", "--quiet",
               "--counts", "always", *options.gate, *extra]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                          env=dict(os.environ, STEELYARD_STATE=state))
    seconds = time.monotonic() - begun
    if done.returncode not in (0, 1, 2) or not done.stdout:
        sys.exit(f"steelyard gate left with {done.returncode}:\n{done.stderr}")
    report = json.loads(done.stdout)
    counting = float(report["candidate"]["settings"]["counting.wall"].split()[0])
    reasons = [row["reason"] for row in report["comparisons"] if row["metric"] == "instructions"]
    return seconds, counting, reasons


def is_as_said(reasons, said):
    """True where every row says so; nothing said: where no row took anything over."""
    if not said:
        return bool(reasons) and not any(NOT_COUNTED in reason for reason in reasons)
    return bool(reasons) and all(said in reason for reason in reasons)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steelyard", default=os.path.join(ROOT, "build", "release", "bin", "steelyard"))
    parser.add_argument("--tries", type=int, default=3, help="of each gate; the median is shown")
    parser.add_argument("gate", nargs="*", metavar="OPTION", help="further options of steelyard gate, after --")
    options = parser.parse_args()
    options.steelyard = os.path.abspath(options.steelyard)
    with tempfile.TemporaryDirectory() as folder:
        repository = os.path.join(folder, "textkit")
        commits = make_repository(repository)
        cases = [("different", commits[1], commits[2]), ("comment", commits[3], commits[4]),
                 ("known", commits[1], commits[5])]
        taken = {}
        for attempt in range(options.tries):
            for control in ("off", "on"):
                for name, baseline, candidate in cases:
                    # `known` finds the baseline of `different`. To `comment` nothing is known: its baseline is the same
                    # program as that of `different`.
                    state = os.path.join(folder, f"state-{attempt}-{control}" + ("-comment" if name == "comment" else ""))
                    extra = OFF if control == "off" else []
                    figures = gate(options, repository, state, baseline, candidate, extra)
                    if not is_as_said(figures[2], SAID[name] if control == "on" else ""):
                        sys.exit(f"{name}, cost control {control}: not that case; its counted rows say\n" +
                                 "\n".join(figures[2]))
                    taken.setdefault((name, control), []).append(figures)
    print(f"Machine: {machine()}. Median of {options.tries} gates each.\n")
    print("| gate | cost control | wall time | of it counting | share | taken over |\n|---|---|---|---|---|---|")
    for name, _, _ in cases:
        for control in ("off", "on"):
            wall = statistics.median(figures[0] for figures in taken[name, control])
            counting = statistics.median(figures[1] for figures in taken[name, control])
            reasons = taken[name, control][0][2]
            over = f"{sum(NOT_COUNTED in reason for reason in reasons)} of {len(reasons)}"
            print(f"| {name} | {control} | {wall:.1f} s | {counting:.1f} s | {100 * counting / wall:.1f} % | {over} |")


if __name__ == "__main__":
    main()
