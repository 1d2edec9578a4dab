// The page in a real browser, by clicks and keys, against a made-up service; what is checked is what a person sees.
// STEELYARD_BROWSER: the browser's program.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {after, afterEach, before, beforeEach} from 'node:test';
import {hex, kSeries, series_points} from './made_up_results.mjs';
import {listen, make_service} from './made_up_service.mjs';

const require = createRequire(join(process.env.STEELYARD_WEB_PACKAGES, 'package.json'));
const {chromium} = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const kFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let browser, profile, page, service, base, console_lines;

before(async () => {
  profile = mkdtempSync(join(tmpdir(), 'steelyard-browser-'));
  browser = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.STEELYARD_BROWSER,
    args: kFlags,
    headless: true,
    viewport: {width: 1200, height: 900},
    acceptDownloads: true,
  });
});
after(async () => {
  await browser?.close();
  rmSync(profile, {recursive: true, force: true});
});

async function serve(options = {}) {
  service = make_service(options);
  base = await listen(service);
}
// For a test to begin with: its page has opened nothing of the service that goes.
async function begin_anew(options) {
  service.server.closeAllConnections();
  service.server.close();
  await serve(options);
}
async function begin() {
  await serve();
  page = await browser.newPage();
  console_lines = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && console_lines.push(message.text()));
  page.on('pageerror', (error) => console_lines.push(error.message));
}
beforeEach(() => begin());
afterEach(async () => {
  await page.close();
  service.server.closeAllConnections();
  service.server.close();
});

const series_of = (benchmark, metric, machine = service.ids.machine) => {
  const key = {project: 'textkit', branch: 'main', benchmark, metric, ...(machine ? {machine} : {})};
  return `s=${encodeURIComponent(new URLSearchParams(key))}`;
};
async function open(address) {
  await page.goto('about:blank');
  await page.goto(`${base}/${address}`);
  await shown();
}
const shown = (name) => page.locator(name ? `main[data-shown="${name}"]` : 'main[data-shown]').waitFor();
const heading = () => page.locator('h1').first().innerText();
const clean = () => assert.deepEqual(console_lines, []);
const section_of = (name) => page.locator('section').filter({has: page.getByRole('heading', {name, exact: true})});
const whole_text = () => page.locator('main').innerText();
// The picture has lines of a series where the canvas has its colour.
const drawn_pixels = () =>
  page.evaluate(() => {
    const canvas = document.querySelector('.plot canvas'),
      pen = canvas.getContext('2d');
    const {data} = pen.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200 && data[i + 2] > data[i] + 60) ++count;
    return count;
  });

test('the overview leads from what needs attention to the alert, the gate and the machine', async () => {
  await open('');
  assert.equal(await heading(), 'Overview');
  assert.match(await whole_text(), /BM_tokenize\/1024 time \+7\.21 % \(812 ns to 871 ns\)/);
  assert.match(
    await page.getByRole('region', {name: 'Machines'}).innerText(),
    /Xeon 8259CL\s+0\.41 %\s+0 of 10 A\/A gates/,
  );
  await page.getByRole('link', {name: 'fails'}).first().click();
  await shown('comparison');
  assert.match(await heading(), /Fails:\s+✗\s+3 regressions/);
  await page.goBack();
  await shown('overview');
  await page.getByRole('link', {name: 'BM_tokenize/1024'}).first().click();
  await shown('alerts');
  assert.match(await whole_text(), /state\s+open/);
  clean();
});

test('where an alert is open nobody asks whether anything was judged', async () => {
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url())));
  const none = {items: [], next: null, notes: []};
  await page.route(/\/api\/v1\/comparisons/, (route) => route.fulfill({json: none}));
  await open('');
  assert.match(await whole_text(), /BM_tokenize\/1024 time \+7\.21 %[^]*No gate was kept yet/);
  assert.ok(asked.some(({pathname}) => pathname === '/api/v1/alerts'));
  assert.ok(!asked.some(({pathname}) => pathname === '/api/v1/changes'));
  clean();
});

test('what is open needs attention however much else changed since, the newest of both states first', async () => {
  await begin_anew({more_alerts: {count: 21, state: 'acknowledged'}});
  const cards = section_of('Needs attention now').locator('.cards li');
  await open('');
  assert.deepEqual(await cards.locator('p:first-child a').allInnerTexts(), ['BM_tokenize/1024', 'BM_tokenize/1024']);
  const second = hex('alert b');
  for (const action of ['acknowledge', 'reopen'])
    await fetch(`${base}/api/v1/alerts/${second}/${action}`, {method: 'POST', body: '{}'});
  await open('#/overview?project=textkit');
  assert.match(await cards.first().innerText(), /instructions[\s\S]*reopened since/);
  assert.match(await cards.last().innerText(), /\btime\b[\s\S]*open since/);
  await page.getByRole('link', {name: 'All alerts'}).click();
  await shown('alerts');
  assert.equal(await page.locator('tbody tr').count(), 25);
  clean();
});

test('where several projects are shown each card and row says whose it is, and where one is none does', async () => {
  const tables = {
    gates: 'Gates and other comparisons', runs: 'Runs, newest first', alerts: 'Alerts, newest change first',
  };
  await open('');
  assert.match(await section_of('Needs attention now').locator('.cards li').first().innerText(), / in textkit on main/);
  for (const [name, label] of Object.entries(tables)) {
    await open(`#/${name}`);
    const rows = page.getByRole('region', {name: label});
    assert.equal(await rows.locator('thead tr > *').nth(1).innerText(), 'Project', name);
    assert.equal(await rows.locator('tbody tr').first().locator('td').first().innerText(), 'textkit', name);
    await open(`#/${name}?project=textkit`);
    assert.equal(await rows.getByRole('columnheader', {name: 'Project'}).count(), 0, name);
  }
  await open('#/overview?project=textkit');
  assert.doesNotMatch(await section_of('Needs attention now').innerText(), / in textkit/);
  clean();
});

test('a gate has the answer in the list that its own page begins with', async () => {
  const listed = ['\u2717 fails', '? cannot tell', '! not all judged', '\u2713 passes'];
  const begun = ['\u2717 Fails: ', '? Cannot tell: ', '! Not all judged: ', '\u2713 Passes: '];
  for (const i of listed.keys()) {
    await open('#/gates');
    const answer = page.locator('tbody .answer').nth(i);
    assert.equal((await answer.innerText()).replace(/\s+/g, ' '), listed[i]);
    const kind = (await answer.getAttribute('class')).replace('answer ', '');
    await answer.click();
    await shown('comparison');
    const own = (await heading()).replace(/\s+/g, ' ');
    assert.ok(own.startsWith(begun[i]), own);
    assert.equal(await page.locator('h1').first().getAttribute('class'), kind, own);
  }
  clean();
});

