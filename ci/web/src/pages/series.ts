// Histories: a list to choose from, or those that the address names on one plot.
import {get, type ChangePoint, type Page, type RunHeader, type SeriesName} from '../api';
import {button, entries, fill, h, section, table, type Child} from '../dom';
import {save, series_csv, series_png} from '../export';
import {begins, drawn_of, kMaxSpreadPoints, load, load_rest, load_spread, type Loaded} from '../history';
import {current_route, go, href, remember} from '../route';
import {lower_bound} from '../decimate';
import {places_of, SeriesPlot, type PlotView} from '../series_plot';
import {
  benchmark,
  change_table,
  code,
  commit_link,
  empty,
  paged,
  run_link,
  series_href,
  series_text,
  type PageOf,
  type SeriesKey,
  type View,
} from '../view';
import {benchmark_text, change_text, count_text, level_text, metric_text, plural, short, time_text} from '../words';

const kMaxSeries = 12;

const parse_key = (text: string): SeriesKey => {
  const params = new URLSearchParams(text);
  return {
    project: params.get('project'),
    branch: params.get('branch'),
    benchmark: params.get('benchmark') ?? '',
    metric: params.get('metric') || 'real_time',
    machine: params.get('machine'),
  };
};

// A place on the axis of commits is written as the run of the first series at it and what is left, so that it stays
// where it is when runs are added at either end; by time as seconds.
function place_text(view: PlotView, all: Loaded[], place: number | null): string | null {
  if (place === null) return null;
  if (view.by === 'time') return String(Number(place.toFixed(3)));
  const places = places_of(all, 'commit')[0];
  const index = Math.min(lower_bound(places, Math.round(place)), places.length - 1);
  return `${all[0].run[index]}~${Number((place - places[index]).toFixed(3))}`;
}
function place_of(by: 'commit' | 'time', all: Loaded[], text: string | null): number | null {
  if (text === null) return null;
  if (by === 'time') return Number.isFinite(Number(text)) ? Number(text) : null;
  const [run, rest] = text.split('~');
  const index = run ? all[0].run.indexOf(run) : -1;
  return index < 0 ? null : places_of(all, 'commit')[0][index] + (Number(rest) || 0);
}

function view_of(params: URLSearchParams, all: Loaded[]): PlotView {
  const by = params.get('by') === 'time' ? 'time' : 'commit';
  const [series, run] = (params.get('at') ?? '').split(':');
  const index = run ? (all[Number(series)]?.run.indexOf(run) ?? -1) : -1;
  return {
    by,
    log: params.has('log'),
    relative: params.has('relative'),
    band: !params.has('no_band'),
    from: place_of(by, all, params.get('from')),
    to: place_of(by, all, params.get('to')),
    hidden: params.getAll('hide').map(Number),
    point: index < 0 ? null : [Number(series), index],
  };
}

function remember_view(view: PlotView, all: Loaded[]): void {
  remember({
    by: view.by === 'time' && 'time',
    log: view.log && '1',
    relative: view.relative && '1',
    no_band: !view.band && '1',
    from: place_text(view, all, view.from),
    to: place_text(view, all, view.to),
    hide: view.hidden.map(String),
    at: view.point && `${view.point[0]}:${all[view.point[0]].run[view.point[1]]}`,
  });
}

async function point_words(view: View, one: Loaded, index: number): Promise<Child> {
  const value = one.value[index],
    before = index > 0 ? one.value[index - 1] : null;
  const words: [string, Child][] = [
    ['series', one.label],
    ['level', level_text(value, one.unit)],
    ['against the point before', value !== null && before ? change_text(value / before) : null],
    [
      'quartiles',
      one.low[index] !== null && `${level_text(one.low[index], one.unit)} to ${level_text(one.high[index], one.unit)}`,
    ],
    ['commit', commit_link(one.commit[index], one.key.project)],
    ['measured', time_text(one.at[index] * 1e9)],
    ['run', run_link(one.run[index])],
  ];
  const older = one.run[index - 1];
  if (older)
    words.push([
      'compare',
      h('a', {href: href('comparison', {baseline: older, candidate: one.run[index]})}, 'with the point before'),
    ]);
  const asked = {commit: one.commit[index], project: one.key.project, limit: 1};
  const found = asked.commit ? await get<Page<RunHeader>>('/runs', asked, view.signal).catch(() => null) : null;
  const subject = found?.items[0]?.subject;
  if (subject) words.splice(4, 0, ['subject', subject]);
  return entries(words);
}

