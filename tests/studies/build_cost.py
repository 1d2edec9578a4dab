#!/usr/bin/env python3
"""What a build costs, and how much code there is to build.

    build_cost.py seconds build/release     seconds of the steps of a build folder's last build, by kind
    build_cost.py seconds build/release ci/service      those of the sources below that folder
    build_cost.py lines [COMMIT]            files and lines of C++ by folder, as committed (HEAD)

Seconds are Ninja's own: from the start of a step to its end, so that steps which run at once and share cores count
fully. Compare builds with equal -j on equal machines, and without a compiler cache.
"""
import collections
import pathlib
import re
import subprocess
import sys

CODE = (".cpp", ".hpp", ".cu", ".cuh")
LAYERS = ("bench", "regress", "storage", "ci", "tests")


def kind_of(output):
    if output.endswith(".gch"):
        return "precompiled headers"
    if not output.endswith(".o"):
        return "links and generated files"
    if "steelyard_headers_alone" in output:
        return "headers alone"
    layer = output.split("/")[0]
    return layer if layer in LAYERS else "other sources"


def steps_of(build):
    # A step may have several outputs, which share one command hash; an output built again has the last line.
    steps = {}
    for line in (pathlib.Path(build) / ".ninja_log").read_text().splitlines():
        if not line.startswith("#"):
            begin, end, _, output, command = line.split("\t")
            steps[output] = (int(begin), int(end), command)
    return steps


def sources_of(build, output):
    """Of an object: those that are compiled as one, or the one that it is called by."""
    joined = pathlib.Path(build) / output.removesuffix(".o")
    if joined.parent.name == "Unity" and joined.is_file():
        return re.findall(r'#include "(?:.*?/)?((?:bench|regress|storage|ci|tests)/.*)"', joined.read_text())
    return [re.sub(r"CMakeFiles/[^/]*\.dir/", "", output.removesuffix(".o"))]


def print_part(build, folder):
    summed = 0
    for output, (begin, end, _) in sorted(steps_of(build).items()):
        sources = sources_of(build, output) if output.endswith(".o") else []
        part = [source for source in sources if source.startswith(folder + "/")]
        if part:
            spent = (end - begin) / 1000
            summed += spent * len(part) / len(sources)
            print(f"{output:70} {spent:8.1f} s, {len(part)} of {len(sources)} sources")
    print(f"in all, by the share of sources: {summed:.1f} s")


def print_seconds(build):
    steps = steps_of(build)
    seconds = collections.Counter()
    counts = collections.Counter()
    for (begin, end, _), output in {step: output for output, step in steps.items()}.items():
        seconds[kind_of(output)] += (end - begin) / 1000
        counts[kind_of(output)] += 1
    for kind, spent in sorted(seconds.items(), key=lambda row: -row[1]):
        print(f"{kind:26} {counts[kind]:6} steps {spent:8.1f} s")
    last = max(end for _, end, _ in steps.values()) / 1000
    print(f"{'in all':26} {sum(counts.values()):6} steps {sum(seconds.values()):8.1f} s")
    print(f"the last step ended {last:.1f} s after the build began")


def print_lines(commit):
    listed = subprocess.run(["git", "ls-tree", "-r", "--name-only", commit], check=True, capture_output=True, text=True)
    files = collections.Counter()
    lines = collections.Counter()
    for path in listed.stdout.splitlines():
        if not path.endswith(CODE):
            continue
        parts = path.split("/")
        folder = "/".join(parts[:2]) if len(parts) > 2 and parts[0] != "tests" else parts[0]
        text = subprocess.run(["git", "show", f"{commit}:{path}"], check=True, capture_output=True).stdout
        files[folder] += 1
        lines[folder] += text.count(b"\n")
    for folder in sorted(files):
        print(f"| {folder} | {files[folder]} | {lines[folder]} |")
    outside = [folder for folder in files if folder != "tests"]
    print(f"| outside tests | {sum(files[f] for f in outside)} | {sum(lines[f] for f in outside)} |")


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "seconds":
        print_seconds(arguments[1])
    elif len(arguments) == 3 and arguments[0] == "seconds":
        print_part(arguments[1], arguments[2].rstrip("/"))
    elif arguments and arguments[0] == "lines" and len(arguments) <= 2:
        print_lines(arguments[1] if len(arguments) == 2 else "HEAD")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
