#!/usr/bin/env python3
"""Does speedscope open what `steelyard profile` writes? Prints a line for each kind of file.

    tests/studies/speedscope_opens.py [--version 1.25.0] [--spans FILE] [--steelyard PROGRAM]
        Takes that version of speedscope from the npm registry, writes a recording as each kind of file that it reads,
        and has its own page open them, in Chromium without a screen: what it could import has a profile's name where
        what it could not has its apology. Without --spans the recording is one of an H100 that is among the tests.

Needs python3, npm, chromium and a built steelyard (default: that of build/check).
"""
import argparse
import base64
import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIXTURE = os.path.join(ROOT, "tests", "bench", "profile", "device", "h100.spans.gz")
# By the option that writes it; speedscope goes by the ends of some names.
FILES = (("--speedscope", "it.speedscope.json"), ("--chrome", "it.trace.json"), ("--pprof", "it.pb.gz"),
         ("--callgrind", "callgrind.out.it"), ("--folded", "it.folded"))


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} left with {done.returncode}:\n{done.stderr}")
    return done.stdout


def browser():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    sys.exit("speedscope_opens.py: found no chromium, wanted a browser that opens its page")


def page_of_speedscope(version, folder):
    packed = run(["npm", "pack", "--silent", f"speedscope@{version}"], cwd=folder).split()[-1]
    with tarfile.open(os.path.join(folder, packed)) as archive:
        archive.extractall(folder, filter="data")
    return os.path.join(folder, "package", "dist", "release", "index.html")


def told(program, page, file, folder):
    """What the page says once it was given the file, as its own command line gives it one."""
    with open(file, "rb") as content:
        text = base64.b64encode(content.read()).decode("ascii")
    script = file + ".js"
    with open(script, "w", encoding="ascii") as out:
        out.write(f'speedscope.loadFileFromBase64("{os.path.basename(file)}", "{text}")')
    dom = run([program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
               f"--user-data-dir={tempfile.mkdtemp(dir=folder)}", "--virtual-time-budget=5000", "--dump-dom",
               f"file://{page}#localProfilePath={script}"])
    return re.sub(r"<(style|script).*?</\1>|<[^>]+>", " ", dom, flags=re.S)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", default="1.25.0")
    parser.add_argument("--spans")
    parser.add_argument("--steelyard", default=os.path.join(ROOT, "build", "check", "bin", "steelyard"))
    arguments = parser.parse_args()
    program = browser()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        page = page_of_speedscope(arguments.version, folder)
        spans = arguments.spans or os.path.join(folder, "it.spans")
        if not arguments.spans:
            with gzip.open(FIXTURE) as packed, open(spans, "wb") as out:
                shutil.copyfileobj(packed, out)
        for option, name in FILES:
            file = os.path.join(folder, name)
            run([arguments.steelyard, "profile", "--read", "spans", spans, option, file])
            text = told(program, page, file, folder)
            is_open = "Left Heavy" in text and "Something went wrong" not in text
            failed += 0 if is_open else 1
            print(f"{option} {name}: {'opened' if is_open else 'REFUSED'} by speedscope {arguments.version}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
