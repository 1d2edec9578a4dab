#!/usr/bin/env python3
"""What the service answers under load, over a store that `generate` filled; prints a Markdown table.

    tests/studies/service_load.py BIN ADDRESS [--parts cached,uncached,submission,memory] [--seconds 10] [--minutes 10]

BIN holds `steelyard` and `write_archives`, ADDRESS is that of the store (growth_server.sh). Starts a service of its own
for each part and issues tokens for it, whose callers it asks as; their limits are out of the way. Reads with wrk (one
thread: a reader is a connection that asks again as soon as it has its answer), packed with gzip; every answer but 200
is counted, and fails the study. What is made anew is of series that were asked for before, whose values a worker may
remember; what a service that has just begun takes for its first answers is measured one after the other. Submits
archives of 10,000 measurements of 20 samples: 40 one after the other, 30 of them beside 20 readers, then 100 at once,
each of which must be in the store afterwards. The mixed load of the last part is 8 readers of everything that the page
asks, two listeners, and a run every five seconds.

Needs wrk. Client, service and server share the machine's cores. Adds about 260 runs to the store.
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from machine import machine

SERIES = 50  # that are asked about
POINTS = 10_000
MANY = 9_000  # targets that are asked once each: none is kept; of more points another class of answers would be
READERS = 50
WRK = """
local paths = {}
for line in io.lines("%s") do paths[#paths + 1] = line end
local at = 0
wrk.headers["Authorization"] = "Bearer %s"
wrk.headers["Accept-Encoding"] = "gzip"
function request()
  at = at %% #paths + 1
  return wrk.format("GET", paths[at])
end
function done(summary, latency, requests)
  local errors = summary.errors
  print(string.format("RESULT %%d %%d %%d %%d %%d %%d %%d", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), latency.max, summary.bytes,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
"""


class Service:
    """Of one process: its address, and tokens of its store."""

    def __init__(self, arguments, folder):
        self.environment = dict(os.environ, STEELYARD_STATE=str(folder / "state"), STEELYARD_STORE=arguments.address)
        self.program = str(arguments.bin / "steelyard")
        self.folder = folder
        self.read = self.token("read")
        self.submit = self.token("submit")
        self.process = subprocess.Popen([self.program, "serve", "--listen", "127.0.0.1:0", "--rate", "100000"] +
                                        (["--workers", str(arguments.workers)] if arguments.workers else []),
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder,
                                        env=self.environment)
        line = self.process.stdout.readline()
        self.address = re.search(r"http://(127\.0\.0\.1:\d+)", line).group(1)

    def token(self, scope):
        return subprocess.run([self.program, "serve", "token", "load", "--scopes", scope, "--quiet"], check=True,
                              capture_output=True, text=True, cwd=self.folder, env=self.environment).stdout.strip()

    def resident(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) / 1000

    def get(self, path):
        connection = http.client.HTTPConnection(self.address, timeout=60)
        connection.request("GET", path, headers={"Authorization": "Bearer " + self.read})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status}: {body[:300]}")
        return json.loads(body)

    def seconds(self, path):
        """Until a packed answer is there."""
        connection = http.client.HTTPConnection(self.address, timeout=60)
        connection.connect()
        began = time.monotonic()
        connection.request("GET", path, headers={"Authorization": "Bearer " + self.read, "Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        answer.read()
        taken = time.monotonic() - began
        connection.close()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status}")
        return taken

    def put(self, body):
        """Seconds until it is kept; a service that has too much to do is asked again, as the program does."""
        began = time.monotonic()
        for _ in range(100):
            connection = http.client.HTTPConnection(self.address, timeout=120)
            connection.request("POST", "/api/v1/runs", body, {
                "Authorization": "Bearer " + self.submit, "Content-Type": "application/vnd.steelyard.run"})
            answer = connection.getresponse()
            text = answer.read()
            connection.close()
            if answer.status in (200, 201):
                return time.monotonic() - began, json.loads(text)["id"]
            if answer.status not in (429, 503):
                raise SystemExit(f"a run was answered with {answer.status}: {text[:300]}")
            time.sleep(float(answer.headers.get("Retry-After", "1")))
        raise SystemExit("a run was never taken")

    def end(self):
        self.process.terminate()
        if self.process.wait(timeout=60) != 0:
            raise SystemExit("the service did not end in order")


class Readers:
    def __init__(self, service, paths, count, seconds):
        names = service.folder / f"paths{threading.get_ident()}"
        names.write_text("\n".join(paths) + "\n")
        script = service.folder / "read.lua"
        script.write_text(WRK % (names, service.read))
        self.process = subprocess.Popen(["wrk", "-t1", f"-c{count}", f"-d{seconds}s", "--timeout", "60s", "-s", script,
                                         f"http://{service.address}"], stdout=subprocess.PIPE, text=True)

    def result(self):
        text = self.process.communicate()[0]
        found = re.search(r"RESULT ([\d ]+)", text)
        if not found:
            raise SystemExit("wrk: " + text)
        asked, took, median, p99, most, size, errors = map(int, found.group(1).split())
        if errors:
            raise SystemExit(f"{errors} of {asked} answers were none:\n{text}")
        return {"asked": asked, "rate": asked / (took / 1e6), "p50": median / 1e3, "p99": p99 / 1e3, "most": most / 1e3,
                "bytes": size / max(asked, 1)}


def series_of(service):
    """Those that have a point of every commit: on the first machine, and not of the newest runs alone."""
    page = service.get("/api/v1/series?project=grown&branch=main&metric=real_time&limit=1000")
    found = []
    for one in page["items"]:
        if len(found) < SERIES and service.get(points_path(one, POINTS) + "&columns=at")["count"] == POINTS:
            found.append(one)
    if len(found) < SERIES:
        raise SystemExit(f"not the store that generate fills: {len(found)} series of {POINTS} points")
    return found


def points_path(one, points):
    return "/api/v1/points?" + urllib.parse.urlencode(
        {"project": one["project"], "branch": "main", "benchmark": one["benchmark"], "metric": one["metric"],
         "machine": one["fingerprint"], "points": points})


def read_table(service, parts, seconds):
    series = series_of(service)
    # A bound above what there is makes another target with the same answer.
    once = [points_path(series[i % len(series)], POINTS + 1 + i) for i in range(MANY)]
    newest = [points_path(series[i % len(series)], 101 + i // len(series)) for i in range(200 * len(series))]
    some = [points_path(one, POINTS) for one in series[:10]]
    lists = [f"/api/v1/{name}?project=grown&limit=50" for name in ("runs", "series", "machines", "comparisons")]
    rows = []
    if "cached" in parts:
        for name, paths in (("kept: history of 10,000 points, ten series", some),
                            ("kept: newest 200 points of 50 series", [points_path(one, 200) for one in series]),
                            ("kept: lists", lists)):
            Readers(service, paths, 4, 2).result()  # so that they are
            rows.append((name, Readers(service, paths, READERS, seconds).result()))
    if "uncached" in parts:
        for name, paths in (("made anew: history of 10,000 points", once), ("made anew: newest 100 to 300", newest)):
            others = [path + "&columns=at" for path in paths[:1000]]
            Readers(service, others, 4, 2).result()  # each worker has the order of the runs then
            rows.append((name, Readers(service, paths, READERS, seconds).result()))
            if rows[-1][1]["asked"] > len(paths):
                raise SystemExit(f"{name}: some were asked for twice, and were kept; fewer seconds, please")
    print(f"| {READERS} readers | answers a second | p50 ms | p99 ms | most ms | kB each |\n|---|---|---|---|---|---|")
    for name, one in rows:
        print(f"| {name} | {one['rate']:.0f} | {one['p50']:.1f} | {one['p99']:.1f} | {one['most']:.0f} | "
              f"{one['bytes'] / 1e3:.1f} |")
    sys.stdout.flush()
    return series


def first_answers(service, series):
    service.seconds(points_path(series[-1], POINTS))  # the order of the runs, and the connection to the store
    service.seconds(points_path(series[-1], POINTS + 1))
    times = [1e3 * service.seconds(points_path(one, POINTS)) for one in series[:-1]]
    print(f"\n| one reader, a service that has just begun | p50 ms | most ms |\n|---|---|---|\n"
          f"| history of 10,000 points, {len(times)} series one after the other | {percentile(times, .5):.1f} | "
          f"{max(times):.1f} |", flush=True)


def archives(arguments, folder, count):
    made = folder / "archives"
    made.mkdir()
    # Other ones at each call: what is there already would be put at no cost.
    subprocess.run([str(arguments.bin / "write_archives"), str(made), str(count), "10000", str(int(time.time()))],
                   check=True)
    return [path.read_bytes() for path in sorted(made.iterdir())]


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))]


def submission(service, bodies):
    series = series_of(service)
    paths = [points_path(series[i % len(series)], 101 + i // len(series)) for i in range(200 * len(series))]
    one_by_one, at_once = bodies[1:41], bodies[41:141]
    service.put(bodies[0])  # every benchmark is new
    alone = [service.put(body)[0] for body in one_by_one[:10]]
    readers = Readers(service, paths, 20, 600)
    time.sleep(1)
    beside = [service.put(body)[0] for body in one_by_one[10:]]
    readers.process.terminate()
    readers.process.wait()
    taken = []

    def send(body):
        taken.append(service.put(body))

    began = time.monotonic()
    threads = [threading.Thread(target=send, args=(body,)) for body in at_once]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - began
    lost = [run for _, run in taken
            if run not in [one["id"] for one in service.get(f"/api/v1/search?q={run}")["items"]]]
    size = sum(map(len, bodies)) / len(bodies) / 1e6
    print(f"\n| a run of 10,000 measurements of 20 samples, {size:.1f} MB | p50 ms | p95 ms | most ms |")
    print("|---|---|---|---|")
    for name, times in (("nobody reads", alone), ("20 readers", beside)):
        times = [1e3 * one for one in times]
        print(f"| {name}, {len(times)} runs | {percentile(times, .5):.0f} | {percentile(times, .95):.0f} | "
              f"{max(times):.0f} |")
    print(f"\n{len(at_once)} at once: {len(taken)} taken, {len(lost)} lost, in {took:.1f} s", flush=True)
    if lost or len({run for _, run in taken}) != len(at_once):
        raise SystemExit("a run was lost")


def listen(service, stop):
    while not stop.is_set():
        connection = http.client.HTTPConnection(service.address, timeout=30)
        connection.request("GET", "/api/v1/events", headers={"Authorization": "Bearer " + service.read})
        answer = connection.getresponse()
        while not stop.is_set() and answer.readline():
            pass
        connection.close()


def mixed_memory(service, bodies, minutes):
    series = series_of(service)
    runs = service.get("/api/v1/runs?project=grown&limit=20")["items"]
    paths = ["/", "/app.js", "/app.css", "/api/v1/session", "/api/v1/projects",
             "/api/v1/movers?project=grown&branch=main"]
    paths += [f"/api/v1/{name}?project=grown&limit=100"
              for name in ("runs", "series", "machines", "comparisons", "alerts", "targets", "changes")]
    paths += [f"/api/v1/runs/{run['id']}" for run in runs[:4]] + ["/api/v1/search?q=sort", "/api/v1/search?q=abc"]
    paths += [f"/api/v1/compare?baseline={one['id']}&candidate={other['id']}" for one, other in zip(runs[:2], runs[2:])]
    paths += [points_path(one, points) for one in series for points in (200, POINTS)]
    stop = threading.Event()
    listeners = [threading.Thread(target=listen, args=(service, stop)) for _ in range(2)]
    for thread in listeners:
        thread.start()
    readers = Readers(service, paths, 8, int(60 * minutes))
    began = time.monotonic()
    sizes, put = [], []
    while readers.process.poll() is None:
        if len(put) < len(bodies):
            put.append(service.put(bodies[len(put)])[0])
        sizes.append((time.monotonic() - began, service.resident()))
        time.sleep(5)
    result = readers.result()
    stop.set()
    quarters = [percentile([size for at, size in sizes if 15 * minutes * i < at <= 15 * minutes * (i + 1)], .5)
                for i in range(4)]
    print("\n| mixed load | |\n|---|---|")
    for name, text in (
            ("minutes", f"{minutes:g}"), ("answers a second", f"{result['rate']:.0f}"), ("runs", str(len(put))),
            ("memory at most", f"{max(size for _, size in sizes):.0f} MB"),
            ("median of each quarter", ", ".join(f"{one:.0f}" for one in quarters) + " MB"),
            ("at the end", f"{sizes[-1][1]:.0f} MB")):
        print(f"| {name} | {text} |")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("address")
    parser.add_argument("--parts", default="cached,uncached,submission,memory")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--workers", type=int, help="of the service")
    arguments = parser.parse_args()
    arguments.bin = arguments.bin.resolve()
    parts = arguments.parts.split(",")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def with_service(act, *more):
            service = Service(arguments, folder)
            try:
                return act(service, *more)
            finally:
                service.end()

        print(f"{machine()}, load {os.getloadavg()[0]:.1f}\n", flush=True)
        if {"cached", "uncached"} & set(parts):
            series = with_service(read_table, parts, arguments.seconds)
            if "uncached" in parts:
                with_service(first_answers, series)
        if {"submission", "memory"} & set(parts):
            first = 141 if "submission" in parts else 0
            bodies = archives(arguments, folder, first + (int(12 * arguments.minutes) + 1 if "memory" in parts else 0))
            if "submission" in parts:
                with_service(submission, bodies[:first])
            if "memory" in parts:
                with_service(mixed_memory, bodies[first:], arguments.minutes)


if __name__ == "__main__":
    main()
