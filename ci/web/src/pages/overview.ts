// What needs attention now, the last gates, and how steady each machine is.
import {
  get,
  type Alert,
  type ChangePoint,
  type ComparisonHeader,
  type Machine,
  type Page,
  type Project,
  type Query,
} from '../api';
import {h, section, table, type Child} from '../dom';
import {href, shows_several} from '../route';
import {
  alert_change,
  alert_history_link,
  benchmark,
  code,
  commit_link,
  empty,
  gate_table,
  machine_link,
  paged,
  type PageOf,
  type View,
} from '../view';
import {count_text, metric_text, plural, share_text, time_text} from '../words';

const kMaxCards = 20;

// Newest change first, of both states that want somebody. What others said of theirs since hides none of them.
async function open_alerts(view: View, of: Query): Promise<Page<Alert>> {
  const both = await Promise.all(
    ['open', 'reopened'].map((state) => get<Page<Alert>>('/alerts', {...of, state, limit: kMaxCards}, view.signal)),
  );
  const changed = (alert: Alert) => Date.parse(alert.life[alert.life.length - 1]?.at ?? '') || 0;
  const items = both.flatMap((page) => page.items).sort((a, b) => changed(b) - changed(a));
  const next = both.find((page) => page.next)?.next ?? null;
  return {items: items.slice(0, kMaxCards), next: items.length > kMaxCards ? 'more' : next};
}

async function one_project(view: View): Promise<Page<Project>> {
  for (let after: string | null = null; ; ) {
    const page: Page<Project> = await get<Page<Project>>('/projects', {limit: 1000, after}, view.signal);
    const items = page.items.filter((one) => one.name === view.project);
    if (items.length > 0 || !page.next) return {items, next: null};
    after = page.next;
  }
}

// Whether a gate or a change of level is kept: without either nobody looked, or nothing that was found could be kept.
async function was_judged(view: View, of: Query, gates: Page<ComparisonHeader>): Promise<boolean> {
  if (gates.items.length > 0) return true;
  const changes = await get<Page<ChangePoint>>('/changes', {...of, gone: '1', limit: 1}, view.signal);
  return changes.items.length > 0;
}

function attention({items: open, next}: Page<Alert>, judged: boolean): Child {
  if (open.length === 0 && !judged) {
    return h(
      'p',
      {},
      'No alert is open, and nothing is kept that was judged: ',
      code('steelyard gate'),
      ' keeps its answer, and ',
      code('steelyard changes'),
      ' what it finds in runs with a commit.',
    );
  }
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
            shows_several() && [' in ', h('a', {href: href('overview', {project: alert.project})}, alert.project)],
            alert.branch && ` on ${alert.branch}`,
            alert.fingerprint && [', machine ', machine_link(alert.fingerprint)],
            ', commit ',
            commit_link(alert.commit, alert.project),
            ' \u00b7 ',
            alert_history_link(alert, 'history'),
            alert.comparison && [' \u00b7 ', h('a', {href: href('comparison', {id: alert.comparison})}, 'comparison')],
          ),
        ),
      ),
    ),
    h(
      'p',
      {},
      next && [
        'More are ',
        h('a', {href: href('alerts', {state: 'open'})}, 'open'),
        ' or ',
        h('a', {href: href('alerts', {state: 'reopened'})}, 'reopened'),
        ' \u00b7 ',
      ],
      h('a', {href: href('alerts', {state: 'all'})}, 'All alerts'),
    ),
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
        ? h('a', {href: href('run', {id: one.newest_run})}, time_text(one.newest_at) || 'no date')
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
      machine_link(machine.fingerprint),
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

const kProjects = {limit: 100};

export const overview: PageOf = async (view) => {
  const of = {project: view.project};
  const [projects, alerts, gates, machines] = await Promise.all([
    view.project ? one_project(view) : get<Page<Project>>('/projects', kProjects, view.signal),
    open_alerts(view, of),
    get<Page<ComparisonHeader>>('/comparisons', {...of, limit: 10}, view.signal),
    get<Page<Machine>>('/machines', {...of, limit: 20}, view.signal),
  ]);
  view.title(view.project || 'Overview');
  if (!projects.next && projects.items.every((one) => !one.newest_run)) {
    return empty(
      view.project ? `Nothing was measured of ${view.project} yet.` : 'Nothing was measured yet.',
      'Keep a first run with ',
      code('steelyard run -- ./bench'),
      ', or gate a commit with ',
      code('steelyard gate'),
      '; it shows here by itself.',
    );
  }
  return [
    h('h1', {}, view.project || 'Overview'),
    section('Needs attention now', attention(alerts, alerts.items.length > 0 || (await was_judged(view, of, gates)))),
    section(
      'Last gates',
      gates.items.length
        ? [gate_table(gates.items), gates.next && h('p', {}, h('a', {href: href('gates')}, 'All gates'))]
        : empty('No gate was kept yet.', code('steelyard gate'), ' keeps its answer in the store.'),
    ),
    section(
      'Projects',
      await paged<Project>(
        view,
        '/projects',
        kProjects,
        (items) => [projects_table(items), h('p', {class: 'dim'}, plural(items.length, 'project'))],
        () => '',
        projects,
      ),
    ),
    section(
      'Machines',
      machines.items.length ? machine_rows(machines.items) : empty('No machine is known yet.'),
      machines.next && h('p', {}, h('a', {href: href('machines')}, 'All machines')),
      h('p', {class: 'dim'}, 'Noise: the median scatter from round to round in the newest comparison there.'),
    ),
  ];
};