interface Plotted {
  view: View;
  all: Loaded[];
  plot: SeriesPlot;
  state: PlotView;
  opened: PlotView; // as the address had it
  told: HTMLElement;
  beside: HTMLElement[]; // legend and change points, which speak of the points that are there
}

function apply(it: Plotted, change: Partial<PlotView>): void {
  const is_other_axis = change.by !== undefined && change.by !== it.state.by;
  it.state = {...it.state, ...change, ...(is_other_axis ? {from: null, to: null} : {})};
  it.plot.show(it.state);
  remember_view(it.state, it.all);
}

function toggles(it: Plotted): HTMLElement {
  const box = (text: string, checked: boolean, set: (on: boolean) => Partial<PlotView>) => {
    const input = h('input', {type: 'checkbox', checked});
    input.addEventListener('change', () => apply(it, set(input.checked)));
    return h('label', {}, input, text);
  };
  return h(
    'div',
    {class: 'controls'},
    box('log scale', it.state.log, (log) => ({log})),
    box('relative to the first value', it.state.relative, (relative) => ({relative})),
    box('spread of samples', it.state.band, (band) => ({band})),
    box('by time', it.state.by === 'time', (on) => ({by: on ? 'time' : 'commit'})),
    h(
      'span',
      {class: 'group', role: 'group', 'aria-label': 'What is seen'},
      button('\u2190', () => it.plot.shift(-0.3), {'aria-label': 'Earlier'}),
      button('+', () => it.plot.zoom(0.5), {'aria-label': 'Closer'}),
      button('\u2212', () => it.plot.zoom(2), {'aria-label': 'Farther'}),
      button('\u2192', () => it.plot.shift(0.3), {'aria-label': 'Later'}),
      button('All', () => it.plot.all()),
    ),
  );
}

function legend(it: Plotted): HTMLElement {
  return h(
    'ul',
    {class: 'series_legend'},
    it.all.map((one, i) => {
      const input = h('input', {type: 'checkbox', checked: !it.state.hidden.includes(i)});
      input.addEventListener('change', () =>
        apply(it, {hidden: input.checked ? it.state.hidden.filter((other) => other !== i) : [...it.state.hidden, i]}),
      );
      const others = it.all.filter((other) => other !== one).map((other) => other.key);
      return h(
        'li',
        {class: `series_${i % 6}`},
        h(
          'label',
          {},
          input,
          h('i', {'aria-hidden': 'true'}),
          code(benchmark_text(one.key.benchmark)),
          ' ',
          metric_text(one.key.metric),
        ),
        ' ',
        h(
          'span',
          {class: 'dim'},
          [
            one.key.branch,
            one.key.machine && `machine ${short(one.key.machine)}`,
            plural(one.value.length, 'point'),
            one.earlier.length > 0 && `called ${one.earlier.map(benchmark_text).join(' and ')} before`,
            one.parts.some((part) => part.points.count > kMaxSpreadPoints) &&
              `spread of the newest ${count_text(kMaxSpreadPoints)}${one.parts.length > 1 ? ' of each machine' : ''}`,
            one.is_partial ? 'older ones on their way' : one.is_cut && 'older ones left out',
          ]
            .filter(Boolean)
            .join(', '),
        ),
        others.length > 0 && [
          ' ',
          h('a', {href: series_href(...others), 'aria-label': `Take ${one.label} off`}, 'remove'),
        ],
      );
    }),
  );
}

function exports(it: Plotted): HTMLElement {
  const said = h('span', {class: 'dim', role: 'status'});
  const embed = h('input', {readonly: true, hidden: true, 'aria-label': 'Markup to embed'});
  const name = () => it.all[0].label.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, 80);
  return h(
    'p',
    {class: 'controls'},
    button(
      'PNG',
      () =>
        void series_png(it.plot.canvas(), it.all, it.plot.root)
          .then((blob) => save(blob, `${name()}.png`))
          .catch((error: Error) => fill(said, error.message)),
    ),
    button('CSV', () => save(series_csv(it.all), `${name()}.csv`)),
    button(
      'Copy link',
      () =>
        void navigator.clipboard.writeText(location.href).then(
          () => fill(said, 'Copied.'),
          () => fill(said, 'Copy the address of this page.'),
        ),
    ),
    button('Embed', () => {
      const address = location.href.replace('#/series', '#/embed');
      const source = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
      embed.value = `<iframe src="${source}" width="800" height="480" title="Steelyard"></iframe>`;
      embed.hidden = false;
      embed.select();
    }),
    h('a', {href: href('series', {plus: it.all.map((one) => series_text(one.key))}), class: 'button'}, 'Add a series'),
    embed,
    said,
  );
}

