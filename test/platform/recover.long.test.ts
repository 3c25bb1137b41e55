import type { ConsumedEventType, EventQueue } from '@octavo/schema';
import { createId, eventQueues } from '@octavo/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getClient, insertPage } from '../content/space-client.ts';
import { requestPdfUrl, whenDone } from '../publishing/pdf/pdf-client.ts';
import { readPast, writePast } from '../support/database.ts';
import { serveLocally } from '../support/local-server.ts';
import { getLog } from '../support/log.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { ownPlatform, until } from '../support/own-platform.ts';
import type { TestSpace } from '../support/platform.ts';

const slow = { timeout: 300_000 };
const minute = 60_000;
/**
 * Before this time, only the work of processes that are known to be dead is resumed, because timers ignore work that
 * may still be in progress.
 */
const patience = minute;

let server: OwnPlatform;
beforeAll(async () => {
  server = await ownPlatform({ allowsPrivate: true });
});
afterAll(() => server.remove());

const isUp = () =>
  server.request('/v1/user', { token: server.token }).then(({ status }) => status === 200 || undefined);

async function die(target: 'node' | 'workerd'): Promise<void> {
  const before = await server.workerdPid();
  await server.kill('SIGKILL', target);
  if (target === 'node') await server.restart();
  else await until(async () => (await server.workerdPid().catch(() => before)) !== before || undefined);
  await until(() => isUp().catch(() => undefined));
}

/** For each queue, an event about a deleted object, which the consumer only has to settle. */
const settled: Record<EventQueue, { type: ConsumedEventType; data: object }> = {
  EVENTS: { type: 'content.changed', data: { revision: 'rev_none', pages: [] } },
  JOBS: { type: 'import_content', data: { import: 'imp_none' } },
  MAILS: { type: 'mail.requested', data: { user: 'usr_none', mail: 'mail_none' } },
  PDFS: { type: 'render_pdf', data: { pdf: 'pdf_none' } },
  SPECS: { type: 'process_openapi', data: { spec: 'oas_none', source: 1 } },
};

