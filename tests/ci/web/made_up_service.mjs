// A service that answers from made-up results, for the tests of the page, at the addresses of /api/v1/openapi.json:
//   node made_up_service.mjs PORT [hostile]    serves until its input ends; PORT 0: any
import {createServer} from 'node:http';
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {
  hex,
  iso,
  at_of,
  run_header,
  series_points,
  kSeries,
  change_of,
  make_alerts,
  newer_alerts,
  bisects,
  machine_of,
  comparison_header,
  whole_comparison,
  whole_run,
  kTargets,
  flame,
  subjects,
  kProject,
  kMachine,
  kOther,
} from './made_up_results.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
export const kPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

const kMaxSpreadPoints = 20000;

// With a key only who sends it may write, and any other token is refused.
// more_alerts: newer ones, {count, state, branch}; idle_projects: so many more, before the others, where nothing was
// measured; scopes: what its owner may do; is_unjudged: there are runs, and no comparison, change or alert.
export function make_service({
  hostile = false,
  key = null,
  is_empty = false,
  more_alerts = {count: 0},
  idle_projects = 0,
  is_unjudged = false,
  scopes = ['read', 'report'],
} = {}) {
  let alerts = is_unjudged ? [] : [...newer_alerts(more_alerts), ...make_alerts()];
  const listeners = new Set();
  const problem = (status, title, detail, fix) => ({
    status,
    body: {type: 'about:blank', title, status, detail, fix, request: 'a1b2c3'},
  });
  const page = (items, query) => {
    const limit = Number(query.get('limit') ?? 50),
      from = Number(query.get('after') ?? 0);
    return {
      items: is_empty ? [] : items.slice(from, from + limit),
      next: !is_empty && from + limit < items.length ? String(from + limit) : null,
      notes: [],
    };
  };
  const like = (text, part) => !part || text.toLowerCase().includes(part.toLowerCase());
  const act = (alert, action, body) => {
    if (action === 'assign') {
      if (body.to === (alert.assignment?.to ?? ''))
        return problem(409, 'Not in this state', 'it is assigned so already', '');
      alert.assignment = body.to ? {to: body.to, by: 'local', at: iso(at_of(120)), note: body.note ?? null} : null;
      for (const send of listeners) send('alert');
      return {status: 200, body: alert};
    }
    const word = {
      acknowledge: 'acknowledged',
      accept: 'accepted',
      resolve: 'resolved',
      reopen: 'reopened',
    }[action];
    if (action === 'accept' && !body.note)
      return problem(400, 'Not accepted', 'note: found nothing, wanted why it is accepted', 'Say why.');
    alert.state = word;
    if (action === 'accept') [alert.accepted_commit, alert.accepted_until] = [alert.commit, body.until ?? null];
    alert.life.push({
      transition: word,
      at: iso(at_of(120)),
      by: 'local',
      commit: null,
      note: body.note ?? null,
    });
    for (const send of listeners) send('alert');
    return {status: 200, body: alert};
  };
  const read = {
    session: (_, is_own) => ({
      questions: 1,
      version: 'steelyard 0.1.0',
      access: is_own ? 'local' : 'public',
      name: null,
      project: null,
      scopes: is_own ? scopes : ['read'],
    }),
    projects: (query) =>
      page(
        [
          ...Array.from({length: idle_projects}, (_, i) => ({
            name: `idle-${String(i).padStart(4, '0')}`,
            newest_run: null,
            newest_at: null,
            open_alerts: 0,
            branches: [],
          })),
          {
            name: kProject,
            newest_run: hex('run 119'),
            newest_at: iso(at_of(119)),
            open_alerts: alerts.filter((one) => one.state === 'open').length,
            branches: [
              {name: 'main', commits: 119, newest_at: iso(at_of(119))},
              {name: 'faster-hash', commits: 2, newest_at: iso(at_of(117))},
            ],
          },
          {
            name: 'shop',
            newest_run: hex('run 7'),
            newest_at: iso(at_of(7)),
            open_alerts: 0,
            branches: [{name: 'main', commits: 3, newest_at: iso(at_of(7))}],
          },
        ],
        query,
      ),
    runs: (query) =>
      page(
        Array.from({length: 120}, (_, i) => run_header(119 - i)).filter(
          (one) =>
            like(one.branch, query.get('branch')) &&
            (!query.get('commit') || one.commit.startsWith(query.get('commit'))),
        ),
        query,
      ),
    comparisons: (query) =>
      page(
        Array.from({length: is_unjudged ? 0 : 25}, (_, i) => comparison_header(i)),
        query,
      ),
    alerts: (query) =>
      page(
        alerts.filter(
          (one) =>
            query.get('state') === 'all' ||
            (query.get('state') ? one.state === query.get('state') : one.state !== 'resolved'),
        ),
        query,
      ),
    machines: (query) =>
      page([machine_of(kMachine, 'Xeon 8259CL', '6.1.0-30'), machine_of(kOther, 'EPYC 7R13', '6.1.0-28')], query),
    bisects: (query) =>
      page(
        bisects().map((one) => ({...one, probes: []})),
        query,
      ),
    targets: (query) =>
      page(
        kTargets.filter((one) => like(one.benchmark, query.get('benchmark'))),
        query,
      ),
    series: (query) =>
      page(
        kSeries
          .filter(
            (one) =>
              like(one.benchmark, query.get('benchmark')) &&
              (query.get('metric') === '*' ||
                (query.get('metric')
                  ? query.get('metric') === one.metric
                  : ['real_time', 'instructions'].includes(one.metric) || one.kind === 'counted')),
          )
          .flatMap((one) =>
            (one.benchmark === 'BM_hash/8' ? [kMachine, kOther] : [kMachine]).map((fingerprint) => ({
              project: kProject,
              benchmark: one.benchmark,
              name: one.benchmark,
              metric: one.metric,
              unit: one.unit,
              better: one.better ?? 'lower',
              kind: one.kind,
              fingerprint,
              earlier_names: one.earlier_names ?? [],
            })),
          ),
        query,
      ),
    changes: (query) =>
      page(
        kSeries
          .filter(
            (one) =>
              !is_unjudged &&
              one.ratio !== 1 &&
              like(one.benchmark, query.get('benchmark')) &&
              (!query.get('metric') || query.get('metric') === one.metric),
          )
          .map(change_of),
        query,
      ),
    compare: (query) => whole_comparison(null, query.get('explain')),
    flame: (query) => flame(query.get('baseline') === query.get('candidate')),
    search: (query) => ({
      items: [
        ...kSeries.map((one) => ({
          kind: 'benchmark',
          text: one.benchmark,
          detail: one.metric,
          project: kProject,
          id: one.benchmark,
        })),
        ...Array.from({length: 120}, (_, i) => ({
          kind: 'commit',
          text: hex(`commit ${i}`, 40),
          detail: subjects[i % subjects.length],
          project: kProject,
          id: hex(`commit ${i}`, 40),
        })),
      ]
        .filter((one) => like(one.id, query.get('q')))
        .slice(0, 20),
    }),
  };
  const points = (query) => {
    const one = kSeries.find((its) => its.benchmark === query.get('benchmark') && its.metric === query.get('metric'));
    if (!one) return problem(404, 'Not there', 'benchmark: no such series', 'Search for it.');
    const half = one.benchmark !== 'BM_hash/8' ? [0, one.count] : query.get('machine') === kOther ? [0, 60] : [60, 120];
    const columns = series_points(one.count, one.seed, one.level, one.change, one.ratio),
      wanted = (query.get('columns') ?? 'at,value,run,commit').split(',');
    const [begin, end] = half,
      from = Math.max(begin, end - Number(query.get('points') ?? 10000));
    // As the service: of more points it knows no spread.
    const told = Object.fromEntries(
      wanted.map((name) => [
        name,
        columns[name]
          .slice(from, end)
          .map((one, i) => (['low', 'high'].includes(name) && i < end - from - kMaxSpreadPoints ? null : one)),
      ]),
    );
    return {
      status: 200,
      body: {
        project: kProject,
        benchmark: one.benchmark,
        name: one.benchmark,
        metric: one.metric,
        unit: one.unit,
        better: one.better ?? 'lower',
        kind: one.kind,
        fingerprint: query.get('machine') ?? kMachine,
        earlier_names: one.earlier_names ?? [],
        branch: 'main',
        count: end - from,
        ...told,
        conditions: one.kind === 'counted' ? ['glibc 2.36', 'glibc 2.37'] : [''],
        older: from > begin ? `before ${from}` : null,
      },
    };
  };
  const commit_of = (sha) => {
    const i = Array.from({length: 121}, (_, k) => k).find((k) => hex(`commit ${k}`, 40).startsWith(sha)) ?? 84;
    const {commit, parent, subject, committed_at} = run_header(i);
    return {
      commit,
      parent,
      subject,
      committed_at,
      runs: [run_header(i), run_header(i, {id: hex(`again ${i}`)})],
      change_points: kSeries.filter((one) => one.change === i).map(change_of),
      comparisons: i === 84 ? [comparison_header(0)] : [],
      alerts: alerts.filter((one) => one.commit === commit),
      notes: i === 84 ? ['there are more than 1000 comparisons'] : [],
    };
  };
  const answer = (method, path, query, body, is_own) => {
    const [name, id, action] = path.split('/');
    const found = name === 'alerts' && id ? alerts.find((one) => one.id.startsWith(id)) : null;
    if (name === 'alerts' && id && !found)
      return problem(404, 'Not there', `No alert begins with ${id}.`, 'See the list of alerts.');
    if (method === 'POST' && found)
      return is_own
        ? act(found, action, body)
        : problem(403, 'Not allowed', 'The scope report is wanted.', 'Ask for a token.');
    if (found) return {status: 200, body: found};
    if (name === 'points') return points(query);
    if (name === 'runs' && id)
      return /^[0-9a-f]{6,}$/.test(id)
        ? {status: 200, body: whole_run(id)}
        : problem(404, 'Not there', 'No such run.', 'See the list of runs.');
    if (name === 'comparisons' && id) return {status: 200, body: whole_comparison(id)};
    const search = name === 'bisects' && id && bisects().find((one) => one.id === id);
    if (search) return {status: 200, body: search};
    if (name === 'commits') return {status: 200, body: commit_of(id)};
    if (name === 'machines' && id)
      return {
        status: 200,
        body:
          id === kOther ? machine_of(kOther, 'EPYC 7R13', '6.1.0-28') : machine_of(kMachine, 'Xeon 8259CL', '6.1.0-30'),
      };
    return read[name]
      ? {status: 200, body: read[name](query, is_own)}
      : problem(404, 'Not there', 'No such address.', 'See /api/v1/openapi.json.');
  };
  // Text of strangers, in every text that is not an identity or an enumeration.
  const kTexts = new Set([
    'subject',
    'detail',
    'text',
    'reason',
    'cause',
    'note',
    'by',
    'program',
    'file',
    'value',
    'branch',
    'name',
    'fix',
    'title',
    'bound',
    'target',
    'repository',
    'build',
    'trouble',
  ]);
  const poison = (value, key) => {
    if (typeof value === 'string')
      return kTexts.has(key)
        ? `${value}<img src=x onerror="document.title='script ran'"><script>document.title='script ran'</script>`
        : value;
    if (Array.isArray(value)) return value.map((one) => poison(one, key));
    if (value && typeof value === 'object')
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poison(one, name)]));
    return value;
  };
  const files = {
    '/': ['index.html', 'text/html; charset=utf-8'],
    '/app.js': ['app.js', 'text/javascript'],
    '/app.css': ['app.css', 'text/css'],
  };
  const sent = {page: 0, requests: []};
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://service');
    sent.requests.push(request.url);
    if (files[url.pathname]) {
      const [file, type] = files[url.pathname];
      const bytes = gzipSync(readFileSync(join(root, 'ci/web/dist', file)));
      sent.page += bytes.length;
      response.writeHead(200, {
        'Content-Type': type,
        'Content-Encoding': 'gzip',
        'Content-Security-Policy': kPolicy,
        'X-Content-Type-Options': 'nosniff',
      });
      response.end(bytes);
      return;
    }
    if (url.pathname === '/api/v1/events') {
      response.writeHead(200, {'Content-Type': 'text/event-stream'});
      response.write(': here\n\n');
      const send = (kind) => response.write(`event: ${kind}\ndata: {"project": "${kProject}"}\n\n`);
      listeners.add(send);
      request.on('close', () => listeners.delete(send));
      return;
    }
    let text = '';
    request.on('data', (block) => (text += block));
    request.on('end', () => {
      const sent_token = request.headers.authorization?.replace('Bearer ', '');
      const is_own = key === null || sent_token === key;
      const {status, body} =
        sent_token && !is_own
          ? problem(401, 'No such token', 'The token is none.', 'Leave it out, or get another.')
          : answer(
              request.method,
              decodeURIComponent(url.pathname.replace('/api/v1/', '')),
              url.searchParams,
              text ? JSON.parse(text) : {},
              is_own,
            );
      const bytes = JSON.stringify(hostile ? poison(body, '') : body);
      response.writeHead(status, {
        'Content-Type': status === 200 ? 'application/json' : 'application/problem+json',
        'Cache-Control': 'no-cache',
      });
      response.end(bytes);
    });
  });
  return {
    server,
    sent,
    tell: (kind) => listeners.forEach((send) => send(kind)),
    refresh: () => {
      alerts = [...newer_alerts(more_alerts), ...make_alerts()];
    },
    ids: {
      bisect: hex('bisect', 16),
      machine: kMachine,
      other: kOther,
      comparison: hex('comparison 0'),
      undecided: hex('comparison 1'),
      run: hex('run 84'),
      baseline: hex('run 83'),
      commit: hex('commit 84', 40),
      alert: hex('alert a'),
    },
  };
}

export const listen = (service) =>
  new Promise((resolve) =>
    service.server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${service.server.address().port}`)),
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const service = make_service({hostile: process.argv.includes('hostile')});
  service.server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () =>
    console.log(`http://127.0.0.1:${service.server.address().port}`),
  );
  process.stdin.resume().on('end', () => process.exit(0));
}
