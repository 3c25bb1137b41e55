#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const main = join(here, '../src/main.ts');

function pinnedNode() {
  try {
    const manifest = createRequire(join(here, '../../../package.json')).resolve('node/package.json');
    const node = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(node)) return node;
  } catch {}
  process.stderr.write('octavo: Node.js 24 is required. Run npm start or npm test to install it into the workspace.\n');
  process.exit(1);
}

// Forward signals that only this process receives: otherwise an interrupted import would continue and merge. If a
// signal such as SIGKILL cannot be caught, the IPC channel closes and the child process ends itself.
function run(node) {
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (Number(process.versions.node.split('.')[0]) >= 24) await import(pathToFileURL(main).href);
else run(pinnedNode());