test('an alert of one machine says of which, on the overview and in the lists', async () => {
  const machine = service.ids.machine;
  const shown_machine = machine.slice(0, 9);
  await open('');
  assert.match(
    await section_of('Needs attention now').locator('.cards li').first().innerText(),
    new RegExp(` on main, machine ${shown_machine}, commit `),
  );
  for (const address of ['#/alerts', `#/commit?sha=${hex('commit 84', 40)}&project=textkit`]) {
    await open(address);
    const rows = page.getByRole('region', {name: /^Alerts/}).getByRole('link', {name: shown_machine});
    assert.ok((await rows.count()) > 0, address);
    assert.match(await rows.first().getAttribute('href'), new RegExp(`^#/machines\\?.*one=${machine}`));
  }
  clean();
});

test('where nothing was judged neither the overview nor a series says that all is well', async () => {
  await begin_anew({is_unjudged: true});
  await open('');
  const attention = section_of('Needs attention now');
  assert.match(await attention.innerText(), /No alert is open, and nothing is kept that was judged/);
  assert.equal(await attention.locator('.improvement').count(), 0);
  await open(`#/series?${series_of('BM_tokenize/1024', 'real_time')}`);
  assert.match(await whole_text(), /No change of level is kept\. steelyard changes looks for them, and keeps those/);
  clean();
});

test('more open alerts than have room are led to', async () => {
  await begin_anew({more_alerts: {count: 21, state: 'open'}});
  await open('');
  const attention = section_of('Needs attention now');
  assert.equal(await attention.locator('.cards li').count(), 20);
  await attention.getByRole('link', {name: 'open', exact: true}).click();
  await shown('alerts');
  assert.equal(await page.locator('tbody tr').count(), 23);
});

test('the alert of a request leads to the history of all branches, as a request has none', async () => {
  await begin_anew({more_alerts: {count: 1, state: 'open', branch: 'request:7'}});
  await open(`#/alerts?id=${hex('newer 0')}`);
  assert.match(await whole_text(), /branch\s+request:7/);
  const address = await page.getByRole('link', {name: 'its history'}).getAttribute('href');
  assert.doesNotMatch(decodeURIComponent(address), /branch|request/);
  await open(`#/alerts?id=${hex('alert a')}`);
  const of_main = await page.getByRole('link', {name: 'its history'}).getAttribute('href');
  assert.match(decodeURIComponent(of_main), /branch(=|%3D)main/);
});

test('more projects than one answer has are shown by a click, and none hides what was measured', async () => {
  await begin_anew({idle_projects: 1100});
  await open('');
  const projects = section_of('Projects');
  assert.match(await projects.innerText(), /idle-0099[\s\S]*100 projects/);
  await projects.getByRole('button', {name: 'Show more'}).click();
  await projects.getByText('200 projects').waitFor();
  await open('#/overview?project=shop');
  assert.match(await projects.innerText(), /shop\s+0\s+main[\s\S]*1 project$/);
  await open('#/overview?project=idle-0001');
  assert.match(await whole_text(), /Nothing was measured of idle-0001 yet/);
});

test('who may do all but report on alerts has no button for it', async () => {
  await begin_anew({scopes: ['read', 'submit', 'admin']});
  await open(`#/alerts?id=${service.ids.alert}`);
  assert.equal(await page.getByRole('button', {name: 'Accept'}).count(), 0);
  assert.match(await whole_text(), /with the scope report/);
});

test('an alert is acknowledged, accepted with a reason, resolved and reopened', async () => {
  await open(`#/alerts?id=${service.ids.alert}`);
  const act = async (word, fields = {}) => {
    await page.getByRole('button', {name: word, exact: true}).click();
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label).fill(text);
    await page.locator('form.act button[type=submit]').click();
    await page.locator('form.act').waitFor({state: 'detached'});
  };
  await act('Acknowledge', {'Who looks at it (may be empty)': 'ada'});
  await page.locator('b.state', {hasText: 'acknowledged'}).waitFor();
  await page.getByRole('button', {name: 'Accept', exact: true}).click();
  await page.locator('form.act button[type=submit]').click(); // a reason is wanted: nothing is sent
  assert.equal(await page.locator('form.act').count(), 1);
  await page.keyboard.press('Escape');
  await act('Accept', {Reason: 'the checks cost that', 'Until (empty: for good)': '2099-12-31'});
  await page.locator('b.state', {hasText: 'accepted'}).waitFor();
  assert.match(await whole_text(), /until 2099-12-31/);
  assert.match(await page.locator('.life').innerText(), /accepted .* by local[\s\S]*the checks cost that/);
  await act('Reopen');
  await act('Resolve');
  await page.locator('b.state', {hasText: 'resolved'}).waitFor();
  clean();
});

test('an alert is assigned to somebody, seen so in the list, and taken back', async () => {
  await open(`#/alerts?id=${service.ids.alert}`);
  const assign = async (to, note = '') => {
    await page.getByRole('button', {name: 'Assign', exact: true}).click();
    await page.getByLabel('To (empty: nobody)').fill(to);
    await page.getByLabel('Why (may be empty)').fill(note);
    await page.locator('form.act button[type=submit]').click();
  };
  await assign('<b>ada</b>', 'she wrote it');
  await page.locator('form.act').waitFor({state: 'detached'});
  assert.match(await whole_text(), /state\s+open\s+assigned to\s+<b>ada<\/b> .* by local\s+she wrote it/);
  await page.getByRole('button', {name: 'Assign', exact: true}).click();
  assert.equal(await page.getByLabel('To (empty: nobody)').inputValue(), '<b>ada</b>');
  await page.keyboard.press('Escape');
  await assign('<b>ada</b>');
  await page.getByText('it is assigned so already').waitFor();
  await page.keyboard.press('Escape');
  await open('#/alerts');
  assert.match(await whole_text(), /Assigned to[\s\S]*open\s+<b>ada<\/b>/);
  await open(`#/alerts?id=${service.ids.alert}`);
  await assign('');
  await page.locator('form.act').waitFor({state: 'detached'});
  assert.doesNotMatch(await whole_text(), /assigned to/);
});

test('who may only read is told so, and has no button', async () => {
  await begin_anew({key: 'a-key'});
  await open(`#/alerts?id=${service.ids.alert}`);
  assert.equal(await page.getByRole('button', {name: 'Accept'}).count(), 0);
  assert.match(await whole_text(), /You may read this alert.*enter a token/);
});

