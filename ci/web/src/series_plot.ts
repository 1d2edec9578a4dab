// Histories on one plot: the spread of samples as a band, change points with the commits that can be their cause,
// targets and ceilings as lines, a change of machine as a mark. It knows no service and no address: series and a view
// in, a changed view and the chosen point out.
import uPlot from 'uplot';

import {decimate, join, lower_bound, type Column} from './decimate';
import {h} from './dom';
import {axis_texts, change_text, level_text, short, time_text} from './words';

export interface ChangeMark {
  index: number; // the first point at the new level
  since: number; // the last point that is surely before it
  before: number;
  after: number;
  ratio: number | null;
  good: boolean;
  status: string;
}

export interface Line {
  value: number;
  text: string;
  kind: 'target' | 'ceiling';
}

export interface PlottedSeries {
  label: string;
  unit: string | null;
  at: number[]; // seconds, ascending; 0: without a date
  value: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  commit: (string | null)[];
  changes: ChangeMark[];
  lines: Line[];
  marks: {index: number; text: string}[]; // the first point on another machine, or counted under other conditions
}

export interface PlotView {
  by: 'commit' | 'time';
  log: boolean;
  relative: boolean;
  band: boolean;
  from: number | null; // in the unit of the axis; null: from the first, to the last
  to: number | null;
  hidden: number[]; // series that are not drawn
  point: [series: number, index: number] | null;
}

export interface PlotEvents {
  viewed(view: PlotView): void;
  chosen(series: number, index: number): void;
}

interface Placed extends Column {
  low: ArrayLike<number | null>;
  high: ArrayLike<number | null>;
  order: number[] | null; // which point stands at each place; null: as they came
}

const kMinSpan = 2;

// By time a point stands where it was measured, without a date where the one before it does, or the first that has one.
// By commit each commit has a place of its own: of one series in its own order, of several in that of time.
export function places_of(series: Pick<PlottedSeries, 'at' | 'commit'>[], by: 'commit' | 'time'): number[][] {
  if (by === 'time') {
    const firsts = series.map((one) => one.at.find((at) => at > 0));
    const of_any = firsts.find((first) => first !== undefined) ?? 0;
    return series.map((one, i) => {
      let last = firsts[i] ?? of_any;
      return one.at.map((at) => (last = at > 0 ? at : last));
    });
  }
  if (series.length === 1) return [series[0].at.map((_, i) => i)];
  const first = new Map<string, [time: number, order: number]>();
  const name = (i: number, k: number) => series[i].commit[k] ?? `${i} ${k}`;
  series.forEach((one, i) => {
    let time = -Infinity;
    one.at.forEach((at, k) => {
      time = Math.max(time, at);
      const known = first.get(name(i, k));
      if (!known || time < known[0]) first.set(name(i, k), [time, k]);
    });
  });
  const places = new Map(
    [...first].sort(([, a], [, b]) => a[0] - b[0] || a[1] - b[1]).map(([commit], place) => [commit, place]),
  );
  return series.map((one, i) => {
    let last = -1;
    return one.at.map((_, k) => (last = Math.max(last, places.get(name(i, k)) as number)));
  });
}

// Of an axis in powers of ten: 1, 2 and 5 of each, fewer where there are many; even steps where that leaves few.
function log_marks(low: number, high: number): number[] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const every = Math.ceil((last - first) / 10);
  const marks: number[] = [];
  for (let power = first; power <= last; power += every) {
    for (const part of last - first > 4 ? [1] : [1, 2, 5]) marks.push(part * 10 ** power);
  }
  const seen = marks.filter((mark) => mark >= low && mark <= high);
  if (seen.length > 2) return seen;
  const rough = (high - low) / 5;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = size * (rough > 5 * size ? 10 : rough > 2 * size ? 5 : rough > size ? 2 : 1);
  const begin = Math.ceil(low / step),
    count = Math.floor(high / step) - begin + 1;
  return Array.from({length: count}, (_, i) => Number(((begin + i) * step).toPrecision(12)));
}

export class SeriesPlot {
  readonly root: HTMLElement;
  private plot: uPlot | null = null;
  private columns: Placed[] = [];
  private end: [number, number] = [0, 1];
  private sizes: ResizeObserver;
  private frame = 0;
  private scheme = matchMedia('(prefers-color-scheme: dark)');
  private rebuild = () => this.build();