function changes_section(it: Plotted): Child {
  const points = it.all.flatMap((one) => one.points);
  const show = (change: ChangePoint) => {
    const i = it.all.findIndex((one) => one.points.includes(change));
    const index = it.all[i].commit.findIndex((commit) => begins(commit, change.commit));
    return (
      index >= 0 &&
      button(
        'show',
        () => {
          apply(it, {point: [i, index]});
          void chosen(it, i, index);
          it.plot.root.scrollIntoView({block: 'center'});
        },
        {'aria-label': `Show ${change_text(change.ratio)} at ${short(change.commit)} in the plot`},
      )
    );
  };
  return section(
    'Change points',
    points.length
      ? change_table('Change points', points, show)
      : h(
          'p',
          {class: 'dim'},
          'No change of level is kept. ',
          code('steelyard changes'),
          ' looks for them, and keeps those of runs with a commit.',
        ),
  );
}

async function chosen(it: Plotted, series: number, index: number): Promise<void> {
  it.state = {...it.state, point: [series, index]};
  remember_view(it.state, it.all);
  const words = await point_words(it.view, it.all[series], index);
  const [now, at] = it.state.point ?? [];
  if (now === series && at === index) fill(it.told, words);
}

function show_beside(it: Plotted): void {
  fill(it.beside[0], legend(it));
  fill(it.beside[1], changes_section(it));
}

// What came later takes its place beside what is there. What is seen stays where it is, by run.
function came_later(it: Plotted, one: Loaded): void {
  if (it.view.signal.aborted) return;
  const is_untouched = it.state === it.opened;
  if (!is_untouched) remember_view(it.state, it.all);
  Object.assign(one, drawn_of(one.parts, one.points, one.targets));
  it.state = view_of(is_untouched ? it.view.params : current_route().params, it.all);
  if (is_untouched) it.opened = it.state;
  it.plot.show(it.state);
  show_chosen(it);
}

// A link may lead to a point that is on its way yet.
function show_chosen(it: Plotted): void {
  if (it.state.point && !it.all.some((one) => one.is_partial)) void chosen(it, ...it.state.point);
}

async function plotted(view: View, keys: SeriesKey[], is_embedded: boolean): Promise<Child> {
  const all = await Promise.all(keys.slice(0, kMaxSeries).map((key) => load(view, key)));
  view.title(all.map((one) => one.label).join(', '));
  if (all.every((one) => one.value.length === 0)) {
    return [
      h('h1', {}, benchmark(keys[0].benchmark)),
      empty('This series has no point.', h('a', {href: href('series')}, 'Choose another')),
    ];
  }
  const told = h(
    'div',
    {class: 'told', 'aria-live': 'polite'},
    h('p', {class: 'dim'}, 'Click a point, or walk with the arrow keys.'),
  );
  const opened = view_of(view.params, all);
  const plot = new SeriesPlot(all, opened, {
    viewed: (seen) => {
      it.state = seen;
      remember_soon(it);
    },
    chosen: (series, index) => void chosen(it, series, index),
  });
  const it: Plotted = {view, all, plot, state: opened, opened, told, beside: [h('div', {}), h('div', {})]};
  view.closed(() => it.plot.close());
  for (const one of all) {
    const later = () => came_later(it, one);
    load_spread(view, one).then(later, () => undefined);
    if (!one.is_partial) continue;
    const whole = () => {
      one.is_partial = false;
      later();
      show_beside(it);
    };
    load_rest(view, one).then(whole, whole);
  }
  show_beside(it);
  show_chosen(it);
  if (is_embedded)
    return [
      it.beside[0],
      it.plot.root,
      h(
        'p',
        {},
        h(
          'a',
          {href: location.href.replace('#/embed', '#/series'), target: '_blank', rel: 'noopener'},
          'Open in Steelyard',
        ),
      ),
    ];
  const title =
    all.length === 1
      ? [benchmark(all[0].key.benchmark), ` ${metric_text(all[0].key.metric)}`]
      : plural(all.length, 'series').replace('seriess', 'series');
  return [
    h('h1', {}, title),
    toggles(it),
    it.beside[0],
    it.plot.root,
    h(
      'p',
      {class: 'dim keys', id: 'plot_keys'},
      'Drag to zoom, wheel to go closer, Shift and drag to move, double click for all. ' +
        'Keys on the plot: \u2190 \u2192 point by point, + \u2212 0, Shift \u2190 \u2192.',
    ),
    told,
    exports(it),
    it.beside[1],
  ];
}

