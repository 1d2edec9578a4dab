#!/usr/bin/env python3
"""How long and in how much memory steelyard reads a file of a gigabyte; prints a Markdown table.

    tests/studies/import_large.py STEELYARD [--megabytes 1000] [--formats csv,go] [--store]

Each file is written anew in the tool's own layout, from a seed, imported into an archive (a history, and with --store
everything, into a store of its own) and removed. Memory is the largest resident set of the process, as the kernel tells
it; the processor's time is the process's own.
"""
import argparse
import glob
import os
import random
import shutil
import subprocess
import sys
import tempfile

from machine import machine


def google_benchmark(out, size, draw):
    out.write('{\n  "context": {\n    "date": "2026-11-26T12:00:00+00:00",\n    "num_cpus": 2\n  },\n  "benchmarks": [\n')
    records = 0
    while out.tell() < size:
        family, repetition = divmod(records, 100)
        out.write('%s    {\n      "name": "BM_%d/repeats:100",\n      "family_index": %d,\n'
                  '      "per_family_instance_index": 0,\n      "run_name": "BM_%d/repeats:100",\n'
                  '      "run_type": "iteration",\n      "repetitions": 100,\n      "repetition_index": %d,\n'
                  '      "threads": 1,\n      "iterations": 4096,\n      "real_time": %.16e,\n'
                  '      "cpu_time": %.16e,\n      "time_unit": "ns"\n    }'
                  % (',\n' if records else '', family, family, family, repetition, draw(), draw()))
        records += 1
    out.write('\n  ]\n}\n')
    return records, 2


def pytest_benchmark(out, size, draw):
    out.write('{\n    "machine_info": {"node": "x"},\n    "commit_info": {"id": "unversioned"},\n    "benchmarks": [\n')
    samples = benchmarks = 0
    while out.tell() < size:
        out.write('%s        {\n            "fullname": "test_a.py::test_%d",\n            "params": null,\n'
                  '            "stats": {\n                "data": [\n' % (',\n' if benchmarks else '', benchmarks))
        out.write(',\n'.join('                    %r' % (draw() * 1e-9) for _ in range(10000)))
        out.write('\n                ],\n                "iterations": 1\n            }\n        }')
        benchmarks += 1
        samples += 10000
    out.write('\n    ],\n    "datetime": "2026-11-26T12:00:00"\n}\n')
    return samples, 1