test('the key in the address that the service prints lets its user act, and leaves the address', async () => {
  await begin_anew({key: 'a-key'});
  await open('#key=a-key');
  assert.equal(await heading(), 'Overview');
  assert.ok(page.url().endsWith('/#/overview'), page.url());
  await open(`#/alerts?id=${service.ids.alert}`);
  await page.getByRole('button', {name: 'Acknowledge', exact: true}).click();
  await page.getByLabel('Who looks at it (may be empty)').fill('ada');
  await page.locator('form.act button[type=submit]').click();
  await page.locator('b.state', {hasText: 'acknowledged'}).waitFor();
  assert.match(await whole_text(), /who looks\s+ada/);
  clean();
});

test('a token that is good no more is forgotten, and what anybody may read is shown', async () => {
  await begin_anew({key: 'a-key'});
  await open('#key=another-key');
  assert.equal(await heading(), 'Overview');
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});

test('a comparison is filtered by pattern, metric and verdict, and its address keeps that', async () => {
  await open(`#/comparison?id=${service.ids.comparison}`);
  const rows = () => page.locator('#all tbody:visible').count();
  assert.equal(await rows(), 15);
  await page.getByLabel('Filter').fill('BM_t*');
  assert.equal(await rows(), 4);
  await page.getByLabel('Metric').selectOption('real_time');
  assert.equal(await rows(), 2);
  await page.getByRole('checkbox', {name: 'unchanged', exact: true}).uncheck();
  assert.equal(await rows(), 1);
  assert.match(await whole_text(), /1 of 15 rows/);
  const address = page.url();
  await page.goto('about:blank');
  await page.goto(address);
  await shown();
  assert.equal(await rows(), 1);
  assert.equal(await page.getByLabel('Filter').inputValue(), 'BM_t*');
  await page.getByLabel('Filter').fill('nothing has this');
  assert.match(await whole_text(), /No row is like that: clear the filter/);
  clean();
});

test('a comparison that decided nothing says that it cannot tell, and what would', async () => {
  await open(`#/comparison?id=${service.ids.undecided}`);
  assert.match(await heading(), /^\?\s+Cannot tell: 1 of 1 benchmark undecided$/);
  const text = await whole_text();
  assert.match(text, /1 inconclusive\s+What would decide most: measure longer: steelyard ab OLD NEW --rounds 64/);
  assert.doesNotMatch(text, /Passes|Nothing changed/);
  await open(`#/comparison?id=${service.ids.comparison}`);
  assert.doesNotMatch(await whole_text(), /Cannot tell/);
  clean();
});

test('behind a row stand the samples of both sides, its functions and the steps to its verdict', async () => {
  await open(`#/comparison?id=${service.ids.comparison}`);
  // A finding leads to its row.
  await page.locator('.finding').first().getByRole('link', {name: 'BM_tokenize/1024'}).last().click();
  const why = page.locator('#all .why:visible');
  await why.locator('svg.samples').waitFor();
  assert.match(
    await why.locator('svg.samples').getAttribute('aria-label'),
    /baseline: 24 processes, 812 ns; candidate: 24 processes, 871 ns/,
    "the row's own levels",
  );
  assert.equal(await why.locator('svg.samples .baseline circle').count(), 48);
  assert.match(await why.innerText(), /a permutation test over 24 rounds/);
  assert.match(await why.innerText(), /textkit::tokenize\(std::string_view\)/);
  const address = page.url();
  await page.goto('about:blank');
  await page.goto(address);
  await page.locator('#all .why:visible svg.samples').waitFor();
  clean();
});

test('rows are walked by j and k and opened by the space bar', async () => {
  await open(`#/comparison?id=${service.ids.comparison}`);
  for (const key of ['j', 'j', 'k', 'j']) await page.keyboard.press(key);
  await page.keyboard.press('Space');
  const opened = page.locator('#all tbody:has(.why:visible)');
  assert.equal(await opened.count(), 1);
  assert.equal(await opened.getAttribute('data-key'), await page.locator('#all tbody').nth(1).getAttribute('data-key'));
});

test('two runs are picked from the list and compared', async () => {
  await open('#/runs');
  await page.getByRole('link', {name: 'compare …'}).nth(3).click();
  await page.getByText('Choose the candidate').waitFor();
  await page.getByRole('link', {name: 'compare', exact: true}).first().click();
  await shown('comparison');
  assert.ok(service.sent.requests.some((url) => url.startsWith('/api/v1/compare?baseline=')));
});

test('a run without profiles advises to count only where its own data says that this may bring them', async () => {
  const measured = {rounds_planned: '24'};
  const lack = 'valgrind was not found; install the package valgrind to count instructions';
  const of_hash = {benchmark: 'BM_hash/8', metric: 'instructions', round: null};
  const late = {...of_hash, kind: 'not reached', reason: 'not reached: the budget for counting was spent'};
  const crash = {...of_hash, kind: 'failed', reason: 'ended by signal 11'};
  const environment = [{name: 'gpu.device', value: 'NVIDIA H200, 2', decisive: true}];
  const level = (benchmark, metric) => ({benchmark, metric, unit: '', value: 12, invocations: []});
  const imported = level('BM_hash/8', 'instructions');
  const on_cpu = level('BM_copy/device=1', 'real_time');
  const on_device = level('BM_copy/64 [suite=s,device=NVIDIA H200, 2,dtype=f32]', 'real_time');
  const counting = 'valgrind-3.19.0';
  const wanted = /\/api\/v1\/runs\//;
  for (const {settings = measured, failures = [], measurements = [], says, advises = false} of [
    {says: 'Counting brings them: ', advises: true},
    {settings: {...measured, command: 'process'}, says: 'Counting brings them: ', advises: true},
    {settings: {...measured, 'counting.lack': lack}, says: `could not be done where it was measured: ${lack}`},
    {
      settings: {...measured, counting},
      failures: [late],
      says: 'Counting brings them. BM_hash/8 was not reached: the budget for counting was spent',
    },
    {failures: [crash], says: 'Counting brings them. BM_hash/8 was not counted: ended by signal 11'},
    {failures: [{...crash, benchmark: null}], says: 'The program was not counted: ended by signal 11'},
    {failures: [late], measurements: [imported], says: 'counted, and no profile was kept.'},
    {settings: {...measured, counting}, says: 'counted, and no profile was kept.'},
    {settings: {}, measurements: [imported], says: 'counted, and no profile was kept.'},
    {settings: {...measured, command: 'hyperfine'}, says: 'Its instructions were not counted.'},
    {measurements: [on_device], says: 'Its instructions were not counted.'},
    {measurements: [on_device, on_cpu], says: 'Counting brings them: ', advises: true},
    {settings: {}, says: 'Its instructions were not counted.'},
  ]) {
    const changed = async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const run = {...body.run, settings};
      await route.fulfill({response, json: {...body, run, profiles: [], failures, environment, measurements}});
    };
    await page.route(wanted, changed);
    await open(`#/profile?run=${service.ids.run}`);
    const text = await whole_text();
    assert.ok(text.includes('This run has no profile.') && text.includes(says.trim()), text);
    assert.equal(text.includes('--counts always'), advises, text);
    await page.unroute(wanted, changed);
  }
  clean();
});

