#!/usr/bin/env python3
"""What earlier calls of on_device.sh left, so that a further one goes on from there.

    kept_rows.py left NAMES REGEX FILE...    a regular expression for the benchmarks that match and are in no file;
                                             nothing where none is left
    kept_rows.py rescue FOLDER...            makes a result of each that a kill left half: FILE.json.partial, a line for
                                             the context and one for each record (bench/cuda/device_program.cpp)
"""

import glob
import json
import os
import re
import sys


MAX_TRIES = 2  # of a row that fails: a device may have been lost under it


def rows(path):
    try:
        with open(path) as file:
            return {record["name"]: bool(record.get("error_occurred")) for record in json.load(file).get("benchmarks", [])}
    except (OSError, ValueError):
        return {}


def left(names_path, pattern, paths):
    there, failures = set(), {}
    for path in paths:
        for name, has_failed in rows(path).items():
            failures[name] = failures.get(name, 0) + has_failed
            if not has_failed or failures[name] == MAX_TRIES:
                there.add(name)
    with open(names_path) as file:
        names = [name for name in file.read().split("\n") if name and re.search(pattern, name)]
    missing = [name for name in names if name not in there]
    if not missing:
        return ""
    # POSIX's expressions: what is no sign of theirs stands for itself, and must not be escaped.
    return "^(" + "|".join(re.sub(r"([.^$*+?()\[{\\|])", r"\\\1", name) for name in missing) + ")$"


def free_path(path):
    """path where nothing is there, else path with a number: rows.json, rows.2.json, ..."""
    stem, number, candidate = path.removesuffix(".json"), 1, path
    while os.path.exists(candidate):
        number += 1
        candidate = f"{stem}.{number}.json"
    return candidate


def whole_lines(path):
    with open(path, errors="replace") as file:
        for line in file:
            if line.endswith("\n"):
                try:
                    yield json.loads(line)
                except ValueError:
                    return  # cut, or not written to the end


def rescue(path):
    context, *records = [*whole_lines(path)] or [{}]
    by_name = {}
    for record in records:
        by_name.setdefault(record["name"], []).append(record)
    # The last may have been cut between two of its records.
    whole = {name: rows for name, rows in by_name.items() if len(rows) >= rows[0].get("repetitions", 1)}
    if whole:
        result = free_path(path.removesuffix(".partial"))
        records = [record for rows in whole.values() for record in rows]
        with open(result + ".part", "w") as file:
            json.dump({"context": context, "benchmarks": records}, file, indent=0)
        os.replace(result + ".part", result)
        print(f"{os.path.basename(path)}: {len(whole)} benchmarks of an earlier call are kept")
    os.remove(path)


def main(arguments):
    if len(arguments) >= 3 and arguments[0] == "left":
        print(left(arguments[1], arguments[2], arguments[3:]))
    elif len(arguments) >= 2 and arguments[0] == "rescue":
        for folder in arguments[1:]:
            for path in sorted(glob.glob(os.path.join(folder, "*.json.partial"))):
                rescue(path)
    else:
        print(__doc__, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
