import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiRequest, call, callJson } from './api.ts';
import { runLoad } from './load.ts';
import { measureMegabytes } from './processes.ts';
import { type OctavoServer, startOctavo, withFolder } from './servers.ts';

const SILENCE_LIMIT_MS = 30_000;
const PART_SECONDS = 30;

interface Watch {
  isFinished: boolean;
  writes: number;
  failures: string[];
  longestSilence: number;
}

/** Repeats some work with a pause until the load ends. */
async function repeat(watch: Watch, pauseMs: number, work: (round: number) => Promise<unknown>): Promise<void> {
  for (let round = 0; !watch.isFinished; round += 1) {
    await work(round).catch((error: unknown) => watch.failures.push(String(error)));
    await delay(pauseMs);
  }
}

async function listen({ api }: OctavoServer, watch: Watch): Promise<void> {
  const began = performance.now();
  await fetch(`${api.url}/health`, { signal: AbortSignal.timeout(120_000) }).then((response) => response.text());
  watch.longestSilence = Math.max(watch.longestSilence, performance.now() - began);
}

async function makeSpace({ api, dev }: OctavoServer): Promise<string> {
  const path = `/v1/orgs/${dev.organization}/spaces`;
  const space = await callJson<{ id: string }>(api, { method: 'POST', path, body: { title: 'Loaded' }, status: 201 });
  return space.id;
}

/** Work beside the load: edits, imports of a page, and calls that measure how long the server does not respond. */
function editMeanwhile(server: OctavoServer, watch: Watch, content: string, source: string): Promise<void>[] {
  const edit = async (round: number) => {
    const document = { markdown: `# Page ${round % 200}\n\nEdited in round ${round}.` };
    const changes = [{ operation: 'insert_page', title: `Page ${round}`, document }];
    await call(server.api, { method: 'POST', path: content, body: { changes } });
    watch.writes += 1;
  };
  const importPage: ApiRequest = {
    method: 'POST',
    path: `${content}/import`,
    body: { source: 'markdown', url: source },
  };
  return [
    repeat(watch, 250, edit),
    repeat(watch, 5000, () => call(server.api, { ...importPage, status: 201 })),
    repeat(watch, 250, () => listen(server, watch)),
  ];
}

async function loadPart({ api, pid }: OctavoServer, watch: Watch, part: { route: string; connections: number }) {
  const requests: ApiRequest[] = [{ method: 'GET', path: part.route }];
  const { connections } = part;
  const result = await runLoad({ api, requests, connections, seconds: PART_SECONDS });
  for (const [reason, times] of Object.entries(result.failures)) watch.failures.push(`${times} x ${reason}`);
  if (result.succeeded === 0) watch.failures.push('no response');
  const megabytes = Math.round(await measureMegabytes(pid));
  const { succeeded, p99 } = result;
  const summary = { connections, answered: succeeded, p99: Math.round(p99), writes: watch.writes, megabytes };
  console.log(new Date().toISOString(), JSON.stringify(summary));
}

async function loadServer(server: OctavoServer, minutes: number): Promise<boolean> {
  const watch: Watch = { isFinished: false, writes: 0, failures: [], longestSilence: 0 };
  const site = createServer((_, response) => response.end('# Imported\n\nSome words.\n')).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const source = `http://127.0.0.1:${(site.address() as AddressInfo).port}/page.md`;
  const content = `/v1/spaces/${await makeSpace(server)}/content`;
  const others = editMeanwhile(server, watch, content, source);
  for (let part = 0; part < (minutes * 60) / PART_SECONDS; part += 1) {
    const connections = part % 2 === 0 ? 8 : 64;
    await loadPart(server, watch, { connections, route: part % 4 < 2 ? '/v1/user' : `${content}/pages?depth=0` });
  }
  watch.isFinished = true;
  await Promise.all(others);
  site.close();
  const silence = Math.round(watch.longestSilence);
  console.log({ silence, failures: watch.failures.length, first: watch.failures.slice(0, 5) });
  return watch.failures.length === 0 && silence < SILENCE_LIMIT_MS;
}

/**
 * Loads a separate server with 8 and 64 connections alternately, while crons run each minute, one client edits and
 * another imports. Checks that nothing failed, no connection was lost, and the server always responded in time.
 */
export const runSoak = (minutes: number): Promise<boolean> =>
  withFolder(async (folder) => {
    const server = await startOctavo(path.join(folder, 'data'), { OCTAVO_IMPORT_ALLOW_PRIVATE: '1' });
    return loadServer(server, minutes).finally(server.stop);
  });
