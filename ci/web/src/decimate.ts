// Of a hundred thousand points a screen shows a few thousand. Each column of pixels keeps its least and its largest
// value, so that no spike is lost whatever is zoomed to; the band keeps the ends that lie farthest apart.

export interface Column {
  x: ArrayLike<number>; // ascending
  y: ArrayLike<number | null>;
  low?: ArrayLike<number | null>;
  high?: ArrayLike<number | null>;
}

export interface Drawn {
  x: number[];
  y: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
}

// The first index whose x is not below `value`; the length where none is.
export function lower_bound(x: ArrayLike<number>, value: number): number {
  let from = 0,
    to = x.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (x[middle] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

// Between `from` and `to`, and one point beyond on either side so that the line goes on to the edge.
export function decimate(column: Column, from: number, to: number, pixels: number): Drawn {
  const {x, y} = column;
  const low = column.low ?? y,
    high = column.high ?? y;
  const first = Math.max(0, lower_bound(x, from) - 1);
  const end = Math.min(x.length, lower_bound(x, to) + 2);
  const drawn: Drawn = {x: [], y: [], low: [], high: []};
  const keep = (i: number, least: number | null, most: number | null) => {
    drawn.x.push(x[i]);
    drawn.y.push(y[i]);
    drawn.low.push(least);
    drawn.high.push(most);
  };
  if (end - first <= 2 * pixels) {
    for (let i = first; i < end; ++i) keep(i, low[i], high[i]);
    return drawn;
  }
  const width = (x[end - 1] - x[first]) / pixels;
  for (let i = first; i < end;) {
    const edge = x[first] + width * (Math.floor((x[i] - x[first]) / width) + 1);
    let least = i,
      most = i,
      floor: number | null = null,
      roof: number | null = null;
    const begin = i;
    for (; i < end && (x[i] < edge || i === begin); ++i) {
      const value = y[i],
        l = low[i],
        h = high[i];
      if (value !== null && (y[least] === null || value < (y[least] as number))) least = i;
      if (value !== null && (y[most] === null || value > (y[most] as number))) most = i;
      if (l !== null && (floor === null || l < floor)) floor = l;
      if (h !== null && (roof === null || h > roof)) roof = h;
    }
    keep(Math.min(least, most), floor, roof);
    if (least !== most) keep(Math.max(least, most), floor, roof);
  }
  return drawn;
}

// Several on one x axis. What a series has no point at is undefined there: its line passes by.
export function join(all: Drawn[]): {x: number[]; columns: (number | null | undefined)[][]} {
  if (all.length === 1) return {x: all[0].x, columns: [all[0].y, all[0].low, all[0].high]};
  const x = [...new Set(all.flatMap((one) => one.x))].sort((a, b) => a - b);
  const place = new Map(x.map((value, i) => [value, i]));
  const columns: (number | null | undefined)[][] = [];
  for (const one of all) {
    for (const values of [one.y, one.low, one.high]) {
      const column = new Array<number | null | undefined>(x.length);
      for (let i = 0; i < one.x.length; ++i) column[place.get(one.x[i]) as number] = values[i];
      columns.push(column);
    }
  }
  return {x, columns};
}
