// Numbers and verdicts as the program's reports write them (bench/model/number_text.cpp): a figure reads the same on a
// terminal, in a comment and here.

type Scale = [unit: string, base_units: number];
const kScales: Record<string, Scale[]> = {
  ns: [
    ['ns', 1],
    ['us', 1e3],
    ['ms', 1e6],
    ['s', 1e9],
  ],
  count: [
    ['', 1],
    ['k', 1e3],
    ['M', 1e6],
    ['G', 1e9],
    ['T', 1e12],
  ],
  bytes: [
    ['B', 1],
    ['KiB', 1024],
    ['MiB', 1048576],
    ['GiB', 1073741824],
    ['TiB', 1099511627776],
  ],
  'bytes/s': [
    ['B/s', 1],
    ['kB/s', 1e3],
    ['MB/s', 1e6],
    ['GB/s', 1e9],
    ['TB/s', 1e12],
  ],
  'flop/s': [
    ['flop/s', 1],
    ['kflop/s', 1e3],
    ['Mflop/s', 1e6],
    ['Gflop/s', 1e9],
    ['Tflop/s', 1e12],
  ],
  'op/s': [
    ['op/s', 1],
    ['kop/s', 1e3],
    ['Mop/s', 1e6],
    ['Gop/s', 1e9],
    ['Top/s', 1e12],
  ],
  '1/s': [
    ['/s', 1],
    ['k/s', 1e3],
    ['M/s', 1e6],
    ['G/s', 1e9],
  ],
};

const kGrouped = new Intl.NumberFormat('en', {maximumFractionDigits: 2});
export const count_text = (value: number): string => kGrouped.format(value);
export const plural = (count: number, noun: string): string => `${count_text(count)} ${noun}${count === 1 ? '' : 's'}`;

function decimals_for(size: number): number {
  if (size === 0 || size >= 99.95) return 0;
  if (size >= 9.995) return 1;
  return size >= 0.1 ? 2 : Math.min(9, 2 - Math.floor(Math.log10(size)));
}

// Both sides in one scale, so that the eye compares digits; the unit apart.
export function level_pair(
  unit: string | null,
  ...values: (number | null | undefined)[]
): {texts: string[]; unit: string} {
  const known = values.filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
  const text_of = (text: (value: number) => string) =>
    values.map((value) => (typeof value === 'number' && Number.isFinite(value) ? text(value) : ''));
  const is_count = unit === 'count';
  if (is_count && known.every((value) => Math.abs(value) < 1e6 && Number.isInteger(value))) {
    return {texts: text_of(count_text), unit: ''};
  }
  const scales = kScales[unit ?? ''] ?? [[unit === '1' || !unit ? '' : unit, 1] as Scale];
  const sizes = known.map(Math.abs);
  const largest = Math.max(0, ...sizes);
  let scale = scales[0];
  for (const one of scales) if (largest >= one[1] * 0.9995) scale = one;
  const smallest = Math.min(...sizes) || largest;
  const decimals = decimals_for(smallest / scale[1]) + (is_count ? 1 : 0);
  return {texts: text_of((value) => (value / scale[1]).toFixed(decimals)), unit: scale[0]};
}

export function level_text(value: number | null | undefined, unit: string | null): string {
  const pair = level_pair(unit, value);
  return pair.unit && pair.texts[0] ? `${pair.texts[0]} ${pair.unit}` : pair.texts[0];
}

// An axis: few digits, the scale of its largest value, as many decimals as tell its ticks apart.
export function axis_texts(values: number[], unit: string | null): string[] {
  const scales = kScales[unit ?? ''] ?? [[unit === '1' || !unit ? '' : unit, 1] as Scale];
  const largest = Math.max(0, ...values.map(Math.abs));
  let scale = scales[0];
  for (const one of scales) if (largest >= one[1] * 0.9995) scale = one;
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) / scale[1] : 1;
  let decimals = 0;
  for (let part = step; decimals < 9 && Math.abs(part - Math.round(part)) > 1e-6 * part; part *= 10) ++decimals;
  return values.map((value) => `${(value / scale[1]).toFixed(decimals)}${scale[0] ? ` ${scale[0]}` : ''}`);
}

function signed_percent(percent: number): string {
  const size = Math.abs(percent);
  const text = percent.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
  return text.startsWith('-') ? text : `+${text}`;
}

