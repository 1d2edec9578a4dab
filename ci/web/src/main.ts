// The shell: which page the address names, what stands around it, and what becomes of the answers that are none.
import 'uplot/dist/uPlot.min.css';
import '../../report/flame/page/flame_colors.css';
import '../../report/html/page/comparison.css';
import './app.css';

import {get, listen, Refusal, set_token, token, type Page, type Project, type Session} from './api';
import {button, fill, h, type Child} from './dom';
import {alerts} from './pages/alerts';
import {bisects} from './pages/bisects';
import {comparison} from './pages/comparison';
import {commit, gates, runs} from './pages/lists';
import {machines} from './pages/machines';
import {overview} from './pages/overview';
import {profile, roofline, run} from './pages/run';
import {embed, series} from './pages/series';
import {current_route, go, href, remember, set_project, set_projects} from './route';
import {search_field} from './search';
import {code, type PageOf, type View} from './view';

const kPages: Record<string, PageOf> = {
  overview,
  series,
  embed,
  comparison,
  run,
  runs,
  gates,
  commit,
  alerts,
  machines,
  bisects,
  profile,
  roofline,
  token: token_page,
};
const kTabs: [page: string, text: string][] = [
  ['overview', 'Overview'],
  ['series', 'Series'],
  ['gates', 'Gates'],
  ['runs', 'Runs'],
  ['alerts', 'Alerts'],
  ['machines', 'Machines'],
  ['bisects', 'Bisects'],
];
// What a page shows again by itself when such a thing comes in; the others say that there is news.
const kLive: Record<string, string[]> = {
  overview: ['run', 'comparison', 'alert', 'change'],
  alerts: ['alert'],
  gates: ['comparison'],
  runs: ['run'],
  bisects: ['bisect'],
};
const kNews: Record<string, string[]> = {
  series: ['run', 'change'],
  commit: ['run', 'comparison', 'alert', 'change'],
  machines: ['run'],
};

const main = h('main', {id: 'main', tabindex: -1});
const tabs = h('nav', {'aria-label': 'Pages'});
const news = h('p', {id: 'news', role: 'status', hidden: true});
const project_choice = h('select', {'aria-label': 'Project'});
const search = search_field(() => current_route().params.get('project') ?? '');
const footer = h('footer', {class: 'dim'});
const keys = h('dialog', {'aria-label': 'Keys'});

let session: Session = {access: 'public', name: null, project: null, scopes: [], version: ''};
let leaving: (() => void)[] = [];
let shown = '';
let visit = 0;

async function token_page(view: View): Promise<Child> {
  view.title('Token');
  const field = h('input', {type: 'password', autocomplete: 'off', required: true, maxlength: 4096, id: 'token'});
  const forget = button('Forget it', () => {
    set_token(null);
    void begin_session().then(() => go('overview'));
  });
  return [
    h('h1', {}, 'Token'),
    h(
      'p',
      {},
      'A token says who you are. Who keeps the service issues one: ',
      code('steelyard serve token NAME --scopes read,report'),
      ' or POST /api/v1/tokens. It is kept in this tab, until it is closed.',
    ),
    token() &&
      h('p', {}, `In use: ${session.name ?? 'a token'} (${session.scopes.join(', ') || 'no scope'}). `, forget),
    h(
      'form',
      {
        class: 'controls',
        submit: ((event: Event) => {
          event.preventDefault();
          set_token(field.value.trim());
          void begin_session()
            .then(() => (history.length > 1 ? history.back() : go('overview')))
            .catch((error: unknown) => {
              set_token(null);
              fill(main, trouble(error));
            });
        }) as EventListener,
      },
      h('label', {}, 'Token ', field),
      h('button', {type: 'submit'}, 'Use it'),
    ),
  ];
}

