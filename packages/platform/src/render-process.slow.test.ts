import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { getRenderSocket } from './data-folder.ts';
import { findWorkerd } from './local-runtime.ts';
import type { BuiltWorker, Manifest } from './manifest.ts';
import { startRenderServer } from './render-process.ts';

/** A worker whose responses name its process. A health check has the path `/`. */
const module = `
  let process;
  let calls = 0;
  export default {
    async fetch(request) {
      process ??= crypto.randomUUID();
      const { pathname } = new URL(request.url);
      if (pathname === '/') return new Response(String(calls));
      if (pathname === '/endless') for (;;);
      if (pathname.startsWith('/fetch/')) return fetch('http://127.0.0.1:' + pathname.slice(7)).catch(() => new Response('none'));
      if (pathname === '/slow') {
        calls += 1;
        await scheduler.wait(400);
        calls -= 1;
      }
      return new Response(process);
    },
  };`;

/** Starts the server, and returns a function that sends a request to its process and returns the response. */
async function startServer() {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-render-'));
  await writeFile(path.join(folder, 'worker.js'), module);
  const createWorker = (name: string) =>
    ({ name, bundle: 'worker.js', wasm: [], options: { compatibilityDate: '2026-08-01' } }) as unknown as BuiltWorker;
  const manifest = {
    workers: ['machine', 'script-process', 'render'].map(createWorker),
    runtime: { workerd: findWorkerd() },
  } as unknown as Manifest;
  const logged: string[] = [];
  const log = { write: (_level: string, message: string) => void logged.push(message) };
  const times = { checkMilliseconds: 1000, maxSilenceMilliseconds: 10_000 };
  const stop = await startRenderServer({ outDir: folder, dataDir: folder, manifest, log }, times);
  onTestFinished(async () => {
    await stop();
    await rm(folder, { recursive: true });
  });
  const send = (route: string): Promise<string> =>
    new Promise((resolve, reject) => {
      request({ socketPath: getRenderSocket(folder), path: route, agent: false }, (response) =>
        text(response).then(resolve, reject),
      )
        .on('error', reject)
        .end();
    });
  return { send, logged };
}

test('a process serves several calls, ends when it is idle, and another one starts with the next call', async () => {
  const { send, logged } = await startServer();
  const [first, second] = [await send('/a'), await send('/b')];

  expect(second).toBe(first);
  await expect.poll(() => send('/c'), { interval: 3000, timeout: 30_000 }).not.toBe(first);
  expect(logged).toEqual([]);
});

test('does not end a process while a call is running', async () => {
  const { send } = await startServer();
  const first = await send('/a');

  expect(await send('/slow')).toBe(first);
});

test('ends a process that does not respond, and serves the next call in another one', async () => {
  const { send, logged } = await startServer();
  const first = await send('/a');

  await expect(send('/endless')).rejects.toThrow();
  expect(await send('/b')).toMatch(/^[\da-f-]{36}$/);
  expect(await send('/b')).not.toBe(first);
  expect(logged).toEqual([expect.stringContaining('does not respond and is ended')]);
});

test('the process has no network', async () => {
  const { send } = await startServer();
  const other = createServer((_, response) => response.end('reached')).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');

  expect(await send(`/fetch/${(other.address() as AddressInfo).port}`)).toBe('none');
});
