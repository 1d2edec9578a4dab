// The samples of both sides of one row, each process a column of dots, and each side's level as the row has it; as the
// report draws them.
import {h, svg, type Child} from './dom';
import type {Row, Run} from './api';
import {axis_texts, change_text, level_text, range_text} from './words';

const kWidth = 560,
  kHeight = 260,
  kMaxDots = 4000;

const samples_of = (run: Run, row: Row): number[][] =>
  (run.measurements.find((one) => one.benchmark === row.benchmark && one.metric === row.metric)?.invocations ?? [])
    .map((one) => one.values.filter(Number.isFinite))
    .filter((values) => values.length > 0);

function side_text(processes: number[][], level: number | null, unit: string): string {
  if (processes.length === 0) return 'no sample';
  const text = `${processes.length} ${processes.length === 1 ? 'process' : 'processes'}`;
  return level === null ? text : `${text}, ${level_text(level, unit)}`;
}

// About five round values from `low` to `high`.
export function ticks(low: number, high: number, wanted = 5): number[] {
  const raw = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((part) => part * power >= raw) ?? 10);
  const all: number[] = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) all.push(at);
  return all;
}

function effect(row: Row): Child {
  if (!row.ratio || !row.interval) return null;
  const margin = [1 / (1 + row.margin), 1 + row.margin],
    least = [Math.max(0, 1 - row.minimum_effect), 1 + row.minimum_effect];
  const ends = [...row.interval, ...margin, ...least];
  const low = Math.min(...ends),
    high = Math.max(...ends),
    room = (high - low) * 0.1;
  const y = (ratio: number) => 20 + (kHeight - 60) * (1 - (ratio - low + room) / (high - low + 2 * room));
  const [a, b] = row.interval.map(y);
  const band = ([from, to]: number[], kind: string) =>
    svg('rect', {class: kind, x: 64, y: y(to), width: 150, height: Math.max(1, y(from) - y(to))});
  return svg(
    'svg',
    {
      viewBox: `0 0 224 ${kHeight}`,
      class: 'effect',
      role: 'img',
      'aria-label':
        `Candidate over baseline ${change_text(row.ratio)}, ` +
        `interval ${range_text(row.interval, row.ratio)}`,
    },
    svg('rect', {class: 'frame', x: 64, y: 20, width: 150, height: kHeight - 60}),
    band(margin, 'margin'),
    band(least, 'least'),
    svg('path', {class: 'zero', d: `M64 ${y(1)}H214`}),
    svg('path', {class: 'span', d: `M133 ${a}H145M139 ${a}V${b}M133 ${b}H145`}),
    svg('circle', {class: 'point', cx: 139, cy: y(row.ratio), r: 5}),
    svg('text', {x: 148, y: y(row.ratio) + 4, class: 'strong'}, change_text(row.ratio)),
    [row.interval[0], 1, row.interval[1]].map((ratio) =>
      svg('text', {x: 58, y: y(ratio) + 4, 'text-anchor': 'end'}, change_text(ratio)),
    ),
    svg('text', {x: 139, y: kHeight - 22, 'text-anchor': 'middle', class: 'strong'}, 'candidate over baseline'),
    svg('text', {x: 139, y: kHeight - 6, 'text-anchor': 'middle'}, 'minimum effect, margin'),
  );
}

export function distributions(baseline: Run, candidate: Run, row: Row): Child {
  const sides = [samples_of(baseline, row), samples_of(candidate, row)];
  const all = sides.flat(2);
  if (all.length === 0) return h('p', {class: 'dim'}, 'Neither side has samples of it.');
  const low = Math.min(...all),
    high = Math.max(...all),
    room = (high - low) * 0.06 || Math.abs(high) * 0.01 || 1;
  const y = (value: number) => 12 + (kHeight - 60) * (1 - (value - low + room) / (high - low + 2 * room));
  const left = 70,
    half = (kWidth - left - 10) / 2;
  const at = ticks(low - room, high + room);
  const texts = axis_texts(at, row.unit);
  const every = Math.max(1, Math.ceil(all.length / kMaxDots));
  let drawn = 0;
  const names = ['baseline', 'candidate'];
  const levels = [row.baseline, row.candidate];
  const chart = svg(
    'svg',
    {
      viewBox: `0 0 ${kWidth} ${kHeight}`,
      class: 'samples',
      role: 'img',
      'aria-label': names.map((name, i) => `${name}: ${side_text(sides[i], levels[i], row.unit)}`).join('; '),
    },
    svg('rect', {class: 'frame', x: left, y: 12, width: 2 * half, height: kHeight - 60}),
    svg('path', {class: 'grid', d: `M${left + half} 12V${kHeight - 48}`}),
    at.map((value, i) => [
      svg('path', {class: 'grid', d: `M${left} ${y(value)}H${left + 2 * half}`}),
      svg('text', {x: left - 6, y: y(value) + 4, 'text-anchor': 'end'}, texts[i]),
    ]),
    sides.map((processes, i) => {
      const x = (place: number) => left + i * half + (half * (place + 0.5)) / Math.max(1, processes.length);
      const level = levels[i];
      const is_of_several = processes.length > 1 || (processes[0]?.length ?? 0) > 1;
      return svg(
        'g',
        {class: names[i]},
        processes.map((values, place) =>
          values
            .filter(() => drawn++ % every === 0)
            .map((value) => svg('circle', {cx: x(place), cy: y(value), r: 3.5})),
        ),
        level !== null &&
          is_of_several &&
          svg('path', {class: 'level', d: `M${left + i * half + 6} ${y(level)}H${left + (i + 1) * half - 6}`}),
        svg('text', {class: 'strong', x: left + (i + 0.5) * half, y: kHeight - 28, 'text-anchor': 'middle'}, names[i]),
        svg(
          'text',
          {class: 'plain_text', x: left + (i + 0.5) * half, y: kHeight - 12, 'text-anchor': 'middle'},
          side_text(processes, level, row.unit),
        ),
      );
    }),
  );
  return h('figure', {class: 'both'}, chart, effect(row));
}
