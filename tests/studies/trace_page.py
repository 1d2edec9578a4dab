#!/usr/bin/env python3
"""How long does a page of a million events take, from the trace to the picture? Prints the table of
docs/measured/spans.md.

    tests/studies/trace_page.py [--events 1000000] [--tries 3] [--steelyard PROGRAM]
        Makes up a Chrome trace of so many events on ten threads, four spans in each step, and one of eighty.
        `steelyard profile --read chrome FILE --html PAGE` writes the page of each, and Chromium without a screen opens
        it and takes a picture of it: each the best of the tries, as what others did meanwhile is no part of it. The
        page's script has set its mark by then, or the study ends: it draws the timeline before it does.

Needs python3, chromium and a built steelyard (default: that of build/check). Leave the machine alone while it runs.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

from machine import machine

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SPANS = (("layer", 0, 3.9), ("product", 0.1, 3.0), ("pack", 0.2, 0.9), ("multiply", 1.2, 1.8))  # of 4 us each
THREADS = 10


def write_trace(path, events):
    with open(path, "w", encoding="ascii") as out:
        out.write('{"traceEvents": [')
        separator = "\n"
        for i in range(max(1, events // (THREADS * len(SPANS)))):
            for thread in range(THREADS):
                for name, begin, duration in SPANS:
                    out.write(f'{separator}{{"ph": "X", "name": "{name}{i % 50}", "pid": 1, "tid": {thread}, '
                              f'"ts": {4 * i + begin:.3f}, "dur": {duration}}}')
                    separator = ",\n"
        out.write("\n]}\n")


def best(tries, run):
    return min(run() for _ in range(tries))


def seconds_of(command):
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} left with {done.returncode}:\n{done.stderr}")
    return time.monotonic() - begun, done.stdout


class Browser:
    def __init__(self, folder):
        self.folder = folder
        names = ("chromium", "chromium-browser", "google-chrome")
        self.program = next((shutil.which(name) for name in names if shutil.which(name)), None)
        if self.program is None:
            sys.exit("trace_page.py: found no chromium, wanted a browser that opens the page")

    def run(self, page, *options):
        profile = tempfile.mkdtemp(dir=self.folder)
        return seconds_of([self.program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                           "--virtual-time-budget=2000", f"--user-data-dir={profile}", *options, "file://" + page])

    def picture(self, page):
        picture = page + ".png"
        seconds, _ = self.run(page, "--window-size=1280,1000", f"--screenshot={picture}")
        if os.path.getsize(picture) == 0:
            sys.exit(f"{picture}: found no picture")
        return seconds

    def check_is_drawn(self, page):
        _, dom = self.run(page, "--dump-dom")
        if 'data-ready="true"' not in dom:
            sys.exit(f"{page}: found a page whose script did not come to its end")


def measured(arguments, folder, browser, events):
    trace = os.path.join(folder, f"{events}.json")
    page = os.path.join(folder, f"{events}.html")
    write_trace(trace, events)
    written = best(arguments.tries, lambda: seconds_of(
        [arguments.steelyard, "profile", "--read", "chrome", trace, "--html", page])[0])
    browser.check_is_drawn(page)
    opened = best(arguments.tries, lambda: browser.picture(page))
    return os.path.getsize(trace), written, os.path.getsize(page), opened


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--steelyard", default=os.path.join(ROOT, "build", "check", "bin", "steelyard"))
    arguments = parser.parse_args()
    if not os.path.exists(arguments.steelyard):
        sys.exit(f"{arguments.steelyard}: found no program, wanted a built steelyard")
    print("| events | trace | read, and the page written, in | page | Chromium opens it and takes a picture in |")
    print("|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(folder)
        for events in (80, arguments.events):
            trace_bytes, written, page_bytes, opened = measured(arguments, folder, browser, events)
            print(f"| {events:,} | {trace_bytes / 1e6:.3g} MB | {written:.2f} s | {page_bytes / 1e6:.3g} MB | "
                  f"{opened:.2f} s |", flush=True)
    print(f"\n{machine()}, the best of {arguments.tries}")


if __name__ == "__main__":
    main()