  constructor(
    private series: PlottedSeries[],
    private view: PlotView,
    private events: PlotEvents,
  ) {
    this.root = h('div', {
      class: 'plot',
      tabindex: 0,
      role: 'img',
      'aria-label': this.description(),
      'aria-describedby': 'plot_keys',
      keydown: ((event: KeyboardEvent) => this.key(event)) as EventListener,
    });
    this.sizes = new ResizeObserver(() => {
      if (this.root.clientWidth !== (this.plot?.width ?? 0)) this.build();
    });
    this.sizes.observe(this.root);
    this.scheme.addEventListener('change', this.rebuild);
  }

  close(): void {
    this.sizes.disconnect();
    this.scheme.removeEventListener('change', this.rebuild);
    cancelAnimationFrame(this.frame);
    this.plot?.destroy();
    this.plot = null;
  }

  show(view: PlotView): void {
    this.view = view;
    this.root.setAttribute('aria-label', this.description());
    this.build();
  }

  // By a part of what is visible: zoom(0.5) shows half of it, shift(0.2) the next fifth.
  zoom(factor: number, around = 0.5): void {
    const [from, to] = this.range();
    const at = from + (to - from) * around;
    this.look(at - (at - from) * factor, at + (to - at) * factor);
  }
  shift(part: number): void {
    const [from, to] = this.range();
    const by = (to - from) * part;
    const bounded = Math.min(Math.max(by, this.end[0] - from), this.end[1] - to);
    this.look(from + bounded, to + bounded);
  }
  all(): void {
    this.look(this.end[0], this.end[1]);
  }

  canvas(): HTMLCanvasElement | null {
    return this.plot?.ctx.canvas ?? null;
  }

  private description(): string {
    const told = this.series.map((one) => {
      const last = one.value.length - 1;
      const marks = one.marks.map((mark) => `, ${mark.text} from point ${mark.index + 1}`).join('');
      const newest = level_text(one.value[last], one.unit);
      const changes = `${one.changes.length} change points`;
      return `${one.label}: ${one.value.length} points, the newest ${newest}, ${changes}${marks}`;
    });
    return `History. ${told.join('. ')}. The changes are listed below.`;
  }

  private range(): [number, number] {
    return [this.view.from ?? this.end[0], this.view.to ?? this.end[1]];
  }

  private look(from: number, to: number): void {
    const least = this.view.by === 'time' ? kMinSpan * 60 : kMinSpan;
    if (to - from < least) {
      const middle = (from + to) / 2;
      [from, to] = [middle - least / 2, middle + least / 2];
    }
    from = Math.max(from, this.end[0]);
    to = Math.min(to, this.end[1]);
    const is_all = from <= this.end[0] && to >= this.end[1];
    this.view = {...this.view, from: is_all ? null : from, to: is_all ? null : to};
    this.draw_soon();
    this.events.viewed(this.view);
  }