let remembering = 0;
function remember_soon(it: Plotted): void {
  clearTimeout(remembering);
  remembering = window.setTimeout(() => remember_view(it.state, it.all), 150);
  it.view.closed(() => clearTimeout(remembering));
}

async function list(view: View, plus: string[]): Promise<Child> {
  view.title('Series');
  const part = h('input', {
    type: 'search',
    name: 'benchmark',
    value: view.params.get('benchmark') ?? '',
    placeholder: 'part of a benchmark\u2019s name',
    autocomplete: 'off',
  });
  const branch = h('input', {
    type: 'search',
    name: 'branch',
    value: view.params.get('branch') ?? '',
    autocomplete: 'off',
  });
  const metric = view.params.get('metric') ?? ''; // '*': each
  const boxes = new Map<HTMLInputElement, SeriesKey>();
  const plot = h(
    'button',
    {
      type: 'button',
      disabled: true,
      click: (() =>
        go('series', {
          s: [...plus, ...[...boxes].filter(([box]) => box.checked).map(([, key]) => series_text(key))],
        })) as EventListener,
    },
    'Plot the ticked ones',
  );
  const show = (items: SeriesName[]) =>
    table(
      'Series',
      [
        {title: 'Benchmark'},
        {title: 'Metric'},
        {title: 'Project', wide: true},
        {title: 'Machine', wide: true},
        {title: 'Plot'},
      ],
      items.map((one) => {
        const key = {
          project: one.project,
          branch: branch.value,
          benchmark: one.benchmark,
          metric: one.metric,
          machine: one.fingerprint,
        };
        const box = h('input', {
          type: 'checkbox',
          'aria-label': `Plot ${one.name} ${metric_text(one.metric)}`,
          change: (() => {
            plot.disabled = ![...boxes.keys()].some((other) => other.checked);
          }) as EventListener,
        });
        boxes.set(box, key);
        return [
          h('a', {href: href('series', {s: [...plus, series_text(key)]})}, benchmark(one.benchmark)),
          metric_text(one.metric),
          one.project,
          code(short(one.fingerprint)),
          box,
        ];
      }),
    );
  return [
    h('h1', {}, plus.length ? 'Add a series' : 'Series'),
    h(
      'form',
      {
        class: 'controls',
        submit: ((event: Event) => {
          event.preventDefault();
          go('series', {benchmark: part.value.trim(), branch: branch.value.trim(), metric, plus});
        }) as EventListener,
      },
      h('label', {}, 'Benchmark ', part),
      h('label', {}, 'Branch ', branch),
      h('button', {type: 'submit'}, 'Find'),
      plot,
    ),
    await paged<SeriesName>(
      view,
      '/series',
      {project: view.project, benchmark: part.value, branch: branch.value, metric, limit: 100},
      show,
      () =>
        empty(
          `No series${metric ? '' : ' of real_time, instructions or a counted metric'}${
            part.value ? ' has that in its name.' : ' yet.'
          }`,
          part.value
            ? h('a', {href: href('series', {plus})}, 'Show all')
            : ['Two runs of a branch make one: ', code('steelyard run -- ./bench')],
          !metric && [
            ' ',
            h(
              'a',
              {href: href('series', {benchmark: part.value, branch: branch.value, metric: '*', plus})},
              'Show every metric',
            ),
          ],
        ),
    ),
  ];
}

export const series: PageOf = async (view) => {
  const keys = view.params.getAll('s').map(parse_key);
  return keys.length ? plotted(view, keys, false) : list(view, view.params.getAll('plus'));
};

export const embed: PageOf = async (view) => plotted(view, view.params.getAll('s').map(parse_key), true);
