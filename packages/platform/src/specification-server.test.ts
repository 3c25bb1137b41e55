import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { getSpecificationsSocket } from './data-folder.ts';
import { specificationBundle, startSpecificationServer } from './specification-server.ts';

const minute = 60_000;

/** Starts the server with a thread that returns each text unchanged, runs `code` first, and never ends for `endless`. */
async function startServer(code = '') {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-specs-'));
  const thread = `
    import { existsSync, writeFileSync } from 'node:fs';
    import { parentPort, threadId } from 'node:worker_threads';
    parentPort.on('message', (bytes) => {
      const text = new TextDecoder().decode(bytes);
      ${code}
      while (text === 'endless');
      parentPort.postMessage({ format: String(threadId), parts: [bytes] });
    });`;
  await writeFile(path.join(folder, specificationBundle), thread);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const stop = await startSpecificationServer({ outDir: folder, dataDir: folder, log: { write: () => undefined } });
  onTestFinished(async () => {
    await stop();
    vi.useRealTimers();
    await rm(folder, { recursive: true });
  });
  const send = (body: string) =>
    new Promise<{ status: number | undefined; body: string; thread: string }>((resolve, reject) => {
      const sent = request({ socketPath: getSpecificationsSocket(folder), method: 'POST' }, async (response) => {
        const { format = '' } = JSON.parse(String(response.headers['octavo-parts'] ?? '{}'));
        resolve({ status: response.statusCode, body: await text(response), thread: format });
      });
      sent.on('error', reject).end(body);
    });
  return { folder, send };
}

/** Lets minutes pass until a promise is settled. */
async function passTime<Result>(promise: Promise<Result>): Promise<Result> {
  const state = { isSettled: false };
  void promise.finally(() => {
    state.isSettled = true;
  });
  await vi.waitFor(() => {
    vi.advanceTimersByTime(minute);
    expect(state.isSettled).toBe(true);
  }, 10_000);
  return promise;
}

const tooSlow = { status: 422, body: 'The specification takes too long to read.' };

test('ends the thread of a specification that takes more than a minute, and reads the next one in another', async () => {
  const { send } = await startServer();
  const before = await send('a');
  expect(await passTime(send('endless'))).toMatchObject(tooSlow);
  const after = await send('b');

  expect([before, after]).toMatchObject([
    { status: 200, body: 'a' },
    { status: 200, body: 'b' },
  ]);
  expect(after.thread).not.toBe(before.thread);
});

test('ignores the result of a thread that was ended, instead of returning it for the next specification', async () => {
  const sendLate = `if (text === 'late') {
    while (!existsSync(new URL('released', import.meta.url)));
    parentPort.postMessage({ format: 'late', parts: [bytes] });
    writeFileSync(new URL('sent', import.meta.url), '');
    return;
  }`;
  const { folder, send } = await startServer(sendLate);
  let received = 0;
  const count = () => {
    received += 1;
  };
  subscribe('http.server.request.start', count);
  onTestFinished(() => void unsubscribe('http.server.request.start', count));
  const late = send('late');
  const next = send('next');
  while (received < 2) await setImmediate();
  await setImmediate();
  // The result is waiting for the event loop, which is blocked here, when the time is over.
  writeFileSync(path.join(folder, 'released'), '');
  while (!existsSync(path.join(folder, 'sent')));
  vi.advanceTimersByTime(minute);

  expect(await late).toMatchObject(tooSlow);
  expect(await next).toMatchObject({ status: 200, body: 'next' });
});
