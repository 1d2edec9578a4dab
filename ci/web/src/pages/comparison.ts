// A comparison: findings first, then the rows with their intervals; behind a row the samples of both sides, the
// functions, and the steps from samples to verdict.
import {get, type Comparison, type Finding, type FunctionChange, type Row, type Run, type Side} from '../api';
import {distributions} from '../distributions';
import {entries, fill, h, section, table, type Child} from '../dom';
import {current_route, href, remember} from '../route';
import {
  answer_of_gate,
  bar,
  benchmark,
  code,
  commit_link,
  empty,
  run_link,
  series_href,
  summary,
  verdict,
  type PageOf,
  type View,
} from '../view';
import {
  benchmark_text,
  change_text,
  kWorstFirst,
  level_pair,
  mark,
  metric_text,
  p_text,
  plural,
  range_text,
  share_text,
  time_text,
} from '../words';

interface Shown {
  comparison: Comparison;
  view: View;
  runs: Map<string, Promise<Run>>; // asked for once, when a first row is opened
  explained: Map<string, Promise<Comparison>>;
}

// This page with the row open.
function row_address(key: string): string {
  const {page, params} = current_route();
  params.set('open', key);
  return `#/${page}?${params}`;
}

const key_of = (row: {benchmark: string; metric: string}): string => `${row.benchmark}\n${row.metric}`;

function side(term: string, one: Side): Child {
  return [
    h('dt', {}, term),
    h(
      'dd',
      {},
      one.commit ? [commit_link(one.commit, one.project), ' ', one.subject] : one.program,
      ' ',
      h('span', {class: 'dim'}, run_link(one.id, 'run'), ' ', time_text(one.created_at_unix_ns)),
    ),
  ];
}

function function_table(of: string, functions: FunctionChange[]): HTMLElement {
  const signed = (value: number | null) =>
    value === null ? '' : (value > 0 ? '+' : '') + value.toLocaleString('en', {maximumFractionDigits: 2});
  return table(
    `Functions behind ${of}`,
    [
      {title: 'Function'},
      {title: 'Self', numeric: true},
      {title: 'With callees', numeric: true},
      {title: 'Calls', numeric: true, wide: true},
      {title: 'Share', numeric: true},
      {title: 'Where', wide: true},
    ],
    functions.map((one) => [
      code(one.name),
      signed(one.self_change),
      signed(one.inclusive_change),
      signed(one.calls_change),
      share_text(one.share),
      one.file ? code(one.line ? `${one.file}:${one.line}` : one.file) : '',
    ]),
    {class: 'functions'},
  );
}

function finding_words(finding: Finding): string {
  return finding.metrics
    .map((one) => {
      if (!one.ratio_range) return metric_text(one.metric);
      const [low, high] = one.ratio_range.map(change_text);
      const of = one.benchmarks > 1 ? ` in ${one.benchmarks}` : '';
      return `${metric_text(one.metric)} ${low === high ? low : `${low} to ${high}`}${of}`;
    })
    .join(', ');
}

function finding_card(shown: Shown, finding: Finding, rows: Map<string, Row>): HTMLElement {
  const count = new Set(finding.rows.map((row) => row.benchmark)).size;
  const functions = finding.functions ?? [];
  const to_row = (row: {benchmark: string; metric: string}) =>
    h(
      'a',
      {
        href: row_address(key_of(row)),
        click: ((event: Event) => {
          event.preventDefault();
          open_row(shown, key_of(row));
        }) as EventListener,
      },
      benchmark(row.benchmark),
    );
  const members = finding.rows.map((row) => rows.get(key_of(row))).filter((row): row is Row => row !== undefined);
  return h(
    'article',
    {class: `finding ${finding.kind}`},
    h(
      'p',
      {},
      h('span', {class: 'mark', 'aria-hidden': 'true'}, mark(finding.kind)),
      ' ',
      code(benchmark_text(finding.cause)),
      ' ',
      h('span', {class: 'tag'}, finding.kind),
      ' ',
      h('span', {class: 'tag'}, plural(count, 'benchmark')),
      ' ',
      finding.gates && h('span', {class: 'tag'}, 'fails the gate'),
    ),
    h(
      'p',
      {},
      finding_words(finding),
      count > 1 && finding.metrics.length > 0 && finding.worst && [', worst ', to_row(finding.worst)],
    ),
    members.length > 0 &&
      h(
        'details',
        {open: members.length <= 6},
        h('summary', {}, plural(members.length, 'row')),
        h(
          'table',
          {class: 'members'},
          h(
            'tbody',
            {},
            members
              .slice(0, 200)
              .map((row) =>
                h(
                  'tr',
                  {class: row.verdict},
                  h('th', {scope: 'row'}, to_row(row)),
                  h('td', {}, metric_text(row.metric)),
                  h('td', {class: 'c'}, change_text(row.ratio)),
                  h('td', {}, bar(row)),
                ),
              ),
          ),
        ),
      ),
    functions.length > 0 && [
      function_table(`the finding ${finding.cause}`, functions),
      finding.functions_of &&
        h(
          'p',
          {},
          h(
            'a',
            {
              href: href('profile', {
                run: shown.comparison.candidate.id,
                against: shown.comparison.baseline.id,
                benchmark: finding.functions_of,
              }),
            },
            'Flame graph of both sides',
          ),
        ),
    ],
  );
}

