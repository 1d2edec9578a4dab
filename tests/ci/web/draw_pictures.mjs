// By hand: draws the pictures of docs/guide/page.md, the page in Debian's chromium against the made-up service.
//   tests/ci/web/with_packages.sh build/web_packages node tests/ci/web/draw_pictures.mjs [FOLDER]
// FOLDER: where they go (default: docs/guide).
// With pngquant, where it is installed, they are a fourth of the size.
import {execFileSync} from 'node:child_process';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {listen, make_service} from './made_up_service.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const {chromium} = createRequire(join(process.env.STEELYARD_WEB_PACKAGES, 'package.json'))('playwright-core');
const to = process.argv[2] ?? join(root, 'docs/guide');
const service = make_service();
const base = await listen(service);
const {ids} = service;
const key = (metric) =>
  new URLSearchParams({
    project: 'textkit',
    branch: 'main',
    benchmark: 'BM_tokenize/1024',
    metric,
    machine: ids.machine,
  });
const series = ['real_time', 'instructions'].map((metric) => `s=${encodeURIComponent(key(metric))}`).join('&');
const row = encodeURIComponent('BM_tokenize/1024\nreal_time');
const pictures = [
  ['page_series', `#/series?${series}&relative=1`, 'light', 1100, 640],
  ['page_row_dark', `#/comparison?id=${ids.comparison}&open=${row}`, 'dark', 1100, 640],
  ['page_phone', '#/overview', 'light', 390, 700],
];

const browser = await chromium.launch({
  executablePath: process.env.STEELYARD_BROWSER,
  args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
});
for (const [name, address, colorScheme, width, height] of pictures) {
  const page = await browser.newPage({viewport: {width, height}, colorScheme});
  await page.goto(`${base}/${address}`);
  await page.locator('main[data-shown]').waitFor();
  await page.waitForTimeout(1000); // the spread, the samples
  const file = join(to, `${name}.png`);
  await page.screenshot({path: file});
  await page.close();
  try {
    execFileSync('pngquant', ['--force', '--strip', '--ext', '.png', '64', file]);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
await browser.close();
service.server.closeAllConnections();
service.server.close();
