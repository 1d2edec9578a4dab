// What needs attention now, the last gates, and how steady each machine is.
import {get, type Alert, type ComparisonHeader, type Machine, type Page, type Project} from '../api';
import {h, section, table, type Child} from '../dom';
import {href} from '../route';
import {alert_change, benchmark, code, commit_link, empty, gate_table, series_href, type PageOf} from '../view';
import {count_text, metric_text, plural, share_text, short, time_text} from '../words';

function attention(alerts: Page<Alert>): Child {
  const open = alerts.items.filter((alert) => alert.state === 'open' || alert.state === 'reopened');
  if (open.length === 0) {
    return h(
      'p',
      {},
      h('span', {class: 'improvement'}, h('span', {class: 'mark', 'aria-hidden': 'true'}, '\u2713')),
      ' No alert is open. ',
      h('a', {href: href('alerts', {state: 'all'})}, 'All alerts'),
    );
  }
  return [
    h(
      'ul',
      {class: 'cards'},
      open.map((alert) =>
        h(
          'li',
          {class: 'finding regression'},
          h(
            'p',
            {},
            h('span', {class: 'mark', 'aria-hidden': 'true'}, '\u2717'),
            ' ',
            h('a', {href: href('alerts', {id: alert.id})}, benchmark(alert.benchmark)),
            ' ',
            metric_text(alert.metric),
            ' ',
            h('b', {class: 'c'}, alert_change(alert)),
          ),
          h(
            'p',
            {class: 'dim'},
            alert.state,
            ' since ',
            time_text(alert.life[alert.life.length - 1]?.at),
            alert.branch && ` on ${alert.branch}`,
            ', commit ',
            commit_link(alert.commit, alert.project),
            ' \u00b7 ',
            h(
              'a',
              {
                href: series_href({
                  project: alert.project,
                  branch: alert.branch,
                  benchmark: alert.benchmark,
                  metric: alert.metric,
                  machine: alert.fingerprint,
                }),
              },
              'history',
            ),
            alert.comparison && [' \u00b7 ', h('a', {href: href('comparison', {id: alert.comparison})}, 'comparison')],
          ),
        ),
      ),
    ),
    alerts.next && h('p', {}, h('a', {href: href('alerts')}, 'All open alerts')),
  ];
}

function projects_table(projects: Project[]): HTMLElement {
  return table(
    'Projects',
    [{title: 'Project'}, {title: 'Open alerts', numeric: true}, {title: 'Branches', wide: true}, {title: 'Newest run'}],
    projects.map((one) => [
      h('a', {href: href('overview', {project: one.name})}, one.name || 'without a name'),
      one.open_alerts
        ? h(
            'span',
            {class: 'regression'},
            h('span', {class: 'mark', 'aria-hidden': 'true'}, '\u2717'),
            ` ${one.open_alerts}`,
          )
        : '0',
      one.branches
        .slice(0, 4)
        .map((branch, i) => [
          i ? ', ' : '',
          h('a', {href: href('runs', {project: one.name, branch: branch.name})}, branch.name),
        ]),
      one.newest_run
        ? h('a', {href: href('run', {id: one.newest_run})}, time_text(one.newest_at))
        : time_text(one.newest_at),
    ]),
  );
}

// What people call it by; the fingerprint is its identity.
export const name_of = (machine: Machine): string =>
  machine.facts.find((fact) => fact.name === 'cpu.model')?.value ?? '';

export function machine_rows(machines: Machine[]): HTMLElement {
  return table(
    'Machines',
    [
      {title: 'Machine'},
      {title: ''},
      {title: 'Noise', numeric: true},
      {title: 'False gates'},
      {title: 'Runs', numeric: true, wide: true},
      {title: 'Newest run', wide: true},
    ],
    machines.map((machine) => [
      h('a', {href: href('machines', {one: machine.fingerprint})}, code(short(machine.fingerprint, 8))),
      name_of(machine),
      machine.noise === null ? h('span', {class: 'dim'}, 'not known') : share_text(machine.noise),
      machine.calibrations[0]
        ? `${machine.calibrations[0].false_gates} of ${machine.calibrations[0].gates} A/A gates`
        : h('span', {class: 'dim'}, 'not calibrated'),
      count_text(machine.runs),
      time_text(machine.newest_at),
    ]),
  );
}

export const overview: PageOf = async (view) => {
  const of = {project: view.project};
  const [projects, alerts, gates, machines] = await Promise.all([
    get<Page<Project>>('/projects', {limit: 100}, view.signal),
    get<Page<Alert>>('/alerts', {...of, limit: 20}, view.signal),
    get<Page<ComparisonHeader>>('/comparisons', {...of, limit: 10}, view.signal),
    get<Page<Machine>>('/machines', {...of, limit: 20}, view.signal),
  ]);
  view.title(view.project || 'Overview');
  if (projects.items.every((one) => !one.newest_run)) {
    return empty(
      'Nothing was measured yet.',
      'Keep a first run with ',
      code('steelyard run -- ./bench'),
      ', or gate a commit with ',
      code('steelyard gate'),
      '; it shows here by itself.',
    );
  }
  const shown = projects.items.filter((one) => !view.project || one.name === view.project);
  return [
    h('h1', {}, view.project || 'Overview'),
    section('Needs attention now', attention(alerts)),
    section(
      'Last gates',
      gates.items.length
        ? [gate_table(gates.items), gates.next && h('p', {}, h('a', {href: href('gates')}, 'All gates'))]
        : empty('No gate was kept yet.', code('steelyard gate'), ' keeps its answer in the store.'),
    ),
    section('Projects', projects_table(shown), h('p', {class: 'dim'}, plural(shown.length, 'project'))),
    section(
      'Machines',
      machines.items.length ? machine_rows(machines.items) : empty('No machine is known yet.'),
      h('p', {class: 'dim'}, 'Noise: the median scatter from round to round in the newest comparison there.'),
    ),
  ];
};
