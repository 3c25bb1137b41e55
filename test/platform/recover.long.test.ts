import type { ConsumedEventType, EventQueue } from '@octavo/schema';
import { createId, eventQueues } from '@octavo/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getClient, insertPage } from '../content/space-client.ts';
import { requestPdfUrl, waitForPdf } from '../publishing/pdf/pdf-client.ts';
import { queryDatabase, writeDatabase } from '../support/database.ts';
import { serveLocally } from '../support/local-server.ts';
import { getLog } from '../support/log.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform, until } from '../support/own-platform.ts';
import type { TestSpace } from '../support/platform.ts';

const slow = { timeout: 300_000 };
const minute = 60_000;
/**
 * Timers resume work only after this time, because it may still be in progress. Work is resumed earlier only if its
 * process is known to be dead.
 */
const patience = minute;

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform({ allowsPrivate: true });
});
afterAll(() => server.remove());

const isUp = () =>
  server.request('/v1/user', { token: server.token }).then(({ status }) => status === 200 || undefined);

async function killProcess(target: 'node' | 'workerd' | 'both'): Promise<void> {
  const before = await server.getWorkerdPid();
  if (target === 'both') await server.kill('SIGKILL', 'workerd');
  await server.kill('SIGKILL', target === 'both' ? 'node' : target);
  if (target !== 'workerd') await server.restart();
  else await until(async () => (await server.getWorkerdPid().catch(() => before)) !== before || undefined);
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

/** Inserts an event that was written long ago and sent just now. The timer would not send it again for 15 minutes. */
async function insertRecentlySentEvent({ type, data }: { type: ConsumedEventType; data: object }): Promise<string> {
  const id = createId('event');
  const columns = 'id, type, space, actor, request_id, data, created_at, sent_at';
  const values = [id, type, 'spc_none', '', '', JSON.stringify(data), Date.now() - 60 * minute, Date.now()];
  await writeDatabase(server, `INSERT INTO outbox (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, ...values);
  return id;
}

const isSettled = (id: string) =>
  queryDatabase(server.dataDir, 'SELECT 1 FROM outbox WHERE id = ? AND done_at IS NOT NULL', id).length > 0 ||
  undefined;

async function sendWithKey(space: TestSpace, changes: object[]) {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  return () => server.request(`/v1/spaces/${space.id}/content`, { token: space.token, headers, body: { changes } });
}

const listTitles = async (space: TestSpace) => (await getClient(server, space).pages()).map(({ title }) => title);

test('this file contains an event for each queue', () => {
  expect(Object.entries(settled).map(([queue, { type }]) => [queue, eventQueues[type]])).toEqual(
    Object.keys(settled).map((queue) => [queue, queue]),
  );
  expect(Object.keys(settled).sort()).toEqual([...new Set(Object.values(eventQueues))].sort());
});

describe.each(['node', 'workerd'] as const)('after %s is killed', slow, (target) => {
  test('every queue immediately receives its unprocessed messages again', async () => {
    const lost = await Promise.all(Object.values(settled).map(insertRecentlySentEvent));
    await killProcess(target);

    for (const id of lost) await until(() => isSettled(id));
  });

  test('search finds the last version of pages edited right before', async () => {
    const space = getClient(server, await server.makeSpace());
    const pages = await space.change(Array.from({ length: 30 }, (_, index) => insertPage(`Page ${index}`)));
    const write = (page: string, markdown: string) =>
      space.change([{ operation: 'update_page', page, document: { markdown } }]);
    await Promise.all(pages.map((page, index) => write(page, `stint${index}`)));
    await Promise.all(pages.map((page, index) => write(page, `dunlin knot${index}`)));
    await killProcess(target);

    const searchItems = async (words: string) =>
      (await space.callJson<{ items: { title: string }[] }>(`/search?query=${words}&limit=50`)).items;
    await until(async () => (await searchItems('dunlin')).length === pages.length || undefined);
    expect((await searchItems('knot29')).map(({ title }) => title)).toEqual(['Page 29']);
    expect(await searchItems('stint29')).toEqual([]);
  });

  test('a repeated request is executed immediately if its first attempt died', async () => {
    const space = await server.makeSpace();
    let died: Promise<void> | undefined;
    const url = await serveLocally((_, response) => {
      if (died !== undefined) return void response.end('words');
      died = killProcess(target);
    });
    const file = { operation: 'insert_files', files: [{ name: 'a.txt', url }] };
    const send = await sendWithKey(space, [insertPage('Once'), file]);

    await expect(send()).rejects.toThrow();
    await died;
    const began = Date.now();
    expect((await send()).status).toBe(200);
    expect(Date.now() - began).toBeLessThan(patience);
    expect(await listTitles(space)).toEqual(['Once']);
  });

  test('a repeated request whose first attempt died after its writes immediately reports the lost response', async () => {
    const space = await server.makeSpace();
    const send = await sendWithKey(space, [insertPage('Once')]);
    expect((await send()).status).toBe(200);
    await writeDatabase(
      server,
      `UPDATE idempotency_keys SET state = 'committed' WHERE created_at > ?`,
      Date.now() - minute,
    );
    await killProcess(target);

    const response = await send();
    expect([response.status, response.headers.get('retry-after')]).toEqual([409, null]);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('its response was lost') },
    });
    expect(await listTitles(space)).toEqual(['Once']);
  });

  test('an interrupted import continues immediately', async () => {
    const space = await server.makeSpace();
    let died: Promise<void> | undefined;
    const createPage = (title: string, body: string) =>
      `<html><head><title>${title}</title></head><body><main>${body}</main></body></html>`;
    const url = await serveLocally(({ url: path }, response) => {
      const sendHtml = (body: string) => response.setHeader('content-type', 'text/html').end(body);
      if (path === '/') return void sendHtml(createPage('First', '<p>Words.</p><a href="/second">Second</a>'));
      if (path !== '/second') return void response.writeHead(404).end();
      if (died !== undefined) return void sendHtml(createPage('Second', '<p>More words.</p>'));
      died = killProcess(target);
    });
    const body = { source: 'website', url: `${url}/` };
    await expect(
      server.request(`/v1/spaces/${space.id}/content/import`, { token: space.token, body }),
    ).rejects.toThrow();
    await died;
    const began = Date.now();

    await until(async () => (await listTitles(space)).includes('Second') || undefined);
    expect(Date.now() - began).toBeLessThan(patience);
  });
});

test('renders a PDF whose first run was killed, and does not count the run as a failure', slow, async () => {
  const space = await server.makeSpace();
  let died: Promise<void> | undefined;
  const url = await serveLocally((_, response) => {
    if (died !== undefined) return void response.writeHead(404).end();
    // If only the render process were killed, the runtime could still record that the job failed.
    died = killProcess('both');
  });
  await getClient(server, space).change([insertPage('Picture', { document: { markdown: `![It](${url}/a.png)` } })]);
  const address = await requestPdfUrl(server, space);
  await until(() => died !== undefined || undefined);
  await died;
  const { pathname } = new URL(address);
  const current = `http://127.0.0.1:${new URL(server.url).port}${pathname}${new URL(address).search}`;

  expect((await waitForPdf(current)).status).toBe(200);
  const [job] = queryDatabase(
    server.dataDir,
    `SELECT attempts, interruptions, error FROM outbox WHERE type = 'render_pdf' AND space = ?`,
    space.id,
  );
  expect(job).toEqual({ attempts: 0, interruptions: 2, error: null });
});

test('startup ignores pending work that cannot be read', slow, async () => {
  const refuse = `BEGIN SELECT RAISE(ABORT, 'not now'); END`;
  await writeDatabase(server, `CREATE TRIGGER refusing BEFORE UPDATE OF sent_at ON outbox ${refuse}`);
  const lost = await insertRecentlySentEvent(settled.JOBS);
  await killProcess('node');
  await until(() => (getLog(server.dataDir).includes('could not be resumed yet') ? true : undefined));

  await writeDatabase(server, 'DROP TRIGGER refusing');
  await killProcess('node');
  await until(() => isSettled(lost));
});
