// Makes the page that the program carries, of the packages that package-lock.json names, which stay out of the tree:
//   tests/ci/web/with_packages.sh build/web_packages node ci/web/build.mjs [FOLDER]      FOLDER: default ci/web/dist
// The same bytes on every machine: the packages' versions are fixed, and nothing of the machine enters.
import {copyFile, mkdir, readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const packages = process.env.STEELYARD_WEB_PACKAGES;
if (!packages) throw new Error('run it by tests/ci/web/with_packages.sh, which brings the packages');
const {build} = createRequire(join(packages, 'package.json'))('esbuild');

const here = dirname(fileURLToPath(import.meta.url));
const to = process.argv[2] ? resolve(process.argv[2]) : join(here, 'dist');
await mkdir(to, {recursive: true});
// The terms of what is bundled stand in the bundle.
const terms = await readFile(join(packages, 'node_modules/uplot/LICENSE'), 'utf8');
await build({
  absWorkingDir: here,
  entryPoints: {app: 'src/main.ts'},
  outdir: to,
  nodePaths: [join(packages, 'node_modules')],
  bundle: true,
  minify: true,
  charset: 'utf8',
  format: 'iife',
  target: ['chrome111', 'firefox113', 'safari16.4'],
  legalComments: 'none',
  banner: {js: `/* uPlot: ${terms.trim()} */`},
  logLevel: 'warning',
});
await copyFile(join(here, 'src/index.html'), join(to, 'index.html'));
