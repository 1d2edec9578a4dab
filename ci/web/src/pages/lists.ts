// Lists that lead elsewhere: runs, gates, and all that is known of one commit.
import {get, type Commit, type ComparisonHeader, type RunHeader} from '../api';
import {button, entries, h, section, table, type Child} from '../dom';
import {go, href} from '../route';
import {
  alert_change,
  benchmark,
  change_table,
  code,
  commit_link,
  empty,
  gate_table,
  machine_link,
  paged,
  run_table,
  type PageOf,
  type View,
} from '../view';
import {metric_text, short, time_text} from '../words';

function branch_filter(view: View, page: string): HTMLElement {
  const field = h('input', {
    type: 'search',
    value: view.params.get('branch') ?? '',
    name: 'branch',
    autocomplete: 'off',
  });
  return h(
    'form',
    {
      class: 'controls',
      submit: ((event: Event) => {
        event.preventDefault();
        go(page, {branch: field.value.trim()});
      }) as EventListener,
    },
    h('label', {}, 'Branch ', field),
    h('button', {type: 'submit'}, 'Show'),
  );
}

// Two runs are picked one after the other; the address holds the first.
export const runs: PageOf = async (view) => {
  view.title('Runs');
  const against = view.params.get('against');
  const last = (run: RunHeader): Child =>
    against === run.id
      ? h('span', {class: 'dim'}, 'baseline')
      : against
        ? h('a', {href: href('comparison', {baseline: against, candidate: run.id})}, 'compare')
        : h('a', {href: href('runs', {against: run.id, branch: view.params.get('branch')})}, 'compare \u2026');
  return [
    h('h1', {}, 'Runs'),
    against &&
      h(
        'p',
        {class: 'notice', role: 'status'},
        'Baseline is ',
        code(short(against)),
        '. Choose the candidate: \u201ccompare\u201d in its row. ',
        h('a', {href: href('runs')}, 'Choose another baseline'),
      ),
    branch_filter(view, 'runs'),
    await paged<RunHeader>(
      view,
      '/runs',
      {project: view.project, branch: view.params.get('branch')},
      (items) => run_table('Runs, newest first', items, last),
      () =>
        empty(
          'No run is kept here.',
          'Measure one with ',
          code('steelyard run -- ./bench'),
          ', or bring one with ',
          code('steelyard import'),
          '.',
        ),
    ),
  ];
};

export const gates: PageOf = async (view) => {
  view.title('Gates');
  return [
    h('h1', {}, 'Gates'),
    branch_filter(view, 'gates'),
    await paged<ComparisonHeader>(
      view,
      '/comparisons',
      {project: view.project, branch: view.params.get('branch')},
      gate_table,
      () => empty('No comparison is kept here.', code('steelyard gate'), ' keeps its answer in the store.'),
    ),
  ];
};

export const commit: PageOf = async (view) => {
  const sha = view.params.get('sha') ?? '';
  const found = await get<Commit>(`/commits/${encodeURIComponent(sha)}`, {project: view.project}, view.signal);
  view.title(`Commit ${short(found.commit)}`);
  const none = (what: string) => h('p', {class: 'dim'}, what);
  return [
    h('h1', {}, 'Commit ', code(short(found.commit)), found.subject && ` ${found.subject}`),
    entries([
      ['commit', code(found.commit)],
      ['parent', found.parent && commit_link(found.parent)],
      ['committed', time_text(found.committed_at)],
    ]),
    found.notes.map((note) => h('p', {class: 'dim'}, note)),
    section(
      'Change points',
      found.change_points.length
        ? change_table('Change points at this commit', found.change_points)
        : none('No change of level is kept of it.'),
    ),
    section(
      'Comparisons',
      found.comparisons.length ? gate_table(found.comparisons) : none('It was no candidate of a kept comparison.'),
    ),
    section(
      'Alerts',
      found.alerts.length
        ? table(
            'Alerts that it opened',
            [
              {title: 'Alert'},
              {title: 'State'},
              {title: 'Benchmark'},
              {title: 'Metric'},
              {title: 'Change', numeric: true},
              {title: 'Machine', wide: true},
            ],
            found.alerts.map((alert) => [
              h('a', {href: href('alerts', {id: alert.id})}, code(short(alert.id))),
              alert.state,
              benchmark(alert.benchmark),
              metric_text(alert.metric),
              alert_change(alert),
              machine_link(alert.fingerprint),
            ]),
          )
        : none('It opened no alert.'),
    ),
    section(
      'Runs',
      found.runs.length
        ? run_table('Runs of this commit', found.runs, (run) =>
            h('a', {href: href('runs', {against: run.id})}, 'compare \u2026'),
          )
        : none('It was not measured.'),
    ),
    found.runs.length >= 2 &&
      button('Compare its first two runs', () =>
        go('comparison', {baseline: found.runs[1].id, candidate: found.runs[0].id}),
      ),
  ];
};
