#!/usr/bin/env python3
"""One table of what was measured on a device: ours, PyTorch's, the share of what the device can do, and the figures.

    device_table.py FOLDER [--json table.json]

FOLDER: as on_device.sh leaves it: smoke/*.json and ours/*.json (Google Benchmark's JSON of steelyard_cuda_suite; of a
benchmark in both ours/ counts), peer.json (torch_peer.py), turns/N/ours.json and turns/N/peer.json (products in turns),
decoding_peer.json (torch_decoding.py).
Times are medians of cold samples. Where one is less than five launches of nothing (ceiling/launch), the row is judged
by hot times, of both sides. Products are judged turn by turn, by cycles where the two clocks differ by more than 1 %.
The ceiling of a row is measured: copy bandwidth, for gemv, gather_gemv and decoding read bandwidth, or the large product in the
row's dtype, whichever the row comes nearer to. "<= compiled + X noise": slower by no more than two turns of the same
differ, which is how far a gate of the same build (null/) is from 1, or else the median over successive processes of
targets/ of how far their medians are apart. Of products: how far the turns' shares are apart. What was not measured is
"-", and a figure that lacks a part is undecided. The verdict of record is `steelyard targets`; this is for reading at once.
"""

import argparse
import glob
import json
import os
import re
import statistics
import sys

from benchmark_names import Name, importance

SHARE_OF_BEST_PRODUCT = 0.97
SHARE_OF_BANDWIDTH = 0.90
FUSED_OVER_CHAIN = 8.0
CLOCKS_WITHIN = 0.01
LAUNCHES_OF_NOTHING = 5
READERS = ("gemv", "gather_gemv", "decoding/llama", "decoding/mixtral")  # what they write is next to nothing


def read_json(path):
    try:
        with open(path) as file:
            return json.load(file), None
    except (OSError, ValueError) as error:
        return None, f"{path}: {error}"


SAMPLED = {
    "cold": "real_time",
    "hot": "hot_time",
    "flops": "flops",
    "bandwidth": "bandwidth",
    "clock": "sm_clock",
    "cycles": "device_cycles",
}


def read_rows(paths):
    """name -> row, the files' context, and what could not be read."""
    rows, context, faults = {}, {}, []
    for path in sorted(paths):
        document, fault = read_json(path)
        if fault:
            faults.append(fault)
            continue
        context.update(document.get("context", {}))
        for record in document.get("benchmarks", []):
            row = rows.setdefault(record["name"], {**{key: [] for key in SAMPLED}, "label": "", "fault": ""})
            if record.get("error_occurred") or record.get("skipped"):
                row["fault"] = record.get("error_message") or record.get("skip_message") or "failed"
                continue
            for key, metric in SAMPLED.items():
                if metric in record:
                    row[key].append(record[metric])
            row["label"] = row["label"] or record.get("label", "")
    return rows, context, faults


def read_ours(folder):
    rows, context, faults = read_rows(glob.glob(os.path.join(folder, "smoke", "*.json")))
    figures = [path for part in ("ours/*.json", "turns/*/ours.json") for path in glob.glob(os.path.join(folder, part))]
    more, more_context, more_faults = read_rows(figures)
    return {**rows, **more}, {**context, **more_context}, faults + more_faults


def read_decoding(folder):
    """Rows as peer.json has them, of torch_decoding.py's lines of whole models that were compiled."""
    try:
        with open(os.path.join(folder, "decoding_peer.json")) as file:
            models = [json.loads(line) for line in file]
    except (OSError, ValueError):
        return []
    rows = []
    for model in models:
        if model.get("is_whole") and model["compiled"] != "none":
            kind, _, dtype = model["model"].partition("/")
            rows.append({"name": f"decoding/{kind}/dtype:{dtype}", "compiled_ns": model["generation_ns"]})
    return rows


def read_turns(folder):
    """Products in turns with PyTorch: (ours, peer) of each turn, by name."""
    turns = []
    for path in sorted(glob.glob(os.path.join(folder, "turns", "[0-9]*"))):
        ours = read_rows(glob.glob(os.path.join(path, "ours.json")))[0]
        peer = read_json(os.path.join(path, "peer.json"))[0]
        turns.append((ours, {row["name"]: row for row in (peer or {}).get("rows", [])}))
    return turns