/** Plants an event that was written long ago and sent just now. The timer would not send it again for 15 minutes. */
async function loseEvent({ type, data }: { type: ConsumedEventType; data: object }): Promise<string> {
  const id = createId('event');
  const columns = 'id, type, space, actor, request_id, data, created_at, sent_at';
  const values = [id, type, 'spc_none', '', '', JSON.stringify(data), Date.now() - 60 * minute, Date.now()];
  await writePast(server, `INSERT INTO outbox (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, ...values);
  return id;
}

const isSettled = (id: string) =>
  readPast(server.dataDir, 'SELECT 1 FROM outbox WHERE id = ? AND done_at IS NOT NULL', id).length > 0 || undefined;

async function keyedChanges(space: TestSpace, changes: object[]) {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  return () => server.request(`/v1/spaces/${space.id}/content`, { token: space.token, headers, body: { changes } });
}

const titles = async (space: TestSpace) => (await getClient(server, space).pages()).map(({ title }) => title);

test('this file contains an event for each queue', () => {
  expect(Object.entries(settled).map(([queue, { type }]) => [queue, eventQueues[type]])).toEqual(
    Object.keys(settled).map((queue) => [queue, queue]),
  );
  expect(Object.keys(settled).sort()).toEqual([...new Set(Object.values(eventQueues))].sort());
});

describe.each(['node', 'workerd'] as const)('after %s is killed', slow, (target) => {
  test('every queue immediately receives its unprocessed messages again', async () => {
    const lost = await Promise.all(Object.values(settled).map(loseEvent));
    await die(target);

    for (const id of lost) await until(() => isSettled(id));
  });

  test('search finds the last version of pages edited right before', async () => {
    const space = getClient(server, await server.makeSpace());
    const pages = await space.change(Array.from({ length: 30 }, (_, index) => insertPage(`Page ${index}`)));
    const write = (page: string, markdown: string) =>
      space.change([{ operation: 'update_page', page, document: { markdown } }]);
    await Promise.all(pages.map((page, index) => write(page, `stint${index}`)));
    await Promise.all(pages.map((page, index) => write(page, `dunlin knot${index}`)));
    await die(target);

    const found = async (words: string) =>
      (await space.ok<{ items: { title: string }[] }>(`/search?query=${words}&limit=50`)).items;
    await until(async () => (await found('dunlin')).length === pages.length || undefined);
    expect((await found('knot29')).map(({ title }) => title)).toEqual(['Page 29']);
    expect(await found('stint29')).toEqual([]);
  });

  test('a repeated request is executed immediately if its first attempt died', async () => {
    const space = await server.makeSpace();
    let died: Promise<void> | undefined;
    const url = await serveLocally((_, response) => {
      if (died !== undefined) return void response.end('words');
      died = die(target);
    });
    const file = { operation: 'insert_files', files: [{ name: 'a.txt', url }] };
    const send = await keyedChanges(space, [insertPage('Once'), file]);

    await expect(send()).rejects.toThrow();
    await died;
    const began = Date.now();
    expect((await send()).status).toBe(200);
    expect(Date.now() - began).toBeLessThan(patience);
    expect(await titles(space)).toEqual(['Once']);
  });

  test('a repeated request whose first attempt died after its writes immediately reports the lost response', async () => {
    const space = await server.makeSpace();
    const send = await keyedChanges(space, [insertPage('Once')]);
    expect((await send()).status).toBe(200);
    await writePast(
      server,
      `UPDATE idempotency_keys SET state = 'committed' WHERE created_at > ?`,
      Date.now() - minute,
    );
    await die(target);

    const answer = await send();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([409, null]);
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining('its response was lost') } });
    expect(await titles(space)).toEqual(['Once']);
  });

  test('an interrupted import continues immediately', async () => {
    const space = await server.makeSpace();
    let died: Promise<void> | undefined;
    const page = (title: string, body: string) =>
      `<html><head><title>${title}</title></head><body><main>${body}</main></body></html>`;
    const url = await serveLocally(({ url: path }, response) => {
      const answer = (body: string) => response.setHeader('content-type', 'text/html').end(body);
      if (path === '/') return void answer(page('First', '<p>Words.</p><a href="/second">Second</a>'));
      if (path !== '/second') return void response.writeHead(404).end();
      if (died !== undefined) return void answer(page('Second', '<p>More words.</p>'));
      died = die(target);
    });
    const body = { source: 'website', url: `${url}/` };
    await expect(
      server.request(`/v1/spaces/${space.id}/content/import`, { token: space.token, body }),
    ).rejects.toThrow();
    await died;
    const began = Date.now();

    await until(async () => (await titles(space)).includes('Second') || undefined);
    expect(Date.now() - began).toBeLessThan(patience);
  });
});

test('renders a PDF whose first run was killed, and does not count the run as a failure', slow, async () => {
  const space = await server.makeSpace();
  let died: Promise<void> | undefined;
  const url = await serveLocally((_, response) => {
    if (died !== undefined) return void response.writeHead(404).end();
    died = die('node');
  });
  await getClient(server, space).change([insertPage('Picture', { document: { markdown: `![It](${url}/a.png)` } })]);
  const address = await requestPdfUrl(server, space);
  await until(() => died !== undefined || undefined);
  await died;
  const { pathname } = new URL(address);
  const current = `http://127.0.0.1:${new URL(server.url).port}${pathname}${new URL(address).search}`;

  expect((await whenDone(current)).status).toBe(200);
  const [job] = readPast(
    server.dataDir,
    `SELECT attempts, interruptions, error FROM outbox WHERE type = 'render_pdf' AND space = ?`,
    space.id,
  );
  expect(job).toEqual({ attempts: 0, interruptions: 2, error: null });
});

test('startup ignores pending work that cannot be read', slow, async () => {
  const refuse = `BEGIN SELECT RAISE(ABORT, 'not now'); END`;
  await writePast(server, `CREATE TRIGGER refusing BEFORE UPDATE OF sent_at ON outbox ${refuse}`);
  const lost = await loseEvent(settled.JOBS);
  await die('node');
  await until(() => (getLog(server.dataDir).includes('could not be resumed yet') ? true : undefined));

  await writePast(server, 'DROP TRIGGER refusing');
  await die('node');
  await until(() => isSettled(lost));
});
