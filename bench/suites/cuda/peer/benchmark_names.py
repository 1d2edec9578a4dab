"""Benchmark names as data: "gemv/dtype:bf16/n:4096" is the benchmark gemv with two named parameters."""

import re


class Name:
    def __init__(self, text):
        self.text = text
        self.axes = {}
        parts = text.split("/")
        # "ceiling/launch" has no axes, "decoding/llama" has some.
        named = next((i for i, part in enumerate(parts) if ":" in part), len(parts))
        self.benchmark, parts = "/".join(parts[:named]), parts[named:]
        for part in parts:
            axis, separator, value = part.partition(":")
            if not separator:
                raise ValueError(f'{text}: found "{part}", wanted AXIS:VALUE')
            self.axes[axis] = int(value) if re.fullmatch(r"\d+", value) else value

    def __getitem__(self, axis):
        return self.axes[axis]

    def get(self, axis, otherwise=None):
        return self.axes.get(axis, otherwise)


# What the figures are about, the most important first. Each is a regular expression over names.
FIGURES = [
    r"^ceiling/",
    r"^matmul(_fastest)?/dtype:(bf16|f8|i8)/n:8192$",
    r"^(layer_norm|softmax)/columns:16384/dtype:bf16/form:fused/rows:4096$",
    r"^gelu/dtype:bf16/form:(fused|chain)/",
    r"^(gemv|gather_gemv)/dtype:(bf16|i8)/n:16384$",
    r"^(gemv|gather_gemv)/dtype:(bf16|i8)/n:(1024|4096|8192)$",
    r"^rms_norm/columns:16384/dtype:bf16/form:fused/rows:4096$",
    r"^gemv/dtype:f32/n:\d+$",
    r"^mlp_layer_norm/batch:(1|512|4096)/dim:4096/",
    r"^decoding/\w+/dtype:\w+$",
]


def importance(text):
    """Position in FIGURES; what is in none of them comes last."""
    for position, pattern in enumerate(FIGURES):
        if re.search(pattern, text):
            return position
    return len(FIGURES)
