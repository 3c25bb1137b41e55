import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PlatformError } from '@octavo/platform';
import { type DevFile, readDevFile } from './dev-file.ts';
import { explain } from './explain.ts';
import { root } from './settings.ts';

/*
 * Loads a server of its own by wrk with 8 and with 64 connections in turn, while crons run at each full minute and one
 * writer edits and another imports all the time: node scripts/bootstrap.mjs scripts/load.ts <minutes>. It needs wrk, and
 * fails on a 5xx, a lost connection or a silence.
 */
const SILENCE_LIMIT_MS = 30_000;
const PART_SECONDS = 30;
const run = promisify(execFile);

interface Part {
  answered: number;
  failed: number;
  refused: number;
  broken: number;
  late: number;
  p99: number;
}

async function startServer(dataDir: string): Promise<{ server: ChildProcess; dev: DevFile }> {
  const env = { ...process.env, OCTAVO_DATA: dataDir, OCTAVO_IMPORT_ALLOW_PRIVATE: '1' };
  const server = spawn(process.execPath, ['scripts/bootstrap.mjs', 'scripts/start.ts', '--empty'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (;;) {
    const dev = await readDevFile(dataDir);
    if (dev) return { server, dev };
    if (server.exitCode !== null) throw new PlatformError('The server did not start.');
    await delay(100);
  }
}

const loadWith = async ({ url, token }: DevFile, connections: number, route: string): Promise<Part> => {
  const script = path.join(import.meta.dirname, 'load.lua');
  const flags = ['-t1', `-c${connections}`, `-d${PART_SECONDS}s`, '-s', script, '-H', `Authorization: Bearer ${token}`];
  const { stdout } = await run('wrk', [...flags, `${url}${route}`]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Part;
};

interface Watch {
  isOver: boolean;
  writes: number;
  failures: string[];
  longestSilence: number;
}

async function call(dev: DevFile, watch: Watch, route: string, body?: unknown) {
  const headers = { authorization: `Bearer ${dev.token}`, 'content-type': 'application/json' };
  const method = body === undefined ? 'GET' : 'POST';
  const answer = await fetch(`${dev.url}${route}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (answer.status >= 500) watch.failures.push(`${method} ${route} answered ${answer.status} ${text.slice(0, 200)}`);
  return JSON.parse(text) as Record<string, string>;
}

/** Does a piece of work again and again, with a pause, until the load is over. */
async function repeat(watch: Watch, pauseMs: number, work: (round: number) => Promise<unknown>): Promise<void> {
  for (let round = 0; !watch.isOver; round += 1) {
    await work(round).catch((error: unknown) => watch.failures.push(String(error)));
    await delay(pauseMs);
  }
}

async function listen({ url }: DevFile, watch: Watch): Promise<void> {
  const asked = performance.now();
  await fetch(`${url}/health`, { signal: AbortSignal.timeout(120_000) }).then((answer) => answer.text());
  watch.longestSilence = Math.max(watch.longestSilence, performance.now() - asked);
}

async function residentMegabytes(dataDir: string): Promise<number> {
  const pid = (await readFile(path.join(dataDir, 'octavo.pid'), 'utf8')).trim();
  const runtime = (await readFile(path.join(dataDir, `workerd.${pid}.pid`), 'utf8')).trim();
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', runtime]);
  return Math.round(Number(stdout) / 1024);
}

async function load(dataDir: string, dev: DevFile, minutes: number): Promise<boolean> {
  const watch: Watch = { isOver: false, writes: 0, failures: [], longestSilence: 0 };
  const site = createServer((_, answer) => answer.end('# Imported\n\nSome words.\n')).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const source = `http://127.0.0.1:${(site.address() as AddressInfo).port}/page.md`;
  const { id: space } = await call(dev, watch, `/v1/orgs/${dev.organization}/spaces`, { title: 'Loaded' });
  const content = `/v1/spaces/${space}/content`;
  const edit = async (round: number) => {
    const document = { markdown: `# Page ${round % 200}\n\nEdited in round ${round}.` };
    await call(dev, watch, content, { changes: [{ operation: 'insert_page', title: `Page ${round}`, document }] });
    watch.writes += 1;
  };
  const others = [
    repeat(watch, 250, edit),
    repeat(watch, 5000, () => call(dev, watch, `${content}/import`, { source: 'markdown', url: source })),
    repeat(watch, 250, () => listen(dev, watch)),
  ];
  let isClean = true;
  for (let part = 0; part < (minutes * 60) / PART_SECONDS; part += 1) {
    const connections = part % 2 === 0 ? 8 : 64;
    const result = await loadWith(dev, connections, part % 4 < 2 ? '/v1/user' : `${content}/pages?limit=1`);
    isClean &&= result.failed + result.broken === 0 && result.answered > 0;
    const megabytes = await residentMegabytes(dataDir);
    console.log(new Date().toISOString(), JSON.stringify({ connections, ...result, writes: watch.writes, megabytes }));
  }
  watch.isOver = true;
  await Promise.all(others);
  site.close();
  const silence = Math.round(watch.longestSilence);
  console.log({ silence, failures: watch.failures.length, first: watch.failures.slice(0, 5) });
  return isClean && watch.failures.length === 0 && silence < SILENCE_LIMIT_MS;
}

try {
  const minutes = Number(process.argv[2] ?? 10);
  if (!(minutes > 0)) throw new PlatformError('Say for how many minutes, such as 10.');
  const dataDir = await mkdtemp(path.join(tmpdir(), 'octavo-load-'));
  const { server, dev } = await startServer(dataDir);
  const isClean = await load(dataDir, dev, minutes).finally(async () => {
    server.kill('SIGTERM');
    await once(server, 'exit');
    await rm(dataDir, { recursive: true, force: true });
  });
  process.exit(isClean ? 0 : 1);
} catch (error) {
  explain(error);
}
