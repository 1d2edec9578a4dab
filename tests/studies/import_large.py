#!/usr/bin/env python3
"""How long and in how much memory steelyard reads a file of a gigabyte; prints a Markdown table.

    tests/studies/import_large.py STEELYARD [--megabytes 1000] [--formats csv,go]

Each file is written anew in the tool's own layout, from a seed, imported into an archive and removed. Memory is the
largest resident set of the process, as the kernel tells it; the processor's time is the process's own.
"""
import argparse
import os
import random
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


FORMATS = {'google-benchmark': google_benchmark, 'pytest-benchmark': pytest_benchmark, 'go': go, 'csv': csv,
           'json-lines': json_lines, 'jmh': jmh, 'nanobench': nanobench}


def measure(steelyard, name, megabytes, folder):
    path = os.path.join(folder, 'large')
    random_source = random.Random(17)
    with open(path, 'w', encoding='utf-8') as out:
        records, per_record = FORMATS[name](out, megabytes * 1_000_000, lambda: random_source.gauss(1000, 10))
    size = os.path.getsize(path)
    archive = os.path.join(folder, 'large.syrun')
    before = os.times()
    process = subprocess.Popen([steelyard, 'import', path, '--no-store', '--quiet', '--output', archive])
    _, status, usage = os.wait4(process.pid, 0)
    wall = os.times().elapsed - before.elapsed
    kept = os.path.getsize(archive) if os.path.exists(archive) else 0
    os.remove(path)
    if kept:
        os.remove(archive)
    code = os.waitstatus_to_exitcode(status)
    print('| `%s` | %.0f MB | %.1f million | %s | %.0f s | %.0f s | %.0f MB | %.0f MB |'
          % (name, size / 1e6, records * per_record / 1e6, 'read' if code == 0 else 'exit status %d' % code, wall,
             usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3, kept / 1e6), flush=True)
    return code


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('steelyard')
    parser.add_argument('--megabytes', type=int, default=1000)
    parser.add_argument('--formats', default=','.join(FORMATS))
    options = parser.parse_args()
    print(machine())
    print('\n| format | file | samples | | elapsed | processor | memory at its peak | archive |\n'
          '|---|---:|---:|---|---:|---:|---:|---:|')
    with tempfile.TemporaryDirectory() as folder:
        codes = [measure(options.steelyard, name, options.megabytes, folder) for name in options.formats.split(',')]
    return max(codes)


if __name__ == '__main__':
    sys.exit(main())
