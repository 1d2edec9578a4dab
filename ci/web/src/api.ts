// The service's answers, as /api/v1/openapi.json describes them; of each only what the pages read.

export interface Problem {
  title: string;
  detail: string;
  fix?: string;
  status: number;
  request?: string;
}
export interface Session {
  access: 'local' | 'public' | 'token';
  name: string | null;
  project: string | null;
  scopes: string[];
  version: string;
}
export interface Page<Item> {
  items: Item[];
  next: string | null;
  notes?: string[];
}
export interface Project {
  name: string;
  newest_run: string | null;
  newest_at: string | null;
  open_alerts: number;
  branches: {name: string; commits: number; newest_at: string | null}[];
}
export interface RunHeader {
  id: string;
  project: string;
  program: string;
  commit: string | null;
  parent: string | null;
  branch: string | null;
  subject: string | null;
  at: string | null;
  fingerprint: string | null;
  layout: string;
  measurements: number;
  samples: number;
}
export interface Measurement {
  benchmark: string;
  metric: string;
  unit: string;
  kind: string;
  value: number | null;
  within_invocations: number | null;
  between_invocations: number | null;
  invocations: {invocation: number; values: number[]}[];
}
export interface ProfileFunction {
  object: string | null;
  file: string | null;
  name: string;
  calls: number | null;
  self: number[];
  inclusive: number[];
}
export interface RunProfile {
  benchmark?: string;
  iterations?: number;
  events: string[];
  totals: number[];
  functions: ProfileFunction[];
}
export interface Utilization {
  benchmark: string;
  metric: string;
  value: number | null;
  achieved: number | null;
  unit: string;
  ceiling: {value?: number; achievable?: number} | null;
  intensity: number | null;
  bound: string | null;
  unknown: string | null;
}
export interface Run {
  run: Omit<RunHeader, 'commit'> & {
    commit: {sha: string; parent: string; branch: string; subject: string; dirty: boolean} | null;
    created_at_unix_ns: number;
    seed: number;
    settings: Record<string, string>;
  };
  environment: Fact[];
  invocations: {round: number; disturbed_by: string[]; left_out: boolean}[];
  measurements: Measurement[];
  profiles: RunProfile[];
  failures: {benchmark: string | null; metric: string | null; round: number | null; kind: string; reason: string}[];
  targets: unknown[];
  utilizations: Utilization[];
}
export interface Fact {
  name: string;
  value: string;
  decisive: boolean;
}
export interface SeriesName {
  project: string;
  benchmark: string;
  name: string;
  metric: string;
  unit: string;
  better: string;
  kind: string;
  fingerprint: string | null;
  earlier_names: string[];
}
export interface Points {
  benchmark: string;
  name: string;
  metric: string;
  unit: string;
  better: string;
  fingerprint: string | null;
  earlier_names: string[];
  branch: string | null;
  count: number;
  at: number[];
  value: (number | null)[];
  low?: (number | null)[];
  high?: (number | null)[];
  run: string[];
  commit: (string | null)[];
  place?: (number | null)[];
  off_branch?: number[];
  conditions: string[];
  condition?: number[];
  machines?: {index: number; fingerprint: string}[];
  older: string | null;
}
export interface ChangePoint {
  id: string;
  project: string;
  benchmark: string;
  name: string;
  metric: string;
  fingerprint: string | null;
  branch: string | null;
  commit: string;
  last_good: string | null;
  before: number;
  after: number;
  ratio: number | null;
  p: number;
  verdict: string;
  gone: boolean;
  cause: string;
  taken_back_by?: string;
  status?: string;
}
export interface Alert {
  id: string;
  project: string | null;
  branch: string | null;
  benchmark: string;
  metric: string;
  unit: string | null;
  state: string;
  verdict: string;
  baseline: number | null;
  candidate: number | null;
  ratio: number | null;
  comparison: string | null;
  change_point: string | null;
  commit: string | null;
  fingerprint: string | null;
  accepted_commit: string | null;
  accepted_until: string | null;
  life: {transition: string; at: string; by: string; commit: string | null; note: string | null}[];
  assignment: {to: string; by: string; at: string; note: string | null} | null;
}
export interface FunctionChange {
  name: string;
  file: string | null;
  line: number | null;
  self_change: number | null;
  inclusive_change: number | null;
  calls_change: number | null;
  share: number | null;
  own_source: boolean;
}
export interface Row {
  benchmark: string;
  metric: string;
  unit: string;
  better: string;
  kind: string;
  baseline: number | null;
  candidate: number | null;
  ratio: number | null;
  interval: [number, number] | null;
  confidence: number;
  p: number | null;
  q: number | null;
  minimum_effect: number;
  margin: number;
  minimum_detectable_effect: number | null;
  verdict: string;
  reason: string;
  gates: boolean;
  gate_note: string | null;
  rank: number;
  rounds: number;
  functions: FunctionChange[];
  call_path: string[];
  explanation?: string[];
  layout: string;
  test: string;
  notes: string[];
}
export interface Finding {
  kind: string;
  cause: string;
  shared: string;
  gates: boolean;
  rows: {benchmark: string; metric: string}[];
  metrics: {metric: string; ratio_range: [number, number] | null; benchmarks: number; worst: string}[];
  ratio_range: [number, number] | null;
  worst: {benchmark: string; metric: string} | null;
  functions?: FunctionChange[];
  functions_of?: string;
}
export interface Side {
  id: string;
  project: string;
  program: string;
  commit: string;
  branch: string;
  subject: string;
  fingerprint: string;
  created_at_unix_ns: number;
}
export interface Comparison {
  baseline: Side;
  candidate: Side;
  summary: Record<string, number>;
  no_change?: {kind: string; text: string; advice?: string; command?: string}; // where nothing changed
  comparisons: Row[];
  findings?: Finding[];
  warnings?: string[];
  promise?: {text: string; holds: boolean};
  policy: Record<string, unknown>;
  environment_differences?: {name: string; baseline: string; candidate: string; decisive: boolean}[];
}
export interface ComparisonHeader {
  id: string;
  project: string;
  branch: string | null;
  baseline_run: string;
  candidate_run: string;
  baseline_commit: string | null;
  candidate_commit: string | null;
  at: string;
  fingerprint: string | null;
  summary: Record<string, number>;
  gates: number;
  unjudged: number;
  benchmarks: number;
  undecided: number;
}
export interface Target {
  run: string;
  commit: string | null;
  at: string | null;
  benchmark: string;
  name: string;
  metric: string;
  target: string;
  of_what: string;
  least: number;
  achieved: number | null;
  achieved_low: number | null;
  achieved_high: number | null;
  ceiling: number | null;
  utilization: number | null;
  intensity: number | null;
  bound: string | null;
  verdict: string;
  reason?: string | null;
  fingerprint: string | null;
}
export interface Calibration {
  id: string;
  layout: string;
  at: string;
  program: string;
  rounds: number;
  gates: number;
  false_gates: number;
  comparisons: number;
  false_alarms: number;
  failed: boolean;
  reason: string | null;
}
export interface Machine {
  fingerprint: string;
  runs: number;
  first_at: string | null;
  newest_at: string | null;
  facts: Fact[];
  noise: number | null;
  calibrations: Calibration[];
}
export interface Commit {
  commit: string;
  parent: string | null;
  subject: string | null;
  committed_at: string | null;
  runs: RunHeader[];
  change_points: ChangePoint[];
  comparisons: ComparisonHeader[];
  alerts: Alert[];
  notes: string[]; // bounds of these lists
}
export interface Probe {
  purpose: string;
  by: string;
  baseline: string;
  candidate: string;
  answer: string;
  baseline_level: number | null;
  candidate_level: number | null;
  ratio: number | null;
  interval: [number, number] | null;
  p: number | null;
  rounds: number;
  trouble: string | null;
}
export interface Bisect {
  id: string;
  repository: string;
  good: string;
  bad: string;
  benchmark: string;
  metric: string;
  build: string | null;
  commits: number | null;
  left: number | null;
  measuring: string | null;
  end: string | null;
  culprit: string | null;
  builds: number;
  at_unix_ns: number | null;
  probes: Probe[];
}
export interface Found {
  kind: string;
  text: string;
  detail: string | null;
  project: string | null;
  id: string;
}
export interface Flame {
  benchmark: string;
  event: string;
  baseline_total: number;
  candidate_total: number;
  frames: {name: string; file: string | null; parent: number | null; baseline: number; candidate: number}[];
}

