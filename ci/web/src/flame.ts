// A flame graph of one side or the difference of two: callers above, width by cost, red grew and blue shrank; the same
// colours as the program's own flame pages (ci/report/flame).
import type {Flame} from './api';
import {button, fill, h, table, type Child} from './dom';
import {change_text, count_text, share_text} from './words';

const kRow = 20,
  kMinPixels = 0.5;

interface Frame {
  name: string;
  file: string | null;
  parent: number;
  depth: number;
  cost: [number, number];
  left: [number, number];
  self: [number, number];
}

function tone(frame: Frame): string {
  const [before, after] = frame.cost;
  const change = Math.abs(after - before) / Math.max(before, after, Number.MIN_VALUE);
  if (change < 1e-9) return 'plain';
  const step = before === 0 || after === 0 ? 5 : change < 0.01 ? 1 : change < 0.05 ? 2 : change < 0.2 ? 3 : 4;
  return `${after > before ? 'grew' : 'shrank'}-${step}`;
}

function change_mark([before, after]: [number, number]): string {
  if (before === after) return 'unchanged';
  return before === 0 ? 'new' : after === 0 ? 'gone' : change_text(after / before);
}

// Each frame begins where its caller does, behind the callees that came before it.
function lay_out(flame: Flame): Frame[] {
  const frames: Frame[] = [
    {
      name: '(all)',
      file: null,
      parent: -1,
      depth: 0,
      cost: [flame.baseline_total, flame.candidate_total],
      left: [0, 0],
      self: [0, 0],
    },
  ];
  const next: [number, number][] = [[0, 0]];
  // The service may hand out the root itself.
  const root = flame.frames[0]?.parent === null && flame.frames[0].name === '(all)' ? 1 : 0;
  for (const one of flame.frames.slice(root)) {
    const parent = one.parent === null ? 0 : one.parent + 1 - root;
    const caller = frames[parent];
    const left: [number, number] = [next[parent][0], next[parent][1]];
    next[parent] = [left[0] + one.baseline, left[1] + one.candidate];
    next.push([left[0], left[1]]);
    frames.push({
      name: one.name,
      file: one.file,
      parent,
      depth: caller.depth + 1,
      cost: [one.baseline, one.candidate],
      left,
      self: [one.baseline, one.candidate],
    });
    caller.self[0] -= one.baseline;
    caller.self[1] -= one.candidate;
  }
  return frames;
}

export class FlameGraph {
  readonly root: HTMLElement;
  private frames: Frame[];
  private chart = h('div', {class: 'flame_chart', role: 'tree', 'aria-label': 'Flame graph'});
  private said = h('p', {class: 'told', role: 'status'});
  private zoomed = 0;
  private width = 0;
  private at = 0;
  private side: 0 | 1 = 1;
  private search = '';
  private sizes = new ResizeObserver(() => {
    if (this.chart.clientWidth !== this.width) this.draw();
  });

  constructor(
    private flame: Flame,
    private is_difference: boolean,
  ) {
    this.frames = lay_out(flame);
    const find = h('input', {
      type: 'search',
      autocomplete: 'off',
      input: (() => {
        this.search = find.value.trim().toLowerCase();
        this.draw();
      }) as EventListener,
    });
    const baseline = h('input', {
      type: 'checkbox',
      change: (() => {
        this.side = baseline.checked ? 0 : 1;
        this.draw();
      }) as EventListener,
    });
    this.root = h(
      'div',
      {class: 'flame_graph'},
      h(
        'p',
        {class: 'controls'},
        h('label', {}, 'Function ', find),
        button('All', () => this.zoom(0)),
        is_difference && h('label', {}, baseline, 'width by the baseline'),
      ),
      is_difference &&
        h(
          'p',
          {class: 'dim'},
          'Red grew, blue shrank; a frame that one side alone has is darkest. Costs are per iteration.',
        ),
      this.chart,
      this.said,
    );
    this.chart.addEventListener('keydown', (event) => this.key(event));
    this.sizes.observe(this.chart);
  }

  close(): void {
    this.sizes.disconnect();
  }

  private visible(): number[] {
    const all: number[] = [];
    const above = new Set<number>();
    for (let i = this.zoomed; i >= 0; i = this.frames[i].parent) above.add(i);
    const inside = new Uint8Array(this.frames.length);
    this.frames.forEach((frame, i) => {
      inside[i] = i === this.zoomed || (frame.parent >= 0 && inside[frame.parent]) ? 1 : 0;
      if (inside[i] || above.has(i)) all.push(i);
    });
    return all;
  }

