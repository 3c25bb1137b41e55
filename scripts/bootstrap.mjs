import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepUsedFiles } from './kept-files.mjs';

const OLDEST_NODE = 20;
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const modules = path.join(root, 'node_modules');
const stampFile = path.join(modules, '.octavo-installed');
const pinnedNode = path.join(modules, 'node', 'bin', 'node');

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

function stamp() {
  const members = ['packages', 'workers', 'integrations'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((name) => path.join(folder, name, 'package.json')),
  );
  const shared = [
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    '.pnpmfile.cjs',
    'scripts/kept-files.mjs',
    'package.json',
    'scripts/package.json',
    'test/package.json',
    'test/browser/package.json',
  ];
  const hash = createHash('sha256');
  for (const file of [...shared, ...members.sort()]) {
    const whole = path.join(root, file);
    if (existsSync(whole)) hash.update(`${file}\n`).update(readFileSync(whole));
  }
  return hash.digest('hex');
}

/**
 * Installation options, each with more packages than the previous ones: the packages of the server and the command
 * line; also the development dependencies; also the browser of the long tests.
 */
const kinds = [['--prod'], ['--filter', '!@octavo/browser-tests'], []];

function kindFor(script) {
  const name = path.basename(script);
  if (['bench.ts', 'search-quality.ts'].includes(name) || script.startsWith('test/')) return 1;
  if (name !== 'check.ts') return 0;
  return ['all', 'ci'].includes(process.env.OCTAVO_TEST) ? 2 : 1;
}

function installed() {
  if (!existsSync(pinnedNode) || !existsSync(stampFile)) return { kind: -1 };
  const [of, kind] = readFileSync(stampFile, 'utf8').split(' ');
  return { of, kind: Number(kind ?? 2) };
}

/** Installs the missing packages for a kind of script. Other installed packages stay. */
async function ensureInstalled(kind) {
  const { of, kind: last } = installed();
  const now = stamp();
  if (of === now && last >= kind) return;
  await install(kinds[Math.max(kind, last)]);
  keepUsedFiles(modules);
  writeFileSync(stampFile, `${now} ${Math.max(kind, last)}`);
}

function showProgress(output) {
  const last = output.split('\n').findLast((line) => line.startsWith('Progress:'));
  if (last && process.stderr.isTTY) process.stderr.write(`\r  ${last.slice(0, 76).padEnd(76)}`);
}

async function install(chosen) {
  const { packageManager } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  process.stderr.write('Installing dependencies (the first time takes about a minute)\n');
  const started = Date.now();
  const flags = ['--frozen-lockfile', '--reporter=append-only', '--config.confirm-modules-purge=false'];
  const args = ['--yes', packageManager, 'install', ...chosen, ...flags];
  const child = spawn('npx', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
      showProgress(output);
    });
  }
  const code = await new Promise((resolve) => {
    child.on('error', () => resolve(undefined));
    child.on('close', resolve);
  });
  if (process.stderr.isTTY) process.stderr.write('\r'.padEnd(80).concat('\r'));
  if (code === undefined) fail('npx was not found. Install npm, which comes with Node.js.');
  if (code !== 0)
    fail(`${output.trim()}\nThe dependencies could not be installed. See the output of ${packageManager} above.`);
  if (!existsSync(pinnedNode)) fail(`The pinned Node.js was not installed at ${path.relative(root, pinnedNode)}.`);
  process.stderr.write(`Installed in ${Math.round((Date.now() - started) / 1000)} s\n`);
}

function spawnScript(script, args) {
  const PATH = `${path.join(modules, '.bin')}${path.delimiter}${process.env.PATH}`;
  const child = spawn(pinnedNode, [path.resolve(root, script), ...args], {
    env: { ...process.env, PATH },
    stdio: 'inherit',
  });
  child.on('error', (error) => fail(`The pinned Node.js could not be started: ${error.message}`));
  return child;
}

// Ctrl-C in a terminal already reaches the child. A second signal does no harm, and a signal that was sent only to this
// process must reach the child too.
function run(script, args) {
  const child = spawnScript(script, args);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    let isForwarded = false;
    process.on(signal, () => {
      if (!isForwarded) child.kill(signal);
      isForwarded = true;
    });
  }
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE)
  fail(`Octavo requires Node.js ${OLDEST_NODE} or newer. This is ${process.versions.node}.`);
if (process.platform === 'win32') fail('Octavo runs on Linux and macOS. On Windows, use WSL.');
const [script, ...args] = process.argv.slice(2);
await ensureInstalled(kindFor(script ?? ''));
// Without a script, the caller continues after the installation.
if (script) run(script, args);
