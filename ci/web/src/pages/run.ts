// One run: what was measured, where and on what; its profiles; its benchmarks under the roof of their ceilings.
import {get, type Flame, type Run, type RunHeader, type Page, type Target, type Utilization} from '../api';
import {button, entries, h, section, table, type Child} from '../dom';
import {flame_functions, FlameGraph} from '../flame';
import {roofline_chart, roofline_points} from '../roofline';
import {go, href} from '../route';
import {
  benchmark,
  code,
  commit_link,
  empty,
  machine_link,
  run_link,
  series_href,
  verdict,
  type PageOf,
  type View,
} from '../view';
import {
  benchmark_text,
  change_text,
  count_text,
  is_of_device,
  level_text,
  metric_text,
  plural,
  share_text,
  short,
  time_text,
} from '../words';

const load = (view: View, id: string): Promise<Run> => get<Run>(`/runs/${encodeURIComponent(id)}`, {}, view.signal);

function measurements(run: Run): Child {
  if (run.measurements.length === 0) return empty('Nothing was measured in it.', 'Its failures, below, say why.');
  const own = run.run;
  const filter = h('input', {
    type: 'search',
    autocomplete: 'off',
    input: (() => {
      rows.forEach(
        (row, i) =>
          (row.hidden = !benchmark_text(run.measurements[i].benchmark)
            .toLowerCase()
            .includes(filter.value.trim().toLowerCase())),
      );
    }) as EventListener,
  });
  const shown = table(
    'Measurements',
    [
      {title: 'Benchmark'},
      {title: 'Metric'},
      {title: 'Level', numeric: true},
      {title: 'Within processes', numeric: true, wide: true},
      {title: 'Between processes', numeric: true, wide: true},
      {title: 'Processes \u00d7 samples', numeric: true, wide: true},
    ],
    run.measurements.map((one) => [
      h(
        'a',
        {
          href: series_href({
            project: own.project,
            branch: own.commit?.branch,
            benchmark: one.benchmark,
            metric: one.metric,
            machine: own.fingerprint,
          }),
        },
        benchmark(one.benchmark),
      ),
      metric_text(one.metric),
      level_text(one.value, one.unit),
      share_text(one.within_invocations),
      share_text(one.between_invocations),
      `${one.invocations.length} \u00d7 ${Math.max(0, ...one.invocations.map((its) => its.values.length))}`,
    ]),
  );
  const rows = [...shown.querySelectorAll<HTMLElement>('tbody tr')];
  return [h('p', {class: 'controls'}, h('label', {}, 'Filter ', filter)), shown];
}

function links(view: View, run: Run): Child {
  const id = run.run.id;
  const parent = run.run.commit?.parent;
  const against_parent = button('Compare with the parent commit', () => {
    void get<Page<RunHeader>>(
      '/runs',
      {commit: parent, project: run.run.project, machine: run.run.fingerprint, limit: 1},
      view.signal,
    ).then(
      (found) => {
        if (found.items[0]) go('comparison', {baseline: found.items[0].id, candidate: id});
        else
          against_parent.replaceWith(
            h('span', {class: 'dim', role: 'status'}, 'The parent was not measured on this machine.'),
          );
      },
      (error: Error) => against_parent.replaceWith(h('span', {role: 'alert'}, error.message)),
    );
  });
  return h(
    'p',
    {class: 'controls'},
    parent && against_parent,
    h('a', {class: 'button', href: href('runs', {against: id})}, 'Compare with \u2026'),
    run.profiles.length > 0 && h('a', {class: 'button', href: href('profile', {run: id})}, 'Profiles'),
    run.utilizations.length > 0 && h('a', {class: 'button', href: href('roofline', {run: id})}, 'Roofline'),
  );
}