function trouble(error: unknown): Child {
  const problem =
    error instanceof Refusal
      ? error.problem
      : {
          status: -1,
          title: 'The page made a mistake',
          detail: String((error as Error)?.message ?? error),
          fix: 'Load it anew; if it stays, report it with what you did.',
          request: undefined,
        };
  const wants_token = problem.status === 401 || problem.status === 403;
  return h(
    'div',
    {class: 'trouble', role: 'alert'},
    h('h1', {}, problem.status === 404 ? 'It is not here' : problem.title),
    problem.detail && h('p', {}, problem.detail),
    problem.fix && h('p', {}, problem.fix),
    h(
      'p',
      {class: 'controls'},
      button('Try again', show),
      h('a', {class: 'button', href: href('overview')}, 'Overview'),
      wants_token && h('a', {class: 'button', href: href('token')}, 'Enter a token'),
    ),
    problem.request && h('p', {class: 'dim'}, 'Request ', code(problem.request)),
  );
}

function show_around(page: string): void {
  const of: Record<string, string> = {
    commit: 'runs',
    run: 'runs',
    profile: 'runs',
    roofline: 'runs',
    comparison: 'gates',
  };
  const current = of[page] ?? page;
  fill(
    tabs,
    kTabs.map(([name, text]) => h('a', {href: href(name), 'aria-current': name === current ? 'page' : null}, text)),
  );
  document.body.classList.toggle('embedded', page === 'embed');
}

async function show(): Promise<void> {
  const route = current_route();
  const mine = ++visit;
  leaving.forEach((act) => act());
  leaving = [];
  delete main.dataset.shown;
  const stop = new AbortController();
  leaving.push(() => stop.abort());
  const project = session.project ?? route.params.get('project') ?? '';
  set_project(route.params.get('project') ?? '');
  project_choice.value = project;
  show_around(route.page);
  news.hidden = true;
  const address = location.hash;
  const is_new = address !== shown;
  shown = address;
  const waiting = setTimeout(
    () => is_new && fill(main, h('p', {class: 'loading', role: 'status'}, 'Loading \u2026')),
    150,
  );
  main.setAttribute('aria-busy', 'true');
  const ready: (() => void)[] = [];
  const view: View = {
    params: route.params,
    session,
    project,
    signal: stop.signal,
    again: () => void show(),
    closed: (act) => leaving.push(act),
    ready: (act) => ready.push(act),
    title: (text) => {
      document.title = `${text} \u00b7 Steelyard`;
    },
  };
  let content: Child;
  try {
    const page = kPages[route.page];
    content = page
      ? await page(view)
      : h(
          'div',
          {class: 'trouble'},
          h('h1', {}, 'There is no such page'),
          h('p', {}, h('a', {href: href('overview')}, 'Overview')),
        );
  } catch (error) {
    if (mine !== visit || (error as Error).name === 'AbortError') return;
    content = trouble(error);
  } finally {
    clearTimeout(waiting);
  }
  if (mine !== visit) return;
  fill(main, content);
  main.removeAttribute('aria-busy');
  main.dataset.shown = route.page;
  if (is_new && document.activeElement !== search.input && route.page !== 'embed') {
    const title = main.querySelector('h1');
    title?.setAttribute('tabindex', '-1');
    title?.focus({preventScroll: true});
    window.scrollTo(0, 0);
  }
  ready.forEach((act) => act());
}

async function begin_session(): Promise<void> {
  session = await get<Session>('/session');
  const projects = await get<Page<Project>>('/projects', {limit: 1000});
  fill(
    project_choice,
    h('option', {value: ''}, 'all projects'),
    projects.items.filter((one) => one.name).map((one) => h('option', {value: one.name}, one.name)),
    projects.next && h('option', {disabled: true}, 'and more: search for them'),
  );
  project_choice.hidden = projects.items.length < 2;
  set_projects(projects.items.length);
  project_choice.value = current_route().params.get('project') ?? '';
  const who =
    session.access === 'local'
      ? 'this machine\u2019s own user'
      : session.access === 'token'
        ? (session.name ?? 'with a token')
        : 'reading in public';
  fill(
    footer,
    `${session.version} \u00b7 ${who} \u00b7 `,
    h('a', {href: href('token')}, 'token'),
    ' \u00b7 ',
    h('a', {href: '/api/v1/openapi.json'}, 'API'),
    ' \u00b7 ',
    button('keys ( ? )', () => keys.showModal(), {class: 'plain_button'}),
  );
}

