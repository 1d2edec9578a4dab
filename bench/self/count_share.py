#!/usr/bin/env python3
"""How much of a gate's wall time is Callgrind's? On the demo project, with cost control off and on.

    bench/self/count_share.py [--steelyard build/release/bin/steelyard] [--tries 3]

Three gates, each in both ways, as a Markdown table:
    different   the demo's planted slowdown against the commit before it: two different builds
    comment     a commit that changes one comment in a source file
    known       another candidate (the first commit) against the baseline of `different`, which was counted then

Off is --recount --no-count-cache. A gate's wall time holds building both commits, timing and counting; the time of the
counting is what the gate itself records (setting counting.wall). Needs git, cmake, ninja, g++, Google Benchmark,
Valgrind, and a machine that does nothing else.
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


def git(folder, *arguments):
    environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1",
                       GIT_AUTHOR_NAME="Textkit", GIT_AUTHOR_EMAIL="textkit@example.invalid",
                       GIT_COMMITTER_NAME="Textkit", GIT_COMMITTER_EMAIL="textkit@example.invalid")
    return subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True, text=True,
                          env=environment).stdout.split()


def make_repository(folder):
    """The demo's commits, and one more that changes a comment; their ids, oldest first."""
    subprocess.run([os.path.join(ROOT, "ci", "demo", "make_repository.sh"), folder], check=True, capture_output=True)
    source = os.path.join(folder, "textkit", "tokenize.cpp")
    with open(source, encoding="utf-8") as file:
        text = file.read()
    with open(source, "w", encoding="utf-8") as file:
        file.write(text.rstrip("\n") + "\n// Changes no instruction.\n")
    git(folder, "commit", "--quiet", "--all", "--message", "textkit: add a comment")
    return git(folder, "log", "--reverse", "--format=%H")


def gate(options, folder, state, baseline, candidate, extra):
    """(seconds of the gate, seconds of its counting)."""
    begun = time.monotonic()
    done = subprocess.run([options.steelyard, "gate", "--base", baseline, "--head", candidate, "--no-store", "--json",
                           "--quiet", "--counts", "always", *extra], cwd=folder, capture_output=True, text=True,
                          env=dict(os.environ, STEELYARD_STATE=state))
    seconds = time.monotonic() - begun
    if done.returncode not in (0, 1, 2) or not done.stdout:
        sys.exit(f"steelyard gate left with {done.returncode}:\n{done.stderr}")
    report = json.loads(done.stdout)
    counting = float(report["candidate"]["settings"]["counting.wall"].split()[0])
    return seconds, counting


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steelyard", default=os.path.join(ROOT, "build", "release", "bin", "steelyard"))
    parser.add_argument("--tries", type=int, default=3, help="of each gate; the median is shown")
    options = parser.parse_args()
    options.steelyard = os.path.abspath(options.steelyard)
    with tempfile.TemporaryDirectory() as folder:
        repository = os.path.join(folder, "textkit")
        commits = make_repository(repository)
        cases = [("different", commits[1], commits[2]), ("comment", commits[3], commits[4]),
                 ("known", commits[1], commits[0])]
        taken = {}
        for attempt in range(options.tries):
            for control in ("off", "on"):
                # The three share a state folder, so that the third finds the baseline of the first.
                state = os.path.join(folder, f"state-{attempt}-{control}")
                for name, baseline, candidate in cases:
                    extra = OFF if control == "off" else []
                    figures = gate(options, repository, state, baseline, candidate, extra)
                    taken.setdefault((name, control), []).append(figures)
    print(f"Machine: {machine()}. Median of {options.tries} gates each.\n")
    print("| gate | cost control | wall time | of it counting | share |\n|---|---|---|---|---|")
    for name, _, _ in cases:
        for control in ("off", "on"):
            wall = statistics.median(figures[0] for figures in taken[name, control])
            counting = statistics.median(figures[1] for figures in taken[name, control])
            print(f"| {name} | {control} | {wall:.1f} s | {counting:.1f} s | {100 * counting / wall:.1f} % |")


if __name__ == "__main__":
    main()