export const run: PageOf = async (view) => {
  const found = await load(view, view.params.get('id') ?? '');
  const own = found.run;
  view.title(`Run ${short(own.id)}`);
  const left_out = found.invocations.filter((one) => one.left_out).length;
  const disturbed = found.invocations.filter((one) => one.disturbed_by.length > 0).length;
  return [
    h('h1', {}, 'Run ', code(short(own.id))),
    entries([
      [
        'commit',
        own.commit && [
          commit_link(own.commit.sha, own.project),
          own.commit.dirty && ' with changes',
          ' ',
          own.commit.subject,
        ],
      ],
      ['branch', own.commit?.branch],
      ['project', own.project],
      ['program', code(own.program)],
      ['measured', time_text(own.created_at_unix_ns)],
      ['machine', machine_link(own.fingerprint)],
      ['layout', own.layout],
      [
        'processes',
        [
          plural(found.invocations.length, 'invocation'),
          disturbed && `${disturbed} disturbed`,
          left_out && `${left_out} excluded`,
        ]
          .filter(Boolean)
          .join(', '),
      ],
    ]),
    links(view, found),
    section('Measurements', measurements(found)),
    found.failures.length > 0 &&
      section(
        'Failures and skips',
        table(
          'Failures and skips',
          [{title: 'Benchmark'}, {title: 'What'}, {title: 'Why'}],
          found.failures.map((one) => [
            one.benchmark ? benchmark(one.benchmark) : 'the whole program',
            one.kind,
            one.reason,
          ]),
        ),
      ),
    section(
      'Environment',
      table(
        'Environment',
        [{title: 'Fact'}, {title: 'Value'}, {title: ''}],
        found.environment.map((fact) => [
          code(fact.name),
          fact.value,
          fact.decisive && h('span', {class: 'tag'}, 'decisive'),
        ]),
        {class: 'facts'},
      ),
    ),
  ];
};

// What would bring profiles, as far as the run itself says: nobody is told to count what was counted or cannot be.
function without_profiles(found: Run): Child {
  const none = 'This run has no profile.';
  const settings = found.run.settings;
  const was_counted = 'Its instructions were counted, and no profile was kept.';
  if (found.measurements.some((one) => one.metric === 'instructions')) return empty(none, was_counted);
  const lack = settings['counting.lack'];
  if (lack) return empty(none, 'Counting brings them, but could not be done where it was measured: ', lack);
  const failed = found.failures.find((one) => one.metric === 'instructions');
  if (failed) {
    const what = failed.benchmark ? benchmark(failed.benchmark) : 'The program';
    const was = failed.kind === 'not reached' ? ' was ' : ' was not counted: '; // the reason begins with that kind
    return empty(none, 'Counting brings them. ', what, was, failed.reason);
  }
  if (settings.counting) return empty(none, was_counted);
  const is_measured = 'rounds_planned' in settings; // by us, not brought from elsewhere
  const measures_itself = 'command' in settings && settings.command !== 'process';
  const benchmarks = [...found.measurements, ...found.failures].flatMap((one) => one.benchmark ?? []);
  const on_device = benchmarks.length > 0 && benchmarks.every(is_of_device);
  if (!is_measured || measures_itself || on_device) return empty(none, 'Its instructions were not counted.');
  return empty(none, 'Counting brings them: ', code('steelyard run --counts always -- ./bench'));
}

