#!/usr/bin/env python3
"""Are files that other projects publish read as the tools that wrote them say? A line for each file.

    tests/studies/public_results.py STEELYARD FOLDER

Files are read out of FOLDER/OWNER+NAME at the commit of the table below; what is not there is cloned from github.com.
Each is imported, exported again, and held to the figures that the tool itself wrote beside its samples. 1: one differs.
"""
import argparse
import ast
import collections
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

BENCHER = 'bencherdev/bencher', '8d75325c'
TOOLS = 'lib/bencher_adapter/tool_output/'
ACTION = 'benchmark-action/github-action-benchmark', 'c38cce98'
CONBENCH = 'conbench/conbench', '3af4a552'


def git(folder, *arguments):
    return subprocess.run(['git', '-C', folder, *arguments], check=True, capture_output=True).stdout


class Repository:
    """At one commit."""

    def __init__(self, name, commit, clones):
        self.name, self.commit = name, commit
        self.folder = os.path.join(clones, name.replace('/', '+'))
        nested = os.path.join(self.folder, 'repo')
        if os.path.isdir(nested):
            self.folder = nested
        if not os.path.isdir(self.folder):
            subprocess.run(['git', 'clone', '--quiet', '--bare', 'https://github.com/' + name, self.folder], check=True)

    def write(self, path, target):
        if git(self.folder, 'cat-file', '-t', '%s:%s' % (self.commit, path)) != b'tree\n':
            with open(target, 'wb') as out:
                out.write(git(self.folder, 'show', '%s:%s' % (self.commit, path)))
            return
        os.makedirs(target, exist_ok=True)
        archive = subprocess.Popen(['git', '-C', self.folder, 'archive', self.commit, path], stdout=subprocess.PIPE)
        depth = str(len(path.strip('/').split('/')))
        subprocess.run(['tar', '-x', '-C', target, '--strip-components', depth], stdin=archive.stdout, check=True)


class Reading:
    """What steelyard makes of a file: of each benchmark and metric of each run the samples."""

    def __init__(self, steelyard, path, state):
        self.steelyard, self.environment = steelyard, dict(os.environ, STEELYARD_STATE=state)
        # Away, so that all runs of a history stay in the spool.
        self.run(['import', path, '--project', 'x', '--store', 'postgresql://127.0.0.1:1/none'])
        spool = os.path.join(state, 'spool')
        self.runs = []
        for archive in sorted(glob.glob(os.path.join(spool, '*', '*.syrun'))):
            samples = collections.defaultdict(list)
            for line in self.run(['export', archive, '--format', 'json-lines']).splitlines():
                sample = json.loads(line)
                key = sample['benchmark'] + '@' + sample.get('device', ''), sample['metric']
                samples[key].append(sample['value'])
            self.runs.append(samples)
            self.whole = json.loads(self.run(['export', archive, '--format', 'json']))

    def run(self, arguments):
        done = subprocess.run([self.steelyard, *arguments], env=self.environment, capture_output=True, text=True,
                              check=False)
        if done.returncode not in (0, 2, 5):  # 2: it has bad records; 5: kept in the spool
            sys.exit('%s: %s' % (' '.join(arguments), done.stderr))
        return done.stdout

    def means(self, metric):
        return [math.fsum(values) / len(values) for one in self.runs for (_, name), values in one.items()
                if name == metric]

    def values(self):
        return [value for one in self.runs for values in one.values() for value in values]


def differences(found, wanted):
    """As sets of numbers: the tools' own figures have the rounding of their own sums."""
    found, wanted = sorted(found), sorted(wanted)
    if len(found) != len(wanted) or not wanted:
        return ['%d figures, wanted %d' % (len(found), len(wanted))]
    return ['%r, wanted %r' % pair for pair in zip(found, wanted) if not math.isclose(*pair, rel_tol=1e-9)]


def jmh(reading, document):
    factors = {'ns/op': 1, 'us/op': 1e3, 'ms/op': 1e6, 's/op': 1e9, 'ops/s': 1}
    wanted = collections.defaultdict(list)
    for entry in document:
        score, unit, mode = entry['primaryMetric']['score'], entry['primaryMetric']['scoreUnit'], entry['mode']
        metric = 'throughput' if unit.startswith('ops') else 'real_time' if mode == 'avgt' else mode + '_time'
        wanted[metric].append(score * factors[unit])
    return [line for metric, scores in wanted.items() for line in differences(reading.means(metric), scores)]


def benchmark_dot_net(reading, document):
    benchmarks = document['Benchmarks']
    bad = differences(reading.means('real_time'), [one['Statistics']['Mean'] for one in benchmarks])
    allocated = [one['Memory']['BytesAllocatedPerOperation'] for one in benchmarks if 'Memory' in one]
    return bad + (differences(reading.means('bytes_allocated'), allocated) if allocated else [])