  private draw(): void {
    const width = this.chart.clientWidth;
    if (width < 50) return;
    this.width = width;
    const zoomed = this.frames[this.zoomed];
    const per = width / Math.max(zoomed.cost[this.side], Number.MIN_VALUE);
    let deepest = 0;
    const had_focus = this.chart.contains(document.activeElement);
    const drawn: HTMLElement[] = [];
    let found = 0;
    for (const i of this.visible()) {
      const frame = this.frames[i];
      const is_above = frame.depth < zoomed.depth;
      const left = is_above ? 0 : (frame.left[this.side] - zoomed.left[this.side]) * per;
      const wide = is_above ? width : frame.cost[this.side] * per;
      if (wide < kMinPixels) continue;
      const is_match = this.search !== '' && frame.name.toLowerCase().includes(this.search);
      found += Number(is_match);
      deepest = Math.max(deepest, frame.depth);
      drawn.push(
        h(
          'div',
          {
            class: [
              'frame',
              this.is_difference ? tone(frame) : `own-${frame.depth % 3}`,
              is_above && 'above',
              wide < 6 && 'narrow',
              is_match && 'match',
            ]
              .filter(Boolean)
              .join(' '),
            role: 'treeitem',
            'aria-level': frame.depth + 1,
            'aria-selected': i === this.at ? 'true' : 'false',
            tabindex: i === this.at ? 0 : -1,
            'data-frame': i,
            'aria-label': this.words(frame),
            css: {left: `${left}px`, width: `${Math.max(wide, 1)}px`, top: `${frame.depth * kRow}px`},
            click: () => this.zoom(i),
            focus: (() => this.tell(i)) as EventListener,
            mouseenter: (() => this.tell(i)) as EventListener,
          },
          wide > 28 ? frame.name : '',
        ),
      );
    }
    fill(this.chart, drawn);
    this.chart.style.setProperty('height', `${(deepest + 1) * kRow}px`);
    this.chart.classList.toggle('searching', this.search !== '');
    if (this.search) fill(this.said, `${count_text(found)} frames with \u201c${this.search}\u201d in view`);
    if (had_focus) this.focus(this.at);
  }

  private words(frame: Frame): string {
    const [before, after] = frame.cost;
    const share = share_text(frame.cost[this.side] / Math.max(this.frames[0].cost[this.side], Number.MIN_VALUE));
    return this.is_difference
      ? `${frame.name}: ${count_text(before)} to ${count_text(after)} ${this.flame.event} an iteration, ` +
          change_mark(frame.cost)
      : `${frame.name}: ${count_text(after)} ${this.flame.event} an iteration, ${share}`;
  }

  private tell(i: number): void {
    const frame = this.frames[i];
    fill(
      this.said,
      h('b', {}, h('code', {}, frame.name)),
      ` ${this.words(frame).slice(frame.name.length + 2)}; itself ${count_text(Math.max(0, frame.self[1]))}`,
      frame.file && h('span', {class: 'dim'}, ` ${frame.file}`),
    );
  }

  private zoom(i: number): void {
    this.zoomed = i;
    this.at = i;
    this.draw();
    this.tell(i);
  }

  private focus(i: number): void {
    this.at = i;
    this.chart
      .querySelectorAll<HTMLElement>('.frame')
      .forEach((one) => one.setAttribute('tabindex', one.dataset.frame === String(i) ? '0' : '-1'));
    this.chart.querySelector<HTMLElement>(`[data-frame="${i}"]`)?.focus({preventScroll: false});
  }

  private key(event: KeyboardEvent): void {
    const drawn = (i: number) => this.chart.querySelector(`[data-frame="${i}"]`) !== null;
    const siblings = (by: number) => {
      for (let i = this.at + by; i > 0 && i < this.frames.length; i += by) {
        if (this.frames[i].depth < this.frames[this.at].depth) return -1;
        if (this.frames[i].parent === this.frames[this.at].parent && drawn(i)) return i;
      }
      return -1;
    };
    const moves: Record<string, () => number> = {
      ArrowUp: () => this.frames[this.at].parent,
      ArrowLeft: () => siblings(-1),
      ArrowRight: () => siblings(1),
      ArrowDown: () => this.frames.findIndex((frame, i) => frame.parent === this.at && drawn(i)),
    };
    if (event.key === 'Enter' || event.key === 'Escape') {
      event.preventDefault();
      this.zoom(event.key === 'Enter' ? this.at : 0);
      this.focus(this.at);
    } else if (moves[event.key]) {
      event.preventDefault();
      const next = moves[event.key]();
      if (next >= 0) this.focus(next);
    }
  }
}

// Every function once, however deep it recursed, by what it costs itself.
export function flame_functions(flame: Flame, is_difference: boolean): Child {
  const by_name = new Map<string, {file: string | null; self: [number, number]}>();
  for (const frame of lay_out(flame).slice(1)) {
    const one = by_name.get(frame.name) ?? {file: frame.file, self: [0, 0] as [number, number]};
    one.self[0] += frame.self[0];
    one.self[1] += frame.self[1];
    by_name.set(frame.name, one);
  }
  const weight = ({self}: {self: [number, number]}) => (is_difference ? Math.abs(self[1] - self[0]) : self[1]);
  const rows = [...by_name].sort(([, a], [, b]) => weight(b) - weight(a)).slice(0, 60);
  return table(
    'Functions',
    [
      {title: 'Function'},
      ...(is_difference ? [{title: 'Before', numeric: true}] : []),
      {title: is_difference ? 'After' : 'Itself', numeric: true},
      {title: is_difference ? 'Change' : 'Share', numeric: true},
      {title: 'Where', wide: true},
    ],
    rows.map(([name, {file, self}]) => [
      h('code', {}, name),
      ...(is_difference ? [count_text(self[0])] : []),
      count_text(self[1]),
      is_difference ? change_mark(self) : share_text(self[1] / Math.max(flame.candidate_total, Number.MIN_VALUE)),
      file ? h('code', {}, file) : '',
    ]),
  );
}