test('a row of a comparison leads to the difference of its flame graphs', async () => {
  await open(`#/comparison?id=${service.ids.comparison}&open=${encodeURIComponent('BM_tokenize/1024\ninstructions')}`);
  await page.locator('#all .why:visible').getByRole('link', {name: 'Flame graph'}).click();
  await shown('profile');
  assert.match(await heading(), /BM_tokenize\/1024/);
  assert.match(await page.getByRole('treeitem', {name: /^void std::vector/}).getAttribute('class'), /grew-/);
  const {baseline, run} = service.ids;
  const wanted = `baseline=${baseline}&candidate=${run}&benchmark=BM_tokenize%2F1024`;
  assert.ok(service.sent.requests.includes(`/api/v1/flame?${wanted}`), `${service.sent.requests}`);
  clean();
});

test('the flame graph of a difference is walked by keys, searched, and goes into a frame', async () => {
  await open(`#/profile?run=${service.ids.run}&against=${service.ids.baseline}&benchmark=BM_tokenize%2F1024`);
  const frame = (name) => page.getByRole('treeitem', {name});
  assert.match(await frame(/^void std::vector/).getAttribute('class'), /grew-4/);
  assert.match(await frame(/^textkit::hash/).getAttribute('class'), /shrank-/);
  await page.waitForTimeout(200);
  const before = (await frame(/^textkit::hash/).boundingBox()).width;
  await frame(/^\(all\)/).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  assert.ok((await frame(/^textkit::hash/).boundingBox()).width > 5 * before);
  await page.keyboard.press('Escape');
  await page.getByLabel('Function', {exact: true}).fill('memcpy');
  assert.equal(await page.locator('.frame.match').count(), 1);
  clean();
});

test('a series shows its change with the commits that can be its cause, its target and its ceiling', async () => {
  await open(`#/series?${series_of('BM_copy/65536', 'bandwidth')}`);
  await page.locator('.plot canvas').waitFor();
  assert.ok((await drawn_pixels()) > 500);
  assert.match(await page.locator('.series_legend').innerText(), /called BM_memcpy\/65536 before/);
  const changes = page.getByRole('region', {name: 'Change points'});
  assert.match(
    await changes.innerText(),
    /BM_copy\/65536\s+bandwidth\s+11\.2 GB\/s\s+11\.8 GB\/s\s+\+5\.00 %\s+\w{9} … \w{9}/,
  );
  await changes.getByRole('button', {name: /^Show/}).click();
  await page.locator('.told dt', {hasText: 'commit'}).waitFor();
  assert.match(await page.locator('.told').innerText(), /11\.\d GB\/s/);
  assert.match(await page.locator('.plot').getAttribute('aria-label'), /1 change points/);
  clean();
});

test('a change that a later commit took back says by which', async () => {
  await open(`#/series?${series_of('BM_tokenize/1024', 'instructions')}`);
  const changes = page.getByRole('region', {name: 'Change points'});
  assert.match(await changes.innerText(), /taken back by \w{9}/);
  assert.match(await changes.getByRole('link').last().getAttribute('href'), /commit/);
  clean();
});

const record_drawing = () =>
  page.addInitScript(() => {
    const pen = CanvasRenderingContext2D.prototype;
    const {fillText, stroke} = pen;
    window.drawn = {texts: [], places: [], dashes: []};
    pen.fillText = function (text, x, y) {
      window.drawn.texts.push(text);
      window.drawn.places.push([text, y]);
      return fillText.call(this, text, x, y);
    };
    pen.stroke = function (...path) {
      window.drawn.dashes.push(this.getLineDash().map((length) => length / devicePixelRatio) + '');
      return stroke.apply(this, path);
    };
  });

test('a target is a dashed line in the plot, a ceiling far above is named at its edge, others have none', async () => {
  await record_drawing();
  const drawn = async (benchmark, metric) => {
    await open(`#/series?${series_of(benchmark, metric)}`);
    await page.locator('.plot canvas').waitFor();
    assert.ok((await drawn_pixels()) > 500);
    return page.evaluate(() => window.drawn);
  };
  const {texts, dashes} = await drawn('BM_copy/65536', 'bandwidth');
  assert.ok(texts.includes('target 90 % of bandwidth'), 'in view, as it is near');
  assert.ok(dashes.includes('8,4'));
  assert.ok(texts.includes('ceiling 13.4 GB/s \u2191'), `${texts}`);
  assert.ok(!dashes.includes('2,3'), 'what is out of view is no line');
  const other = await drawn('BM_tokenize/1024', 'real_time');
  assert.deepEqual(
    other.texts.filter((text) => /^(target|ceiling)/.test(text)),
    [],
  );
  clean();
});