function verdict_cell(row: Row): HTMLElement {
  return h(
    'label',
    {},
    h('input', {
      type: 'checkbox',
      'aria-label': `Show what is behind ${benchmark_text(row.benchmark)} ${metric_text(row.metric)}`,
    }),
    verdict(row.verdict),
  );
}

function rows_table(shown: Shown, rows: Row[]): HTMLElement {
  const head = ['verdict', 'benchmark', 'metric', 'baseline', 'candidate', 'change', 'interval', 'detectable', 'q'];
  return h(
    'div',
    {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'All rows'},
    h(
      'table',
      {id: 'all'},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          head.map((title, i) =>
            h(
              'th',
              {
                scope: 'col',
                class:
                  [i >= 3 && i !== 6 && 'n', (i === 3 || i === 4 || i >= 7) && 'w'].filter(Boolean).join(' ') || null,
              },
              title,
            ),
          ),
        ),
      ),
      rows.map((row) => {
        const levels = level_pair(row.unit, row.baseline, row.candidate);
        const cell = verdict_cell(row);
        const why = h('td', {colspan: head.length});
        const body = h(
          'tbody',
          {class: row.verdict, 'data-key': key_of(row)},
          h(
            'tr',
            {},
            h('td', {class: 'v'}, cell),
            h('th', {scope: 'row'}, benchmark_text(row.benchmark)),
            h('td', {class: 'm'}, metric_text(row.metric)),
            h('td', {class: 'n w'}, levels.texts[0]),
            h('td', {class: 'n w'}, levels.texts[1], levels.texts[1] && levels.unit && ` ${levels.unit}`),
            h('td', {class: 'n c'}, change_text(row.ratio)),
            h('td', {class: 'i'}, bar(row), ' ', h('span', {class: 'w'}, range_text(row.interval, row.ratio))),
            h('td', {class: 'n w'}, share_text(row.minimum_detectable_effect)),
            h('td', {class: 'n w'}, p_text(row.q)),
          ),
          h('tr', {class: 'why'}, why),
        );
        const box = cell.querySelector('input') as HTMLInputElement;
        box.addEventListener('change', () => {
          if (box.checked && !why.firstChild) why.append(h('div', {}, behind(shown, row)));
          remember({open: opened_rows()});
        });
        return body;
      }),
    ),
  );
}

const opened_rows = (): string[] =>
  [...document.querySelectorAll<HTMLElement>('#all tbody:has(.v input:checked)')].map((body) => body.dataset.key ?? '');

function open_row(shown: Shown, key: string): void {
  const body = [...document.querySelectorAll<HTMLElement>('#all tbody')].find((one) => one.dataset.key === key);
  const box = body?.querySelector<HTMLInputElement>('.v input');
  if (!body || !box || !shown) return;
  if (!box.checked) box.click();
  body.hidden = false;
  body.scrollIntoView({block: 'start'});
  box.focus({preventScroll: true});
}

