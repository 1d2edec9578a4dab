#!/usr/bin/env python3
"""Cuts what a run of bench/suites/cuda/on_device.sh left of its part `trace` down to the fixtures beside this file.

    cut_fixtures.py FOLDER                    # with activities.PID, step.spans and trace.json
    cut_fixtures.py FOLDER --without-names    # of activity_dump.cpp as it was: no names of kernels behind a buffer
    cut_fixtures.py FOLDER --work             # of what record.sh left

Those here are of 27 November 2026: one NVIDIA H100 80GB HBM3, driver 580.159.04, CUDA 13.0; they were cut with
--without-names. Kept are
    h100.activities.gz     some of CUPTI's raw records: calls and kernels of a perceptron, by themselves and in graphs
    h100.spans.gz          a few iterations of three benchmarks, with all that the device did for them
    h100.pt.trace.json.gz  the whole trace of torch.profiler
    h100.nodes.gz          with --work: all of CUPTI's raw records of a few things of each kind, with their names;
    h100.graphs.gz             a graph kernel by kernel, and as one
    h100.work.spans.gz         our own recording of the same work, kernel by kernel, with queues
    h100.shares.spans.gz       three iterations of each of seven benchmarks
    h100.perceptron.*.gz       torch.profiler's trace with memory, and what PyTorch adds up of it
Numbers of processes and threads, paths and the machine's name are taken out.
"""
import argparse
import gzip
import json
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent
HEADER, CHUNK, CHUNK_HEAD, SLOT, RECORD = 64 * 1024, 256 * 1024, 64, 56, 96  # bench/profile/spans/span_file.hpp
SPANS, NAMES, DEVICE = 1, 2, 5
LENGTHS = {1: 96, 2: 88, 4: 40, 5: 40, 8: 184, 10: 216, 17: 56, 37: 24, 49: 128, 51: 56}  # CUPTI's of CUDA 13.0
CALLS, KERNEL = (4, 5), 10


def write(name, data):
    (HERE / name).write_bytes(gzip.compress(data, mtime=0))


def records_of(data, has_names):
    """Names of kernels are passed over: the fixtures have numbers in their place."""
    at = 4
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        at, end = at + 8, at + 8 + size
        while at < end:
            (kind,) = struct.unpack_from("<I", data, at)
            yield kind, bytearray(data[at:at + LENGTHS[kind]])
            at += LENGTHS[kind]
        if not has_names:
            continue
        (names,) = struct.unpack_from("<Q", data, at)
        at += 8
        for _ in range(names):
            _, length = struct.unpack_from("<QQ", data, at)
            at += 16 + length


def correlation(kind, record):
    return struct.unpack_from("<I", record, {10: 92, 4: 32, 5: 32}[kind])[0]


def cut_activities(folder, has_names):
    """Of each kernel and shape two launches and of each graph one with its first four kernels; with their calls."""
    data = next(folder.glob("activities.*")).read_bytes()
    records = list(records_of(data, has_names))
    of_call = {}
    for kind, record in records:
        if kind == KERNEL:
            of_call.setdefault(correlation(kind, record), []).append(bytes(record[52:76] + record[104:112]))
    seen, kept = {}, set()
    for number, kernels in of_call.items():
        key = (tuple(kernels), len(kernels) > 1)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= 2 and (len(kernels) == 1 or seen[key] == 1):
            kept.add(number)
    names, out, counts = {}, bytearray(), {}
    for kind, record in records:
        if kind == KERNEL or kind in CALLS:
            number = correlation(kind, record)
            if number not in kept:
                continue
            counts[number] = counts.get(number, 0) + (kind == KERNEL)
            if kind == KERNEL and counts[number] > 4:
                continue
        if kind == KERNEL:  # the name's address says nothing any more: from 1 on, by their order
            (name,) = struct.unpack_from("<Q", record, 104)
            struct.pack_into("<Q", record, 104, names.setdefault(name, len(names) + 1))
        if kind in CALLS:
            struct.pack_into("<II", record, 24, 1, 1)
        if kind == 17:
            struct.pack_into("<III", record, 12, 1, 1, 0)
        out += record
    write("h100.activities.gz", data[:4] + struct.pack("<Q", len(out)) + out)


WANTED = {  # which iterations of which benchmark
    "mlp_forward/batch:256/dim:256/dtype:bf16/form:fused": range(5, 8),
    "mlp_forward/batch:256/dim:256/dtype:bf16/form:chain": range(15, 18),
    "mlp_training/batch:256/dim:256/dtype:bf16/form:fused/layers:4/steps:2": range(10, 12),
}


def chunks_of(data, kind):
    for at in range(HEADER, len(data), CHUNK):
        if struct.unpack_from("<I", data, at)[0] == kind:
            yield data[at:at + CHUNK]


def names_of(data):
    names = {}
    for chunk in chunks_of(data, NAMES):
        (used,) = struct.unpack_from("<Q", chunk, 32)
        at = CHUNK_HEAD
        while at + 16 <= CHUNK_HEAD + used:
            number, name, file, line = struct.unpack_from("<IIII", chunk, at)
            names[number] = (chunk[at + 16:at + 16 + name].decode(), line)
            at += (16 + name + file + 7) // 8 * 8
    return names


def chunk_of(kind, content, used=0):
    head = struct.pack("<IIQ16sQ", kind, 0, 1, b"main", used).ljust(CHUNK_HEAD, b"\0")
    assert len(head + content) <= CHUNK
    return (head + content).ljust(CHUNK, b"\0")