  private draw_soon(): void {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (!this.plot) return;
      const [min, max] = this.range();
      this.plot.batch(() => {
        this.plot?.setData(this.drawn(), false);
        this.plot?.setScale('x', {min, max});
      });
    });
  }

  private place(): void {
    const all = places_of(this.series, this.view.by);
    this.columns = this.series.map((one, i) => {
      const x = all[i];
      const by = 1 / this.factor(i);
      const scaled = (values: (number | null)[]) =>
        by === 1 ? values : values.map((v) => (v === null ? null : v / by));
      const column: Placed = {x, y: scaled(one.value), low: scaled(one.low), high: scaled(one.high), order: null};
      if (x.every((place, k) => k === 0 || x[k - 1] <= place)) return column;
      // By time, where commits were not measured in their order.
      const order = x.map((_, k) => k).sort((a, b) => x[a] - x[b]);
      const sorted = <T>(values: ArrayLike<T>): T[] => order.map((k) => values[k]);
      return {x: sorted(x), y: sorted(column.y), low: sorted(column.low), high: sorted(column.high), order};
    });
    const firsts = this.columns.filter((c) => c.x.length > 0);
    const from = Math.min(...firsts.map((c) => c.x[0]));
    const to = Math.max(...firsts.map((c) => c.x[c.x.length - 1]));
    const room = Math.max((to - from) * 0.01, this.view.by === 'time' ? 60 : 0.5);
    this.end = firsts.length ? [from - room, to + room] : [0, 1];
  }

  // Where the point stands on the axis.
  private x_of(i: number, index: number): number {
    const {x, order} = this.columns[i];
    return x[order ? order.indexOf(index) : index];
  }

  private drawn(): uPlot.AlignedData {
    const [from, to] = this.range();
    // Two pixels a column: dense lines are half the work to draw, and look the same.
    const pixels = Math.max(100, (this.root.clientWidth - 80) / 2);
    const {x, columns} = join(this.columns.map((column) => decimate(column, from, to, pixels)));
    return [x, ...columns] as uPlot.AlignedData;
  }

  private factor(i: number): number {
    if (!this.view.relative) return 1;
    return 1 / (this.series[i].value.find((value) => value !== null && value !== 0) ?? 1);
  }

  private build(): void {
    const width = this.root.clientWidth;
    if (width < 50) return;
    this.plot?.destroy();
    this.place();
    const style = getComputedStyle(this.root);
    const color = (name: string) => style.getPropertyValue(name).trim() || '#888';
    const font = `12px ${style.fontFamily}`;
    const unit = this.series[0]?.unit ?? null;
    const axis = {
      stroke: color('--dim'),
      font,
      grid: {stroke: color('--grid'), width: 1},
      ticks: {stroke: color('--grid'), width: 1, size: 4},
    };
    const [min, max] = this.range();
    const options: uPlot.Options = {
      width,
      height: Math.max(220, Math.min(440, Math.round(window.innerHeight * 0.5))),
      legend: {show: false},
      cursor: {drag: {x: true, y: false, setScale: false}, points: {size: 8}},
      select: {show: true, left: 0, top: 0, width: 0, height: 0},
      scales: {
        x: {time: this.view.by === 'time', min, max, auto: false},
        y: {distr: this.view.log ? 3 : 1, range: (_, low, high) => this.y_range(low, high)},
      },
      axes: [
        {...axis, space: 90, ...(this.view.by === 'time' ? {} : {values: (_, at) => this.commit_texts(at)})},
        {
          ...axis,
          size: 76,
          ...(this.view.log
            ? {splits: (_, __, low, high) => log_marks(low, high), filter: (_, marks) => marks}
            : {}),
          values: (_, at) =>
            this.view.relative ? at.map((value) => `${Number((value * 100).toPrecision(4))} %`) : axis_texts(at, unit),
        },
      ],
      series: [{}],
      bands: [],
      hooks: {
        drawClear: [(u) => this.draw_behind(u, color)],
        draw: [(u) => this.draw_marks(u, color, font)],
        setSelect: [(u) => this.selected(u)],
        setCursor: [(u) => this.moved(u)],
      },
    };
    this.series.forEach((_, i) => {
      const stroke = color(`--series-${i % 6}`);
      const show = !this.view.hidden.includes(i);
      // A line of one pixel is drawn three times as fast as a wider one, without a graphics processor.
      const few = this.columns[i].x.length <= 400;
      const width = few ? 1.5 : 1;
      const edge = {show: show && this.view.band, stroke: 'transparent', width: 0, points: {show: false}};
      options.series.push({show, stroke, width, points: {show: few, size: 5, fill: stroke, stroke}}, edge, edge);
      options.bands?.push({series: [3 * i + 3, 3 * i + 2], fill: color(`--band-${i % 6}`)});
    });
    this.plot = new uPlot(options, this.drawn(), this.root);
    performance.mark('plot drawn');
    this.wire(this.plot);
    if (this.view.point) this.mark_point();
  }

  private y_range(low: number | null, high: number | null): [number, number] {
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
    const span = high - low || Math.abs(high) * 0.1 || 1;
    let from = low,
      to = high;
    // A target that is near enough is brought into view; one far off is named at the edge.
    this.series.forEach((one, i) => {
      for (const line of this.view.hidden.includes(i) ? [] : one.lines) {
        const value = line.value * this.factor(i);
        if (value > high && value < high + span) to = Math.max(to, value);
        if (value < low && value > low - span) from = Math.min(from, value);
      }
    });
    if (this.view.log) return [Math.max(from * 0.95, Number.MIN_VALUE), to * 1.05];
    const room = Math.max((to - from) * 0.08, Math.abs(to) * 1e-4);
    return [from - room, to + room];
  }

  private commit_texts(at: number[]): string[] {
    const one = this.series[0],
      x = this.columns[0].x;
    return at.map((place) => {
      if (!Number.isInteger(place) || x.length === 0) return '';
      const i = lower_bound(x, place);
      if (i >= x.length) return '';
      return `${short(one.commit[i]) || '#' + (i + 1)}\n${time_text(one.at[i] * 1e9).slice(0, 10)}`;
    });
  }

  private draw_behind(u: uPlot, color: (name: string) => string): void {
    const {ctx, bbox} = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    this.each_change((change, i) => {
      const from = u.valToPos(this.x_of(i, change.since), 'x', true);
      const to = u.valToPos(this.x_of(i, change.index), 'x', true);
      ctx.fillStyle = color(change.good ? '--good-tint' : '--bad-tint');
      ctx.fillRect(from, bbox.top, Math.max(to - from, 2 * devicePixelRatio), bbox.height);
    });
    ctx.restore();
  }

  private each_change(use: (change: ChangeMark, i: number) => void): void {
    this.series.forEach((one, i) => {
      if (this.view.hidden.includes(i)) return;
      for (const change of one.changes) use(change, i);
    });
  }

  private draw_marks(u: uPlot, color: (name: string) => string, font: string): void {
    const {ctx, bbox} = u;
    const scale = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.font = font.replace('12px', `${12 * scale}px`);
    ctx.textAlign = 'left';
    ctx.textBaseline = 'alphabetic';
    const labelled: number[] = [];
    this.each_change((change, i) => {
      const x = u.valToPos(this.x_of(i, change.index), 'x', true);
      const y = u.valToPos(change.after * this.factor(i), 'y', true);
      ctx.strokeStyle = ctx.fillStyle = color(change.good ? '--good' : '--bad');
      ctx.lineWidth = 1.5 * scale;
      ctx.setLineDash(change.status === 'confirmed' ? [] : [4 * scale, 3 * scale]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.beginPath();
      const up = (change.ratio ?? 1) > 1 ? -1 : 1;
      ctx.moveTo(x, y + up * 14 * scale);
      ctx.lineTo(x - 5 * scale, y + up * 6 * scale);
      ctx.lineTo(x + 5 * scale, y + up * 6 * scale);
      ctx.fill();
      // Those of one place stand under each other.
      const above = labelled.filter((other) => Math.abs(other - x) < 60 * scale).length;
      labelled.push(x);
      if (above < 6) ctx.fillText(change_text(change.ratio), x + 5 * scale, bbox.top + (14 + 15 * above) * scale);
    });
    this.draw_changes_of_machine(u, color);
    this.draw_lines(u, color);
    ctx.restore();
  }

  private draw_changes_of_machine(u: uPlot, color: (name: string) => string): void {
    const {ctx, bbox} = u;
    const scale = devicePixelRatio;
    ctx.strokeStyle = ctx.fillStyle = color('--doubt');
    ctx.lineWidth = scale;
    ctx.setLineDash([2 * scale, 4 * scale]);
    this.series.forEach((one, i) => {
      let last = -Infinity;
      for (const mark of this.view.hidden.includes(i) ? [] : one.marks) {
        const x = u.valToPos(this.x_of(i, mark.index), 'x', true);
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
        // Where they stand close only the first says what it is.
        if (x - last > 130 * scale) ctx.fillText(mark.text, x + 4 * scale, bbox.top + bbox.height - 6 * scale);
        last = x;
      }
    });
    ctx.setLineDash([]);
  }

  private draw_lines(u: uPlot, color: (name: string) => string): void {
    const {ctx, bbox} = u;
    const scale = devicePixelRatio;
    ctx.lineWidth = 1.5 * scale;
    this.series.forEach((one, i) => {
      for (const line of this.view.hidden.includes(i) ? [] : one.lines) {
        const y = u.valToPos(line.value * this.factor(i), 'y', true);
        ctx.strokeStyle = ctx.fillStyle = color(line.kind === 'target' ? '--ring' : '--dim');
        ctx.setLineDash(line.kind === 'target' ? [8 * scale, 4 * scale] : [2 * scale, 3 * scale]);
        const is_above = y < bbox.top,
          is_below = y > bbox.top + bbox.height;
        const place = is_above ? bbox.top + 28 * scale : is_below ? bbox.top + bbox.height - 20 * scale : y - 5 * scale;
        ctx.fillText(`${line.text}${is_above ? ' \u2191' : is_below ? ' \u2193' : ''}`, bbox.left + 6 * scale, place);
        if (is_above || is_below) continue;
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(bbox.left + bbox.width, y);
        ctx.stroke();
      }
    });
    ctx.setLineDash([]);
  }

  private wire(u: uPlot): void {
    u.over.addEventListener(
      'wheel',
      (event: WheelEvent) => {
        event.preventDefault();
        const at = event.offsetX / u.over.clientWidth;
        if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
          this.shift((event.deltaX || event.deltaY) / 1000);
        } else {
          this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 400))), at);
        }
      },
      {passive: false},
    );
    u.over.addEventListener('dblclick', () => this.all());
    u.over.addEventListener('click', () => this.choose_near(u));
    this.wire_pan(u);
  }

  // Shift or the middle button drags what is seen; a finger always does, two zoom.
  private wire_pan(u: uPlot): void {
    const fingers = new Map<number, number>();
    u.over.addEventListener(
      'pointerdown',
      (event) => {
        if (event.pointerType === 'mouse' && !event.shiftKey && event.button !== 1) return;
        fingers.set(event.pointerId, event.clientX);
        u.over.setPointerCapture(event.pointerId);
        event.stopPropagation();
      },
      {capture: true},
    );
    u.over.addEventListener(
      'mousedown',
      (event) => {
        if (event.shiftKey || event.button === 1) event.stopImmediatePropagation();
      },
      {capture: true},
    );
    u.over.addEventListener('pointermove', (event) => {
      const before = fingers.get(event.pointerId);
      if (before === undefined) return;
      if (fingers.size === 1) this.shift((before - event.clientX) / u.over.clientWidth);
      if (fingers.size === 2) {
        const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1] ?? 0;
        const apart = Math.abs(event.clientX - other);
        if (apart > 20) {
          const left = u.over.getBoundingClientRect().left;
          this.zoom(Math.abs(before - other) / apart, ((event.clientX + other) / 2 - left) / u.over.clientWidth);
        }
      }
      fingers.set(event.pointerId, event.clientX);
    });
    for (const name of ['pointerup', 'pointercancel'] as const) {
      u.over.addEventListener(name, (event) => fingers.delete(event.pointerId));
    }
  }

  private selected(u: uPlot): void {
    const {left, width} = u.select;
    if (width < 6) return;
    u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
    this.look(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'));
  }

  private moved(u: uPlot): void {
    this.root.classList.toggle('over', (u.cursor.left ?? -1) >= 0);
  }

  private choose_near(u: uPlot): void {
    const {left, top} = u.cursor;
    if (left === undefined || top === undefined || left < 0) return;
    const x = u.posToVal(left, 'x');
    let best: [number, number] | null = null,
      nearest = Infinity;
    this.columns.forEach((column, i) => {
      if (this.view.hidden.includes(i)) return;
      const near = lower_bound(column.x, x);
      for (const index of [near - 1, near]) {
        const y = column.y[index];
        if (y === null || y === undefined) continue;
        const away = Math.hypot(u.valToPos(column.x[index], 'x') - left, (u.valToPos(y, 'y') - top) / 4);
        if (away < nearest) [best, nearest] = [[i, column.order?.[index] ?? index], away];
      }
    });
    if (best) this.choose(best);
  }

  private choose([series, index]: [number, number]): void {
    this.view = {...this.view, point: [series, index]};
    this.mark_point();
    this.events.chosen(series, index);
  }

  // The chosen point is brought into view, with the cursor on it.
  private mark_point(): void {
    const [i, index] = this.view.point ?? [0, 0];
    const level = this.series[i]?.value[index];
    if (!this.plot || level === null || level === undefined) return;
    const x = this.x_of(i, index),
      y = level * this.factor(i);
    const [from, to] = this.range();
    if (x < from || x > to) this.look(x - (to - from) / 2, x + (to - from) / 2);
    this.plot.setCursor({left: this.plot.valToPos(x, 'x'), top: this.plot.valToPos(y, 'y')}, false);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (by: number) => {
      const [i, index] = this.view.point ?? [0, this.series[0].value.length - (by > 0 ? 1 : 0)];
      const next = Math.min(Math.max(index + by, 0), this.series[i].value.length - 1);
      this.choose([i, next]);
    };
    const actions: Record<string, () => void> = {
      '+': () => this.zoom(0.5),
      '=': () => this.zoom(0.5),
      '-': () => this.zoom(2),
      '0': () => this.all(),
      ArrowLeft: () => (event.shiftKey ? this.shift(-0.2) : step(-1)),
      ArrowRight: () => (event.shiftKey ? this.shift(0.2) : step(1)),
      Home: () => this.choose([this.view.point?.[0] ?? 0, 0]),
      End: () => this.choose([this.view.point?.[0] ?? 0, this.series[this.view.point?.[0] ?? 0].value.length - 1]),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