test('the spread of samples is a band along all of the line, which is taken off and put back', async () => {
  await open(`#/series?${series_of('BM_tokenize/1024', 'real_time')}`);
  const box = page.getByLabel('spread of samples');
  // Pixels of the band's colour, in how many of the picture's columns.
  const band = () =>
    page.evaluate(() => {
      const pixels_of = (canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      const sample = document.createElement('canvas');
      [sample.width, sample.height] = [1, 1];
      const plot = document.querySelector('.plot'),
        canvas = plot.querySelector('canvas');
      sample.getContext('2d').fillStyle = getComputedStyle(plot).getPropertyValue('--band-0');
      sample.getContext('2d').fillRect(0, 0, 1, 1);
      const color = pixels_of(sample),
        data = pixels_of(canvas),
        columns = new Set();
      let pixels = 0;
      for (let i = 0; i < data.length; i += 4) {
        if (!color.every((part, k) => Math.abs(part - data[i + k]) <= 2)) continue;
        ++pixels;
        columns.add((i / 4) % canvas.width);
      }
      return {pixels, share: columns.size / canvas.width};
    });
  await page.locator('.plot canvas').waitFor();
  let found = await band();
  // It comes with an answer of its own.
  for (let i = 0; i < 50 && !found.pixels; ++i) {
    await page.waitForTimeout(100);
    found = await band();
  }
  assert.ok(found.pixels > 2000 && found.share > 0.7, JSON.stringify(found));
  await box.uncheck();
  const without = await band();
  assert.ok(without.pixels < 50, JSON.stringify(without));
  await box.check();
  assert.deepEqual(await band(), found);
  clean();
});

test('a part is seen by dragging over it, all by a double click', async () => {
  await open(`#/series?${series_of('BM_tokenize/1024', 'real_time')}`);
  const {x, y, width, height} = await page.locator('.plot .u-over').boundingBox();
  await page.mouse.move(x + 0.25 * width, y + 0.5 * height);
  await page.mouse.down();
  await page.mouse.move(x + 0.5 * width, y + 0.5 * height, {steps: 4});
  await page.mouse.up();
  await page.waitForFunction(() => location.href.includes('from='));
  const params = new URLSearchParams(page.url().split('?')[1]);
  const place = (name) => {
    const [run, rest] = params.get(name).split('~');
    return Array.from({length: 120}, (_, i) => hex(`run ${i}`, 12)).indexOf(run) + Number(rest);
  };
  assert.ok(Math.abs(place('from') - 0.25 * 121 + 1) < 1.5, `from ${place('from')}`);
  assert.ok(Math.abs(place('to') - 0.5 * 121 + 1) < 1.5, `to ${place('to')}`);
  await page.mouse.dblclick(x + 0.5 * width, y + 0.5 * height);
  await page.waitForFunction(() => !/from=|to=/.test(location.href));
  clean();
});

test('the axis of levels is linear, logarithmic or relative to the first values', async () => {
  await record_drawing();
  await open(`#/series?${series_of('BM_tokenize/1024', 'real_time')}&${series_of('BM_tokenize/1024', 'instructions')}`);
  // Where the marks of the axis stand since the last time.
  const marks = async (pattern) => {
    await page.waitForTimeout(300);
    const places = await page.evaluate(() => window.drawn.places.splice(0));
    const found = new Map(places.filter(([text]) => pattern.test(text)).map(([text, y]) => [parseFloat(text), y]));
    return [...found].sort(([a], [b]) => a - b);
  };
  // Whether they stand evenly in what `of` makes of them.
  const is_even = (all, of) => {
    const [[first, y]] = all,
      [last, end] = all[all.length - 1];
    const at = (level) => y + ((end - y) * (of(level) - of(first))) / (of(last) - of(first));
    return all.length > 2 && all.every(([level, place]) => Math.abs(place - at(level)) < 2);
  };
  const same = (level) => level;
  const linear = await marks(/^[\d.]+ us$/);
  assert.ok(is_even(linear, same) && !is_even(linear, Math.log), `linear: ${linear}`);
  await page.getByLabel('log scale').check();
  const log = await marks(/^[\d.]+ us$/);
  assert.ok(is_even(log, Math.log) && !is_even(log, same), `log: ${log}`);
  assert.deepEqual(
    log.map(([level]) => level),
    [1, 2, 5, 10],
  );
  await page.getByLabel('log scale').uncheck();
  assert.ok(is_even(await marks(/^[\d.]+ us$/), same));
  await page.getByLabel('relative to the first value').check();
  const relative = await marks(/^[\d.]+ %$/);
  assert.ok(is_even(relative, same), `relative: ${relative}`);
  const [least, most] = [relative[0][0], relative[relative.length - 1][0]];
  assert.ok(least > 90 && least <= 100 && most > 110 && most < 125, 'both begin at 100 %, one ends at 112 %');
  await open(`#/series?${series_of('BM_tokenize/1024', 'real_time')}&log=1`);
  const narrow = await marks(/^[\d.]+ ns$/);
  assert.ok(narrow.length > 2 && narrow.length < 10, `far from a power of ten: ${narrow}`);
  assert.ok(
    narrow.every(([level]) => level % 10 === 0 && level > 750 && level < 1000),
    `${narrow}`,
  );
  clean();
});

test('a count says from which point on it was counted under other conditions', async () => {
  await open(`#/series?${series_of('BM_tokenize/1024', 'instructions')}`);
  await page.locator('.plot[aria-label*="counted otherwise from point 101"]').waitFor();
  clean();
});

test('what was measured on two machines is one history with its change of machine', async () => {
  await open(`#/series?${series_of('BM_hash/8', 'real_time', null)}`);
  await page.locator('.plot canvas').waitFor();
  assert.match(await page.locator('.series_legend').innerText(), /120 points/);
  const mark = new RegExp(`machine ${service.ids.machine.slice(0, 9)} from point 61`);
  assert.match(await page.locator('.plot').getAttribute('aria-label'), mark);
});

const kPoints = '/api/v1/points?';
test('the newest points of a history stand at once, what is older of a long one comes to them', async () => {
  const asked = () =>
    service.sent.requests.filter((url) => url.startsWith(kPoints)).map((url) => new URL(url, base).searchParams);
  const numbers = () => asked().map((query) => Number(query.get('points')));
  const legend = page.locator('.series_legend');
  await open(`#/series?${series_of('BM_tokenize/1024', 'real_time')}`);
  assert.doesNotMatch(await legend.innerText(), /spread of|older/);
  for (let i = 0; i < 50 && numbers().length < 2; ++i) await page.waitForTimeout(100);
  assert.deepEqual(numbers(), [5000, 20000], 'a line and its spread');

  let let_go;
  const held = new Promise((resolve) => (let_go = resolve));
  await page.route(/points=200000/, (route) => held.then(() => route.continue()));
  const run = (i) => hex(`run ${i}`, 12);
  const seen = `from=${run(4000)}%7E0&to=${run(6000)}%7E0&at=0%3A${run(5000)}`;
  await open(`#/series?${series_of('BM_long_history', 'real_time')}&${seen}`);
  const address = page.url();
  assert.match(await legend.innerText(), / 5,000 points, older ones on their way$/);
  assert.ok((await drawn_pixels()) > 500);
  let_go();
  await legend.getByText(/100,000 points, spread of the newest 20,000$/).waitFor();
  await page.locator('.told', {hasText: hex('commit 5000', 9)}).waitFor();
  assert.equal(page.url(), address, 'what the link leads to is seen, though it came later');
  assert.deepEqual(
    asked()
      .slice(2)
      .map((query) => `${query.get('points')},${query.get('columns').includes('low')}`)
      .sort(),
    ['20000,true', '200000,false', '5000,false'],
    'nobody asks for a spread that waits for others',
  );
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('CSV').click()]);
  const rows = readFileSync(await download.path(), 'utf8').split('\n');
  const one = kSeries.find(({benchmark}) => benchmark === 'BM_long_history');
  const {low, high} = series_points(one.count, one.seed, one.level, one.change, one.ratio);
  const spread = (i) => rows[i + 1].split(',').slice(-2).map(Number);
  assert.match(rows[80000], /,\d+\.?\d*,,$/);
  for (const i of [80000, 99999]) assert.deepEqual(spread(i), [low[i], high[i]]);
  clean();
});

