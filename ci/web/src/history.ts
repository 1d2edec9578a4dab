// The points of a history as the plot wants them: the newest at once, the rest of a long one and the spread after them.
import {get, type ChangePoint, type Page, type Points, type SeriesName, type Target} from './api';
import type {ChangeMark, Line, PlottedSeries} from './series_plot';
import type {SeriesKey, View} from './view';
import {benchmark_text, level_text, metric_text, short} from './words';

// Of one machine.
export interface Part {
  machine?: string | null;
  is_whole: boolean; // nothing is older than its first points
  points: Points;
  spread: {run: string[]; low: (number | null)[]; high: (number | null)[]} | null; // of the newest points
}

export interface Loaded extends PlottedSeries {
  key: SeriesKey;
  parts: Part[];
  targets: Target[];
  run: string[];
  points: ChangePoint[];
  earlier: string[]; // what its benchmark was called before
  is_partial: boolean; // the rest is on its way
  is_cut: boolean; // there are older points
}

const kMaxSoonPoints = 5000; // several for each pixel of a plot
export const kMaxSpreadPoints = 20000; // of no more the service knows it
const kMaxPoints = 200000;
const kLine = 'at,value,run,commit,condition';
const kMergedLine = `${kLine},place,off_branch`;
const line_of = (machines: unknown[]): string => (machines.length > 1 ? kMergedLine : kLine);

function lines_of(targets: Target[], points: Points): Line[] {
  const lines: Line[] = [];
  for (const target of targets) {
    if (target.benchmark !== points.benchmark || target.metric !== points.metric) continue;
    const least =
      target.of_what === 'rate' ? target.least : target.ceiling === null ? null : target.least * target.ceiling;
    if (least !== null) lines.push({value: least, text: `target ${target.target}`, kind: 'target'});
    if (target.ceiling !== null)
      lines.push({value: target.ceiling, text: `ceiling ${level_text(target.ceiling, points.unit)}`, kind: 'ceiling'});
  }
  return lines.filter(
    (line, i) => lines.findIndex((other) => other.value === line.value && other.text === line.text) === i,
  );
}

export const begins = (a: string | null, b: string | null): boolean =>
  !!a && !!b && (a.startsWith(b) || b.startsWith(a));

function marks_of(changes: ChangePoint[], points: Points): ChangeMark[] {
  const marks: ChangeMark[] = [];
  for (const change of changes) {
    const index = points.commit.findIndex((commit) => begins(commit, change.commit));
    if (index < 0 || change.gone) continue;
    const good = points.commit.findIndex((commit) => begins(commit, change.last_good));
    marks.push({
      index,
      since: good >= 0 && good < index ? good : Math.max(0, index - 1),
      before: change.before,
      after: change.after,
      ratio: change.ratio,
      good: change.verdict === 'improvement',
      status: change.status ?? 'confirmed',
    });
  }
  return marks;
}

// As the branch has their commits, whichever machine measured them and when; what is off the branch has the place of
// the commit that it follows. By date stands what has no place, and holds up nothing that comes behind it. Those of one
// machine stand as they came.
function places_of(parts: Points[]): [number, number][] {
  const placed_from = (part: Points, from: number): number => {
    while (from < part.at.length && (part.place?.[from] ?? null) === null) ++from;
    return from;
  };
  const next = parts.map(() => 0);
  const next_placed = parts.map((part) => placed_from(part, 0)); // at its end: there is none
  const follows = (i: number, other: number): number => {
    const [k, l] = [next_placed[i], next_placed[other]];
    const [own, its] = [parts[i], parts[other]];
    return (
      (own.place?.[k] ?? 0) - (its.place?.[l] ?? 0) ||
      (own.off_branch?.[k] ?? 0) - (its.off_branch?.[l] ?? 0) ||
      own.at[k] - its.at[l]
    );
  };
  const places: [number, number][] = [];
  const count = parts.reduce((sum, part) => sum + part.at.length, 0);
  while (places.length < count) {
    let first = -1; // whose next point with a place is the first of all
    parts.forEach((part, i) => {
      if (next_placed[i] === part.at.length) return;
      if (first < 0 || follows(i, first) < 0) first = i;
    });
    // Before it what has no place and is earlier; of its own part all.
    const until = first < 0 ? Infinity : parts[first].at[next_placed[first]];
    let earliest = -1;
    parts.forEach((part, i) => {
      if (next[i] === next_placed[i] || (i !== first && part.at[next[i]] >= until)) return;
      if (earliest < 0 || part.at[next[i]] < parts[earliest].at[next[earliest]]) earliest = i;
    });
    const taken = earliest < 0 ? first : earliest;
    places.push([taken, next[taken]++]);
    if (earliest < 0) next_placed[taken] = placed_from(parts[taken], next[taken]);
  }
  return places;
}

