#!/usr/bin/env python3
"""Rehearses on_device.sh against stand-ins for the program and for PyTorch (made_up/): the three calls in a row, killed
without a warning at many moments, and gone on with.

    rehearsal.py ON_DEVICE_SH MADE_UP FOLDER

Ends with 0 where nothing that was whole was lost, every call ended in its time, and what comes back fits: 8 files of 16
MiB. Problems are printed."""

import contextlib
import glob
import gzip
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time

CALLS = ("first", "second", "third")
ROW_SECONDS = 0.03
MOST_FILES, MOST_BYTES = 8, 16 << 20


class Rehearsal:
    def __init__(self, script, made_up, folder):
        self.script, self.made_up, self.folder = script, made_up, folder
        self.out = folder + ".out"
        self.problems = []

    def start(self, call, **variables):
        environment = {
            **os.environ,
            "PYTHONPATH": self.made_up,
            "MADE_UP_ROW_SECONDS": str(ROW_SECONDS),
            "STEELYARD_NULL_ROUNDS": "2",
            "STEELYARD_DEVICE_OUT": self.out,
            **variables,
        }
        command = [self.script, os.path.join(self.made_up, "made_up_device.py"), self.folder, call]
        log = open(self.folder + ".log", "a")
        return subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)

    def whole(self):
        """What must not be lost: (kind, name) -> when it was measured, or what it holds."""
        found = {}
        for part in ("smoke", "ours", "turns/1", "turns/2"):
            for path in glob.glob(os.path.join(self.folder, part, "*.json")):
                self.add_rows(found, part, path, read(path).get("benchmarks", []))
            for path in glob.glob(os.path.join(self.folder, part, "*.json.partial")):
                if part in ("smoke", "ours"):
                    self.add_rows(found, part, path, lines_of(path)[1:])
        for path in glob.glob(os.path.join(self.folder, "**", "peer.json"), recursive=True):
            for row in read(path)["rows"]:
                for key in ("eager_ns", "compiled_ns"):
                    if key in row:
                        found[os.path.relpath(path, self.folder), row["name"], key] = row[key.replace("ns", "hold_us")]
        for path in glob.glob(os.path.join(self.folder, "targets", "*.json")):
            found["targets", os.path.basename(path)] = os.stat(path).st_mtime_ns
        for path in glob.glob(os.path.join(self.folder, "null", "*", "a", "*.json")):
            if os.path.exists(path.replace("/a/", "/b/")):
                found["null", path] = os.stat(path).st_mtime_ns
        return found

    @staticmethod
    def add_rows(found, part, path, records):
        # A benchmark may be in two families: a ceiling stands beside what is held against it.
        family = os.path.basename(path).split(".")[0]
        by_name = {}
        for record in records:
            by_name.setdefault(record["name"], []).append(record)
        for name, rows in by_name.items():
            if any(row.get("error_occurred") for row in rows):
                continue  # a further call tries it once more
            if len(rows) >= rows[0].get("repetitions", 1):
                found[part, family, name] = rows[0].get("measured_at")

    def check_kept(self, before, moment):
        after = self.whole()
        for key, value in before.items():
            if after.get(key) != value:
                self.problems.append(f"{moment}: {key} was whole and is {after.get(key, 'gone')}")

    def check_out(self, moment):
        files = os.listdir(self.out) if os.path.isdir(self.out) else []
        sizes = [os.path.getsize(os.path.join(self.out, name)) for name in files]
        if len(files) > MOST_FILES or any(size > MOST_BYTES for size in sizes):
            self.problems.append(f"{moment}: {len(files)} files of {sizes} bytes would come back")

    def check_pack(self, moment):
        """The newest pack holds every file that measured something, byte for byte."""
        newest = sorted(name.rsplit(".", 1)[0] for name in os.listdir(self.out) if name.startswith("steelyard."))[-1]
        pieces = sorted(glob.glob(os.path.join(self.out, newest + ".?")))
        content = gzip.decompress(b"".join(open(piece, "rb").read() for piece in pieces))
        with tarfile.open(fileobj=io.BytesIO(content)) as packed:
            names = {os.path.normpath(member.name) for member in packed if member.isfile()}
        there = {
            os.path.relpath(path, self.folder)
            for path in glob.glob(os.path.join(self.folder, "**", "*.json"), recursive=True)
        }
        if there - names:
            self.problems.append(f"{moment}: not in the pack: {sorted(there - names)}")

    def run_to_the_end(self):
        for call in CALLS:
            before = self.whole()
            process = self.start(call)
            if process.wait(timeout=120) != 0:
                self.problems.append(f"{call} ended with {process.returncode}")
            self.check_kept(before, call)
            self.check_out(call)
            self.check_pack(call)

    def kill_at(self, call, seconds):
        process = self.start(call)
        time.sleep(seconds)
        # As a machine that goes: all of it. timeout(1) gives what it runs a group of its own, so by the session; until
        # none is left, as what was just started was in no list yet and would write on beside the next call.
        while pids := [*processes_of_session(process.pid)]:
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.poll()
        process.wait()
        self.check_out(f"{call} killed after {seconds} s")
        return self.whole()


def processes_of_session(session):
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if int(fields[3]) == session and fields[0] not in "ZX":
            yield int(path.split("/")[2])


def read(path):
    with open(path) as file:
        return json.load(file)


def lines_of(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def check_budget(script):
    """The parts of a call fit its time, and the calls fit fifteen minutes with a minute and a half to start."""
    with open(script) as file:
        text = file.read()
    share = {name: int(value) for name, value in re.findall(r"(\w+)\) echo (\d+) ;;", text)}
    end = int(re.search(r"end_seconds=(\d+)", text)[1])
    whole = 0
    for call, parts, seconds in re.findall(r'(first|second|third)\) parts\+=" ([a-z ]+)" seconds=.*?\+ (\d+)\)\)', text):
        taken = sum(share.get(part, end) for part in parts.split()) + end
        if taken > int(seconds):
            yield f"{call}: its parts take {taken} of {seconds} s"
        whole += int(seconds)
    if whole + 90 > 900 or whole == 0:
        yield f"the three calls take {whole} s"


def main(arguments):
    rehearsal = Rehearsal(*arguments)
    rehearsal.problems += check_budget(arguments[0])
    kept = {}
    moments = [("first", 0.3 + 0.3 * step) for step in range(4)]
    moments += [("second", 0.5 + 0.8 * step) for step in range(6)]
    moments += [("third", 0.5 + 0.7 * step) for step in range(4)]
    for call, seconds in moments:
        before = kept
        kept = rehearsal.kill_at(call, seconds)
        for key, value in before.items():
            if kept.get(key) != value:
                rehearsal.problems.append(f"{call} killed after {seconds} s: {key} is lost")
    print(f"{len(kept)} things were whole after {len(moments)} kills")
    rehearsal.run_to_the_end()
    # The machine is another one: nothing is there but what came back.
    before = {key: value for key, value in rehearsal.whole().items() if key[0] in ("smoke", "ours")}
    shutil.rmtree(rehearsal.folder)
    rehearsal.start("table", STEELYARD_DEVICE_EARLIER=rehearsal.out).wait(timeout=60)
    rehearsal.check_kept(before, "on another machine")
    print("\n".join(rehearsal.problems) or f"{len(rehearsal.whole())} things are whole in the end")
    return 1 if rehearsal.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
