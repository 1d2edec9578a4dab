// The page that the program carries is what its sources say, and small.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import test, {after, before} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {gzipSync} from 'node:zlib';

const web = join(dirname(fileURLToPath(import.meta.url)), '../../../ci/web');
const packages = process.env.STEELYARD_WEB_PACKAGES;
let copy;

// In a copy elsewhere: nothing of the folder's place may enter.
before(() => {
  copy = mkdtempSync(join(tmpdir(), 'steelyard-page-'));
  for (const name of ['src', 'build.mjs', 'package.json', 'tsconfig.json'])
    cpSync(join(web, name), join(copy, 'ci/web', name), {recursive: true});
  for (const name of ['report/html/page', 'report/flame/page'])
    cpSync(join(web, '..', name), join(copy, 'ci', name), {recursive: true});
  symlinkSync(join(packages, 'node_modules'), join(copy, 'ci/web/node_modules'));
});
after(() => rmSync(copy, {recursive: true, force: true}));

test('a build elsewhere gives the committed files byte for byte', () => {
  const to = join(copy, 'built');
  execFileSync(process.execPath, [join(copy, 'ci/web/build.mjs'), to], {stdio: 'inherit'});
  const names = readdirSync(to).sort();
  assert.deepEqual(names, readdirSync(join(web, 'dist')).sort());
  for (const name of names) {
    const is_same = readFileSync(join(to, name)).equals(readFileSync(join(web, 'dist', name)));
    assert.ok(is_same, `ci/web/dist/${name} is not what ci/web/src makes: see CONTRIBUTING.md`);
  }
});