// What is not in the comparison itself is asked for when it is wanted: samples and steps.
function behind(shown: Shown, row: Row): Child {
  const {baseline, candidate} = shown.comparison;
  const chart = h('div', {}, h('p', {class: 'dim', role: 'status'}, 'Loading the samples \u2026'));
  const steps = h('div', {}, h('p', {class: 'dim', role: 'status'}, 'Loading the steps \u2026'));
  const run = (id: string) => {
    if (!shown.runs.has(id)) shown.runs.set(id, get<Run>(`/runs/${id}`, {}, shown.view.signal));
    return shown.runs.get(id) as Promise<Run>;
  };
  Promise.all([run(baseline.id), run(candidate.id)])
    .then(([a, b]) => {
      fill(chart, distributions(a, b, row));
    })
    .catch((error: Error) => fill(chart, h('p', {class: 'dim'}, `The samples are not to be had: ${error.message}`)));
  explained(shown, row)
    .then((told) => fill(steps, told))
    .catch((error: Error) => fill(steps, h('p', {class: 'dim'}, `The steps are not to be had: ${error.message}`)));
  return [
    h('p', {}, row.reason, row.gate_note && ` It does not gate: ${row.gate_note}.`),
    chart,
    steps,
    row.functions.length > 0 &&
      function_table(`${benchmark_text(row.benchmark)} ${metric_text(row.metric)}`, row.functions),
    row.call_path.length > 0 &&
      h(
        'p',
        {class: 'dim'},
        'Through ',
        row.call_path.map((name, i) => [i ? ' \u2192 ' : '', code(name)]),
      ),
    h(
      'p',
      {},
      h(
        'a',
        {
          href: series_href({
            project: candidate.project,
            branch: candidate.branch,
            benchmark: row.benchmark,
            metric: row.metric,
          }),
        },
        'History',
      ),
      row.kind === 'counted' && [
        ' \u00b7 ',
        h(
          'a',
          {href: href('profile', {run: candidate.id, against: baseline.id, benchmark: row.benchmark})},
          'Flame graph',
        ),
      ],
    ),
  ];
}

async function explained(shown: Shown, row: Row): Promise<Child> {
  let told: string[] | undefined = row.explanation;
  let other: Row | undefined;
  if (!told) {
    const {baseline, candidate} = shown.comparison;
    const id = row.benchmark;
    if (!shown.explained.has(id)) {
      shown.explained.set(
        id,
        get<Comparison>('/compare', {baseline: baseline.id, candidate: candidate.id, explain: id}, shown.view.signal),
      );
    }
    const anew = await (shown.explained.get(id) as Promise<Comparison>);
    other = anew.comparisons.find((one) => key_of(one) === key_of(row));
    told = other?.explanation;
  }
  if (!told || told.length === 0) return h('p', {class: 'dim'}, 'There are no steps of this row: it was not judged.');
  const pairs = told.map((step): [string, Child] => {
    const colon = step.indexOf(': ');
    return colon > 0 && colon <= 40 ? [step.slice(0, colon), step.slice(colon + 2)] : ['', step];
  });
  return [
    other &&
      other.verdict !== row.verdict &&
      h(
        'p',
        {class: 'notice'},
        'Judged anew, by the policy of today and these two runs alone, it is ' +
          `${other.verdict}; the steps below are of that.`,
      ),
    entries(pairs),
  ];
}

