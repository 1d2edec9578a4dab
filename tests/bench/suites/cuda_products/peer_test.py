"""How PyTorch's calls are timed and kept, on a device and a host that are made up."""

import json
import os
import sys
import tempfile
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "made_up"), os.path.join(HERE, "../../../../bench/suites/cuda/peer")]

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
