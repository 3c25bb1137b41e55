import { callOperator } from '@octavo/platform';
import { beforeAll, expect, test } from 'vitest';
import { query, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getObjects } from '../pdf/rendered.ts';
import { createPetstoreSpec, getSpecs, getText, type SpecClient } from './spec-client.ts';

let specs: SpecClient;
beforeAll(async () => {
  specs = getSpecs(platform(), await platform().makeOrganization());
});

const runCron = (at: string) => callOperator(platform().dataDir, '/cron', { worker: 'publishing', cron: at });
const listObjects = () => new Set(getObjects(platform(), 'specs/').objects);
const readSweepTimes = (key: string) => query('SELECT sweep_at FROM openapi_objects WHERE key = ?', key);

interface Objects {
  raw: string;
  content: string;
}

const readVersionObjects = (id = ''): Objects[] =>
  query<Objects>('SELECT raw, content FROM openapi_versions WHERE id = ?', id);

async function sweepObjects(...keys: string[]): Promise<void> {
  for (const key of keys)
    await writeDatabase(
      platform(),
      'UPDATE openapi_objects SET sweep_at = 1 WHERE key = ? AND sweep_at IS NOT NULL',
      key,
    );
  await runCron('29 3 * * *');
}

test('deletes the objects of a deleted specification, but not those of other specifications', async () => {
  const yaml = { text: 'openapi: 3.1.0\ninfo: {}\npaths: {}\n' };
  const [doomed, remainingSpec] = [await specs.publish('doomed', yaml), await specs.publish('kept', yaml)];
  const [gone] = readVersionObjects(doomed.lastVersion);
  const [stays] = readVersionObjects(remainingSpec.lastVersion);
  expect(listObjects()).toEqual(
    expect.toSatisfy((keys: Set<string>) => keys.has(gone?.raw ?? '') && keys.has(gone?.content ?? '')),
  );

  await specs.callJson('/doomed', { method: 'DELETE' });
  expect(listObjects().has(gone?.raw ?? '')).toBe(true);
  await sweepObjects(gone?.raw ?? '', gone?.content ?? '', stays?.raw ?? '', stays?.content ?? '');

  const keys = listObjects();
  expect([gone?.raw, gone?.content].map((key = '') => keys.has(key))).toEqual([false, false]);
  expect([stays?.raw, stays?.content].map((key = '') => keys.has(key))).toEqual([true, true]);
  expect(readSweepTimes(gone?.raw ?? '')).toEqual([]);
});

test('deletes the objects of an expired version, of a rejected text, and of an unchanged text', async () => {
  const before = listObjects();
  const first = await specs.publish('many', getText(createPetstoreSpec()));
  await specs.publish('many', getText(createPetstoreSpec()));
  await specs.publish('many', { text: 'no specification' });
  for (let index = 0; index < 20; index += 1)
    await specs.publish('many', getText(createPetstoreSpec({ info: { title: `${index}` } })));
  expect(readVersionObjects(first.lastVersion)).toEqual([]);
  const newKeys = [...listObjects()].filter((key) => !before.has(key));
  expect(newKeys).toHaveLength(23);

  await sweepObjects(...newKeys);

  expect(newKeys.filter((key) => listObjects().has(key))).toHaveLength(20);
});

test('deletes the stored text of a rejected request a day later', async () => {
  await specs.put('taken', getText(createPetstoreSpec()));
  const before = listObjects();

  expect((await specs.call('', { body: { slug: 'taken', source: getText(createPetstoreSpec()) } })).status).toBe(409);

  const [lost = ''] = [...listObjects()].filter((key) => !before.has(key));
  const [{ sweep_at: at = 0 } = {}] = query<{ sweep_at: number }>(
    'SELECT sweep_at FROM openapi_objects WHERE key = ?',
    lost,
  );
  expect(at - Date.now()).toBeGreaterThan(23 * 3_600_000);
  await sweepObjects(lost);
  expect(listObjects().has(lost)).toBe(false);
});

test('a job that was killed ten times is abandoned, and a new source is processed', async () => {
  const { id } = await specs.publish('killed', getText(createPetstoreSpec()));
  await writeDatabase(platform(), "UPDATE openapi_specs SET state = 'progress', source = 7 WHERE id = ?", id);
  const columns = 'id, type, actor, request_id, data, created_at, sent_at, attempts';
  const job = [
    `evt_${crypto.randomUUID()}`,
    'process_openapi',
    '',
    '',
    JSON.stringify({ spec: id, source: 7, again: false }),
  ];
  await writeDatabase(platform(), `INSERT INTO outbox (${columns}) VALUES (?, ?, ?, ?, ?, 1, 1, 10)`, ...job);

  await runCron('* * * * *');

  await until(async () => (await specs.get('killed')).processingState === 'complete' || undefined);
  expect(await specs.get('killed')).toMatchObject({
    lastProcessErrorCode: 'PARSE_ERROR',
    lastProcessErrorMessage: expect.stringContaining('could not be processed'),
  });
  await writeDatabase(platform(), 'DELETE FROM outbox WHERE id = ?', job[0] ?? '');
  expect(await specs.publish('killed', getText(createPetstoreSpec()))).not.toHaveProperty('lastProcessErrorCode');
});