test('what somebody looks at stays in view when older points come', async () => {
  let let_go;
  const held = new Promise((resolve) => (let_go = resolve));
  await page.route(/points=200000/, (route) => held.then(() => route.continue()));
  await open(`#/series?${series_of('BM_long_history', 'real_time')}`);
  for (let i = 0; i < 3; ++i) await page.getByRole('button', {name: 'Closer'}).click();
  await page.waitForFunction(() => location.href.includes('from='));
  await page.waitForTimeout(500); // of a slow machine each click may be remembered on its own
  const address = page.url();
  let_go();
  await page.locator('.series_legend', {hasText: '100,000 points'}).waitFor();
  await page.waitForTimeout(300);
  assert.equal(page.url(), address);
  await page.getByRole('button', {name: 'Earlier'}).click();
  await page.waitForFunction((before) => location.href !== before, address);
  const first = new URLSearchParams(page.url().split('?')[1]).get('from').split('~')[0];
  const index = Array.from({length: 5000}, (_, i) => 95000 + i).find((i) => hex(`run ${i}`, 12) === first);
  assert.ok(index > 96750 && index < 97250, `from point ${index}`);
  clean();
});

test('a permalink restores zoom, scale, what is hidden, and the chosen point', async () => {
  await open(`#/series?${series_of('BM_tokenize/1024', 'real_time')}&${series_of('BM_tokenize/1024', 'instructions')}`);
  const plot = page.locator('.plot');
  await plot.locator('canvas').waitFor();
  await page.getByLabel('relative to the first value').check();
  await page.getByLabel('log scale').check();
  await page.getByRole('button', {name: 'Closer'}).click();
  await page.getByRole('button', {name: 'Later'}).click();
  await plot.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await page.locator('.told dt', {hasText: 'measured'}).waitFor();
  await page.locator('.series_legend input').nth(1).uncheck();
  await page.waitForTimeout(400);
  const address = page.url(),
    told = await page.locator('.told').innerText();
  for (const word of ['relative=1', 'log=1', 'from=', 'to=', 'hide=1', 'at=0%3A'])
    assert.ok(address.includes(word), `${word} in ${address}`);
  await page.mouse.move(5, 5);
  const picture = await plot.locator('canvas').evaluate((canvas) => canvas.toDataURL());
  await page.goto('about:blank');
  await page.goto(address);
  await page.locator('.told dt', {hasText: 'measured'}).waitFor();
  await page.waitForTimeout(400);
  assert.equal(page.url(), address);
  assert.equal(await page.locator('.told').innerText(), told);
  assert.equal(await page.locator('.series_legend input').nth(1).isChecked(), false);
  assert.equal(await page.getByLabel('log scale').isChecked(), true);
  assert.ok(
    (await plot.locator('canvas').evaluate((canvas) => canvas.toDataURL())) === picture,
    'the same picture, pixel by pixel',
  );
  clean();
});

test('a series is embedded without what stands around it, and taken along as PNG and CSV', async () => {
  await open(`#/series?${series_of('BM_tokenize/1024', 'real_time')}`);
  await page.locator('.plot canvas').waitFor();
  await page.waitForTimeout(300);
  const bytes_of = async (name) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name}).click()]);
    return readFileSync(await download.path());
  };
  const csv = (await bytes_of('CSV')).toString().trim().split('\n');
  assert.equal(csv.length, 121);
  assert.match(
    csv[1],
    /^BM_tokenize\/1024,real_time,ns,[0-9a-f]{16},[0-9a-f]{12},[0-9a-f]{12},2026-01-05T\S+,\d+\.\d+,\d+\.\d+,\d+\.\d+$/,
  );
  const png = await bytes_of('PNG');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  await page.getByRole('button', {name: 'Embed'}).click();
  const markup = await page.getByLabel('Markup to embed').inputValue();
  assert.match(markup, /^<iframe src="http:\/\/127\.0\.0\.1:\d+\/#\/embed\?s=/);
  await page.goto('about:blank');
  await page.goto(markup.match(/src="([^"]+)"/)[1].replaceAll('&amp;', '&'));
  await page.locator('.plot canvas').waitFor();
  assert.equal(await page.locator('header').isVisible(), false);
  clean();
});

test('a point without a date is of none in the CSV, and stands with its neighbours by time', async () => {
  const undated = [0, 40];
  await page.route(/\/api\/v1\/points/, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    if (json.at) for (const i of undated) json.at[i] = 0;
    await route.fulfill({response, json});
  });
  await open(`#/series?${series_of('BM_tokenize/1024', 'real_time')}`);
  await page.locator('.plot canvas').waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('CSV').click()]);
  const rows = readFileSync(await download.path(), 'utf8').trim().split('\n').slice(1);
  assert.equal(rows.length, 120);
  rows.forEach((row, i) => {
    if (undated.includes(i)) assert.equal(row.split(',')[6], '');
    else assert.match(row.split(',')[6], /^2026-01-\d\dT/);
  });
  await page.getByLabel('by time').check();
  await page.getByRole('button', {name: 'Closer'}).click();
  await page.waitForFunction(() => location.href.includes('from='));
  const from = Number(new URLSearchParams(page.url().split('?')[1]).get('from'));
  assert.ok(from >= Date.UTC(2026, 0, 5) / 1000, `what is seen begins at ${from}`);
  clean();
});

test('several series are ticked in the list and drawn on one plot', async () => {
  await open('#/series');
  await page.getByRole('searchbox', {name: 'Benchmark'}).fill('tokenize');
  await page.getByRole('button', {name: 'Find'}).click();
  await page.locator('tbody tr').nth(1).waitFor();
  await page.getByLabel('Plot BM_tokenize/1024 time').check();
  await page.getByLabel('Plot BM_tokenize/1024 instructions').check();
  await page.getByRole('button', {name: 'Plot the ticked ones'}).click();
  await page.locator('.plot canvas').waitFor();
  assert.equal(await page.locator('.series_legend li').count(), 2);
  await page.getByRole('link', {name: /^Take .* instructions off/}).click();
  await page.locator('.series_legend li').nth(1).waitFor({state: 'detached'});
});

