#!/usr/bin/env python3
"""Makes the tables of scores in docs/measured anew: judging_scores.md and history_scores.md.

    tests/studies/publish_scores.py [--build build/check] [--only TEXT]

Needs python3 and the programs that the tables name, built (`score_ab`, `score_histories`, `published_scores`, ...). Above
each table that it makes stands a comment with the command:

    <!-- scores: score_ab tests/statistics/noise --rule steelyard -->

The rows that the table has are looked up in what the command prints, by the table's first cells, and all their figures
are replaced; which rows stand there, and in what order, is whoever wrote the page's. A row that the command does not
print is an error. A command with {a column's title} in it is one for each row, with what the row has in that column;
{of} is the number of tries that the row has ("3 of 60"), {of/4} a fourth of it, {n}, {time} and {first} what its name ends
in ("looks to 160 rounds in the time of 60, first 30 %"), else 0. A table that no command makes again has
`<!-- measured once -->` above it, as where it is of a machine and its hour, or `<!-- by hand -->`; a test asks for one
of these above each table.

`--only` leaves out the commands that do not contain TEXT. All of it takes some hours of one core; everything is seeded,
so that an unchanged program changes nothing.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = [os.path.join("docs", "measured", name) for name in ("judging_scores.md", "history_scores.md")]
MARK = re.compile(r"^<!-- scores: (?P<command>.+?)(?: \(table: (?P<table>.+)\))? -->$")
OTHER_ORDER = ", order unknown"
KEYS = {"rule", "by", "level", "rounds", "slot"}  # columns that name a row, behind the first
# The columns of the short table: of which row, and which column, of the table of peers.
SHORT = [("interleaved_b15", "alarm .05"), ("interleaved_b15, neighbour", "alarm .05"), ("duet_b15", "alarm .05"),
         ("sequential_b15", "alarm .05"), ("separate_b15", "alarm .05"), ("b1", "alarm .05"),
         ("interleaved_b15", "5 %"), ("duet_b15", "5 %")]
SHORT_MARK = "of the peers"
PEERS = "score_ab tests/statistics/noise --windows 10"


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables_of(text):
    """Each Markdown table of the text as (its head, its rows), in order."""
    tables = []
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if not line.startswith("|") or i + 1 >= len(lines) or not re.fullmatch(r"[|:\- ]+", lines[i + 1]):
            continue
        rows = []
        for row in lines[i + 2:]:
            if not row.startswith("|"):
                break
            rows.append(cells_of(row))
        tables.append((cells_of(line), rows))
    return tables


def keys_of(head):
    """How many columns name a row."""
    count = 1
    while count < len(head) and head[count] in KEYS:
        count += 1
    return count


def key_of(head, row):
    """What names a row. A table of score_ab without its column of rules is of Steelyard alone."""
    if head[0] == "row" and head[1] != "rule":
        name = row[0].removesuffix(OTHER_ORDER)
        return name, "steelyard" + (OTHER_ORDER if name != row[0] else "")
    return tuple(row[:keys_of(head)])


def made_anew(head, rows, printed):
    """The rows with the figures that were printed."""
    its_head, its_rows = printed
    by_key = {key_of(its_head, row): row for row in its_rows}
    columns = []
    for i, title in enumerate(head):
        if i < keys_of(head):
            continue
        # Two columns may have one title, "10 %" found and called: they come in the same order in both.
        places = [at for at, other in enumerate(its_head) if other == title and at not in columns]
        if not places:
            raise KeyError(f"no column \"{title}\" is printed, of {its_head}")
        columns.append(places[0])
    anew = []
    for row in rows:
        key = key_of(head, row)
        if key not in by_key:
            raise KeyError(f"no row {key} is printed")
        anew.append(row[:keys_of(head)] + [by_key[key][column] for column in columns])
    return anew


def short_anew(rows, peers):
    """The short table's rows from the whole table of peers, without zeros before the point."""
    its_head, its_rows = peers
    by_key = {tuple(row[:2]): row for row in its_rows}
    return [[row[0]] + [by_key[of, "steelyard" if row[0] == "Steelyard" else row[0]][its_head.index(title)].lstrip("0")
                        for of, title in SHORT] for row in rows]


class Commands:
    """Runs each command once."""

    def __init__(self, build):
        self.build = build
        self.printed = {}

    def tables(self, command):
        if command not in self.printed:
            print(f"running {command}", file=sys.stderr)
            words = shlex.split(command)
            words[0] = os.path.join(self.build, "bin", words[0])
            done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=6 * 3600, check=True)
            self.printed[command] = tables_of(done.stdout)
        return self.printed[command]


def command_of(command, head, row):
    """The command of this row."""
    if "{" not in command:
        return command
    values = dict(zip(head, row))
    tries = [int(found[1]) for found in (re.search(r"^\d+ of (\d+)$", cell) for cell in row) if found]
    rounds = re.search(r" (\d+) rounds(?: in the time of (\d+))?(?:, first (\d+) %)?$", row[0])
    for i, name in enumerate(("n", "time", "first"), 1):
        values[name] = rounds[i] or "0" if rounds else "0"
    if tries:
        values.update({"of": str(tries[0]), "of/4": str(tries[0] // 4)})
    return re.sub(r"\{(.+?)\}", lambda found: values[found[1]], command)


def find_printed(tables, title, page_head):
    wanted = title or page_head[0]
    for head, rows in tables:
        if head[0] == wanted:
            return head, rows
    raise KeyError(f"no table \"{wanted}\" is printed, of {[head[0] for head, _ in tables]}")


def page_anew(path, commands, only):
    with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
        lines = stream.read().splitlines()
    i = 0
    while i < len(lines):
        mark = MARK.match(lines[i])
        i += 1
        if not mark or only not in mark["command"]:
            continue
        while not lines[i].startswith("|"):
            i += 1
        head, begin = cells_of(lines[i]), i + 2
        end = begin
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        rows = [cells_of(line) for line in lines[begin:end]]
        try:
            if mark["command"] == SHORT_MARK:
                anew = short_anew(rows, commands.tables(PEERS)[0])
            else:
                anew = []
                for row in rows:
                    printed = commands.tables(command_of(mark["command"], head, row))
                    anew += made_anew(head, [row], find_printed(printed, mark["table"], head))
        except KeyError as error:
            raise SystemExit(f"{path}:{i + 1}: {error.args[0]}") from error
        lines[begin:end] = ["| " + " | ".join(row).rstrip() + " |" for row in anew]
        i = end
    with open(os.path.join(ROOT, path), "w", encoding="utf-8") as stream:
        stream.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join("build", "check"))
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    build = os.path.join(ROOT, arguments.build)
    commands = Commands(build)
    for path in PAGES:
        page_anew(path, commands, arguments.only)
    if arguments.only in "published_scores":
        subprocess.run([os.path.join(build, "bin", "published_scores"), "tests/statistics/noise", "--write",
                        "docs/measured"], cwd=ROOT, timeout=3600, check=True)


if __name__ == "__main__":
    main()
