import { callOperator } from '@octavo/platform';
import { beforeAll, expect, test } from 'vitest';
import { query, writePast } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getObjects } from '../pdf/rendered.ts';
import { getSpecs, getText, petstore, type SpecClient } from './spec-client.ts';

let specs: SpecClient;
beforeAll(async () => {
  specs = getSpecs(platform(), await platform().makeOrganization());
});

const cron = (at: string) => callOperator(platform().dataDir, '/cron', { worker: 'publishing', cron: at });
const left = () => new Set(getObjects(platform(), 'specs/').objects);
const noted = (key: string) => query('SELECT sweep_at FROM openapi_objects WHERE key = ?', key);

interface Objects {
  raw: string;
  content: string;
}

const objectsOfVersion = (id = ''): Objects[] =>
  query<Objects>('SELECT raw, content FROM openapi_versions WHERE id = ?', id);

async function sweep(...keys: string[]): Promise<void> {
  for (const key of keys)
    await writePast(platform(), 'UPDATE openapi_objects SET sweep_at = 1 WHERE key = ? AND sweep_at IS NOT NULL', key);
  await cron('29 3 * * *');
}

test('deletes the objects of a deleted specification, but not those of other specifications', async () => {
  const yaml = { text: 'openapi: 3.1.0\ninfo: {}\npaths: {}\n' };
  const [doomed, kept] = [await specs.publish('doomed', yaml), await specs.publish('kept', yaml)];
  const [gone] = objectsOfVersion(doomed.lastVersion);
  const [stays] = objectsOfVersion(kept.lastVersion);
  expect(left()).toEqual(
    expect.toSatisfy((keys: Set<string>) => keys.has(gone?.raw ?? '') && keys.has(gone?.content ?? '')),
  );

  await specs.ok('/doomed', { method: 'DELETE' });
  expect(left().has(gone?.raw ?? '')).toBe(true);
  await sweep(gone?.raw ?? '', gone?.content ?? '', stays?.raw ?? '', stays?.content ?? '');

  const keys = left();
  expect([gone?.raw, gone?.content].map((key = '') => keys.has(key))).toEqual([false, false]);
  expect([stays?.raw, stays?.content].map((key = '') => keys.has(key))).toEqual([true, true]);
  expect(noted(gone?.raw ?? '')).toEqual([]);
});

test('deletes the objects of an expired version, of a rejected text, and of an unchanged text', async () => {
  const before = left();
  const first = await specs.publish('many', getText(petstore()));
  await specs.publish('many', getText(petstore()));
  await specs.publish('many', { text: 'no specification' });
  for (let index = 0; index < 20; index += 1)
    await specs.publish('many', getText(petstore({ info: { title: `${index}` } })));
  expect(objectsOfVersion(first.lastVersion)).toEqual([]);
  const made = [...left()].filter((key) => !before.has(key));
  expect(made).toHaveLength(23);

  await sweep(...made);

  expect(made.filter((key) => left().has(key))).toHaveLength(20);
});

test('deletes the stored text of a rejected request a day later', async () => {
  await specs.put('taken', getText(petstore()));
  const before = left();

  expect((await specs.call('', { body: { slug: 'taken', source: getText(petstore()) } })).status).toBe(409);

  const [lost = ''] = [...left()].filter((key) => !before.has(key));
  const [{ sweep_at: at = 0 } = {}] = query<{ sweep_at: number }>(
    'SELECT sweep_at FROM openapi_objects WHERE key = ?',
    lost,
  );
  expect(at - Date.now()).toBeGreaterThan(23 * 3_600_000);
  await sweep(lost);
  expect(left().has(lost)).toBe(false);
});

test('a job that was killed ten times is given up, and a new source is processed', async () => {
  const { id } = await specs.publish('killed', getText(petstore()));
  await writePast(platform(), "UPDATE openapi_specs SET state = 'progress', source = 7 WHERE id = ?", id);
  const columns = 'id, type, actor, request_id, data, created_at, sent_at, attempts';
  const job = [
    `evt_${crypto.randomUUID()}`,
    'process_openapi',
    '',
    '',
    JSON.stringify({ spec: id, source: 7, again: false }),
  ];
  await writePast(platform(), `INSERT INTO outbox (${columns}) VALUES (?, ?, ?, ?, ?, 1, 1, 10)`, ...job);

  await cron('* * * * *');

  await until(async () => (await specs.get('killed')).processingState === 'complete' || undefined);
  expect(await specs.get('killed')).toMatchObject({
    lastProcessErrorCode: 'PARSE_ERROR',
    lastProcessErrorMessage: expect.stringContaining('could not be processed'),
  });
  await writePast(platform(), 'DELETE FROM outbox WHERE id = ?', job[0] ?? '');
  expect(await specs.publish('killed', getText(petstore()))).not.toHaveProperty('lastProcessErrorCode');
});