def null_ratios(folder):
    """benchmark -> the ratio b over a of each gate: medians of the rounds' ratios of medians of cold samples."""
    ratios = {}
    for gate in sorted(glob.glob(os.path.join(folder, "null", "*"))):
        rounds = {}
        for path in glob.glob(os.path.join(gate, "a", "*.json")):
            sides = [cold_medians(os.path.join(gate, side, os.path.basename(path))) for side in "ab"]
            for name in sides[0].keys() & sides[1].keys():
                rounds.setdefault(name, []).append(sides[1][name] / sides[0][name])
        for name, values in rounds.items():
            ratios.setdefault(name, []).append(statistics.median(values))
    return ratios


def cold_medians(path):
    document, fault = read_json(path)
    cold = {}
    for record in [] if fault else document.get("benchmarks", []):
        if record.get("real_time", 0) > 0:
            cold.setdefault(record["name"], []).append(record["real_time"])
    return {name: statistics.median(times) for name, times in cold.items()}


def null_lines(ratios):
    for name in sorted(ratios):
        values = ratios[name]
        spread = f", standard deviation {statistics.stdev(values):.3%}" if len(values) > 1 else ""
        yield (
            f"the same build against itself, {len(values)} gates, {name}: "
            f"ratio {min(values):.4f} to {max(values):.4f}{spread}"
        )


def read_processes(folder):
    """Of each process of targets/: the rows, by name."""
    paths = sorted(glob.glob(os.path.join(folder, "targets", "*.json")))
    return [read_rows([path])[0] for path in paths]


def median(values):
    return statistics.median(values) if values else None


def label_part(label, part):
    for piece in label.split(";"):
        key, _, value = piece.strip().partition(": ")
        if key == part:
            return value
    return ""


