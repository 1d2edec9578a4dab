// What every page is given, and the pieces that several pages show alike.
import {
  get,
  type Alert,
  type ChangePoint,
  type ComparisonHeader,
  type Page,
  type Query,
  type Row,
  type RunHeader,
  type Session,
} from './api';
import {button, fill, h, svg, table, type Child, type Column} from './dom';
import {href, shows_several} from './route';
import {
  benchmark_text,
  change_text,
  count_text,
  kWorstFirst,
  level_text,
  mark,
  metric_text,
  rows_text,
  short,
  time_text,
  unit_of,
} from './words';

export interface View {
  params: URLSearchParams;
  session: Session;
  project: string;
  signal: AbortSignal; // of everything that the page begins: it ends with the page
  title(text: string): void;
  again(): void; // shows the page anew
  closed(act: () => void): void;
  ready(act: () => void): void; // once the page stands
}

export type PageOf = (view: View) => Promise<Child>;

// Verdict with its sign, so that colour is never all that tells.
export function verdict(word: string): HTMLElement {
  return h(
    'span',
    {class: `verdict ${word}`},
    h('span', {class: 'mark', 'aria-hidden': 'true'}, mark(word)),
    ' ',
    h('span', {class: 'word'}, word),
  );
}

export function summary(counts: Record<string, number>): HTMLElement {
  const told = [...kWorstFirst, ...Object.keys(counts).filter((word) => !kWorstFirst.includes(word))].filter(
    (word) => counts[word] > 0,
  );
  return h(
    'span',
    {class: 'summary'},
    told.length === 0
      ? 'nothing was compared'
      : told.map((word) =>
          h(
            'span',
            {class: word},
            h('span', {class: 'mark', 'aria-hidden': 'true'}, mark(word)),
            ` ${rows_text(counts[word], word)}`,
          ),
        ),
  );
}

export const code = (text: string): HTMLElement => h('code', {}, text);
const hash = (id: string | null): HTMLElement => h('code', {class: 'hash'}, short(id));
export const benchmark = (name: string): HTMLElement => code(benchmark_text(name));

export function commit_link(sha: string | null, project?: string | null): Child {
  if (!sha) return h('span', {class: 'dim'}, 'no commit');
  return h('a', {href: href('commit', {sha, ...(project ? {project} : {})})}, hash(sha));
}
export function machine_link(fingerprint: string | null): Child {
  return fingerprint ? h('a', {href: href('machines', {one: fingerprint})}, code(short(fingerprint))) : '';
}
export function run_link(id: string | null, text?: string): Child {
  return id ? h('a', {href: href('run', {id})}, text ?? hash(id)) : '';
}

export interface SeriesKey {
  project?: string | null;
  branch?: string | null;
  benchmark: string;
  metric: string;
  machine?: string | null;
}
// One series as it stands in an address, in which several may stand. A request's comparison is of no branch's history.
export function series_text(key: SeriesKey): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(key)) if (value) text.set(name, value);
  if (key.branch?.startsWith('request:')) text.delete('branch');
  return text.toString();
}
export function series_href(...keys: SeriesKey[]): string {
  return href('series', {s: keys.map(series_text)});
}

// The interval on a logarithmic scale whose ends are a quarter less and more; the band is the minimum effect.
export function bar(row: Pick<Row, 'ratio' | 'interval' | 'minimum_effect'>): Child {
  if (!row.ratio || !(row.ratio > 0) || !Number.isFinite(row.ratio)) return '';
  const end = Math.log(1.25);
  const x = (ratio: number) => 60 + 56 * Math.max(-1, Math.min(1, Math.log(ratio) / end));
  const low = x(Math.max(0, 1 - row.minimum_effect)),
    high = x(1 + row.minimum_effect);
  const beyond = Math.log(row.ratio) > end ? 'M112 3l8 5l-8 5z' : Math.log(row.ratio) < -end ? 'M8 3l-8 5l8 5z' : '';
  return svg(
    'svg',
    {class: 'bar', viewBox: '0 0 120 16', 'aria-hidden': 'true'},
    svg('path', {class: 'band', d: `M${low} 1H${high}V15H${low}z`}),
    svg('path', {class: 'zero', d: 'M60 0V16'}),
    row.interval &&
      row.interval[0] > 0 &&
      Number.isFinite(row.interval[1]) &&
      svg('path', {class: 'span', d: `M${x(row.interval[0])} 8H${x(row.interval[1])}`}),
    beyond ? svg('path', {class: 'point', d: beyond}) : svg('circle', {class: 'point', cx: x(row.ratio), cy: 8, r: 4}),
  );
}

export function empty(what: string, ...next: Child[]): HTMLElement {
  return h('div', {class: 'empty'}, h('p', {}, what), h('p', {class: 'dim'}, next));
}

// A list that the service hands out in parts: what there is, and a button for more.
export async function paged<Item>(
  view: View,
  path: string,
  query: Query,
  show: (items: Item[]) => Child,
  none: () => Child,
  first?: Page<Item>, // where it is known already
): Promise<HTMLElement> {
  const all: Item[] = [];
  const place = h('div', {}),
    more = h('p', {});
  const ask = async (after: string) => add(await get<Page<Item>>(path, {...query, after}, view.signal));
  const add = (page: Page<Item>) => {
    all.push(...page.items);
    fill(
      place,
      all.length ? show(all) : none(),
      (page.notes ?? []).map((note) => h('p', {class: 'dim'}, note)),
    );
    fill(
      more,
      page.next &&
        button('Show more', () => {
          ask(page.next as string).catch((error: Error) => fill(more, h('span', {role: 'alert'}, error.message)));
        }),
    );
  };
  add(first ?? (await get<Page<Item>>(path, query, view.signal)));
  return h('div', {}, place, more);
}