test('series that are neither times nor counts are a click away', async () => {
  await open('#/series');
  await page.getByRole('searchbox', {name: 'Benchmark'}).fill('BM_copy');
  await page.getByRole('button', {name: 'Find'}).click();
  await page.getByText('No series of real_time, instructions or a counted metric has that in its name.').waitFor();
  await page.getByRole('link', {name: 'Show every metric'}).click();
  await page.getByLabel('Plot BM_copy/65536 bandwidth').waitFor();
  clean();
});

test('search answers as one types, by keys alone', async () => {
  await open('');
  await page.keyboard.press('/');
  await page.keyboard.type('tokenize');
  await page.locator('#found [role=option]').first().waitFor();
  assert.match(await page.locator('#found [role=option]').first().innerText(), /benchmark BM_tokenize\/1024/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await shown('series');
  await page.keyboard.press('/');
  await page.keyboard.type('zzzzzz');
  await page.getByText('Nothing is called that').first().waitFor();
  await page.keyboard.press('Escape');
  await page.locator('h1').click();
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await shown('machines');
  clean();
});

test('two machines stand side by side, what differs first', async () => {
  await open('#/machines');
  await page.getByRole('link', {name: service.ids.machine.slice(0, 9)}).click();
  await page.getByLabel('Beside it').selectOption(service.ids.other);
  await page.getByText('Runs of these two are not compared').waitFor();
  const facts = page.getByRole('region', {name: 'Environment'});
  const first = await facts.locator('tbody tr').first().innerText();
  assert.match(first, /cpu\.model\s+Xeon 8259CL\s+EPYC 7R13\s+≠ differs/);
  clean();
});

test('a machine has its calibrations, or what brings them', async () => {
  await open(`#/machines?one=${service.ids.machine}`);
  const calibrations = section_of('Calibrations');
  assert.match(
    await calibrations.innerText(),
    /2026-01-09 18:00\s+\.\/bench_textkit\s+duet\s+24\s+0 of 10\s+3 of 150/,
  );
  await open(`#/machines?one=${service.ids.other}`);
  assert.match(await calibrations.innerText(), /It was not calibrated[\s\S]*steelyard calibrate/);
  clean();
});

test('a search for a commit shows how far it is, its answers, and moves on by itself', async () => {
  await open('');
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await shown('bisects');
  const list = page.getByRole('region', {name: 'Searches, written last first'});
  assert.match(await list.innerText(), /BM_tokenize\/1024\s+time\s+31 commits of 64 can be it/);
  assert.match(await list.innerText(), /BM_hash\/8\s+time\s+found: /);
  assert.equal(await list.getByRole('progressbar', {name: '1 of 6 halvings'}).count(), 1);
  await list.getByRole('link', {name: 'BM_tokenize/1024'}).click();
  await page.getByRole('heading', {name: 'Bisect: BM_tokenize/1024 time'}).waitFor();
  const answers = page.getByRole('region', {name: 'Answers, the newest first'});
  assert.match(await answers.innerText(), /\+7\.10 % \[\+?6\.70, \+?7\.50\] %\s+changed/);
  assert.match(await answers.innerText(), /skipped: it does not build/);
  assert.match(await whole_text(), /steelyard bisect \w{9} \w{9} 'BM_tokenize\/1024'/);
  const asked = () => service.sent.requests.filter((url) => url.startsWith('/api/v1/bisects/')).length;
  const before = asked();
  await page.waitForTimeout(300);
  service.tell('bisect');
  for (let i = 0; i < 50 && asked() === before; ++i) await page.waitForTimeout(100);
  assert.ok(asked() > before);
  await page.getByRole('link', {name: '\u2190 Bisects'}).click();
  await page.getByRole('heading', {name: 'Bisects', exact: true}).waitFor();
  clean();
});

test('a commit has all that changed there, a run what was measured and how far under its roof', async () => {
  await open(`#/commit?sha=${service.ids.commit}`);
  await page.getByText('there are more than 1000 comparisons').waitFor();
  assert.match(await whole_text(), /BM_tokenize\/1024\s+time\s+812 ns\s+871 ns\s+\+7\.21 %/);
  await page
    .locator('section', {hasText: 'Runs'})
    .getByRole('link', {name: /^[0-9a-f]{9}$/})
    .first()
    .click();
  await shown('run');
  assert.match(
    await page.getByRole('region', {name: 'Measurements'}).innerText(),
    /BM_tokenize\/1024\s+time\s+871 ns\s+0\.41 %\s+0\.52 %\s+24 × 2/,
  );
  await page.getByLabel('Filter').fill('trim');
  assert.equal(await page.getByRole('region', {name: 'Measurements'}).locator('tbody tr:visible').count(), 1);
  await page.getByRole('link', {name: 'Roofline'}).click();
  await shown('roofline');
  assert.equal(await page.locator('svg.roofline .kernel').count(), 2);
  assert.match(await whole_text(), /BM_copy\/65536\s+90 % of bandwidth\s+✗\s+missed/);
  clean();
});

test('empty, missing and unreachable say what to do next', async () => {
  await begin_anew({is_empty: true});
  await open('');
  assert.match(await whole_text(), /Nothing was measured yet\.[\s\S]*steelyard run -- \.\/bench/);
  await open('#/alerts?id=ffffffff');
  assert.match(await whole_text(), /It is not here[\s\S]*See the list of alerts/);
  await open('#/no_such_page');
  assert.match(await whole_text(), /There is no such page/);
  service.server.closeAllConnections();
  await new Promise((resolve) => service.server.close(resolve));
  await page.evaluate(() => {
    location.hash = '#/runs';
  });
  await page.getByText('The service does not answer').waitFor();
  assert.match(await whole_text(), /steelyard serve/);
  assert.equal(await page.getByRole('button', {name: 'Try again'}).count(), 1);
});

test('a page that waits for its answer says so', async () => {
  await open('');
  let let_go;
  const held = new Promise((resolve) => (let_go = resolve));
  await page.route(/\/api\/v1\/runs/, (route) => held.then(() => route.continue()));
  await page.getByRole('link', {name: 'Runs', exact: true}).click();
  await page.locator('main[aria-busy=true] [role=status]', {hasText: 'Loading'}).waitFor();
  let_go();
  await shown('runs');
  assert.match(await whole_text(), /Split the tokenizer in two/);
  assert.equal(await page.locator('main[aria-busy], main .loading').count(), 0);
  clean();
});

test('news of the service shows by itself', async () => {
  await open('#/alerts');
  const before = service.sent.requests.filter((url) => url.startsWith('/api/v1/alerts')).length;
  await page.waitForTimeout(300);
  service.tell('alert');
  for (
    let i = 0;
    i < 50 && service.sent.requests.filter((url) => url.startsWith('/api/v1/alerts')).length === before;
    ++i
  )
    await page.waitForTimeout(100);
  assert.ok(service.sent.requests.filter((url) => url.startsWith('/api/v1/alerts')).length > before);
  await open(`#/series?${series_of('BM_tokenize/1024', 'real_time')}`);
  await page.waitForTimeout(300);
  service.tell('run');
  await page.getByText('New results came in').waitFor();
});

const kPages = () => ({
  overview: '',
  series_list: '#/series',
  series: `#/series?${series_of('BM_tokenize/1024', 'real_time')}`,
  comparison: `#/comparison?id=${service.ids.comparison}&open=${encodeURIComponent('BM_tokenize/1024\nreal_time')}`,
  gates: '#/gates',
  runs: '#/runs',
  run: `#/run?id=${service.ids.run}`,
  commit: `#/commit?sha=${service.ids.commit}`,
  alerts: '#/alerts?state=all',
  alert: `#/alerts?id=${service.ids.alert}`,
  machines: '#/machines',
  machine: `#/machines?one=${service.ids.machine}&two=${service.ids.other}`,
  roofline: `#/roofline?run=${service.ids.run}`,
  profile: `#/profile?run=${service.ids.run}&against=${service.ids.baseline}&benchmark=BM_tokenize%2F1024`,
  bisects: '#/bisects',
  bisect: `#/bisects?id=${service.ids.bisect}`,
  token: '#/token',
});

test('script in every text stays text, and nothing breaks the policy', async () => {
  await begin_anew({hostile: true});
  for (const [name, address] of Object.entries(kPages())) {
    await open(address);
    await page.waitForTimeout(200);
    assert.ok(!(await page.title()).startsWith('script ran'), name);
    assert.equal(await page.locator('main img, main script, footer img, header img').count(), 0, name);
  }
  await open('');
  await page.keyboard.press('/');
  await page.keyboard.type('tokenize');
  await page.locator('#found [role=option]').first().waitFor();
  assert.match(await page.locator('#found [role=option]').first().innerText(), /<img src=x onerror=/);
  assert.equal(await page.locator('#found img').count(), 0);
  clean();
});

for (const [scheme, width] of [
  ['dark', 1200],
  ['light', 390],
]) {
  test(`no page breaks a rule of axe, ${scheme}, ${width} pixels wide`, async () => {
    await page.emulateMedia({colorScheme: scheme});
    await page.setViewportSize({width, height: 844});
    for (const [name, address] of Object.entries(kPages())) {
      await open(address);
      await page.waitForTimeout(250);
      await page.evaluate(axe);
      const violations = await page.evaluate(async () => {
        const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'];
        // What is well is neither described nor handed over, which takes longer than to find it.
        const what = {runOnly: rules, resultTypes: ['violations'], selectors: false};
        return (await window.axe.run(document, what)).violations;
      });
      assert.deepEqual(
        violations.map(
          ({id, nodes}) =>
            `${name}: ${id}: ${nodes
              .slice(0, 3)
              .map((node) => node.html.slice(0, 160))
              .join(' | ')}`,
        ),
        [],
      );
      const beyond = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.ok(beyond <= 0, `${name} is ${beyond} pixels wider than the screen`);
    }
  });
}

// The longest series of this test's own service, or the first one of the service at STEELYARD_SERVICE (a store that
// `generate ADDRESS 10000000 1 100000` filled).
async function long_series() {
  const real = process.env.STEELYARD_SERVICE;
  if (real) {
    const filter = {project: 'grown', branch: 'main', metric: 'real_time'};
    const items = async (list, query) =>
      (await (await fetch(`${real}/api/v1/${list}?${new URLSearchParams(query)}`)).json()).items;
    const machines = await items('machines', {project: filter.project});
    const {fingerprint} = machines.reduce((one, other) => (other.runs > one.runs ? other : one));
    const [{benchmark}] = await items('series', {...filter, limit: 1});
    const series = new URLSearchParams({...filter, benchmark, machine: fingerprint});
    return `${real}/#/series?s=${encodeURIComponent(series)}`;
  }
  await fetch(`${base}/api/v1/points?benchmark=BM_long_history&metric=real_time`); // made up once
  return `${base}/#/series?${series_of('BM_long_history', 'real_time')}`;
}

// Figures are printed; the bounds are far from them, as what else a machine does is no fault of the page.
test('a hundred thousand points are drawn, moved and zoomed', async () => {
  const address = await long_series();
  await page.goto('about:blank');
  await page.goto(address);
  await page.locator('.plot canvas').waitFor();
  const first = await page.evaluate(() => performance.getEntriesByName('plot drawn')[0].startTime);
  assert.ok((await drawn_pixels()) > 500);
  const whole = await page.waitForFunction(
    () => document.querySelector('.series_legend').innerText.includes('100,000 points') && performance.now(),
  );
  await page.waitForTimeout(1500); // the spread
  const rate = (act) =>
    page.evaluate(
      async ([name, count]) => {
        const over = document.querySelector('.u-over'),
          box = over.getBoundingClientRect();
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        const begin = performance.now();
        for (let i = 0; i < count; ++i) {
          over.dispatchEvent(
            new WheelEvent('wheel', {
              bubbles: true,
              cancelable: true,
              clientX: box.left + box.width / 2,
              clientY: box.top + 50,
              ...(name === 'zoom' ? {deltaY: i < count / 2 ? -40 : 40} : {deltaX: i < count / 2 ? 30 : -30}),
            }),
          );
          await frame();
        }
        return (1000 * count) / (performance.now() - begin);
      },
      [act, 90],
    );
  const zoom = await rate('zoom');
  await page.getByRole('button', {name: 'Closer'}).click();
  const pan = await rate('pan');
  console.log(
    `100,000 points: first plot ${first.toFixed(0)} ms after navigation, ` +
      `all ${Math.round(await whole.jsonValue())} ms, ` +
      `zoom ${zoom.toFixed(0)} and pan ${pan.toFixed(0)} frames a second`,
  );
  assert.ok(first < 10000 && zoom > 5 && pan > 5);
  clean();
});
