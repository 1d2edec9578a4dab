#!/usr/bin/env python3
"""Which routines glibc chooses on this CPU and on the one that Valgrind shows, with and without the pinned tunables.

    cmake --build --preset check --target counting_libc_dispatch
    tests/studies/libc_dispatch.py build/check/bin/counting_libc_dispatch [FOLDER_OF_ANOTHER_GLIBC...]

A folder holds ld-linux-x86-64.so.2 and libc.so.6. The table does not depend on the load.
"""
import pathlib
import re
import subprocess
import sys


def pinned():
    source = pathlib.Path(__file__).parents[2] / "bench" / "counting" / "collection.cpp"
    body = re.search(r"kPinnedLibc =(.*?);", source.read_text(), re.S).group(1)
    return "".join(re.findall(r'"([^"]*)"', body))


def choices(program, glibc, tunables, counted):
    command = [program]
    if glibc:
        command = [f"{glibc}/ld-linux-x86-64.so.2", "--library-path", glibc, program]
    if counted:
        command = ["valgrind", "-q", "--tool=none", *command]
    environment = {"PATH": "/usr/bin:/bin", "GLIBC_TUNABLES": tunables}
    text = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    return dict(line.split() for line in text.splitlines())


def version(glibc):
    command = [f"{glibc}/ld-linux-x86-64.so.2" if glibc else "/lib64/ld-linux-x86-64.so.2", "--version"]
    return re.search(r"version (\S+)\.", subprocess.run(command, capture_output=True, text=True).stdout).group(1)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print("| glibc | tunables | routines | chosen differently |")
    print("|---|---|---|---|")
    for glibc in ["", *sys.argv[2:]]:
        for name, tunables in [("none", ""), ("pinned", pinned())]:
            here = choices(sys.argv[1], glibc, tunables, False)
            counted = choices(sys.argv[1], glibc, tunables, True)
            other = [routine for routine in here if here[routine] != counted[routine]]
            print(f"| {version(glibc)} | {name} | {len(here)} | {len(other)} |")


main()