class Table:
    def __init__(self, ours, peer, turns=(), null=None, processes=()):
        self.ours = ours
        self.null = null or {}
        self.processes = processes
        self.peer = {row["name"]: row for row in (peer or {}).get("rows", [])}
        self.turns = turns
        for _, rows in turns:
            self.peer = {**rows, **self.peer}
        self.by_ceiling = {}
        for text, row in ours.items():
            name = Name(text)
            if name.benchmark != "ceiling":
                continue
            key = name.get("access") or name.get("dtype")
            self.by_ceiling[key] = median(row["bandwidth" if "access" in name.axes else "flops"])
        self.floor = self.time("ceiling/launch") or 0

    def time(self, text):
        return median(self.ours[text]["cold"]) if text in self.ours else None

    def is_mostly_launch(self, text):
        return (self.time(text) or 0) < LAUNCHES_OF_NOTHING * self.floor

    def noise(self, text):
        """What two turns of the same row differ by, as a share; None: nothing was measured that says it."""
        if self.null.get(text) and not self.is_mostly_launch(text):
            return max(abs(ratio - 1) for ratio in self.null[text])
        times = "hot" if self.is_mostly_launch(text) else "cold"
        medians = [median(process[text][times]) for process in self.processes if text in process]
        medians = [value for value in medians if value]
        return median([abs(after / before - 1) for before, after in zip(medians, medians[1:])])

    def no_slower(self, text, kind):
        """Than PyTorch, by the times that say it and their noise, and that in words; None: one of them is missing."""
        ours, peer, noise = self.time(text), self.peer_time(text, f"{kind}_ns"), self.noise(text)
        if self.is_mostly_launch(text):
            ours, peer = median(self.ours[text]["hot"]), self.peer_time(text, f"{kind}_hot_ns")
        asked = f"<= {kind}" + (", noise unknown" if noise is None else f" + {noise:.2%} noise")
        return ours <= peer * (1 + (noise or 0)) if ours and peer else None, asked

    def share_of_product(self, text):
        """PyTorch's time over ours, the median of the turns; and how they were taken, in words."""
        ratios, by_cycles = [], False
        for ours, peer in self.turns or [(self.ours, self.peer)]:
            row, other = ours.get(text), peer.get(text, {})
            if not row or not row["cold"] or not other.get("eager_ns"):
                continue
            clock, other_clock = median(row["clock"]), other.get("eager_sm_clock")
            differs = clock and other_clock and abs(other_clock / clock - 1) > CLOCKS_WITHIN
            if differs and row["cycles"] and other.get("eager_cycles"):
                ratios.append(other["eager_cycles"] / median(row["cycles"]))
                by_cycles = True
            else:
                ratios.append(other["eager_ns"] / median(row["cold"]))
        how = ["cycles"] if by_cycles else []
        if len(ratios) > 1:
            how.append(f"turns {max(ratios) / min(ratios) - 1:.1%} apart")
        return median(ratios), f" ({', '.join(how)})" if how else ""

    def peer_time(self, text, kind):
        return self.peer.get(text, {}).get(kind)

    def shares(self, text):
        """Of bandwidth and of arithmetic, each None where row or ceiling lacks it."""
        row, name = self.ours[text], Name(text)
        access = "read" if name.benchmark in READERS else "copy"

        def share(rate, ceiling):
            achieved = median(row[rate])
            return achieved / ceiling if achieved and ceiling else None

        # A product of 8-bit weights with bf16 values is bound by memory; its arithmetic is that of bf16.
        dtype = "bf16" if name.benchmark in READERS and name.get("dtype") == "i8" else name.get("dtype")
        bandwidth = share("bandwidth", self.by_ceiling.get(access))
        return {"bandwidth": bandwidth, "flops": share("flops", self.by_ceiling.get(dtype))}

    def share(self, text):
        """The larger: what bounds the row. (None, "") where neither is known."""
        known = [(share, kind) for kind, share in self.shares(text).items() if share is not None]
        return max(known) if known else (None, "")

    def figure(self, text):
        """What is asked of the row, and whether it is so: True, False, or None where a part was not measured."""
        name, ours = Name(text), self.time(text)
        compiled, asked = self.no_slower(text, "compiled")
        bandwidth = self.shares(text)["bandwidth"]
        is_product = name.benchmark in ("matmul", "matmul_fastest")
        if is_product and name["n"] == 8192 and name["dtype"] in ("bf16", "f8", "i8"):
            share, how = self.share_of_product(text)
            met = share >= SHARE_OF_BEST_PRODUCT if share else None
            return f">= {SHARE_OF_BEST_PRODUCT:.0%} of PyTorch" + how, met
        if name.benchmark in ("layer_norm", "softmax", "rms_norm", "gelu") and name.get("form") == "fused":
            if name.benchmark != "gelu" and (name["columns"], name["rows"]) != (16384, 4096):
                return "", None
            return f">= {SHARE_OF_BANDWIDTH:.0%} of copy, {asked}", self.both(bandwidth, compiled)
        if name.benchmark in ("gemv", "gather_gemv"):
            if name["n"] == 16384:
                return f">= {SHARE_OF_BANDWIDTH:.0%} of read, {asked}", self.both(bandwidth, compiled)
            return asked, compiled
        if name.benchmark == "gelu" and name.get("form") == "chain":
            fused = self.time(text.replace("form:chain", "form:fused"))
            return f">= {FUSED_OVER_CHAIN:g} x fused", ours / fused >= FUSED_OVER_CHAIN if ours and fused else None
        if name.benchmark.startswith("decoding/") and self.peer_time(text, "compiled_ns"):
            declared, met = self.declared(text)
            return f"{declared}, {asked}", met and compiled
        return self.declared(text)

    @staticmethod
    def both(bandwidth, is_no_slower):
        if bandwidth is not None and bandwidth < SHARE_OF_BANDWIDTH:
            return False
        return None if bandwidth is None else is_no_slower

    def declared(self, text):
        """The row's own target, "0.61 of bandwidth", against the measured ceiling."""
        target = label_part(self.ours[text]["label"], "target")
        parts = re.fullmatch(r"([0-9.]+) of (?:measured )?(?:read )?(bandwidth|flops)", target)
        if not parts:
            return target, None
        share = self.shares(text)[parts[2]]
        return target, None if share is None else share >= float(parts[1])

    def lines(self):
        yield ["benchmark", "ours", "eager", "compiled", "of ceiling", "bound by", "target", ""]
        for text in sorted(self.ours, key=lambda text: (importance(text), text)):
            row = self.ours[text]
            if not row["cold"]:
                yield [text, "failed", "", "", "", "", "", row["fault"][:120]]
                continue
            share, kind = self.share(text)
            target, met = self.figure(text)
            yield [
                text,
                time_text(self.time(text)),
                time_text(self.peer_time(text, "eager_ns")),
                time_text(self.peer_time(text, "compiled_ns")),
                "-" if share is None or Name(text).benchmark.startswith("ceiling") else f"{share:.1%}",
                kind,
                target,
                "" if not target else {True: "reached", False: "NOT REACHED", None: "undecided"}[met],
            ]

    def document(self):
        rows = []
        for text, row in self.ours.items():
            target, met = self.figure(text) if row["cold"] else ("", None)
            share, kind = self.share(text)
            rows.append(
                {
                    "name": text,
                    "ours_ns": self.time(text),
                    "eager_ns": self.peer_time(text, "eager_ns"),
                    "compiled_ns": self.peer_time(text, "compiled_ns"),
                    "share_of_ceiling": share,
                    "bound_by": kind,
                    "target": target,
                    "reached": met,
                    "fault": row["fault"],
                }
            )
        return {"schema": "steelyard.device_table/1", "ceilings": self.by_ceiling, "rows": rows}