function matches(pattern: string, name: string): boolean {
  if (!pattern) return true;
  if (!/[*?]/.test(pattern)) return name.toLowerCase().includes(pattern.toLowerCase());
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${escaped}$`, 'i').test(name);
}

// The filter of the rows; the address keeps it.
function controls(view: View, rows: Row[], place: HTMLElement): HTMLElement {
  const search = h('input', {
    type: 'search',
    id: 'filter',
    value: view.params.get('filter') ?? '',
    placeholder: 'part of a name, or * and ?',
    autocomplete: 'off',
  });
  const metrics = [...new Set(rows.map((row) => row.metric))];
  const metric = h(
    'select',
    {},
    h('option', {value: ''}, 'every metric'),
    metrics.map((name) => h('option', {value: name, selected: name === view.params.get('metric')}, metric_text(name))),
  );
  const words = kWorstFirst.filter((word) => rows.some((row) => row.verdict === word));
  const wanted = new Set(view.params.getAll('verdict'));
  const boxes = words.map((word) =>
    h('input', {type: 'checkbox', value: word, checked: wanted.size === 0 || wanted.has(word)}),
  );
  const said = h('span', {class: 'dim', role: 'status'});
  const apply = () => {
    const chosen = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    let count = 0;
    const bodies = place.querySelectorAll<HTMLElement>('#all tbody');
    rows.forEach((row, i) => {
      const is_shown =
        chosen.has(row.verdict) &&
        (!metric.value || row.metric === metric.value) &&
        matches(search.value.trim(), benchmark_text(row.benchmark));
      bodies[i].hidden = !is_shown;
      count += Number(is_shown);
    });
    said.textContent =
      count === rows.length
        ? plural(count, 'row')
        : count
          ? `${count} of ${plural(rows.length, 'row')}`
          : 'No row is like that: clear the filter.';
    remember({
      filter: search.value.trim(),
      metric: metric.value,
      verdict: chosen.size === words.length ? null : [...chosen],
    });
  };
  for (const control of [search, metric, ...boxes])
    control.addEventListener(control === search ? 'input' : 'change', apply);
  view.ready(apply);
  return h(
    'div',
    {id: 'controls'},
    h('label', {}, 'Filter ', search),
    h('label', {}, 'Metric ', metric),
    h(
      'fieldset',
      {},
      h('legend', {}, 'Verdict'),
      boxes.map((box) => h('label', {}, box, box.value)),
    ),
    said,
  );
}

function whole(view: View, comparison: Comparison): Child {
  const rows = [...comparison.comparisons].sort((a, b) => a.rank - b.rank);
  const shown: Shown = {comparison, view, runs: new Map(), explained: new Map()};
  const by_key = new Map(rows.map((row) => [key_of(row), row]));
  const gating = (...words: string[]) => rows.filter((row) => row.gates && words.includes(row.verdict)).length;
  const found = comparison.no_change;
  const is_doubtful = found !== undefined && found.kind !== 'nothing changed';
  const {kind, sign, answer} = answer_of_gate(
    gating('regression'),
    gating('missing', 'failed', 'incomparable'),
    found?.kind === 'cannot tell',
  );
  const place = h('div', {}, rows_table(shown, rows));
  const findings = comparison.findings ?? [];
  const opened = view.params.getAll('open');
  view.ready(() => opened.forEach((key) => open_row(shown, key)));
  return [
    h(
      'h1',
      {class: kind},
      h('span', {class: 'mark', 'aria-hidden': 'true'}, sign),
      ' ',
      answer !== 'cannot tell' && `${answer[0].toUpperCase()}${answer.slice(1)}: `, // which the text itself begins with
      is_doubtful ? found.text : summary(comparison.summary),
    ),
    is_doubtful && [
      h('p', {}, summary(comparison.summary)),
      found.advice &&
        h('p', {}, `What would decide most: ${found.advice}`, found.command && [': ', code(found.command)]),
    ],
    h('dl', {}, side('baseline', comparison.baseline), side('candidate', comparison.candidate)),
    (comparison.warnings ?? []).map((warning) => h('p', {class: 'notice'}, warning)),
    section(
      'Findings',
      findings.length
        ? findings.map((finding) => finding_card(shown, finding, by_key))
        : h('p', {class: 'dim'}, found?.text ?? 'Nothing was compared.'),
    ),
    section(
      'All rows',
      rows.length
        ? [controls(view, rows, place), place]
        : empty('No row was compared.', 'The two runs share no benchmark and metric.'),
    ),
    section(
      'What it is worth',
      comparison.promise && h('p', {}, comparison.promise.text),
      (comparison.environment_differences ?? []).length > 0 &&
        table(
          'Differences of the environments',
          [{title: 'Fact'}, {title: 'Baseline'}, {title: 'Candidate'}, {title: ''}],
          (comparison.environment_differences ?? []).map((one) => [
            code(one.name),
            one.baseline,
            one.candidate,
            one.decisive && h('span', {class: 'tag'}, 'decisive'),
          ]),
        ),
    ),
  ];
}

export const comparison: PageOf = async (view) => {
  const id = view.params.get('id');
  const baseline = view.params.get('baseline'),
    candidate = view.params.get('candidate');
  view.title('Comparison');
  if (!id && !(baseline && candidate)) {
    return [
      h('h1', {}, 'Comparison'),
      empty(
        'Which two runs?',
        h('a', {href: href('runs')}, 'Choose a baseline'),
        ', or see ',
        h('a', {href: href('gates')}, 'what was compared'),
        '.',
      ),
    ];
  }
  const found = id
    ? await get<Comparison>(`/comparisons/${encodeURIComponent(id)}`, {}, view.signal)
    : await get<Comparison>('/compare', {baseline, candidate}, view.signal);
  return whole(view, found);
};