export class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title);
  }
}

const kTokenKey = 'steelyard.token';
// For as long as this tab is open: a token that lies in a browser for good is one that gets lost.
export const token = (): string | null => sessionStorage.getItem(kTokenKey);
export function set_token(secret: string | null): void {
  if (secret) sessionStorage.setItem(kTokenKey, secret);
  else sessionStorage.removeItem(kTokenKey);
}

function fetch_with_token(path: string, init: RequestInit): Promise<Response> {
  const secret = token();
  const headers = {...(init.headers as Record<string, string>), ...(secret ? {Authorization: `Bearer ${secret}`} : {})};
  return fetch(`/api/v1${path}`, {credentials: 'same-origin', ...init, headers});
}

async function answer_of(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch_with_token(path, init);
    // A token that is good no more keeps nobody from what may be read without one.
    if (response.status === 401 && token() && init.method !== 'POST') {
      set_token(null);
      response = await fetch_with_token(path, init);
    }
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new Refusal({
      status: 0,
      title: 'The service does not answer',
      detail: 'Nothing came back from where this page came from.',
      fix: 'See whether steelyard serve still runs there, then try again.',
    });
  }
  if (response.ok) return response;
  const problem: Problem = {
    status: response.status,
    title: response.statusText || `Status ${response.status}`,
    detail: '',
  };
  try {
    Object.assign(problem, await response.json());
  } catch {
    problem.detail = 'The answer was no description of the problem.';
  }
  throw new Refusal({...problem, request: problem.request ?? response.headers.get('X-Request-Id') ?? undefined});
}

export type Query = Record<string, string | number | null | undefined>;

export async function get<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  const response = await answer_of(path + (text ? `?${text}` : ''), {signal});
  return (await response.json()) as Answer;
}

export async function post<Answer>(path: string, body: unknown): Promise<Answer> {
  const response = await answer_of(path, {
    method: 'POST',
    headers: {'Content-Type': 'application/json'},
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

// Server-sent events over fetch, which unlike EventSource can send a token. Comes back by itself, later each time.
export function listen(heard: (kind: string) => void, state: (connected: boolean) => void, signal: AbortSignal): void {
  let wait = 1000;
  const read = async () => {
    const response = await answer_of('/events', {headers: {Accept: 'text/event-stream'}, signal});
    const reader = (response.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
    state(true);
    wait = 1000;
    let text = '';
    for (;;) {
      const {done, value} = await reader.read();
      if (done) return;
      text += value;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('event:')) heard(line.slice(6).trim());
    }
  };
  const go_on = () => {
    if (signal.aborted) return;
    state(false);
    setTimeout(run, wait);
    wait = Math.min(wait * 2, 60000);
  };
  const run = () => read().then(go_on, go_on);
  run();
}