// What was measured on several machines is one history, each of its points on the machine that it is of.
export function merged<Answer extends Points>(parts: Answer[]): Answer {
  if (parts.length === 1) return parts[0];
  const places = places_of(parts);
  const machines = places.flatMap(([i], at) =>
    at > 0 && places[at - 1][0] === i ? [] : [{index: at, fingerprint: parts[i].fingerprint ?? ''}],
  );
  // A column that was not asked for has no part.
  const column = <T>(all: (T[] | undefined)[]): T[] => places.map(([i, k]) => (all[i] ?? [])[k]);
  const conditions = [...new Set(parts.flatMap((part) => part.conditions))];
  return {
    ...parts[0],
    fingerprint: null,
    count: places.length,
    at: column(parts.map((part) => part.at)),
    value: column(parts.map((part) => part.value)),
    run: column(parts.map((part) => part.run)),
    commit: column(parts.map((part) => part.commit)),
    place: column(parts.map((part) => part.place)),
    off_branch: column(parts.map((part) => part.off_branch)),
    low: column(parts.map((part) => part.low)),
    high: column(parts.map((part) => part.high)),
    conditions,
    condition: column(parts.map((part) => part.condition?.map((which) => conditions.indexOf(part.conditions[which])))),
    machines,
    older: parts.find((part) => part.older)?.older ?? null,
  };
}

// Counts under other conditions, such as another C library, are not comparable.
function conditions_of(points: Points): {index: number; text: string}[] {
  const {condition} = points;
  if (!condition || points.conditions.length < 2) return [];
  const is_first = (index: number) => index > 0 && condition[index] !== condition[index - 1];
  return condition.flatMap((_, index) => (is_first(index) ? [{index, text: 'counted otherwise'}] : []));
}

function ask_points(view: View, key: SeriesKey, machine: Part['machine'], points: number, columns: string) {
  const {project, branch, benchmark: name, metric} = key;
  return get<Points>('/points', {project, branch, benchmark: name, metric, machine, points, columns}, view.signal);
}

async function newest_parts(view: View, key: SeriesKey): Promise<Part[]> {
  const of = {project: key.project, branch: key.branch, benchmark: key.benchmark, metric: key.metric};
  let machines: Part['machine'][] = [key.machine];
  if (!key.machine) {
    const found = await get<Page<SeriesName>>('/series', {...of, limit: 100}, view.signal);
    const own = found.items.filter((one) => one.benchmark === key.benchmark && one.metric === key.metric);
    if (own.length > 1) machines = [...new Set(own.map((one) => one.fingerprint))];
  }
  return Promise.all(
    machines.map(async (machine) => {
      const points = await ask_points(view, key, machine, kMaxSoonPoints, line_of(machines));
      return {machine, is_whole: points.older === null, points, spread: null};
    }),
  );
}

// Older points have none, and where a run came in between nothing tells whose it is.
function with_spread({points, spread}: Part): Points & {low: (number | null)[]; high: (number | null)[]} {
  const none = (count: number) => new Array<null>(count).fill(null);
  const before = points.count - (spread?.run.length ?? 0);
  const [skipped, first] = [Math.max(0, -before), Math.max(0, before)];
  if (!spread || spread.run[skipped] !== points.run[first])
    return {...points, low: none(points.count), high: none(points.count)};
  const column = (all: (number | null)[]) => [...none(first), ...all.slice(skipped)];
  return {...points, low: column(spread.low), high: column(spread.high)};
}

// What is drawn of the parts as far as they are there.
export function drawn_of(parts: Part[], own: ChangePoint[], targets: Target[]) {
  const points = merged(parts.map(with_spread));
  return {
    at: points.at.map((ms) => ms / 1000),
    value: points.value,
    low: points.low,
    high: points.high,
    commit: points.commit,
    run: points.run,
    changes: marks_of(own, points),
    lines: lines_of(targets, points),
    is_cut: points.older !== null,
    marks: [
      ...(points.machines ?? [])
        .filter((one) => one.index > 0)
        .map((one) => ({index: one.index, text: `machine ${short(one.fingerprint)}`})),
      ...conditions_of(points),
    ],
  };
}

export async function load(view: View, key: SeriesKey): Promise<Loaded> {
  const of = {project: key.project, branch: key.branch, benchmark: key.benchmark};
  const none = {items: [], next: null};
  const [parts, changes, targets] = await Promise.all([
    newest_parts(view, key),
    get<Page<ChangePoint>>(
      '/changes',
      {...of, metric: key.metric, machine: key.machine, limit: 200},
      view.signal,
    ).catch((): Page<ChangePoint> => none),
    get<Page<Target>>('/targets', of, view.signal).catch((): Page<Target> => none),
  ]);
  const {points} = parts[0];
  const own = changes.items.filter(
    (change) => change.benchmark === points.benchmark && change.metric === points.metric,
  );
  return {
    ...drawn_of(parts, own, targets.items),
    key,
    parts,
    targets: targets.items,
    label: `${benchmark_text(points.benchmark)} ${metric_text(points.metric)}`,
    unit: points.unit,
    points: own,
    earlier: points.earlier_names,
    is_partial: parts.some((part) => !part.is_whole),
  };
}

// All of a long history, where its newest points stand already. Of several machines those that are whole, too: a run
// that was put in between may have moved the places of others, and places of then and of now have no common order.
export async function load_rest(view: View, one: Loaded): Promise<void> {
  const {parts} = one;
  const asked = parts.length > 1 ? parts : parts.filter((part) => !part.is_whole);
  const columns = line_of(parts);
  const all = await Promise.all(asked.map((part) => ask_points(view, one.key, part.machine, kMaxPoints, columns)));
  asked.forEach((part, i) => (part.points = all[i]));
}

// The spread costs a look at every sample: it comes once the line is there.
export async function load_spread(view: View, one: Loaded): Promise<void> {
  await Promise.all(
    one.parts.map(async (part) => {
      const {run, low, high} = await ask_points(view, one.key, part.machine, kMaxSpreadPoints, 'run,low,high');
      if (low && high) part.spread = {run, low, high};
    }),
  );
}