def time_text(nanoseconds):
    if nanoseconds is None:
        return "-"
    for factor, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if nanoseconds >= factor:
            return f"{nanoseconds / factor:.4g} {unit}"
    return f"{nanoseconds:.4g} ns"


def aligned(lines):
    lines = list(lines)
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    right = {1, 2, 3, 4}
    for line in lines:
        cells = [cell.rjust(widths[i]) if i in right else cell.ljust(widths[i]) for i, cell in enumerate(line)]
        yield "  ".join(cells).rstrip()


def about_lines(context, peer, turns):
    about = [context.get("gpu.device", "an unknown device"), "driver " + context.get("gpu.driver", "unknown")]
    about.append("PyTorch " + (peer["torch"] if peer else "not measured"))
    about.append(context.get("date", "no date"))
    yield ", ".join(about)
    theirs = (peer or {}).get("cublas_lt") or "unknown"
    yield f"cuBLASLt: ours {context.get('gpu.cublas', 'unknown')}, PyTorch's {theirs}; {len(turns)} turns of products"
    if peer:
        yield f"PyTorch's clock: {peer.get('clock', 'unknown')}"


def same_library_lines(folder, table):
    """Products by the library that PyTorch has: what of a difference is the library's."""
    rows, context, _ = read_rows([os.path.join(folder, "same_library.json")])
    for text in sorted(rows):
        ours, other = table.time(text), median(rows[text]["cold"])
        if ours and other:
            yield f"{text} by cuBLASLt {context.get('gpu.cublas')}: {time_text(other)}, {other / ours:.3f} of ours"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--json", help="a file for the table as JSON")
    options = parser.parse_args(arguments)
    ours, context, faults = read_ours(options.folder)
    peer, peer_fault = read_json(os.path.join(options.folder, "peer.json"))
    if peer_fault:
        faults.append(f"no PyTorch to compare with: {peer_fault}")
    if decoding := read_decoding(options.folder):
        peer = {**(peer or {}), "rows": [*(peer or {}).get("rows", []), *decoding]}
    turns = read_turns(options.folder)
    null = null_ratios(options.folder)
    table = Table(ours, peer, turns, null, read_processes(options.folder))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({**table.document(), "null_ratios": null}, file, indent=1)
    print("\n".join(aligned(table.lines())))
    print()
    for line in about_lines(context, peer, turns):
        print(line)
    for line in same_library_lines(options.folder, table):
        print(line)
    for line in null_lines(null):
        print(line)
    for text in (peer or {}).get("not_reached", []):
        print(f"not reached in time by PyTorch: {text}")
    for row in (peer or {}).get("rows", []):
        for kind in ("eager", "compiled"):
            if f"{kind}_error" in row:
                print(f"failed in PyTorch, {kind}: {row['name']}: {row[f'{kind}_error']}")
    for fault in faults:
        print(fault)
    return 0 if ours else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