test('the sources have no mistake of types', () => {
  execFileSync(
    process.execPath,
    [join(packages, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', join(copy, 'ci/web')],
    {stdio: 'inherit'},
  );
});

test('a first visit is under 300 KB compressed', () => {
  const bytes = readdirSync(join(web, 'dist')).map((name) => gzipSync(readFileSync(join(web, 'dist', name))).length);
  const sum = bytes.reduce((a, b) => a + b);
  console.log(`first visit: ${sum} bytes compressed`);
  assert.ok(sum < 300e3, `${sum} bytes`);
});

test('the lock file names no registry', () => {
  assert.doesNotMatch(
    readFileSync(join(web, 'package-lock.json'), 'utf8'),
    /https?:\/\/(?!opencollective|github|www\.patreon)/,
  );
});

test('the bundle has no address but the service\u2019s own', () => {
  const text = readFileSync(join(web, 'dist/app.js'), 'utf8').replaceAll('http://www.w3.org/2000/svg', '');
  const addresses = [...text.matchAll(/https?:\/\/[a-z0-9.-]+/g)]
    .map(([address]) => address)
    .filter((address) => address !== 'https://github.com');
  assert.deepEqual(addresses, []);
});

// As RangeCell of tests/bench/model/number_text_test.cpp has it.
test('the interval of a change reads as the change does, in per cent or in factors', async () => {
  const {build} = await import(pathToFileURL(join(packages, 'node_modules/esbuild/lib/main.js')));
  const out = join(copy, 'words.mjs');
  await build({entryPoints: [join(web, 'src/words.ts')], outfile: out, format: 'esm', bundle: true});
  const {change_text, range_text} = await import(pathToFileURL(out));
  assert.equal(range_text([1.061, 1.083], 1.0721), '[+6.10, +8.30] %');
  assert.equal(range_text([8, 12], 9.99), '[+700, +1100] %');
  assert.equal(range_text([9.8, 115.2], 12.5), '[x 9.80, x 115]');
  assert.equal(range_text(null, 12.5), '');
  for (const ratio of [10, 12.5, 99.96, 1234])
    assert.equal(range_text([ratio, ratio], ratio), `[${change_text(ratio)}, ${change_text(ratio)}]`);
});

const history = async () => {
  const {build} = await import(pathToFileURL(join(packages, 'node_modules/esbuild/lib/main.js')));
  const out = join(copy, 'history.mjs');
  await build({entryPoints: [join(web, 'src/history.ts')], outfile: out, format: 'esm', bundle: true});
  return import(pathToFileURL(out));
};

test('points of several machines stand as the branch has their commits, and by date where it has none', async () => {
  const {merged} = await history();
  const part = (fingerprint, points) => ({
    fingerprint,
    at: points.map(([, at]) => at),
    commit: points.map(([commit]) => commit),
    value: points.map(() => 1),
    conditions: [],
    older: null,
  });
  // The merge is dated before the parent that it follows.
  const one = [['root', 1], ['parent', 9], ['merge', 5], ['tip', 10]];
  const other = [['beside', 4], ['late', 11]];
  const whole = merged([part('a', one), part('b', other)]);
  assert.deepEqual(whole.commit, ['root', 'beside', 'parent', 'merge', 'tip', 'late']);
  assert.deepEqual(
    whole.machines.map(({index, fingerprint}) => [index, fingerprint]),
    [
      [0, 'a'],
      [1, 'b'],
      [2, 'a'],
      [5, 'b'],
    ],
  );
  // By places the merge follows its parent, which another machine measured later.
  const placed = (fingerprint, points) => ({
    ...part(fingerprint, points),
    place: points.map(([, , place]) => place),
    off_branch: points.map(([, , , off_branch]) => off_branch ?? 0),
  });
  const order = (...parts) => merged(parts).commit;
  const merges = [['root', 1, 0], ['merge', 3, 4], ['tip', 5, 5]];
  assert.deepEqual(order(placed('a', merges), placed('b', [['side', 6, 2], ['parent', 9, 3]])), [
    'root',
    'side',
    'parent',
    'merge',
    'tip',
  ]);
  assert.deepEqual(order(placed('a', merges), placed('b', [['root', 2, 0], ['none', 4, null]])), [
    'root',
    'root',
    'merge',
    'none',
    'tip',
  ]);
  // What is off the branch follows the commit whose place it has, whenever the two were measured.
  const off = [['oldest', 8, -1, 1], ['root', 2, 0], ['dropped', 3, 0, 1], ['tip', 4, 1]];
  const on = [['root', 9, 0], ['tip', 1, 1]];
  const both = ['oldest', 'root', 'root', 'dropped', 'tip', 'tip'];
  assert.deepEqual(order(placed('a', off), placed('b', on)), both);
  assert.deepEqual(order(placed('b', on), placed('a', off)), both);
  // What has no place holds up nothing, and comes before what its own machine has behind it.
  const blocked = [['none', 400, null], ['early', 401, 1]];
  assert.deepEqual(order(placed('a', blocked), placed('b', [['late', 100, 5]])), ['none', 'early', 'late']);
  assert.deepEqual(order(placed('a', [['late', 100, 5]]), placed('b', blocked)), ['none', 'early', 'late']);
});

test('the rest of a long history is asked for of all its machines, as places of two answers are no order', async () => {
  const {load_rest} = await history();
  const asked = [];
  globalThis.sessionStorage = {getItem: () => null};
  globalThis.fetch = async (path) => {
    const query = new URL(path, 'http://service').searchParams;
    asked.push(`${query.get('machine')}: ${query.get('columns')}`);
    return {ok: true, json: async () => ({whose: query.get('machine')})};
  };
  const part = (machine, is_whole) => ({machine, is_whole, points: null, spread: null});
  const rest_of = async (...parts) => {
    asked.length = 0;
    await load_rest({}, {key: {benchmark: 'b', metric: 'real_time'}, parts});
    return parts.map(({points}) => points?.whose ?? null);
  };
  assert.deepEqual(await rest_of(part('a', true), part('b', false)), ['a', 'b']);
  assert.equal(asked.length, 2);
  for (const columns of asked) assert.match(columns, /,place,off_branch$/);
  assert.deepEqual(await rest_of(part('a', false)), ['a']);
  assert.doesNotMatch(asked[0], /place/);
});

// The oracle looks at every point of every column of pixels.
test('decimation keeps the least and the largest value of every column of pixels', async () => {
  const {build} = await import(pathToFileURL(join(packages, 'node_modules/esbuild/lib/main.js')));
  const out = join(copy, 'decimate.mjs');
  await build({entryPoints: [join(web, 'src/decimate.ts')], outfile: out, format: 'esm', bundle: true});
  const {decimate, join: together} = await import(pathToFileURL(out));
  let state = 7;
  const next = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32;
  for (const [count, pixels, from, to] of [
    [0, 10, 0, 1],
    [1, 10, 0, 1],
    [50, 100, 0, 49],
    [5000, 100, 0, 4999],
    [5000, 100, 1234.5, 3210],
    [5000, 7, -100, 9000],
  ]) {
    const x = Array.from({length: count}, (_, i) => i);
    const y = x.map(() => (next() < 0.02 ? null : next() * 100));
    const low = y.map((value) => (value === null ? null : value - next())),
      high = y.map((value) => (value === null ? null : value + next()));
    const drawn = decimate({x, y, low, high}, from, to, pixels);
    const seen = x.filter((at) => at >= from && at <= to);
    const known = (values) => values.filter((value) => value !== null);
    assert.ok(
      drawn.x.every((at, i) => i === 0 || drawn.x[i - 1] < at),
      'ascending, each once',
    );
    assert.ok(drawn.x.length <= 2 * pixels + 4, `${drawn.x.length} points for ${pixels} pixels`);
    const of = (values) => known(seen.map((at) => values[at]));
    if (of(y).length === 0) continue;
    assert.ok(Math.min(...known(drawn.y)) <= Math.min(...of(y)) && Math.max(...known(drawn.y)) >= Math.max(...of(y)));
    assert.ok(
      Math.min(...known(drawn.low)) <= Math.min(...of(low)) && Math.max(...known(drawn.high)) >= Math.max(...of(high)),
    );
    drawn.x.forEach((at, i) => assert.equal(drawn.y[i], y[at]));
    // Each column by itself: no point of it lies outside of what is drawn next to it.
    const width = (x[x.length - 1] - x[0]) / pixels;
    for (const at of seen) {
      const near = drawn.x
        .map((place, i) => [place, i])
        .filter(([place]) => Math.abs(place - at) <= width + 1)
        .map(([, i]) => i);
      assert.ok(y[at] === null || near.some((i) => drawn.y[i] !== null && drawn.y[i] >= y[at]), `${at}`);
      assert.ok(y[at] === null || near.some((i) => drawn.y[i] !== null && drawn.y[i] <= y[at]), `${at}`);
    }
  }
  const {x, columns} = together([
    {x: [1, 3], y: [10, 30], low: [9, 29], high: [11, 31]},
    {x: [2, 3], y: [5, null], low: [4, 6], high: [6, 8]},
  ]);
  assert.deepEqual(x, [1, 2, 3]);
  assert.deepEqual(
    [[...columns[0]], [...columns[3]]],
    [
      [10, undefined, 30],
      [undefined, 5, null],
    ],
  );
});
