"""How PyTorch's calls are timed, kept and judged, on a device and a host that are made up."""

import json
import os
import re
import sys
import tempfile
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.join(HERE, "../../../../bench/suites/cuda")
sys.path[:0] = [os.path.join(HERE, "made_up"), os.path.join(SUITE, "peer")]

import device_table  # noqa: E402
import peer_timing  # noqa: E402

WARM_UP_SECONDS = peer_timing.WARM_UP_SECONDS

import torch  # noqa: E402  (the stand-in)
import torch_peer  # noqa: E402
from benchmark_names import Name  # noqa: E402


class Host:
    """A clock that moves by what a test says that things take."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now

    perf_counter = monotonic


class NoClock:
    def restart(self, samples):
        pass

    def stamp(self, sample, which):
        pass

    def hz(self, sample):
        return None


def stopwatch(host):
    return peer_timing.Stopwatch(torch, NoClock(), host)


class Timing(unittest.TestCase):
    def test_a_stream_is_held_by_what_queueing_takes_and_not_by_half_a_millisecond(self):
        self.assertAlmostEqual(peer_timing.hold_seconds(10e-6), 35e-6)
        self.assertAlmostEqual(peer_timing.hold_seconds(1.0), 50e-3)

    def test_the_call_itself_warms_for_half_a_second(self):
        self.assertEqual(WARM_UP_SECONDS, 0.5)
        host = Host()
        calls = []

        def call():
            calls.append(host.now)
            host.now += 1e-3

        peer_timing.WARM_UP_SECONDS = WARM_UP_SECONDS
        try:
            queueing = stopwatch(host).warm(call)
        finally:
            peer_timing.WARM_UP_SECONDS = 0.005
        self.assertGreaterEqual(host.now, 0.5)
        self.assertAlmostEqual(queueing, 1e-3)

    def test_a_sample_that_was_queued_too_late_is_lost_and_the_hold_grows(self):
        host = Host()
        durations = iter([10e-6] * 25 + [900e-6] + [10e-6] * 1000)
        watch = stopwatch(host)
        watch.warm = lambda call: 10e-6

        def call():
            torch.operation()
            host.now += next(durations)

        part = watch.measure(call)
        self.assertEqual(part["late"], 1)
        self.assertAlmostEqual(part["hold_us"], 1.5 * 900 + 20)
        self.assertEqual(part["ns"], torch.OPERATION_NS)

    def test_a_host_that_is_always_late_ends_all_the_same(self):
        host = Host()
        watch = stopwatch(host)
        watch.warm = lambda call: 10e-6
        durations = iter([1e-3 * 2**number for number in range(60)])

        def call():
            host.now += next(durations)

        part = watch.measure(call)
        self.assertEqual(part["late"], peer_timing.MOST_LATE)
        self.assertGreaterEqual(part["samples"], peer_timing.LEAST_SAMPLES)

    def test_the_clock_is_of_multiprocessors_that_were_met_twice(self):
        self.assertAlmostEqual(peer_timing.clock_between([100, 1000, 0, 0], [1600, 2000, 9, 9]), 1.5e9)
        self.assertIsNone(peer_timing.clock_between([0, 0], [1600, 2000]))
        self.assertIsNone(peer_timing.clock_between([100, 2000], [1600, 2000]))

    def test_without_a_compiler_at_run_time_the_clock_is_unknown_and_says_why(self):
        lacking = types.SimpleNamespace(**{**vars(torch.cuda), "_compile_kernel": None})
        clock = peer_timing.SmClock(types.SimpleNamespace(cuda=lacking, zeros=torch.zeros, int64=torch.int64))
        self.assertIsNone(clock.hz(0))
        self.assertIn("not by CuPy", clock.how)
        self.assertIn("not by PyTorch: TypeError", clock.how)

    def test_arguments_are_rotated_past_the_cache(self):
        calls = peer_timing.rotated(lambda x: x, (torch.Tensor(),), 50 << 20)
        self.assertEqual(len(calls), 100)  # of 2 MiB each
        self.assertIsNone(peer_timing.rotated(lambda x: x, ([torch.Tensor()],), 50 << 20))


class Noise(unittest.TestCase):
    """Of figures against compiled PyTorch, at 100 us where it takes 99."""

    NAME = "gemv/dtype:bf16/n:8192"

    @staticmethod
    def rows(text, cold, hot=None):
        times = {key: [] for key in device_table.SAMPLED}
        return {text: {**times, "cold": [cold], "hot": [hot or cold], "label": "", "fault": ""}}

    def figure(self, compiled_ns=99e3, **noise):
        peer = {"rows": [{"name": self.NAME, "compiled_ns": compiled_ns, "compiled_hot_ns": compiled_ns}]}
        ours = {**self.rows(self.NAME, 100e3), **self.rows("ceiling/launch", 3e3)}
        return device_table.Table(ours, peer, **noise).figure(self.NAME)

    def test_a_row_is_no_slower_where_it_is_slower_by_less_than_a_gate_of_the_same_build_is_off(self):
        self.assertEqual(self.figure(null={self.NAME: [0.985, 1.001]}), ("<= compiled + 1.50% noise", True))
        self.assertEqual(self.figure(null={self.NAME: [0.998]}), ("<= compiled + 0.20% noise", False))

    def test_without_a_gate_processes_of_the_same_row_say_how_far_two_are_apart(self):
        processes = [self.rows(self.NAME, cold) for cold in (100e3, 102e3, 100.98e3)]
        self.assertEqual(self.figure(processes=processes), ("<= compiled + 1.50% noise", True))
        self.assertEqual(self.figure(processes=processes[:1]), ("<= compiled, noise unknown", False))

    def test_where_nothing_says_it_a_row_is_held_to_the_time_itself_and_the_table_says_so(self):
        self.assertEqual(self.figure(), ("<= compiled, noise unknown", False))
        self.assertEqual(self.figure(compiled_ns=100e3), ("<= compiled, noise unknown", True))
        # A gate of another row is not this one's.
        self.assertEqual(self.figure(null={"gemv/dtype:bf16/n:4096": [0.9]})[1], False)

    def test_a_row_that_is_mostly_launching_takes_the_noise_of_its_hot_times(self):
        ours = {**self.rows(self.NAME, 5e3, 3e3), **self.rows("ceiling/launch", 2e3)}
        processes = [self.rows(self.NAME, cold, hot) for cold, hot in ((5e3, 3e3), (9e3, 3.03e3))]
        table = device_table.Table(ours, {"rows": []}, null={self.NAME: [0.5]}, processes=processes)
        self.assertAlmostEqual(table.noise(self.NAME), 0.01)

    def test_the_shares_of_a_product_say_how_far_its_turns_are_apart(self):
        name = "matmul/dtype:bf16/n:8192"
        turns = [(self.rows(name, 1e6), {name: {"name": name, "eager_ns": ns}}) for ns in (0.98e6, 0.99e6)]
        table = device_table.Table(self.rows(name, 1e6), None, turns)
        self.assertEqual(table.figure(name), (">= 97% of PyTorch (turns 1.0% apart)", True))


class Decoding(unittest.TestCase):
    NAME = "decoding/llama/dtype:bf16"

    def rows(self, *lines):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "decoding_peer.json"), "w") as file:
                file.writelines(json.dumps(line) + "\n" for line in lines)
            return device_table.read_decoding(folder)

    def test_a_generation_of_pytorchs_is_compared_with_ours_where_it_is_of_the_whole_model_compiled(self):
        line = {"model": "llama/bf16", "generation_ns": 1.25e9, "is_whole": True, "compiled": "step"}
        self.assertEqual(self.rows(line), [{"name": self.NAME, "compiled_ns": 1.25e9}])
        self.assertEqual(self.rows({**line, "is_whole": False}, {**line, "compiled": "none"}), [])
        self.assertEqual(device_table.read_decoding("/nowhere"), [])

    def test_the_figure_asks_for_the_target_and_for_no_more_time_than_compiled(self):
        def figure(compiled_ns):
            ours = {**Noise.rows(self.NAME, 1e9), **Noise.rows("ceiling/access:read/level:DRAM", 1e6)}
            ours[self.NAME] |= {"label": "target: 0.85 of measured read bandwidth", "bandwidth": [2.8e12]}
            ours["ceiling/access:read/level:DRAM"]["bandwidth"] = [3e12]
            peer = {"rows": [{"name": self.NAME, "compiled_ns": compiled_ns}]}
            return device_table.Table(ours, peer).figure(self.NAME)

        self.assertEqual(figure(1.2e9), ("0.85 of measured read bandwidth, <= compiled, noise unknown", True))
        self.assertEqual(figure(0.9e9)[1], False)

    def test_both_sides_generate_the_same(self):
        with open(os.path.join(SUITE, "decoding", "decoding_model.hpp")) as file:
            ours = file.read()
        with open(os.path.join(SUITE, "peer", "torch_decoding.py")) as file:
            peer = file.read()

        def number(text, pattern):
            return re.search(pattern, text)[1]

        self.assertEqual(number(ours, r"kPrompt\[\] = \{(.*)\};"), number(peer, r"PROMPT = \((.*)\)"))
        self.assertEqual(number(ours, r"kNewTokens = (\d+);"), number(peer, r"NEW_TOKENS = (\d+)"))
        self.assertEqual(number(ours, r"kGenerationPositions = (\d+);"), number(peer, r"POSITIONS = (\d+)"))
        top, temperature = re.search(r"TOP_TOKENS, TEMPERATURE = (\d+), ([0-9.]+)", peer).groups()
        self.assertEqual(number(ours, r"kTopTokens = (\d+);"), top)
        self.assertEqual(number(ours, r"kTemperature = ([0-9.]+)f;"), temperature)


class Names(unittest.TestCase):
    def test_what_comes_before_the_axes_is_the_benchmark(self):
        names = ["decoding/llama/dtype:bf16", "ceiling/launch", "ceiling/access:copy/level:DRAM"]
        self.assertEqual([Name(name).benchmark for name in names], ["decoding/llama", "ceiling/launch", "ceiling"])
        self.assertEqual(Name(names[0])["dtype"], "bf16")


class Order(unittest.TestCase):
    def test_every_eager_row_comes_before_any_that_compiles(self):
        names = [Name("gelu/dtype:bf16/form:fused/n:8"), Name("matmul/dtype:f8/n:8192"), Name("add/dtype:bf16/n:8")]
        kinds = [(name.benchmark, kind) for name, kind in torch_peer.tasks_of(names)]
        eager = [("gelu", "eager"), ("matmul", "eager"), ("add", "eager")]
        self.assertEqual(kinds, eager + [("gelu", "compiled"), ("add", "compiled")])


class Kept(unittest.TestCase):
    ABOUT = {"device": "Made-up device", "torch": "0.0"}

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "peer.json")
        self.names = [Name("add/dtype:bf16/n:8"), Name("gelu/dtype:bf16/form:fused/n:8")]

    def tearDown(self):
        self.folder.cleanup()

    def run_peer(self, seconds=60):
        torch_peer.run(self.names, self.path, seconds)
        with open(self.path) as file:
            return json.load(file)

    def test_a_further_call_keeps_what_is_there(self):
        first = torch_peer.Kept(self.path, self.ABOUT)
        first.begin(self.names[0], "eager")
        first.end(self.names[0], "eager", {"eager_ns": 123.0})
        rows = {row["name"]: row for row in self.run_peer()["rows"]}
        self.assertEqual(rows["add/dtype:bf16/n:8"]["eager_ns"], 123.0)
        self.assertIn("compiled_ns", rows["add/dtype:bf16/n:8"])
        self.assertIn("compiled_ns", rows["gelu/dtype:bf16/form:fused/n:8"])

    def test_what_ended_the_process_twice_is_not_tried_a_third_time(self):
        for _ in range(torch_peer.MOST_ATTEMPTS):
            torch_peer.Kept(self.path, self.ABOUT).begin(self.names[0], "eager")
        rows = {row["name"]: row for row in self.run_peer()["rows"]}
        self.assertNotIn("eager_ns", rows.get("add/dtype:bf16/n:8", {}))
        self.assertIn("eager_ns", rows["gelu/dtype:bf16/form:fused/n:8"])

    def test_a_compiler_that_fails_costs_no_eager_row_and_is_tried_again(self):
        os.environ["MADE_UP_COMPILING"] = "fails"
        try:
            document = self.run_peer()
        finally:
            del os.environ["MADE_UP_COMPILING"]
        self.assertIn("made-up fault", document["rows"][0]["compiled_error"])
        self.assertIn("eager_ns", document["rows"][0])
        again = self.run_peer()
        self.assertNotIn("compiled_error", again["rows"][0])
        self.assertIn("compiled_ns", again["rows"][0])
        self.assertEqual(again["attempts"], {})

    def test_where_no_time_is_left_nothing_is_begun_and_the_rest_is_said(self):
        document = self.run_peer(seconds=5)
        self.assertEqual([row.get("compiled_ns") for row in document["rows"]], [None, None])
        self.assertEqual(document["not_reached"], [f"compiled {name.text}" for name in self.names])

    def test_rows_of_another_device_are_set_apart(self):
        other = torch_peer.Kept(self.path, {"device": "Another", "torch": "0.0"})
        other.end(self.names[0], "eager", {"eager_ns": 1.0})
        self.assertNotEqual(self.run_peer()["rows"][0]["eager_ns"], 1.0)
        self.assertTrue(os.path.exists(self.path + ".other"))


if __name__ == "__main__":
    unittest.main()
