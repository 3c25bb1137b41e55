import { callOperator } from '@octavo/platform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getClient, insertPage } from '../../content/space-client.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform, until } from '../../support/own-platform.ts';
import type { TestSpace } from '../../support/platform.ts';
import { requestPdfUrl, waitForPdf } from './pdf-client.ts';
import { getObjects } from './rendered.ts';

const day = 24 * 3_600_000;
let server: OwnPlatform;
let space: TestSpace;
beforeAll(async () => {
  server = await startOwnPlatform();
  space = await server.makeSpace();
});
afterAll(() => server?.remove());

const runCron = (at: string) => callOperator(server.dataDir, '/cron', { worker: 'publishing', cron: at });
const getId = (address: string) => new URL(address).pathname.split('/')[2] ?? '';
const readRows = () =>
  queryDatabase<{ id: string; state: string; asked_at: number }>(server.dataDir, 'SELECT * FROM pdfs');
const findRow = (address: string) => readRows().find(({ id }) => id === getId(address));

/** Renders a PDF of content that no other test uses, and returns its URL. */
async function createPdf(): Promise<string> {
  await getClient(server, space).change([insertPage('One more')]);
  const url = await requestPdfUrl(server, space);
  expect((await waitForPdf(url)).status).toBe(200);
  return url;
}

const setRequestTime = (address: string, days: number): Promise<void> =>
  writeDatabase(server, 'UPDATE pdfs SET asked_at = ? WHERE id = ?', Date.now() - days * day, getId(address));

test('deletes a PDF not requested for a week, with its bytes', async () => {
  const [old, young] = [await createPdf(), await createPdf()];
  await setRequestTime(old, 8);
  await setRequestTime(young, 6);

  await runCron('29 3 * * *');

  expect([findRow(old), findRow(young)?.state]).toEqual([undefined, 'ready']);
  expect([(await fetch(old)).status, (await fetch(young)).status]).toEqual([410, 200]);
  expect(getObjects(server).objects).not.toContain(getId(old));
  expect(getObjects(server).objects).toContain(getId(young));
});

test('keeps a PDF for another week when it is requested again', async () => {
  const url = await createPdf();
  await setRequestTime(url, 6);

  expect(getId(await requestPdfUrl(server, space))).toBe(getId(url));
  expect(findRow(url)?.asked_at).toBeGreaterThan(Date.now() - day);
});

test('renders a deleted PDF again', async () => {
  const url = await createPdf();
  await setRequestTime(url, 8);
  await runCron('29 3 * * *');

  const again = await requestPdfUrl(server, space);

  expect(getId(again)).not.toBe(getId(url));
  expect((await waitForPdf(again)).status).toBe(200);
});

test('deletes the PDFs of a space in the trash on the day the space is purged', async () => {
  const doomed = await server.makeSpace();
  const url = await requestPdfUrl(server, doomed);
  expect((await waitForPdf(url)).status).toBe(200);
  await server.request(`/v1/spaces/${doomed.id}`, { token: doomed.token, method: 'DELETE' });
  expect((await fetch(url)).status).toBe(410);
  await setRequestTime(url, 8);
  await writeDatabase(server, 'UPDATE spaces SET deleted_at = ? WHERE id = ?', Date.now() - 8 * day, doomed.id);

  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '17 3 * * *' });
  await until(
    () => queryDatabase(server.dataDir, 'SELECT 1 FROM spaces WHERE id = ?', doomed.id).length === 0 || undefined,
  );
  await runCron('29 3 * * *');

  expect(findRow(url)).toBeUndefined();
  expect(getObjects(server).objects).not.toContain(getId(url));
  expect((await fetch(url)).status).toBe(410);
});

test('reports a failed PDF, which can be requested again; its job stays a dead letter and can be replayed', async () => {
  await getClient(server, space).change([insertPage('It fails')]);
  const url = await requestPdfUrl(server, space);
  await waitForPdf(url);
  // Simulates a job whose tenth attempt was killed long ago.
  await writeDatabase(server, "UPDATE pdfs SET state = 'waiting' WHERE id = ?", getId(url));
  await writeDatabase(
    server,
    "UPDATE outbox SET done_at = NULL, attempts = 10, sent_at = ? WHERE type = 'render_pdf' AND data->>'pdf' = ?",
    Date.now() - day,
    getId(url),
  );

  await runCron('* * * * *');

  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([410, expect.stringContaining('could not be generated')]);
  const { jobs } = await callOperator(server.dataDir, '/jobs');
  const dead = jobs.find(({ type }) => type === 'render_pdf');
  expect(dead).toMatchObject({ dead: true, space: space.id });

  await callOperator(server.dataDir, '/jobs/replay', { id: dead?.id ?? '' });
  await runCron('* * * * *');
  await until(() => findRow(url)?.state === 'ready' || undefined);
  expect((await fetch(url)).status).toBe(200);
});

test('a new PDF replaces a failed one, and replaying the failed job changes nothing', async () => {
  const url = await createPdf();
  await writeDatabase(server, "UPDATE pdfs SET state = 'failed' WHERE id = ?", getId(url));
  const again = await requestPdfUrl(server, space);
  expect((await waitForPdf(again)).status).toBe(200);
  await writeDatabase(
    server,
    "UPDATE outbox SET done_at = NULL, attempts = 0, sent_at = 0 WHERE type = 'render_pdf' AND data->>'pdf' = ?",
    getId(url),
  );

  await runCron('* * * * *');
  await until(async () => (await callOperator(server.dataDir, '/jobs')).jobs.length === 0 || undefined);

  expect([findRow(url)?.state, findRow(again)?.state]).toEqual(['failed', 'ready']);
});
