// The page as steelyard serve serves it, over a store of its own: what the made-up service is for.
// STEELYARD_PROGRAM: the program. STEELYARD_BROWSER: the browser's.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {createRequire} from 'node:module';
import {chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {after, before} from 'node:test';

const {chromium} = createRequire(join(process.env.STEELYARD_WEB_PACKAGES, 'package.json'))('playwright-core');
const program = process.env.STEELYARD_PROGRAM;
const kCommits = 16;
const kChange = 11;
const kHostile = '<img src=x onerror="document.title=\'script ran\'">';

let folder, environment, service, address, browser, page, console_lines;

const git = (...words) =>
  execFileSync('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.org', ...words], {
    cwd: join(folder, 'demo'),
    encoding: 'utf8',
    env: {...environment, GIT_AUTHOR_DATE: environment.AT, GIT_COMMITTER_DATE: environment.AT},
  }).trim();
const steelyard = (...words) => {
  try {
    return execFileSync(program, words, {cwd: join(folder, 'demo'), encoding: 'utf8', env: environment, stdio: 'pipe'});
  } catch (error) {
    throw new Error(`steelyard ${words.join(' ')}: ${error.stdout} ${error.stderr}`);
  }
};

// A file as Google Benchmark writes it: of one process, three repetitions of two benchmarks.
function results_of(commit, process) {
  const time = (base, ratio) =>
    base * (commit >= kChange ? ratio : 1) * (1 + 0.004 * Math.sin(7 * commit + 3 * process));
  const rows = [
    ['BM_tokenize/1024', time(800, 1.25)],
    [`BM_odd/${kHostile}`, time(50, 1)],
  ];
  return {
    context: {
      date: new Date(Date.UTC(2026, 0, 2 + commit, 12, process)).toISOString().replace('.000Z', '+00:00'),
      host_name: 'runner',
      executable: './bench',
      num_cpus: 2,
      mhz_per_cpu: 2500,
      library_build_type: 'release',
    },
    benchmarks: rows.flatMap(([name, ns], family_index) =>
      [0, 1, 2].map((repetition_index) => ({
        name,
        family_index,
        per_family_instance_index: 0,
        run_name: name,
        run_type: 'iteration',
        repetitions: 3,
        repetition_index,
        threads: 1,
        iterations: 1000,
        real_time: ns * (1 + 0.002 * repetition_index),
        cpu_time: ns,
        time_unit: 'ns',
      })),
    ),
  };
}