def cut_spans(folder, source="step.spans", target="h100.spans.gz", wanted=WANTED):
    data = (folder / source).read_bytes()
    names = names_of(data)
    first_ticks, first_ns = struct.unpack_from("<QQ", data, 48)
    (rate,) = struct.unpack_from("<d", data, 464)
    count, slots, stretches = {}, bytearray(), []
    for chunk in chunks_of(data, SPANS):
        for at in range(CHUNK_HEAD, CHUNK - SLOT + 1, SLOT):
            begin, end, name = struct.unpack_from("<QQI", chunk, at)
            if begin == 0:
                break
            text = names[name][0]
            number = count[text] = count.get(text, -1) + 1
            if number not in wanted.get(text, ()):
                continue
            slots += chunk[at:at + 48] + bytes(8)
            stretches.append(tuple(first_ns + (ticks - first_ticks) * rate for ticks in (begin, end)))
    records = [bytearray(chunk[at:at + RECORD]) for chunk in chunks_of(data, DEVICE)
               for at in range(CHUNK_HEAD, CHUNK - RECORD + 1, RECORD)]
    kept, device = set(), bytearray()
    for record in records:
        kind, _, begin, end, _, number = struct.unpack_from("<IIQQQI", record)
        if kind in (5, 6) and any(start <= begin and end <= stop for start, stop in stretches):
            kept.add(number)
    for record in records:
        kind, _, begin, _, _, number = struct.unpack_from("<IIQQQI", record)
        of_none = kind in (7, 9) and any(start <= begin < stop for start, stop in stretches)  # overhead, memory
        if of_none or kind == 8 or (1 <= kind <= 6 and number in kept):
            if kind in (5, 6):
                struct.pack_into("<I", record, 36, 1)
            device += record
    used = {struct.unpack_from("<I", bytes_, at + place)[0]
            for bytes_, step, place in ((slots, SLOT, 16), (device, RECORD, 4)) for at in range(0, len(bytes_), step)}
    texts = bytearray()
    for number in sorted(used - {0}):
        name, line = names[number]
        record = struct.pack("<IIII", number, len(name.encode()), 0, line) + name.encode()
        texts += record.ljust((len(record) + 7) // 8 * 8, b"\0")
    header = bytearray(data[:HEADER])
    struct.pack_into("<Q", header, 24, 1)
    header[120:376] = b"steelyard_cuda_suite".ljust(256, b"\0")
    header[376:440] = bytes(64)
    write(target, bytes(header) + chunk_of(SPANS, bytes(slots)) + chunk_of(NAMES, bytes(texts), len(texts)) +
          chunk_of(DEVICE, bytes(device)))


def cut_trace(folder):
    trace = json.loads((folder / "trace.json").read_text())
    trace.pop("trace_id", None)
    trace["traceName"] = "trace.json"
    write("h100.pt.trace.json.gz", json.dumps(trace, separators=(",", ":")).encode())


AVERAGES = ("key", "count", "device_type", "self_cpu_time_total", "cpu_time_total", "self_device_time_total",
            "device_time_total", "self_cpu_memory_usage", "cpu_memory_usage", "self_device_memory_usage",
            "device_memory_usage", "flops", "is_user_annotation")


def without_places(kind, record):
    """Without what says where it ran: processes, threads, addresses, the device's own number."""
    for begin, end, value in {4: [(24, 32, 1)], 5: [(24, 32, 1)], 17: [(12, 24, 1)], 8: [(120, 144, 0)],
                              49: [(16, 24, 0), (40, 52, 0), (64, 72, 0)]}.get(kind, []):
        for at in range(begin, end, 4):
            struct.pack_into("<I", record, at, value)
    return record


def cut_dump(folder, source, target):
    """The first buffer whole: the second one has nothing but what the recording itself cost."""
    data = next(folder.glob(source + ".*")).read_bytes()
    (size,) = struct.unpack_from("<Q", data, 4)
    out, at = bytearray(data[:12]), 12
    while at < 12 + size:
        (kind,) = struct.unpack_from("<I", data, at)
        out += without_places(kind, bytearray(data[at:at + LENGTHS[kind]]))
        at += LENGTHS[kind]
    (names,) = struct.unpack_from("<Q", data, at)
    end = at + 8
    for _ in range(names):
        end += 16 + struct.unpack_from("<Q", data, end + 8)[0]
    write(target, bytes(out) + data[at:end])


def cut_work(folder):
    cut_dump(folder, "nodes", "h100.nodes.gz")
    cut_dump(folder, "graphs", "h100.graphs.gz")
    cut_spans(folder, "kept/HasEachKernelOfAGraphWithItsQueueByOption.spans", "h100.work.spans.gz",
              {"many kinds": range(1)})
    products = [f"matmul/dtype:{dtype}/n:4096" for dtype in ("f32", "tf32", "bf16", "f8", "i8")]
    others = ["gelu/dtype:bf16/form:fused/n:67108864", "gemv/dtype:bf16/n:8192"]
    cut_spans(folder, "shares.spans", "h100.shares.spans.gz", {name: range(5, 8) for name in products + others})
    trace = json.loads((folder / "trace.json").read_text())
    trace.pop("trace_id", None)
    trace["traceName"] = "trace.json"
    write("h100.perceptron.pt.trace.json.gz", json.dumps(trace, separators=(",", ":")).encode())
    rows = [{name: row[name] for name in AVERAGES} for row in json.loads((folder / "averages.json").read_text())]
    write("h100.perceptron.averages.json.gz", json.dumps(rows, separators=(",", ":")).encode())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--without-names", action="store_true")
    parser.add_argument("--work", action="store_true")
    options = parser.parse_args()
    folder = options.folder
    if options.work:
        return cut_work(folder)
    cut_activities(folder, not options.without_names)
    cut_spans(folder)
    cut_trace(folder)


if __name__ == "__main__":
    main()