// A table of what belongs to projects; of several of them each row says which is its own.
export function project_table<Item extends {project: string | null}>(
  label: string,
  columns: Column[],
  items: Item[],
  cells: (item: Item) => Child[],
): HTMLElement {
  const with_project = <Cell>([first, ...others]: Cell[], own: Cell): Cell[] =>
    shows_several() ? [first, own, ...others] : [first, ...others];
  return table(
    label,
    with_project(columns, {title: 'Project'}),
    items.map((item) => with_project(cells(item), item.project)),
  );
}

export function change_table(label: string, points: ChangePoint[], extra?: (point: ChangePoint) => Child): HTMLElement {
  return table(
    label,
    [
      {title: 'Benchmark'},
      {title: 'Metric'},
      {title: 'Before', numeric: true, wide: true},
      {title: 'After', numeric: true, wide: true},
      {title: 'Change', numeric: true},
      {title: 'Commits'},
      {title: 'Machine', wide: true},
      {title: ''},
    ],
    points.map((point) => {
      const unit = unit_of(point.metric);
      return [
        h(
          'a',
          {
            href: series_href({
              project: point.project,
              branch: point.branch,
              benchmark: point.benchmark,
              metric: point.metric,
              machine: point.fingerprint,
            }),
          },
          benchmark(point.benchmark),
        ),
        metric_text(point.metric),
        level_text(point.before, unit),
        level_text(point.after, unit),
        h('span', {class: point.verdict}, h('span', {class: 'c'}, change_text(point.ratio))),
        [
          point.last_good && [commit_link(point.last_good, point.project), ' \u2026 '],
          commit_link(point.commit, point.project),
        ],
        code(short(point.fingerprint)),
        [
          point.gone && 'later values spoke against it',
          point.cause === 'machine' && 'likely the machine\u2019s',
          point.taken_back_by && ['taken back by ', commit_link(point.taken_back_by, point.project)],
          extra?.(point),
        ],
      ];
    }),
  );
}

export function gate_table(gates: ComparisonHeader[]): HTMLElement {
  return project_table(
    'Gates and other comparisons',
    [
      {title: 'Answer'},
      {title: 'Candidate'},
      {title: 'Against', wide: true},
      {title: 'Branch', wide: true},
      {title: 'Rows'},
      {title: 'Measured', wide: true},
    ],
    gates,
    (gate) => [
      h('a', {href: href('comparison', {id: gate.id})}, verdict_of_gate(gate)),
      commit_link(gate.candidate_commit, gate.project),
      commit_link(gate.baseline_commit, gate.project),
      gate.branch ?? '',
      summary(gate.summary),
      time_text(gate.at),
    ],
  );
}

// What a gate answers, by how many of its rows fail it and how many that gate could not be judged: in the list of gates
// and at the head of its own page.
export function answer_of_gate(gates: number, unjudged: number, cannot_tell: boolean) {
  if (gates > 0) return {kind: 'regression', sign: '\u2717', answer: 'fails'};
  if (unjudged > 0) return {kind: 'failed', sign: '!', answer: 'not all judged'};
  if (cannot_tell) return {kind: 'inconclusive', sign: '?', answer: 'cannot tell'};
  return {kind: 'improvement', sign: '\u2713', answer: 'passes'};
}

export function verdict_of_gate(gate: ComparisonHeader): HTMLElement {
  const {regression = 0, improvement = 0} = gate.summary;
  // By the rule of ci/report/headline.hpp, which the comparison itself brings as `no_change`.
  const cannot_tell = regression + improvement === 0 && 2 * gate.undecided > gate.benchmarks;
  const {kind, sign, answer} = answer_of_gate(gate.gates, gate.unjudged, cannot_tell);
  return h('span', {class: `answer ${kind}`}, h('span', {class: 'mark', 'aria-hidden': 'true'}, sign), ` ${answer}`);
}

export function alert_change(alert: Alert): string {
  if (alert.verdict !== 'regression') return alert.verdict;
  const levels =
    alert.baseline !== null && alert.candidate !== null && alert.unit
      ? ` (${level_text(alert.baseline, alert.unit)} to ${level_text(alert.candidate, alert.unit)})`
      : '';
  return change_text(alert.ratio) + levels;
}
// To the series that it is of, as its branch and machine had it.
export function alert_history_link(alert: Alert, text: string): HTMLElement {
  const {project, branch, benchmark, metric, fingerprint: machine} = alert;
  return h('a', {href: series_href({project, branch, benchmark, metric, machine})}, text);
}

export function run_table(label: string, runs: RunHeader[], last?: (run: RunHeader) => Child): HTMLElement {
  return project_table(
    label,
    [
      {title: 'Run'},
      {title: 'Commit'},
      {title: 'Subject'},
      {title: 'Branch', wide: true},
      {title: 'Machine', wide: true},
      {title: 'Measurements', numeric: true, wide: true},
      {title: 'Measured', wide: true},
      {title: ''},
    ],
    runs,
    (run) => [
      run_link(run.id),
      commit_link(run.commit, run.project),
      run.subject ?? '',
      run.branch ?? '',
      machine_link(run.fingerprint),
      count_text(run.measurements),
      time_text(run.at),
      last?.(run),
    ],
  );
}
