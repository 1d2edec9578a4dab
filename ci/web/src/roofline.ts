// Williams, Waterman, Patterson, "Roofline: an insightful visual performance model" (2009): what a kernel achieves over
// its operations per byte, under the roof of the memory's and the arithmetic's ceilings.
import type {Utilization} from './api';
import {svg} from './dom';
import {benchmark_text, level_text} from './words';

export interface Roofline {
  points: {benchmark: string; intensity: number; achieved: number}[];
  arithmetic: number | null; // flop/s
  memory: number | null; // bytes/s
}

const ceiling_of = (one: Utilization): number | null => one.ceiling?.achievable ?? one.ceiling?.value ?? null;

export function roofline_points(all: Utilization[]): Roofline {
  const result: Roofline = {points: [], arithmetic: null, memory: null};
  for (const one of all) {
    const ceiling = ceiling_of(one);
    const is_arithmetic = one.metric === 'flop_utilization';
    if (ceiling !== null && is_arithmetic) result.arithmetic = Math.max(result.arithmetic ?? 0, ceiling);
    if (ceiling !== null && !is_arithmetic) result.memory = Math.max(result.memory ?? 0, ceiling);
    if (one.intensity !== null && one.intensity > 0 && one.achieved !== null && one.achieved > 0 && is_arithmetic) {
      result.points.push({benchmark: one.benchmark, intensity: one.intensity, achieved: one.achieved});
    }
  }
  return result;
}

export function roofline_chart({points, arithmetic, memory}: Roofline): SVGElement {
  const width = 720,
    height = 380,
    left = 80,
    bottom = 46;
  const ridge = arithmetic !== null && memory !== null ? arithmetic / memory : null;
  const xs = [...points.map((one) => one.intensity), ...(ridge ? [ridge] : [])].map(Math.log10);
  const ys = [...points.map((one) => one.achieved), ...(arithmetic ? [arithmetic] : [])].map(Math.log10);
  const [x0, x1] = [Math.floor(Math.min(...xs) - 0.3), Math.ceil(Math.max(...xs) + 0.3)];
  const [y0, y1] = [Math.floor(Math.min(...ys) - 0.3), Math.ceil(Math.max(...ys) + 0.1)];
  const x = (value: number) => left + ((Math.log10(value) - x0) / (x1 - x0)) * (width - left - 16);
  const y = (value: number) => height - bottom - ((Math.log10(value) - y0) / (y1 - y0)) * (height - bottom - 16);
  const powers = (from: number, to: number) => Array.from({length: to - from + 1}, (_, i) => 10 ** (from + i));
  const roof = (at: number) => Math.min(memory === null ? Infinity : at * memory, arithmetic ?? Infinity);
  const line: string[] = [];
  if (memory !== null || arithmetic !== null) {
    const ends = [10 ** x0, ...(ridge && ridge > 10 ** x0 && ridge < 10 ** x1 ? [ridge] : []), 10 ** x1];
    for (const at of ends)
      line.push(`${line.length ? 'L' : 'M'}${x(at).toFixed(1)} ${Math.min(height - bottom, y(roof(at))).toFixed(1)}`);
  }
  return svg(
    'svg',
    {
      viewBox: `0 0 ${width} ${height}`,
      class: 'roofline',
      role: 'img',
      'aria-label': `Roofline of ${points.length} benchmarks; the table below has the figures`,
    },
    powers(x0, x1).map((at) => [
      svg('path', {class: 'grid', d: `M${x(at)} 16V${height - bottom}`}),
      svg('text', {x: x(at), y: height - bottom + 16, 'text-anchor': 'middle'}, String(Number(at.toPrecision(1)))),
    ]),
    powers(y0, y1).map((at) => [
      svg('path', {class: 'grid', d: `M${left} ${y(at)}H${width - 16}`}),
      svg('text', {x: left - 6, y: y(at) + 4, 'text-anchor': 'end'}, level_text(at, 'flop/s')),
    ]),
    line.length > 0 && svg('path', {class: 'roof', d: line.join('')}),
    points.map((one) =>
      svg(
        'g',
        {class: 'kernel'},
        svg(
          'title',
          {},
          `${benchmark_text(one.benchmark)}: ${level_text(one.achieved, 'flop/s')} ` +
            `at ${one.intensity.toPrecision(3)} flop/byte`,
        ),
        svg('circle', {cx: x(one.intensity), cy: y(one.achieved), r: 5}),
        points.length <= 12 &&
          svg(
            'text',
            {
              x: x(one.intensity) + (x(one.intensity) > width - 200 ? -9 : 8),
              y: y(one.achieved) + 4,
              'text-anchor': x(one.intensity) > width - 200 ? 'end' : 'start',
            },
            benchmark_text(one.benchmark).slice(0, 32),
          ),
      ),
    ),
    svg('text', {x: (width + left) / 2, y: height - 8, 'text-anchor': 'middle'}, 'operations per byte'),
  );
}
