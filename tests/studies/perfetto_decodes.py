#!/usr/bin/env python3
"""Is what `steelyard profile --perfetto` writes what Perfetto's published description says? Prints a line of counts.

    tests/studies/perfetto_decodes.py PROTO [--spans FILE] [--steelyard PROGRAM] [--protoc PROGRAM]
        Writes a recording in Perfetto's format and has protoc decode it by PROTO, Perfetto's perfetto_trace.proto
        (protos/perfetto/trace in github.com/google/perfetto). Ends with a failure where protoc cannot, where a field
        is none of the description, where a slice does not end on its track or ends before it began, or where an arrow
        has one end. Without --spans the recording is one of an H100 that is among the tests.

Needs python3, protoc (Debian: protobuf-compiler) and a built steelyard (default: that of build/check).
"""
import argparse
import collections
import gzip
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIXTURE = os.path.join(ROOT, "tests", "bench", "profile", "device", "h100.spans.gz")


def run(command, **more):
    done = subprocess.run(command, capture_output=True, timeout=300, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} left with {done.returncode}:\n{done.stderr.decode(errors='replace')}")
    return done.stdout


def faults_of(text):
    """Of protoc's text: what is wrong, and what was counted."""
    faults, counts = [], collections.Counter()
    for line in re.findall(r"^ *\d+(?:: .*| \{)$", text, re.MULTILINE):
        faults.append(f"a field that the description has not: {line.strip()}")
    slices, starts, ends = collections.defaultdict(list), set(), set()
    for packet in re.split(r"^packet \{$", text, flags=re.MULTILINE)[1:]:
        counts["packets"] += 1
        kind = re.search(r"^    type: (\w+)$", packet, re.MULTILINE)
        if kind is None:
            continue
        at = int(re.search(r"^  timestamp: (\d+)$", packet, re.MULTILINE).group(1))
        track = slices[re.search(r"^    track_uuid: (\d+)$", packet, re.MULTILINE).group(1)]
        if kind.group(1) == "TYPE_SLICE_BEGIN":
            counts["slices"] += 1
            track.append(at)
        elif kind.group(1) == "TYPE_SLICE_END" and (not track or track.pop() > at):
            faults.append(f"an end at {at} without a beginning before it")
        starts |= set(re.findall(r"^    flow_ids: (\d+)$", packet, re.MULTILINE))
        ends |= set(re.findall(r"^    terminating_flow_ids: (\d+)$", packet, re.MULTILINE))
    faults += [f"{len(track)} slices of a track that do not end" for track in slices.values() if track]
    faults += [f"an arrow with one end: {flow}" for flow in sorted(starts ^ ends)]
    counts["arrows"] = len(starts & ends)
    return faults, counts


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("proto")
    options.add_argument("--spans")
    options.add_argument("--steelyard", default=os.path.join(ROOT, "build/check/bin/steelyard"))
    options.add_argument("--protoc", default="protoc")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spans, written = given.spans, os.path.join(folder, "it.pftrace")
        if spans is None:
            spans = os.path.join(folder, "h100.spans")
            with gzip.open(FIXTURE) as packed, open(spans, "wb") as out:
                out.write(packed.read())
        run([given.steelyard, "profile", "--read", "spans", spans, "--perfetto", written])
        place, name = os.path.split(os.path.abspath(given.proto))
        with open(written, "rb") as trace:
            text = run([given.protoc, f"--proto_path={place}", "--decode=perfetto.protos.Trace", name], stdin=trace)
    faults, counts = faults_of(text.decode())
    print(", ".join(f"{counts[what]} {what}" for what in ("packets", "slices", "arrows")) +
          f": {len(faults) or 'no'} faults")
    if faults or counts["slices"] == 0:
        sys.exit("\n".join(faults[:20]) or "no slices were written")


if __name__ == "__main__":
    main()