function fill_store() {
  mkdirSync(join(folder, 'demo'));
  git('init', '--quiet', '--initial-branch=main');
  for (let commit = 0; commit < kCommits; ++commit) {
    environment.AT = `2026-01-${String(2 + commit).padStart(2, '0')}T10:00:00Z`;
    git(
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      commit === kChange ? `Grow the list ${kHostile}` : `Step ${commit}`,
    );
    const results = join(folder, `results_${commit}`);
    mkdirSync(results);
    for (let process = 0; process < 6; ++process) {
      writeFileSync(join(results, `${process}.json`), JSON.stringify(results_of(commit, process)));
    }
    steelyard('import', 'google-benchmark', results, '--commit', 'HEAD', '--branch', 'main', '--project', 'demo');
  }
  steelyard('changes', '--branch', 'main', '--project', 'demo');
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steelyard-served-'));
  chmodSync(folder, 0o711); // as root the embedded store runs as another user
  environment = {...process.env, STEELYARD_STATE: join(folder, 'state'), STEELYARD_STORE: 'embedded', HOME: folder};
  fill_store();
  service = spawn(program, ['serve', '--listen', '127.0.0.1:0'], {cwd: join(folder, 'demo'), env: environment});
  address = await new Promise((resolve, reject) => {
    let told = '';
    for (const stream of [service.stdout, service.stderr]) {
      stream.on('data', (block) => {
        told += block;
        const found = /https?:\/\/\S+#key=\S+/.exec(told);
        if (found) resolve(found[0]);
      });
    }
    service.on('exit', (status) => reject(new Error(`steelyard serve ended with ${status}: ${told}`)));
  });
  browser = await chromium.launchPersistentContext(join(folder, 'browser'), {
    executablePath: process.env.STEELYARD_BROWSER,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
    headless: true,
    viewport: {width: 1200, height: 900},
  });
  page = await browser.newPage();
  console_lines = [];
  page.on('console', (line) => ['error', 'warning'].includes(line.type()) && console_lines.push(line.text()));
  page.on('pageerror', (error) => console_lines.push(error.message));
  await page.goto(address);
  await shown('overview');
});
after(async () => {
  await browser?.close();
  service?.kill('SIGKILL');
  try {
    steelyard('db', 'stop');
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
});

const shown = (name) => page.locator(`main[data-shown="${name}"]`).waitFor();
const whole_text = () => page.locator('main').innerText();
const click_tab = async (name) => {
  await page.getByRole('navigation', {name: 'Pages'}).getByRole('link', {name}).click();
  await shown(name.toLowerCase());
};

test('the overview has what the store has', async () => {
  assert.match(await whole_text(), /BM_tokenize\/1024 time \+2\d\.\d %/);
  assert.match(await page.getByRole('region', {name: 'Projects'}).innerText(), /demo/);
  assert.doesNotMatch(page.url(), /key/);
});

test('a series has its points, its change, and its spread', async () => {
  await click_tab('Series');
  await page.getByRole('link', {name: 'BM_tokenize/1024'}).first().click();
  await page.locator('.plot canvas').waitFor();
  assert.match(await page.locator('.series_legend').innerText(), new RegExp(`${kCommits} points`));
  const changes = page.getByRole('region', {name: 'Change points'});
  assert.match(await changes.innerText(), /BM_tokenize\/1024\s+time\s+80\d ns\s+1\.00 us\s+\+2\d\.\d %/);
  await changes.getByRole('button', {name: /^Show/}).click();
  await page.locator('.told dt', {hasText: 'quartiles'}).waitFor();
  assert.match(await page.locator('.told').innerText(), /Grow the list <img/);
});

test('two runs are compared, with samples and steps', async () => {
  await click_tab('Runs');
  await page
    .getByRole('link', {name: 'compare …'})
    .nth(kCommits - kChange)
    .click();
  await page.getByText('Choose the candidate').waitFor();
  await page
    .getByRole('link', {name: 'compare', exact: true})
    .nth(kCommits - kChange - 1)
    .click();
  await shown('comparison');
  await page.locator('#all tbody', {hasText: 'BM_tokenize/1024'}).getByRole('checkbox').check();
  await page.locator('#all .why:visible svg.samples').waitFor();
  await page.locator('#all .why:visible dt', {hasText: 'measured'}).waitFor();
  assert.match(await page.locator('#all .why:visible svg.samples').getAttribute('aria-label'), /baseline: 6 processes/);
});

test('an alert is acknowledged and resolved by the service\u2019s own user', async () => {
  await click_tab('Alerts');
  await page.getByRole('link', {name: 'BM_tokenize/1024'}).first().click();
  await page.getByRole('button', {name: 'Acknowledge', exact: true}).click();
  await page.getByLabel('Who looks at it (may be empty)').fill('ada');
  await page.locator('form.act button[type=submit]').click();
  await page.locator('b.state', {hasText: 'acknowledged'}).waitFor();
  assert.match(await whole_text(), /who looks\s+ada/);
  assert.match(steelyard('alerts', '--project', 'demo'), /acknowledged/);
});

test('search finds a commit, and its text stays text', async () => {
  await page.keyboard.press('/');
  const sha = git('rev-parse', `HEAD~${kCommits - 1 - kChange}`);
  await page.keyboard.type(sha.slice(0, 12));
  await page.locator('#found [role=option]', {hasText: 'Grow the list'}).waitFor();
  await page.keyboard.press('Enter');
  await shown('commit');
  assert.match(await whole_text(), /Grow the list <img[\s\S]*BM_tokenize\/1024/);
  await click_tab('Machines');
  await page.getByRole('region', {name: 'Machines'}).getByRole('link').first().click();
  await page.getByRole('region', {name: 'Environment'}).waitFor();
  assert.notEqual(await page.title(), 'script ran');
});

test('nothing was refused by the page\u2019s policy, and the service ends in order', async () => {
  assert.deepEqual(console_lines, []);
  await page.close();
  const ended = new Promise((resolve) => service.on('exit', resolve));
  service.kill('SIGTERM');
  assert.equal(await ended, 0);
});
