// Makes the page that the program carries: node build.mjs [FOLDER], by default dist/ beside this file. The same bytes
// on every machine: esbuild's version is fixed by package-lock.json, and nothing of the machine enters.
import {build} from 'esbuild';
import {copyFile, mkdir} from 'node:fs/promises';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const to = process.argv[2] ? resolve(process.argv[2]) : join(here, 'dist');
await mkdir(to, {recursive: true});
await build({
  absWorkingDir: here,
  entryPoints: {app: 'src/main.ts'},
  outdir: to,
  bundle: true,
  minify: true,
  charset: 'utf8',
  format: 'iife',
  target: ['chrome111', 'firefox113', 'safari16.4'],
  legalComments: 'inline',
  logLevel: 'warning',
});
await copyFile(join(here, 'src/index.html'), join(to, 'index.html'));