def criterion(reading, message):
    values = sorted(next(iter(reading.runs[0].values())))
    middle = (values[len(values) // 2] + values[(len(values) - 1) // 2]) / 2
    return (differences(reading.means('real_time'), [message['mean']['estimate']]) +
            differences([middle], [message['median']['estimate']]))


def nvbench(reading, document):
    def value(summary):
        return float(summary['data'][0]['value'])
    states = [state for benchmark in document['benchmarks'] for state in benchmark['states']]
    wanted = [1e9 * value(summary) for state in states if not state['is_skipped'] for summary in state['summaries']
              if summary['tag'] == 'nv/cold/time/gpu/mean']
    skipped = sum(state['is_skipped'] for state in states)
    told = sum(failure['kind'] == 'skipped' for failure in reading.whole['failures'])
    return differences(reading.means('real_time'), wanted) + (
        [] if told == skipped else ['%d skipped, wanted %d' % (told, skipped)])


def conbench(reading, document):
    wanted = [1e9 * float(one['stats']['mean']) for one in document['data'] if one['stats']['unit'] == 's']
    return differences(reading.means('real_time'), wanted)


def asv(reading, folder):
    """Each in its unit, as the file has it, or a time in nanoseconds."""
    wanted = []
    for path, _, names in os.walk(folder):
        for name in names:
            if name in ('machine.json', 'benchmarks.json') or not name.endswith('.json'):
                continue
            with open(os.path.join(path, name), encoding='utf-8') as text:
                results = json.load(text)['results']
            for one in results.values():
                numbers = one.get('result') if isinstance(one, dict) else one
                numbers = numbers if isinstance(numbers, list) else [numbers]
                wanted += [number for number in numbers if isinstance(number, (int, float)) and math.isfinite(number)]
    left = collections.Counter('%.9e' % number for number in wanted)
    for value in reading.values():
        left['%.9e' % (value if left['%.9e' % value] > 0 else value / 1e9)] -= 1
    return [] if wanted and not any(left.values()) else ['%r: %d more or fewer' % one for one in left.items() if one[1]]


def folly(reading, document):
    return differences(reading.means('real_time'), [time for _, _, time in document])


def bencher(reading, document):
    wanted = [metric['metric']['value'] for result in document['results'] for metric in result['metrics']]
    return differences(reading.values(), wanted)


def bencher_metrics(reading, document):
    return differences(reading.values(), [measure['value'] for measures in document.values()
                                          for measure in measures.values()])


def github_action(reading, document):
    factors = {'us/op': 1e3}
    wanted = [one['value'] * factors[one['unit']]
              for entries in document['entries'].values() for entry in entries for one in entry['benches']]
    return differences(reading.values(), wanted)


def data_in(text):
    """Of a script that assigns it."""
    return json.loads(text.partition('=')[2])


def answer_in(text):
    """Of a recorded answer what the server sent."""
    return json.loads(text)['data']


def folly_in(text):
    """What a test in Python writes into a file."""
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign) and statement.targets[0].id == 'folly_jsons':
            return ast.literal_eval(statement.value)['velox_benchmark_feature_normalization.json']
    raise ValueError('no folly_jsons')


# Repository, commit, path, what holds it to its figures, and what takes the file out of the text, if it is in another.
FILES = [
    (*BENCHER, TOOLS + 'java/jmh/six.json', jmh),
    (*BENCHER, TOOLS + 'java/jmh/throughput.json', jmh),
    (*BENCHER, TOOLS + 'java/jmh/latency.json', jmh),
    (*ACTION, 'test/data/extract/jmh_output.json', jmh),
    (*ACTION, 'test/data/extract/jmh_output_2.json', jmh),
    (*BENCHER, TOOLS + 'c_sharp/dot_net/memory.json', benchmark_dot_net),
    (*BENCHER, TOOLS + 'c_sharp/dot_net/two.json', benchmark_dot_net),
    (*ACTION, 'test/data/extract/benchmarkdotnet.json', benchmark_dot_net),
    (ACTION[0], '04dcc2c4', 'test/data/extract/criterion_output.json', criterion),
    ('NVIDIA/nvbench', '66212f1d', 'python/scripts/test_ref.json', nvbench),
    ('NVIDIA/nvbench', '66212f1d', 'python/scripts/test_cmp.json', nvbench),
    (*CONBENCH, 'benchalerts/tests/unit_tests/mocked_responses/'
     'GET_conbench_benchmark-results_run_id_contender_wo_base_page_size_1000.json', conbench, answer_in),
    (*CONBENCH, 'benchadapt/python/tests/adapters/test_folly.py', folly, folly_in),
    ('popematt/partiql-lang-kotlin', '6c555645', 'dev/bench/data.js', github_action, data_in),
    ('airspeed-velocity/asv', '7032df70', 'test/example_results', asv),
    (*BENCHER, 'lib/bencher_plot/perf.json', bencher),
    (*BENCHER, 'lib/bencher_plot/perf_dual_axes.json', bencher),
    (*BENCHER, TOOLS + 'json/report_latency.json', bencher_metrics),
    (*BENCHER, TOOLS + 'json/report_dhat.json', bencher_metrics),
]
BROKEN = 'aaaaaaaa', 'bbbbbbbb'  # asv keeps them to test what is broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('steelyard')
    parser.add_argument('folder')
    options = parser.parse_args()
    failed = 0
    for name, commit, path, check, *taken_out in FILES:
        with tempfile.TemporaryDirectory() as folder:
            target = os.path.join(folder, os.path.basename(path))
            Repository(name, commit, options.folder).write(path, target)
            for place, _, files in os.walk(target):
                for one in files:
                    if one.startswith(BROKEN):
                        os.remove(os.path.join(place, one))
            for take in taken_out:
                with open(target, encoding='utf-8') as text:
                    document = take(text.read())
                with open(target, 'w', encoding='utf-8') as out:
                    json.dump(document, out)
            reading = Reading(os.path.abspath(options.steelyard), target, os.path.join(folder, 'state'))
            wanted = target
            if os.path.isfile(target):
                with open(target, encoding='utf-8') as text:
                    wanted = json.load(text)
            bad = check(reading, wanted)
            figures = sum(len(one) for one in reading.runs)
            print('%s: %s %s %s: %d figures of %d runs' % ('differs' if bad else 'agrees', name, commit, path, figures,
                                                           len(reading.runs)), flush=True)
            for line in bad[:5]:
                print('  ' + line)
            failed += bool(bad)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
