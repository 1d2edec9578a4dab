// Made-up results of a small library as the service answers with them: one step in 120 commits, two machines, alerts,
// and a hundred thousand points of one series. The kept comparison and run are those of tests/golden/report.
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const golden_folder = join(dirname(fileURLToPath(import.meta.url)), '../../golden/report');
const golden = (name) => JSON.parse(readFileSync(join(golden_folder, name), 'utf8'));

export const hex = (text, digits = 64) => {
  let a = 0x811c9dc5,
    result = '';
  for (let i = 0; result.length < digits; ++i) {
    for (const letter of `${text}${i}`) a = Math.imul(a ^ letter.codePointAt(0), 0x01000193) >>> 0;
    result += a.toString(16).padStart(8, '0');
  }
  return result.slice(0, digits);
};
// One seed, one sequence: the same pictures on every machine.
function noise_of(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

export const kProject = 'textkit',
  kMachine = hex('machine', 16),
  kOther = hex('other', 16);
const kBegin = Date.UTC(2026, 0, 5, 9);
export const subjects = [
  'Split the tokenizer in two',
  'Let the token list grow as it needs',
  'Reserve the token list again',
  'Hash by eight bytes',
  'Trim without a copy',
];
export const at_of = (i) => kBegin + i * 5400e3;
export const iso = (ms) => new Date(ms).toISOString().replace('.000Z', 'Z');

export function run_header(i, own = {}) {
  return {
    id: hex(`run ${i}`),
    project: kProject,
    program: './bench_textkit',
    tool: 'steelyard 0.1.0',
    commit: hex(`commit ${i}`, 40),
    parent: i > 0 ? hex(`commit ${i - 1}`, 40) : null,
    branch: 'main',
    subject: subjects[i % subjects.length],
    committed_at: iso(at_of(i) - 3600e3),
    dirty: false,
    at: iso(at_of(i)),
    fingerprint: i < 60 ? kOther : kMachine,
    session: '5e55',
    layout: 'duet',
    measurements: 15,
    samples: 3600,
    ...own,
  };
}

// A level, a step at `change`, noise; the quartiles lie around it.
const kept_points = new Map();
export function series_points(count, seed, level, change, ratio) {
  if (kept_points.has(seed)) return kept_points.get(seed);
  const next = noise_of(seed),
    levels = {value: [], low: [], high: []},
    columns = {at: [], ...levels, run: [], commit: [], subject: [], place: [], off_branch: [], condition: []};
  for (let i = 0; i < count; ++i) {
    const base =
      level * (i >= change ? ratio : 1) * (1 + 0.004 * (next() + next() + next() - 1.5) + (next() < 0.004 ? 0.06 : 0));
    columns.at.push(at_of(i) + Math.floor(next() * 600) * 1000);
    columns.value.push(Number(base.toFixed(3)));
    columns.low.push(Number((base * (1 - 0.003 - 0.004 * next())).toFixed(3)));
    columns.high.push(Number((base * (1 + 0.003 + 0.006 * next())).toFixed(3)));
    columns.run.push(hex(`run ${i}`, 12));
    columns.commit.push(hex(`commit ${i}`, 12));
    columns.place.push(i);
    columns.off_branch.push(0);
    columns.condition.push(i < 100 ? 0 : 1);
    columns.subject.push(subjects[i % subjects.length]);
  }
  kept_points.set(seed, columns);
  return columns;
}

export const kSeries = [
  {
    benchmark: 'BM_tokenize/1024',
    metric: 'real_time',
    unit: 'ns',
    kind: 'noisy',
    count: 120,
    seed: 1,
    level: 812.4,
    change: 84,
    ratio: 1.0721,
  },
  {
    benchmark: 'BM_tokenize/1024',
    metric: 'instructions',
    unit: 'count',
    kind: 'counted',
    count: 120,
    seed: 2,
    level: 11013,
    change: 84,
    ratio: 1.124,
    taken_back: 100,
  },
  {
    benchmark: 'BM_hash/8',
    metric: 'real_time',
    unit: 'ns',
    kind: 'noisy',
    count: 120,
    seed: 3,
    level: 31.2,
    change: 999,
    ratio: 1,
  },
  {
    benchmark: 'BM_copy/65536',
    earlier_names: ['BM_memcpy/65536'],
    metric: 'bandwidth',
    unit: 'bytes/s',
    kind: 'noisy',
    better: 'higher',
    count: 120,
    seed: 4,
    level: 11.2e9,
    change: 40,
    ratio: 1.05,
  },
  {
    benchmark: 'BM_long_history',
    metric: 'real_time',
    unit: 'ns',
    kind: 'noisy',
    count: 100000,
    seed: 5,
    level: 1500,
    change: 61000,
    ratio: 1.03,
  },
];

export function change_of(one) {
  return {
    id: hex(`change ${one.benchmark}`),
    project: kProject,
    benchmark: one.benchmark,
    name: one.benchmark,
    metric: one.metric,
    fingerprint: kMachine,
    branch: 'main',
    commit: hex(`commit ${one.change}`, 40),
    last_good: hex(`commit ${one.change - 2}`, 40),
    before: one.level,
    after: one.level * one.ratio,
    ratio: one.ratio,
    p: 1e-6,
    verdict: one.ratio > 1 === (one.better === 'higher') ? 'improvement' : 'regression',
    gone: false,
    cause: 'commit',
    ...(one.taken_back && {taken_back_by: hex(`commit ${one.taken_back}`, 40)}),
  };
}

export function make_alerts() {
  const life = (...steps) =>
    steps.map(([transition, hours, by, note]) => ({
      transition,
      at: iso(at_of(84) + hours * 3600e3),
      by,
      commit: hex('commit 84', 40),
      note: note ?? null,
    }));
  const one = (name, own) => ({
    id: hex(`alert ${name}`),
    project: kProject,
    branch: 'main',
    benchmark: 'BM_tokenize/1024',
    metric: 'real_time',
    unit: 'ns',
    state: 'open',
    verdict: 'regression',
    baseline: 812.4,
    candidate: 871,
    ratio: 1.0721,
    comparison: hex('comparison 0'),
    change_point: null,
    commit: hex('commit 84', 40),
    fingerprint: kMachine,
    accepted_commit: null,
    accepted_until: null,
    life: life(['opened', 1, `comparison:${hex('comparison 0')}`]),
    assignment: null,
    ...own,
  });
  return [
    one('a', {}),
    one('b', {metric: 'instructions', unit: 'count', baseline: 11013, candidate: 12378, ratio: 1.124}),
    one('c', {
      benchmark: 'BM_split/16',
      verdict: 'missing',
      ratio: null,
      baseline: 402,
      candidate: null,
      state: 'acknowledged',
      life: life(
        ['opened', 1, `comparison:${hex('comparison 0')}`],
        ['acknowledged', 5, 'ada@example.org', 'renamed? looking'],
      ),
    }),
    one('d', {
      benchmark: 'BM_trim/8',
      state: 'resolved',
      ratio: 1.031,
      life: life(['opened', -200, 'comparison:00'], ['resolved', -90, 'ada@example.org']),
    }),
  ];
}

export const newer_alerts = ({count, state, branch = 'main'}) =>
  Array.from({length: count}, (_, i) => ({
    ...make_alerts()[0],
    branch,
    id: hex(`newer ${i}`),
    benchmark: `BM_newer/${i}`,
    state,
    life: [{transition: state, at: iso(at_of(110) - i * 1000), by: 'local', commit: null, note: null}],
  }));

// One under way, with three answers, and one that named its commit.
export function bisects() {
  const probe = (i, answer, ratio) => ({
    purpose: 'search',
    by: 'values',
    baseline: hex('commit 40', 40),
    candidate: hex(`commit ${i}`, 40),
    attempt: 0,
    answer,
    baseline_level: 812.4,
    candidate_level: ratio && 812.4 * ratio,
    ratio,
    interval: ratio && [ratio - 0.004, ratio + 0.004],
    p: ratio && 0.002,
    rounds: ratio ? 24 : 0,
    trouble: ratio ? null : 'it does not build',
  });
  const one = {
    id: hex('bisect', 16),
    repository: '/home/ada/textkit',
    good: hex('commit 40', 40),
    bad: hex('commit 104', 40),
    benchmark: 'BM_tokenize/1024',
    metric: 'real_time',
    build: 'make bench',
    commits: 64,
    left: 31,
    measuring: hex('commit 56', 40),
    end: null,
    culprit: null,
    builds: 4,
    at_unix_ns: at_of(119) * 1e6,
    probes: [probe(104, 'changed', 1.072), probe(72, 'skipped', null), probe(73, 'changed', 1.071)],
  };
  const ended = {measuring: null, end: 'found', left: 1, culprit: hex('commit 80', 40), builds: 9};
  return [one, {...one, ...ended, id: hex('bisect 2', 16), benchmark: 'BM_hash/8'}];
}

export function machine_of(fingerprint, cpu, kernel) {
  return {
    fingerprint,
    runs: fingerprint === kMachine ? 61 : 60,
    first_at: iso(kBegin),
    newest_at: iso(at_of(119)),
    noise: fingerprint === kMachine ? 0.0041 : 0.012,
    facts: [
      {name: 'cpu.model', value: cpu, decisive: true},
      {name: 'cpu.cores', value: '2', decisive: true},
      {name: 'kernel.release', value: kernel, decisive: true},
      {name: 'memory.bytes', value: '25279950848', decisive: true},
      {name: 'compiler.version', value: 'g++ 12.2.0', decisive: false},
      {name: 'libc.version', value: '2.36', decisive: false},
    ],
    calibrations:
      fingerprint === kMachine
        ? [
            {
              id: hex('calibration'),
              layout: 'duet',
              at: iso(at_of(70)),
              program: './bench_textkit',
              rounds: 24,
              gates: 10,
              false_gates: 0,
              comparisons: 150,
              false_alarms: 3,
              drift_sequential: null,
              failed: false,
              reason: null,
            },
          ]
        : [],
  };
}

// Counted of the rows that its own page shows, so that the two never contradict each other.
export function comparison_header(i) {
  const {comparisons, summary, baseline, candidate} = whole_comparison(hex(`comparison ${i}`));
  const count = (words) => comparisons.filter((row) => row.gates && words.includes(row.verdict)).length;
  const asked = comparisons.filter((row) => row.gates && !['new', 'skipped'].includes(row.verdict));
  const benchmarks = [...new Set(asked.map((row) => row.benchmark))];
  const is_undecided = (name) => asked.every((row) => row.benchmark !== name || row.verdict === 'inconclusive');
  return {
    id: hex(`comparison ${i}`),
    project: kProject,
    branch: 'main',
    baseline_run: baseline.id,
    candidate_run: candidate.id,
    baseline_commit: baseline.commit,
    candidate_commit: candidate.commit,
    at: iso(at_of(84 - i)),
    fingerprint: kMachine,
    summary,
    gates: count(['regression']),
    unjudged: count(['missing', 'failed', 'incomparable']),
    benchmarks: benchmarks.length,
    undecided: benchmarks.filter(is_undecided).length,
  };
}

const kSteps = [
  'measured: real_time in ns (lower is better), duet; 24 samples in 24 processes each',
  'levels: baseline 812 ns, candidate 871 ns (medians over the processes of the medians of their samples)',
  'rounds: candidate over baseline +7.4 %, +6.9 %, +7.1 %; above in 24 of 24',
  'test: a permutation test over 24 rounds gives p 1e-06',
  'family: over 6 comparisons q 8e-06',
  'interval: 95 % +6.61 % to +7.81 %',
  'verdict: regression, because q is at most 0.05 and the change at least 1 %',
];

// The first has every verdict, the second decided nothing, the third lacks a benchmark, and the others passed.
export function whole_comparison(id, explain) {
  const kept = golden('every_verdict.json');
  const i = Math.max(0, Array.from({length: 25}, (_, k) => hex(`comparison ${k}`)).indexOf(id));
  kept.baseline = {...kept.baseline, id: hex(`run ${83 - i}`), commit: hex(`commit ${83 - i}`, 40)};
  kept.candidate = {...kept.candidate, id: hex(`run ${84 - i}`), commit: hex(`commit ${84 - i}`, 40)};
  if (i > 0) {
    const words = [['inconclusive'], ['unchanged', 'missing']][i - 1] ?? ['unchanged'];
    kept.comparisons = kept.comparisons.filter((row) => words.includes(row.verdict));
    for (const word of Object.keys(kept.summary))
      kept.summary[word] = kept.comparisons.filter((row) => row.verdict === word).length;
    kept.findings = [];
  }
  if (i === 1) {
    kept.no_change = {
      kind: 'cannot tell',
      text: 'Cannot tell: 1 of 1 benchmark undecided',
      advice: 'measure longer',
      command: 'steelyard ab OLD NEW --rounds 64',
    };
  }
  if (i > 2) kept.no_change = {kind: 'nothing changed', text: 'Nothing changed: 3 benchmarks shown unchanged'};
  if (explain) for (const row of kept.comparisons) if (row.benchmark.includes(explain)) row.explanation = kSteps;
  return kept;
}

export function whole_run(id) {
  const kept = golden('run.json'),
    next = noise_of(parseInt(id.slice(0, 6), 16));
  const i = Array.from({length: 121}, (_, k) => k).find((k) => hex(`run ${k}`).startsWith(id)) ?? 84;
  const header = run_header(i);
  kept.run = {
    ...kept.run,
    id: header.id,
    project: kProject,
    fingerprint: header.fingerprint,
    created_at_unix_ns: at_of(i) * 1e6,
    commit: {
      sha: header.commit,
      parent: header.parent,
      branch: 'main',
      subject: header.subject,
      committed_at_unix_s: 0,
      dirty: false,
    },
  };
  const level = i >= 84 ? 871 : 812.4;
  const sampled = (name, metric, unit, at, processes) => ({
    benchmark: name,
    metric,
    unit,
    better: 'lower',
    kind: metric === 'instructions' ? 'counted' : 'noisy',
    count_key: null,
    value: at,
    within_invocations: 0.0041,
    between_invocations: 0.0052,
    set_aside: [],
    invocations: Array.from({length: processes}, (_, k) => ({
      invocation: k,
      values: [1, 2].map(() => at * (1 + 0.02 * (next() + next() - 0.9))),
      iterations: [100, 100],
    })),
  });
  kept.measurements = [
    sampled('BM_tokenize/1024', 'real_time', 'ns', level, 24),
    kept.measurements[1],
    sampled('BM_hash/8', 'real_time', 'ns', 31.2, 24),
    sampled('BM_trim/8', 'real_time', 'ns', 64.1, 24),
  ];
  kept.profiles = [
    {
      benchmark: 'BM_tokenize/1024',
      iterations: 100,
      events: ['Ir'],
      totals: [1237800],
      functions: [
        {
          object: 'bench',
          file: 'src/tokenizer.cpp',
          name: 'textkit::tokenize(std::string_view)',
          calls: 100,
          self: [920000],
          inclusive: [1190000],
        },
      ],
    },
  ];
  const rate = (benchmark, metric, value, achieved, unit, ceiling, intensity, bound) => ({
    benchmark,
    metric,
    value,
    interval: [value * 0.98, value * 1.02],
    achieved,
    achieved_interval: null,
    unit,
    ceiling: {value: ceiling},
    intensity,
    bound,
    invocations: 24,
    unknown: null,
  });
  kept.utilizations = [
    rate('BM_gemm/512', 'flop_utilization', 0.71, 42.6e9, 'flop/s', 60e9, 42.7, 'arithmetic'),
    rate('BM_gemm/512', 'bandwidth_utilization', 0.09, 1.0e9, 'bytes/s', 11.8e9, 42.7, 'arithmetic'),
    rate('BM_triad/1048576', 'flop_utilization', 0.012, 0.72e9, 'flop/s', 60e9, 0.083, 'memory'),
    rate('BM_triad/1048576', 'bandwidth_utilization', 0.74, 8.7e9, 'bytes/s', 11.8e9, 0.083, 'memory'),
  ];
  return kept;
}

function target(benchmark, metric, text, of_what, least, achieved, ceiling, verdict) {
  return {
    run: hex('run 119'),
    commit: hex('commit 119', 40),
    at: iso(at_of(119)),
    project: kProject,
    branch: 'main',
    fingerprint: kMachine,
    benchmark,
    metric,
    target: text,
    of_what,
    least,
    achieved,
    achieved_low: achieved * 0.99,
    achieved_high: achieved * 1.01,
    ceiling,
    utilization: ceiling ? achieved / ceiling : null,
    intensity: null,
    bound: 'memory',
    verdict,
    reason: null,
  };
}
export const kTargets = [
  target('BM_copy/65536', 'bandwidth', '90 % of bandwidth', 'bandwidth', 0.9, 11.76e9, 13.4e9, 'missed'),
  target('BM_gemm/512', 'flops', '60 % of flops', 'flops', 0.6, 42.6e9, 60e9, 'met'),
];

export function flame(is_same) {
  const frames = [],
    frame = (name, parent, baseline, candidate, file = 'src/tokenizer.cpp') =>
      frames.push({name, file, parent, baseline: is_same ? candidate : baseline, candidate}) - 1;
  const all = frame('(all)', null, 11013, 12378, null);
  const top = frame('BM_tokenize(benchmark::State&)', all, 11013, 12378, 'bench/bench_textkit.cpp');
  const tokenize = frame('textkit::tokenize(std::string_view)', top, 10010, 11361);
  const grow = frame(
    'void std::vector<textkit::Token, std::allocator<textkit::Token> >::_M_realloc_insert',
    tokenize,
    100,
    1304,
    'bits/vector.tcc',
  );
  frame('__memcpy_avx_unaligned_erms', grow, 0, 402, null);
  frame('textkit::is_space(char)', tokenize, 4200, 4200);
  frame('textkit::hash(std::string_view)', top, 640, 512, 'src/hash.cpp');
  return {
    benchmark: 'BM_tokenize/1024',
    event: 'Ir',
    baseline_total: is_same ? 12378 : 11013,
    candidate_total: 12378,
    frames,
  };
}