function heard(kind: string): void {
  const page = current_route().page;
  if (document.visibilityState === 'hidden') return;
  const is_busy = main.querySelector('form.act, dialog[open]') !== null;
  if (kLive[page]?.includes(kind) && !is_busy) {
    clearTimeout(heard_timer);
    heard_timer = window.setTimeout(() => void show(), 500);
  } else if (kLive[page]?.includes(kind) || kNews[page]?.includes(kind)) {
    fill(
      news,
      'New results came in. ',
      button('Show them', () => void show()),
    );
    news.hidden = false;
  }
}
let heard_timer = 0;

function wire_keys(): void {
  let first = '';
  const pages: Record<string, string> = {
    o: 'overview',
    s: 'series',
    g: 'gates',
    r: 'runs',
    a: 'alerts',
    m: 'machines',
    b: 'bisects',
  };
  document.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      target.matches('input:not([type=checkbox]), textarea, select')
    )
      return;
    if (first === 'g' && pages[event.key]) {
      go(pages[event.key]);
      first = '';
      event.preventDefault();
      return;
    }
    first = event.key === 'g' ? 'g' : '';
    if (event.key === '/') {
      event.preventDefault();
      (document.getElementById('filter') && target.closest('#all')
        ? document.getElementById('filter')
        : search.input
      )?.focus();
    }
    if (event.key === '?') keys.showModal();
    if ((event.key === 'j' || event.key === 'k') && document.getElementById('all'))
      walk_rows(event.key === 'j' ? 1 : -1);
  });
  fill(
    keys,
    h('h2', {}, 'Keys'),
    h(
      'dl',
      {},
      (
        [
          ['/', 'search'],
          ['g o', 'overview'],
          ['g s', 'series'],
          ['g g', 'gates'],
          ['g r', 'runs'],
          ['g a', 'alerts'],
          ['g m', 'machines'],
          ['g b', 'bisects'],
          ['j k', 'next, previous row of a comparison; the space bar opens it'],
          ['\u2190 \u2192', 'in a plot: point by point'],
          ['+ \u2212 0', 'in a plot: closer, farther, all'],
          ['?', 'this list'],
        ] as const
      ).map(([key, meaning]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, meaning)]),
    ),
    button('Close', () => keys.close()),
  );
}

function walk_rows(by: number): void {
  const boxes = [...document.querySelectorAll<HTMLInputElement>('#all tbody:not([hidden]) .v input')];
  const at = boxes.indexOf(document.activeElement as HTMLInputElement);
  boxes[Math.min(Math.max(at + by, 0), boxes.length - 1)]?.focus();
}

// The address that the service prints for its own user ends with a key; it does not stay in the history.
function take_key(): void {
  const key = /^#key=([^&]+)$/.exec(location.hash)?.[1];
  if (!key) return;
  set_token(decodeURIComponent(key));
  history.replaceState(null, '', '#/overview');
}

async function begin(): Promise<void> {
  take_key();
  project_choice.addEventListener('change', () => {
    const route = current_route();
    if (route.page === 'overview' || ['gates', 'runs', 'alerts', 'machines', 'series'].includes(route.page)) {
      remember({project: project_choice.value});
      void show();
    } else {
      go('overview', {project: project_choice.value});
    }
  });
  document.body.prepend(
    h(
      'a',
      {
        class: 'skip',
        href: '#main',
        click: ((event: Event) => {
          event.preventDefault();
          main.focus();
        }) as EventListener,
      },
      'To the content',
    ),
    h('header', {}, h('a', {class: 'brand', href: '#/overview'}, 'Steelyard'), tabs, project_choice, search.root),
    news,
    main,
    footer,
    keys,
  );
  wire_keys();
  window.addEventListener('hashchange', () => void show());
  // Both at once: who is asked for is seldom the reason why a page cannot be shown.
  const known = begin_session().catch(() => undefined);
  if (['series', 'embed'].includes(current_route().page)) void show();
  else void known.then(show);
  await known;
  if (current_route().page !== 'embed') listen(heard, () => undefined, new AbortController().signal);
}

void begin();