// Past this a percentage is harder to read than a factor.
const reads_as_factor = (ratio: number): boolean => ratio >= 10;
const factor_text = (ratio: number): string => `x ${ratio.toFixed(decimals_for(ratio))}`;

// A ratio as a signed percentage.
export function change_text(ratio: number | null | undefined): string {
  if (typeof ratio !== 'number' || !Number.isFinite(ratio)) return '';
  if (reads_as_factor(ratio)) return factor_text(ratio);
  const percent = 100 * (ratio - 1);
  const size = Math.abs(percent);
  if (size < 1e-10) return '0 %';
  if (size < 0.0005) return '< 0.001 %';
  if (size < 0.005) return `${percent < 0 ? '-' : '+'}${size.toFixed(3)} %`;
  return `${signed_percent(percent)} %`;
}

// The interval of a change with its unit: in percent, or in factors where the change reads as one.
export function range_text(interval: [number, number] | null | undefined, ratio: number | null | undefined): string {
  if (!interval || !interval.every(Number.isFinite)) return '';
  if (reads_as_factor(ratio ?? 1)) return `[${interval.map(factor_text).join(', ')}]`;
  return `[${interval.map((ratio) => signed_percent(100 * (ratio - 1)).replace(/^[+-](?=0\.0*$)/, '')).join(', ')}] %`;
}

export function share_text(share: number | null | undefined): string {
  if (typeof share !== 'number' || !Number.isFinite(share)) return '';
  const percent = 100 * share;
  if (percent !== 0 && percent < 0.01) return `${Number(percent.toPrecision(3))} %`;
  return `${Number(percent.toFixed(percent >= 99.95 ? 0 : percent >= 9.995 ? 1 : 2))} %`;
}

export function p_text(p: number | null | undefined): string {
  if (typeof p !== 'number' || !Number.isFinite(p)) return '';
  return p >= 0.001 ? String(Number(p.toFixed(p >= 0.1 ? 2 : 3))) : p.toExponential(0);
}

export function time_text(at: string | number | null | undefined): string {
  if (at === null || at === undefined || at === 0 || at === '') return '';
  const date = new Date(typeof at === 'number' ? at / 1e6 : at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString().slice(0, 16).replace('T', ' ');
}

export const short = (id: string | null | undefined, digits = 9): string => (id ?? '').slice(0, digits);
// The benchmark as its program wrote it: a " [" inside the name is kept written otherwise in its identity.
export const benchmark_text = (canonical: string): string => canonical.replaceAll(' %5B', ' [');
// Measured on a device, not on the CPU; a device of the machine says nothing of that.
export const is_of_device = (canonical: string): boolean => / \[(suite=.*,)?device=.*\]$/.test(canonical);
export const metric_text = (metric: string | null | undefined): string =>
  metric === 'real_time' ? 'time' : (metric ?? '').replaceAll('_', ' ');

export const kWorstFirst = [
  'regression',
  'failed',
  'missing',
  'incomparable',
  'inconclusive',
  'improvement',
  'new',
  'skipped',
  'unchanged',
];
// What counts rows: "2 regressions", "1 regression", "4 unchanged".
export const rows_text = (count: number, verdict: string): string =>
  `${count_text(count)} ${verdict}${count !== 1 && /^(regression|improvement)$/.test(verdict) ? 's' : ''}`;
// The unit of a metric that is known everywhere (bench/model), where an answer does not carry it.
const kUnits: Record<string, string> = {
  real_time: 'ns',
  cpu_time: 'ns',
  instructions: 'count',
  allocations: 'count',
  bytes_allocated: 'bytes',
  peak_rss: 'bytes',
  binary_size: 'bytes',
  bandwidth: 'bytes/s',
  flops: 'flop/s',
};
export const unit_of = (metric: string): string | null => kUnits[metric] ?? null;

const kMarks: Record<string, string> = {
  regression: '\u2717',
  improvement: '\u2713',
  unchanged: '=',
  inconclusive: '?',
  missing: '\u2212',
  new: '+',
  failed: '!',
  incomparable: '\u2260',
  skipped: '\u2205',
  met: '\u2713',
  missed: '\u2717',
  undecided: '?',
};
export const mark = (verdict: string): string => kMarks[verdict] ?? '?';
