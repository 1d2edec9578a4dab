// Searches for the commit that changed a benchmark: how far each is, and the answers that it stands on.
import {get, type Bisect, type Page, type Probe} from '../api';
import {entries, h, section, table, type Child} from '../dom';
import {href} from '../route';
import {benchmark, code, commit_link, empty, type PageOf, type View} from '../view';
import {
  change_text,
  count_text,
  level_text,
  metric_text,
  p_text,
  plural,
  range_text,
  time_text,
  unit_of,
} from '../words';

const kEnds: Record<string, string> = {
  found: 'found',
  range: 'found a range',
  'not confirmed': 'no single commit',
  'ends alike': 'nothing changed',
  'ends cannot tell': 'its ends cannot be told apart',
  'ends skipped': 'an end could not be measured',
};

// How many halvings lead from all commits to one, and how many of them are done.
function halvings(one: Bisect): {all: number; done: number} {
  const all = Math.max(1, Math.ceil(Math.log2(Math.max(one.commits ?? 2, 2))));
  const left = Math.ceil(Math.log2(Math.max(one.left ?? one.commits ?? 2, 1)));
  return {all, done: one.end ? all : Math.max(0, all - left)};
}

function how_far(one: Bisect): Child {
  if (one.end) return [kEnds[one.end] ?? one.end, one.culprit && [': ', commit_link(one.culprit)]];
  if (!one.left || !one.commits) return 'begun';
  const {all, done} = halvings(one);
  const text = `${plural(one.left, 'commit')} of ${count_text(one.commits)} can be it`;
  return [h('progress', {max: all, value: done, 'aria-label': `${done} of ${all} halvings`}), ` ${text}`];
}

const effect = (probe: Probe, metric: string): string =>
  probe.ratio !== null
    ? `${change_text(probe.ratio)} ${range_text(probe.interval, probe.ratio)}`.trim()
    : probe.candidate_level !== null
      ? `${level_text(probe.baseline_level, unit_of(metric))} to ${level_text(probe.candidate_level, unit_of(metric))}`
      : '';

function probes(one: Bisect): Child {
  if (one.probes.length === 0) return empty('No commit has an answer yet.', 'The first ones measured are both ends.');
  return table(
    'Answers, the newest first',
    [
      {title: 'Commit'},
      {title: 'Against', wide: true},
      {title: 'Effect'},
      {title: 'Answer'},
      {title: 'For', wide: true},
      {title: 'Rounds', numeric: true, wide: true},
      {title: 'p', numeric: true, wide: true},
    ],
    [...one.probes].reverse().map((probe) => [
      commit_link(probe.candidate),
      commit_link(probe.baseline),
      effect(probe, one.metric),
      probe.trouble ? `${probe.answer}: ${probe.trouble}` : probe.answer,
      `${probe.purpose}, by ${probe.by === 'counts' ? 'counts' : metric_text(one.metric)}`,
      probe.rounds || '',
      p_text(probe.p),
    ]),
  );
}

const again = (one: Bisect): string =>
  `steelyard bisect ${one.good.slice(0, 9)} ${one.bad.slice(0, 9)} '${one.benchmark.replaceAll("'", "'\\''")}'` +
  (one.metric === 'real_time' ? '' : ` --metric ${one.metric}`);

async function one_search(view: View, id: string): Promise<Child> {
  const one = await get<Bisect>(`/bisects/${encodeURIComponent(id)}`, {}, view.signal);
  view.title(`Bisect of ${one.benchmark}`);
  return [
    h('p', {}, h('a', {href: href('bisects')}, '\u2190 Bisects')),
    h('h1', {}, 'Bisect: ', benchmark(one.benchmark), ` ${metric_text(one.metric)}`),
    h('p', {class: 'notice', role: 'status'}, how_far(one)),
    entries([
      ['good', commit_link(one.good)],
      ['bad', commit_link(one.bad)],
      ['commits', one.commits && count_text(one.commits)],
      [one.end ? '' : 'measuring', !one.end && one.measuring && commit_link(one.measuring)],
      ['builds', count_text(one.builds)],
      ['written', time_text(one.at_unix_ns)],
      ['repository', code(one.repository)],
      ['build command', one.build && code(one.build)],
    ]),
    !one.end &&
      h(
        'p',
        {class: 'dim'},
        'If it was interrupted, the same command with the options that it had goes on: ',
        code(again(one)),
      ),
    section('Answers', probes(one)),
  ];
}

export const bisects: PageOf = async (view) => {
  const id = view.params.get('id');
  if (id) return one_search(view, id);
  view.title('Bisects');
  const all = await get<Page<Bisect>>('/bisects', {limit: 100}, view.signal);
  return [
    h('h1', {}, 'Bisects'),
    h('p', {class: 'dim'}, 'Searches for the commit that changed a benchmark, of whoever started this service.'),
    all.items.length === 0
      ? empty('No search is kept here.', 'Where the service runs: ', code('steelyard bisect GOOD BAD BENCHMARK'))
      : table(
          'Searches, written last first',
          [
            {title: 'Benchmark'},
            {title: 'Metric'},
            {title: 'How far'},
            {title: 'From', wide: true},
            {title: 'To', wide: true},
            {title: 'Written', wide: true},
          ],
          all.items.map((one) => [
            h('a', {href: href('bisects', {id: one.id})}, benchmark(one.benchmark)),
            metric_text(one.metric),
            how_far(one),
            commit_link(one.good),
            commit_link(one.bad),
            time_text(one.at_unix_ns),
          ]),
        ),
  ];
};
