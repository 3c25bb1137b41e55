#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

function pinnedNode() {
  const manifest = createRequire(join(here, '../../../package.json')).resolve('node/package.json');
  return join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

function nodeToUse() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  try {
    const node = pinnedNode();
    if (existsSync(node)) return node;
  } catch {}
  process.stderr.write('octavo: This needs Node.js 24, which npm start or npm test installs into the workspace.\n');
  process.exit(1);
}

const main = join(here, '../src/main.ts');
const { status, signal } = spawnSync(nodeToUse(), [main, ...process.argv.slice(2)], { stdio: 'inherit' });
if (signal) process.kill(process.pid, signal);
process.exit(status ?? 1);
