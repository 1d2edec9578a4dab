#!/usr/bin/env python3
"""What callgrind_annotate gets wrong on the profiles of tests/golden/callgrind, and what Steelyard says of them.

    tests/studies/annotate_errors.py [--steelyard build/check/bin/steelyard]

Runs the installed callgrind_annotate and `steelyard profile --read callgrind FILE --json` on each, and prints a Markdown
table with both answers and the true value, which comes from the file's expected.tsv. Leaves with 1 where Steelyard is not
right. The figures do not depend on the machine.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden/callgrind"
ROW = re.compile(r"^\s*([0-9,]+)(?: \(.*?\))?\s+(.+:.+)$")


class Annotated:
    """One run of callgrind_annotate: its rows as (count, text), its total, its exit status and its complaints."""

    def __init__(self, file, inclusive=False, folder="/"):
        command = ["callgrind_annotate", "--threshold=100", "--show-percs=no", "--auto=no",
                   f"--inclusive={'yes' if inclusive else 'no'}", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        self.status, self.complaints, self.rows, self.total = done.returncode, len(done.stderr.splitlines()), [], None
        in_table = False
        for line in done.stdout.splitlines():
            if "PROGRAM TOTALS" in line:
                self.total = int(line.split()[0].replace(",", ""))
            if line.rstrip().endswith("file:function"):
                in_table = True
            elif in_table and (row := ROW.match(line)):
                self.rows.append((int(row[1].replace(",", "")), row[2]))

    def count(self, *words):
        """Of the one row with all these words."""
        found = [count for count, text in self.rows if all(word in text for word in words)]
        return found[0] if len(found) == 1 else None


def expected(file):
    """part -> its total of the first event, and name -> its functions with their costs of it, from expected.tsv."""
    totals, functions = {}, collections.defaultdict(list)
    for line in pathlib.Path(f"{file}.expected.tsv").read_text().splitlines():
        fields = line.split("\t")
        if fields[0] == "part":
            totals[int(fields[1])] = int(fields[7])
        elif fields[0] == "fn":
            events = (len(fields) - 7) // 2
            functions[fields[4]].append({"file": fields[3], "self": int(fields[7]), "inclusive": int(fields[7 + events])})
    return totals, functions


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steelyard", default=ROOT / "build/check/bin/steelyard")
    steelyard = parser.parse_args().steelyard
    rows = []

    def parts_of(file):
        done = subprocess.run([steelyard, "profile", "--read", "callgrind", str(file), "--json"], capture_output=True,
                              text=True)
        if done.returncode != 0:
            sys.exit(f"{steelyard} left with {done.returncode} on {file}:\n{done.stderr}")
        return json.loads(done.stdout)["parts"]

    def add(error, asked, annotate, ours, truth):
        rows.append((error, asked, annotate, ours, truth))

    def self_sum(part):
        return sum(function["self"][0] for function in part["functions"])

    for number in (2, 3, 4):
        file = GOLDEN / f"06_parts_toggle/callgrind.out.{number}"
        add("`calls=0` counted as self", f"06, part {number}: sum of self costs",
            sum(count for count, _ in Annotated(file).rows), self_sum(parts_of(file)[0]), sum(expected(file)[0].values()))

    file = GOLDEN / "07_parts_combined/callgrind.out"
    stock = Annotated(file)
    add("several parts in one file", f"07: total ({stock.complaints} lines of warnings)", stock.total,
        sum(self_sum(part) for part in parts_of(file)), sum(expected(file)[0].values()))

    file = GOLDEN / "08_recursion/merged.callgrind.out"
    stock, functions, part = Annotated(file, inclusive=True), expected(file)[1], parts_of(file)[0]
    for name in sorted(functions, key=lambda name: -functions[name][0]["inclusive"]):
        if re.match(r"(fib|is_even|sum_tree|cyc_a)\(", name):
            ours = [f["inclusive"][0] for f in part["functions"] if f["name"] == name]
            add("recursion added up", f"08: inclusive cost of `{name}`, of {part['totals'][0]}",
                stock.count(f":{name}"), ours[0], functions[name][0]["inclusive"])

    # The file as it would be, had the program been built in a folder of this machine, and annotate be run elsewhere.
    file = GOLDEN / "08_recursion/merged.callgrind.out"
    with tempfile.TemporaryDirectory() as folder:
        moved = pathlib.Path(folder) / "callgrind.out"
        moved.write_text(file.read_text().replace("/src/cg", folder))
        stock = Annotated(moved, inclusive=True, folder=folder)
        names = len({text for _, text in stock.rows if ":main" in text})
        ours = sum(f["name"] == "main" for f in parts_of(moved)[0]["functions"])
    add("names hang on the working folder", "08, run in the build folder: rows of `main`", names, ours,
        len(expected(file)[1]["main"]))

    file = GOLDEN / "01_names/compressed.callgrind.out"
    name = next(name for name in expected(file)[1] if name.startswith("demo::Acc::add(") and "[clone" in name)
    stripped = {re.sub(r"\s\[[^\[\]]+\]$", "", text).split(":", 1)[1] for _, text in Annotated(file).rows if name in text}
    add("a row ends in its object or in its clone", "01: names of the clone of `Acc::add`, the last ` [...]` taken off",
        len(stripped), sum(f["name"] == name for f in parts_of(file)[0]["functions"]), len(expected(file)[1][name]))

    file = GOLDEN / "05_threads/callgrind.out"
    stock = Annotated(file)
    truth = sum(sum(expected(f"{file}-0{thread}")[0].values()) for thread in (1, 2, 3))
    add("an empty file beside those of threads", "05: total", f"none, exit status {stock.status}",
        sum(self_sum(part) for part in parts_of(file)), truth)

    file = GOLDEN / "06_parts_toggle/callgrind.out.2"
    name = "stmt(unsigned int)"
    stock = sorted((count for count, text in Annotated(file).rows if f":{name}" in text), reverse=True)
    add("self split over the files inlined from", f"06, part 2: self cost of `{name}`",
        " and ".join(f"{count:,}" for count in stock),
        sum(f["self"][0] for f in parts_of(file)[0]["functions"] if f["name"] == name), expected(file)[1][name][0]["self"])

    def shown(value):
        return f"{value:,}" if isinstance(value, int) else str(value)

    version = subprocess.run(["valgrind", "--version"], capture_output=True, text=True).stdout.strip()
    print(f"| error of callgrind_annotate ({version}) | asked | it says | Steelyard says | true |\n|---|---|---|---|---|")
    for error, asked, annotate, ours, truth in rows:
        print(f"| {error} | {asked} | {shown(annotate)} | {shown(ours)} | {shown(truth)} |")
    wrong = [asked for _, asked, _, ours, truth in rows if ours != truth]
    if wrong:
        sys.exit(f"Steelyard is wrong on: {'; '.join(wrong)}")


if __name__ == "__main__":
    main()