export const profile: PageOf = async (view) => {
  const id = view.params.get('run') ?? '',
    against = view.params.get('against'),
    wanted = view.params.get('benchmark');
  view.title('Profile');
  if (!wanted) {
    const found = await load(view, id);
    return [
      h('h1', {}, 'Profiles of run ', run_link(found.run.id)),
      found.profiles.length
        ? table(
            'Profiles',
            [{title: 'Benchmark'}, {title: 'Total an iteration', numeric: true}, {title: 'Costliest function'}],
            found.profiles.map((one) => {
              const top = [...one.functions].sort((a, b) => (b.self[0] ?? 0) - (a.self[0] ?? 0))[0];
              return [
                h(
                  'a',
                  {href: href('profile', {run: found.run.id, benchmark: one.benchmark})},
                  benchmark(one.benchmark ?? ''),
                ),
                one.iterations ? count_text((one.totals[0] ?? 0) / one.iterations) : '',
                top ? code(top.name) : '',
              ];
            }),
          )
        : without_profiles(found),
    ];
  }
  const flame = await get<Flame>('/flame', {baseline: against ?? id, candidate: id, benchmark: wanted}, view.signal);
  const is_difference = against !== null && against !== id;
  const graph = new FlameGraph(flame, is_difference);
  view.closed(() => graph.close());
  view.title(`Profile ${benchmark_text(wanted)}`);
  const change = flame.baseline_total ? flame.candidate_total / flame.baseline_total : null;
  return [
    h('h1', {}, 'Profile of ', benchmark(wanted)),
    entries([
      ['candidate', run_link(id)],
      ['baseline', is_difference && run_link(against)],
      [
        'an iteration',
        is_difference
          ? `${count_text(flame.baseline_total)} to ${count_text(flame.candidate_total)} ${flame.event}`
          : `${count_text(flame.candidate_total)} ${flame.event}`,
      ],
      ['change', is_difference && change !== null && change_text(change)],
    ]),
    flame.frames.length
      ? graph.root
      : empty('There are no call stacks in it.', 'The functions below have what was counted.'),
    h('p', {class: 'dim keys'}, 'Click or Enter goes into a frame, Escape back out; arrow keys walk.'),
    section('Functions', flame_functions(flame, is_difference)),
  ];
};

export const roofline: PageOf = async (view) => {
  const id = view.params.get('run') ?? '';
  view.title('Roofline');
  const [found, targets] = await Promise.all([
    load(view, id),
    get<Page<Target>>('/targets', {run: id, limit: 1000}, view.signal),
  ]);
  const points = roofline_points(found.utilizations);
  const rate = (one: Utilization) => [
    benchmark(one.benchmark),
    one.metric === 'flop_utilization' ? 'arithmetic' : 'memory',
    level_text(one.achieved, one.unit),
    one.value === null ? h('span', {class: 'dim'}, one.unknown ?? 'no ceiling is known') : share_text(one.value),
    one.intensity === null ? '' : count_text(one.intensity),
    one.bound ?? '',
  ];
  return [
    h('h1', {}, 'Roofline of run ', run_link(found.run.id)),
    points.points.length
      ? h('figure', {tabindex: 0}, roofline_chart(points))
      : h(
          'p',
          {class: 'notice'},
          'No benchmark of this run states both its operations and its bytes, so that none has a place under a roof.',
        ),
    section(
      'Utilization',
      found.utilizations.length
        ? table(
            'Utilization',
            [
              {title: 'Benchmark'},
              {title: 'Of'},
              {title: 'Achieved', numeric: true},
              {title: 'Utilization', numeric: true},
              {title: 'flop/byte', numeric: true, wide: true},
              {title: 'Bound by', wide: true},
            ],
            found.utilizations.map(rate),
          )
        : empty('No utilization is known.', 'Measure what the machine can reach: ', code('steelyard targets ceilings')),
    ),
    section(
      'Targets',
      targets.items.length
        ? table(
            'Targets',
            [
              {title: 'Benchmark'},
              {title: 'Target'},
              {title: ''},
              {title: 'Reached', numeric: true},
              {title: 'Why', wide: true},
            ],
            targets.items.map((one) => [
              benchmark(one.benchmark),
              one.target,
              verdict(one.verdict),
              one.utilization === null
                ? level_text(one.achieved, one.metric === 'flops' ? 'flop/s' : 'bytes/s')
                : share_text(one.utilization),
              one.reason ?? '',
            ]),
          )
        : empty('It was held to no target.', 'Declare some under [[target]] in ', code('steelyard.toml'), '.'),
    ),
  ];
};