def go(out, size, draw):
    out.write('goos: linux\ngoarch: amd64\npkg: example.com/a\n')
    samples = 0
    while out.tell() < size:
        out.write('BenchmarkCase%d/n=1000-2 \t   20000\t     %.1f ns/op\t    2048 B/op\t       3 allocs/op\n'
                  % (samples // 1000, draw()))
        samples += 1
    return samples, 3


def csv(out, size, draw):
    out.write('benchmark,metric,unit,process,value\n')
    samples = 0
    while out.tell() < size:
        out.write('suite/case_%d/n:1000,real_time,ns,0,%r\n' % (samples // 1000, draw()))
        samples += 1
    return samples, 1


def json_lines(out, size, draw):
    samples = 0
    while out.tell() < size:
        out.write('{"benchmark": "suite/case_%d/n:1000", "metric": "real_time", "unit": "ns", "process": 0, '
                  '"value": %r}\n' % (samples // 1000, draw()))
        samples += 1
    return samples, 1


def jmh(out, size, draw):
    out.write('[\n')
    samples = benchmarks = 0
    while out.tell() < size:
        forks = ',\n'.join('                [\n%s\n                ]'
                           % ',\n'.join('                    %r' % draw() for _ in range(1000)) for _ in range(10))
        out.write('%s    {\n        "jmhVersion" : "1.37",\n        "benchmark" : "org.example.Suite.case%d",\n'
                  '        "mode" : "avgt",\n        "threads" : 1,\n        "forks" : 10,\n'
                  '        "primaryMetric" : {\n'
                  '            "score" : 1000.0,\n            "scoreUnit" : "ns/op",\n            "rawData" : [\n%s\n'
                  '            ]\n        },\n        "secondaryMetrics" : {\n        }\n    }'
                  % (',\n' if benchmarks else '', benchmarks, forks))
        benchmarks += 1
        samples += 10000
    out.write('\n]\n')
    return samples, 1


def nanobench(out, size, draw):
    out.write('{\n    "results": [\n')
    samples = benchmarks = 0
    while out.tell() < size:
        epochs = ',\n'.join(
            '                {\n                    "iterations": 4096,\n                    "elapsed": %r,\n'
            '                    "pagefaults": 0,\n                    "cpucycles": 0,\n'
            '                    "contextswitches": 0,\n                    "instructions": 0,\n'
            '                    "branchinstructions": 0,\n                    "branchmisses": 0\n                }'
            % (draw() * 1e-9) for _ in range(1000))
        out.write('%s        {\n            "title": "suite",\n            "name": "case_%d",\n'
                  '            "unit": "op",\n            "batch": 1,\n'
                  '            "measurements": [\n%s\n            ]\n        }'
                  % (',\n' if benchmarks else '', benchmarks, epochs))
        benchmarks += 1
        samples += 1000
    out.write('\n    ]\n}\n')
    return samples, 1


def nvbench(out, size, draw):
    """Means alone: the samples of --jsonbin lie in files of their own, four bytes each."""
    out.write('{\n  "meta": {\n    "version": {\n      "nvbench": {\n        "string": "0.1.0"\n      }\n    }\n  },\n'
              '  "devices": [\n    {\n      "id": 0,\n      "name": "x"\n    }\n  ],\n  "benchmarks": [\n')
    states = benchmarks = 0
    while out.tell() < size:
        text = ',\n'.join(
            '        {\n          "name": "N=%d",\n          "device": 0,\n          "axis_values": [\n            {\n'
            '              "name": "N",\n              "type": "int64",\n              "value": "%d"\n            }\n'
            '          ],\n          "summaries": [\n            {\n              "tag": "nv/cold/time/gpu/mean",\n'
            '              "name": "GPU Time",\n              "hint": "duration",\n              "data": [\n'
            '                {\n                  "name": "value",\n                  "type": "float64",\n'
            '                  "value": "%r"\n                }\n              ]\n            }\n          ],\n'
            '          "is_skipped": false\n        }' % (i, i, draw() * 1e-9) for i in range(1000))
        out.write('%s    {\n      "name": "case_%d",\n      "index": %d,\n      "devices": [\n        0\n      ],\n'
                  '      "states": [\n%s\n      ]\n    }'
                  % (',\n' if benchmarks else '', benchmarks, benchmarks, text))
        benchmarks += 1
        states += 1000
    out.write('\n  ]\n}\n')
    return states, 1


def pyperf(out, size, draw):
    out.write('{"benchmarks":[')
    samples = benchmarks = 0
    while out.tell() < size:
        runs = ','.join('{"metadata":{"date":"2026-11-26 15:44:55.467745"},"values":[%s],"warmups":[[200,7e-07]]}'
                        % ','.join('%r' % (draw() * 1e-9) for _ in range(500)) for _ in range(20))
        out.write('%s{"metadata":{"name":"case_%d"},"runs":[%s]}' % (',' if benchmarks else '', benchmarks, runs))
        benchmarks += 1
        samples += 10000
    out.write('],"metadata":{"loops":200,"unit":"second"},"version":"1.0"}\n')
    return samples, 1


def hyperfine(out, size, draw):
    out.write('{\n  "results": [\n')
    samples = benchmarks = 0
    while out.tell() < size:
        times = ',\n'.join('        %r' % (draw() * 1e-3) for _ in range(1000))
        out.write('%s    {\n      "command": "tool %d",\n      "mean": 1.0,\n      "user": 0.5,\n      "system": 0.1,\n'
                  '      "times": [\n%s\n      ],\n      "exit_codes": [\n%s\n      ]\n    }'
                  % (',\n' if benchmarks else '', benchmarks, times, ',\n'.join(['        0'] * 1000)))
        benchmarks += 1
        samples += 1000
    out.write('\n  ]\n}\n')
    return samples, 1


def benchmarkdotnet(out, size, draw):
    out.write('{\n   "Title":"Suite",\n   "HostEnvironmentInfo":{\n      "BenchmarkDotNetVersion":"0.15.0"\n   },\n'
              '   "Benchmarks":[\n')
    samples = benchmarks = 0
    while out.tell() < size:
        lines = ',\n'.join(
            '            {"IterationMode":"Workload","IterationStage":"%s","LaunchIndex":%d,"IterationIndex":%d,'
            '"Operations":1024,"Nanoseconds":%r}' % (stage, 1 + i // 100, 1 + i % 100, draw() * 1024)
            for i in range(1000) for stage in ('Actual', 'Result'))
        out.write('%s      {\n         "DisplayInfo":"Suite.Case%d",\n         "Type":"Suite",\n'
                  '         "Method":"Case%d",\n         "Parameters":"",\n'
                  '         "FullName":"Example.Suite.Case%d",\n'
                  '         "Measurements":[\n%s\n         ]\n      }'
                  % (',\n' if benchmarks else '', benchmarks, benchmarks, benchmarks, lines))
        benchmarks += 1
        samples += 1000
    out.write('\n   ]\n}\n')
    return samples, 1


def criterion(out, size, draw):
    """What cargo criterion prints; of the folder each benchmark is a file of its own."""
    samples = 0
    while out.tell() < size:
        out.write('{"reason":"benchmark-complete","id":"suite/case_%d","iteration_count":[%s],"measured_values":[%s],'
                  '"unit":"ns","throughput":[],"mean":{"estimate":1000.0,"unit":"ns"}}\n'
                  % (samples // 1000, ','.join(str(10 + i) for i in range(1000)),
                     ','.join('%r' % (draw() * (10 + i)) for i in range(1000))))
        samples += 1000
    return samples, 1


def catch2(out, size, draw):
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n<Catch name="suite">\n  <Group name="suite">\n')
    benchmarks = 0
    while out.tell() < size:
        out.write('    <TestCase name="case %d" filename="suite.cpp" line="8">\n'
                  '      <BenchmarkResults name="run" samples="100" resamples="100000" iterations="8" '
                  'clockResolution="97.4158" estimatedDuration="984400">\n'
                  '        <!--All values in nano seconds-->\n'
                  '        <mean value="%r" lowerBound="990" upperBound="1010" ci="0.95"/>\n'
                  '        <standardDeviation value="10" lowerBound="9" upperBound="11" ci="0.95"/>\n'
                  '        <outliers variance="0.18" lowMild="0" lowSevere="0" highMild="0" highSevere="2"/>\n'
                  '      </BenchmarkResults>\n      <OverallResult success="true"/>\n    </TestCase>\n'
                  % (benchmarks, draw()))
        benchmarks += 1
    out.write('  </Group>\n</Catch>\n')
    return benchmarks, 1


def doctest(out, size, draw):
    """With what failed checks print: no suite has as many test cases as would fill the file."""
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n<doctest binary="./suite" version="2.4.9">\n  <TestSuite>\n')
    said = ''.join('      <Expression success="true" type="CHECK" filename="suite.cpp" line="%d">\n'
                   '        <Original>\n          answer == %d\n        </Original>\n        <Expanded>\n'
                   '          %d == %d\n        </Expanded>\n      </Expression>\n' % (i, i, i, i) for i in range(10))
    cases = 0
    while out.tell() < size:
        out.write('    <TestCase name="case %d" filename="suite.cpp" line="7">\n%s'
                  '      <OverallResultsAsserts successes="10" failures="0" test_case_success="true" '
                  'duration="%.6f"/>\n'
                  '    </TestCase>\n' % (cases, said, draw() * 1e-3))
        cases += 1
    out.write('  </TestSuite>\n</doctest>\n')
    return cases, 1


def folly(out, size, draw):
    out.write('[\n')
    benchmarks = 0
    while out.tell() < size:
        counters = ',\n'.join('      "counter_%d": {\n        "value": %d,\n        "type": 0\n      }' % (i, i)
                              for i in range(10))
        out.write('%s  [\n    "suite.cpp",\n    "case_%d",\n    %r,\n    {\n%s\n    }\n  ]'
                  % (',\n' if benchmarks else '', benchmarks, draw(), counters))
        benchmarks += 1
    out.write('\n]\n')
    return benchmarks, 11


def github_action_benchmark(out, size, draw):
    out.write('window.BENCHMARK_DATA = {\n  "lastUpdate": 1764160000000,\n  "repoUrl": "x",\n'
              '  "entries": {\n    "Benchmark": [\n')
    commits = 0
    while out.tell() < size:
        benches = ',\n'.join(
            '          {\n            "name": "case_%d",\n            "value": %r,\n            "unit": "ns/op",\n'
            '            "extra": "200 times\\n2 procs"\n          }' % (i, draw()) for i in range(10000))
        out.write('%s      {\n        "commit": {\n          "id": "%040x",\n          "message": "change %d",\n'
                  '          "timestamp": "2026-11-01T10:00:00Z"\n        },\n        "date": %d,\n'
                  '        "tool": "go",\n        "benches": [\n%s\n        ]\n      }'
                  % (',\n' if commits else '', commits + 1, commits, 1764160000000 + 60000 * commits, benches))
        commits += 1
    out.write('\n    ]\n  }\n}\n')
    return commits, 10000


def asv(out, size, draw):
    """One file of results, with the samples that --record-samples keeps."""
    out.write('{"commit_hash": "%s", "env_name": "virtualenv-py3.11", "date": 1793527200000, '
              '"params": {"machine": "x", "num_cpu": "2"}, "python": "3.11", '
              '"result_columns": ["result", "params", "version", "stats_number", "samples"], "results": {' % ('1' * 40))
    samples = benchmarks = 0
    while out.tell() < size:
        out.write('%s"suite.time_%d": [[1e-06], [], "1", [200], [[%s]]]'
                  % (', ' if benchmarks else '', benchmarks, ', '.join('%r' % (draw() * 1e-9) for _ in range(1000))))
        benchmarks += 1
        samples += 1000
    out.write('}, "durations": {}, "version": 2}\n')
    return samples, 1


def bencher(out, size, draw):
    """One report, whose iterations are repeats."""
    out.write('{"project": {"name": "x", "slug": "x"}, "results": [')
    samples = benchmarks = 0
    while out.tell() < size:
        points = ', '.join(
            '{"report": "r1", "iteration": %d, "start_time": "2026-11-01T10:00:00Z", '
            '"end_time": "2026-11-01T10:00:00Z", "version": {"number": 1, "hash": "%s"}, "metric": {"uuid": "m", '
            '"value": %r, "lower_value": null, "upper_value": null}, "threshold": null, "boundary": null, '
            '"alert": null}'
            % (i, '1' * 40, draw()) for i in range(100))
        out.write('%s{"branch": {"uuid": "b", "name": "main", "slug": "main"}, "testbed": {"uuid": "t", "name": "ci", '
                  '"slug": "ci"}, "benchmark": {"uuid": "u", "name": "case_%d"}, "measure": {"uuid": "l", '
                  '"name": "Latency", "slug": "latency", "units": "nanoseconds (ns)"}, "metrics": [%s]}'
                  % (', ' if benchmarks else '', benchmarks, points))
        benchmarks += 1
        samples += 100
    out.write(']}\n')
    return samples, 1


def conbench(out, size, draw):
    out.write('{"data": [')
    samples = results = 0
    while out.tell() < size:
        out.write('%s{"run_id": "r", "run_name": "x", "error": null, "id": "%d", "timestamp": "2026-11-01T10:00:00", '
                  '"commit": {"sha": "%s", "message": "x", "timestamp": "2026-11-01T10:00:00", "branch": "main"}, '
                  '"hardware": {"name": "ci"}, "stats": {"data": [%s], "unit": "s"}, '
                  '"tags": {"name": "case_%d", "id": "c"}}'
                  % (', ' if results else '', results, '1' * 40,
                     ', '.join('%r' % (draw() * 1e-3) for _ in range(1000)), results))
        results += 1
        samples += 1000
    out.write(']}\n')
    return samples, 1


def bencher_metrics(out, size, draw):
    out.write('{\n')
    benchmarks = 0
    while out.tell() < size:
        measures = ',\n'.join(
            '  "measure-%d": {\n   "value": %r,\n   "lower_value": 900.0,\n   "upper_value": 1100.0\n  }' % (i, draw())
            for i in range(10))
        out.write('%s "suite/case_%d": {\n%s\n }' % (',\n' if benchmarks else '', benchmarks, measures))
        benchmarks += 1
    out.write('\n}\n')
    return benchmarks, 10


FORMATS = {'google-benchmark': google_benchmark, 'pytest-benchmark': pytest_benchmark, 'go': go, 'csv': csv,
           'json-lines': json_lines, 'jmh': jmh, 'nanobench': nanobench, 'nvbench': nvbench, 'pyperf': pyperf,
           'hyperfine': hyperfine, 'benchmarkdotnet': benchmarkdotnet, 'criterion': criterion, 'catch2': catch2,
           'doctest': doctest, 'folly': folly, 'asv': asv, 'bencher': bencher, 'conbench': conbench,
           'bencher-metrics': bencher_metrics, 'github-action-benchmark': github_action_benchmark}
# Of many runs, which go into a store of their own; the others into an archive.
HISTORIES = {'github-action-benchmark'}
# What was read and is not kept, by a part of what is said of it.
REFUSALS = {'read; too large for an archive': 'a run that takes a file of',
            'refused: above the limits of a run': 'no more in a run'}


def measure(steelyard, name, megabytes, folder, into_store):
    path = os.path.join(folder, 'large')
    random_source = random.Random(17)
    with open(path, 'w', encoding='utf-8') as out:
        records, per_record = FORMATS[name](out, megabytes * 1_000_000, lambda: random_source.gauss(1000, 10))
    size = os.path.getsize(path)
    archive = os.path.join(folder, 'large.syrun')
    state = os.path.join(folder, 'state')
    to = [] if into_store or name in HISTORIES else ['--no-store', '--output', archive]
    before = os.times()
    store = {**os.environ, 'STEELYARD_STATE': state, 'STEELYARD_STORE': 'embedded'}
    process = subprocess.Popen([steelyard, 'import', path, '--quiet', *to], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, env=store)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = os.times().elapsed - before.elapsed
    if not to:
        subprocess.run([steelyard, 'db', 'stop', '--quiet'], env=store, capture_output=True, check=False)
    kept = sum(os.path.getsize(file) for file in [archive, *glob.glob(os.path.join(state, 'runs', '*.syrun'))]
               if os.path.exists(file))
    shutil.rmtree(state, ignore_errors=True)
    os.remove(path)
    if os.path.exists(archive):
        os.remove(archive)
    code = os.waitstatus_to_exitcode(status)
    answer = 'read' if code == 0 else next((what for what, part in REFUSALS.items() if part in said), said.strip())
    print('| `%s` | %.0f MB | %.1f million | %s | %.0f s | %.0f s | %.0f MB | %.0f MB |'
          % (name, size / 1e6, records * per_record / 1e6, answer, wall,
             usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3, kept / 1e6), flush=True)
    return code not in (0, 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('steelyard')
    parser.add_argument('--megabytes', type=int, default=1000)
    parser.add_argument('--formats', default=','.join(FORMATS))
    parser.add_argument('--store', action='store_true')
    options = parser.parse_args()
    print(machine())
    print('\n| format | file | samples | | elapsed | processor | memory at its peak | archive |\n'
          '|---|---:|---:|---|---:|---:|---:|---:|')
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)  # a store's server may run as another user
        codes = [measure(options.steelyard, name, options.megabytes, folder, options.store)
                 for name in options.formats.split(',')]
    return max(codes)


if __name__ == '__main__':
    sys.exit(main())
