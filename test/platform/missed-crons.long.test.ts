import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDatabase } from '../support/database.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform, until } from '../support/own-platform.ts';

/** The nightly crons that a machine misses if it is off at night, in the order in which they run at the next start. */
const nightly = [
  'content 17 3 * * *',
  'integrations 17 3 * * *',
  'operator 53 3 * * *',
  'org-admin 41 3 * * *',
  'publishing 29 3 * * *',
];
const [sweep = '', ...others] = nightly;
const last = others.at(-1) ?? '';
const slow = { timeout: 300_000 };
type Times = Record<string, string>;

let server: OwnPlatform;
/** Waits until no nightly cron is due during these tests, which count runs. */
async function waitUntilBetweenCrons(): Promise<void> {
  const within = 8 * 60_000;
  for (const [minute, hour] of nightly.map((name) => name.split(' ').slice(1, 3).map(Number))) {
    const left = new Date().setUTCHours(hour ?? 0, minute ?? 0, 5) - Date.now();
    if (left > 0 && left < within) await new Promise((resolve) => setTimeout(resolve, left));
  }
}

beforeAll(async () => {
  await waitUntilBetweenCrons();
  server = await startOwnPlatform();
}, 3_600_000);
afterAll(() => server?.remove());

const getFile = () => path.join(server.dataDir, 'crons.json');
const getDaysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000).toISOString();
const countSweeps = () => queryDatabase(server.dataDir, "SELECT id FROM outbox WHERE type = 'sweep_expired'").length;

/** Returns the recorded times, or none while the file still contains the invalid JSON that a test wrote. */
const readRecordedTimes = async (): Promise<Times> => {
  const text = await readFile(getFile(), 'utf8').catch(() => '{}');
  try {
    return (JSON.parse(text) as Times | null) ?? {};
  } catch {
    return {};
  }
};

/** Waits until the last of the nightly crons has run after `since`, and returns the recorded times. */
const waitForMissedCrons = (since: string) =>
  until(async () => {
    const record = await readRecordedTimes();
    return Date.parse(record[last] ?? '') >= Date.parse(since) ? record : undefined;
  });

/** Restarts the server with this record of cron runs, as if the machine had been off since then. */
async function restartWithRecord(record: string): Promise<void> {
  await server.kill('SIGTERM');
  await writeFile(getFile(), record);
  await server.restart();
}

test('no crons are missed before the first start', async () => {
  const record = await waitForMissedCrons(getDaysAgo(1));

  expect(Object.keys(record)).toEqual(nightly);
  expect(countSweeps()).toBe(0);
});

test('missed crons run once at startup, and other crons do not run', slow, async () => {
  let began = new Date().toISOString();
  const missed = Object.fromEntries(others.map((name) => [name, getDaysAgo(2)]));
  await restartWithRecord(JSON.stringify({ [sweep]: getDaysAgo(9), ...missed }));
  const { [sweep]: ran = '' } = await waitForMissedCrons(began);
  expect(ran.localeCompare(began)).toBe(1);
  expect(countSweeps()).toBe(1);

  began = new Date().toISOString();
  await restartWithRecord(JSON.stringify({ [sweep]: ran, ...missed }));
  expect(await waitForMissedCrons(began)).toMatchObject({ [sweep]: ran });
  expect(countSweeps()).toBe(1);
});

test.each(['', '[]', 'null', '{"content 17 3 * * *": 7, "publishing 29 3 * * *": "yesterday"}'])(
  'replaces a stored record of %j by a new one',
  slow,
  async (record) => {
    const began = new Date().toISOString();
    await restartWithRecord(record);

    expect(Object.keys(await waitForMissedCrons(began)).sort()).toEqual(nightly.toSorted());
    expect(countSweeps()).toBe(1);
  },
);
