import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPast } from '../support/database.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { ownPlatform, until } from '../support/own-platform.ts';

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
async function betweenNightly(): Promise<void> {
  const within = 8 * 60_000;
  for (const [minute, hour] of nightly.map((name) => name.split(' ').slice(1, 3).map(Number))) {
    const left = new Date().setUTCHours(hour ?? 0, minute ?? 0, 5) - Date.now();
    if (left > 0 && left < within) await new Promise((resolve) => setTimeout(resolve, left));
  }
}

beforeAll(async () => {
  await betweenNightly();
  server = await ownPlatform();
}, 3_600_000);
afterAll(() => server?.remove());

const file = () => path.join(server.dataDir, 'crons.json');
const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000).toISOString();
const sweeps = () => readPast(server.dataDir, "SELECT id FROM outbox WHERE type = 'sweep_expired'").length;

/** Returns the recorded times, or none while the file still contains the invalid JSON that a test wrote. */
const recorded = async (): Promise<Times> => {
  const text = await readFile(file(), 'utf8').catch(() => '{}');
  try {
    return (JSON.parse(text) as Times | null) ?? {};
  } catch {
    return {};
  }
};

/** Waits until the last of the nightly crons has run after `since`, and returns the recorded times. */
const caughtUp = (since: string) =>
  until(async () => {
    const record = await recorded();
    return Date.parse(record[last] ?? '') >= Date.parse(since) ? record : undefined;
  });

/** Restarts the server with this record of cron runs, as if the machine had been off since then. */
async function restartedAfter(record: string): Promise<void> {
  await server.kill('SIGTERM');
  await writeFile(file(), record);
  await server.restart();
}

test('no crons are missed before the first start', async () => {
  const record = await caughtUp(daysAgo(1));

  expect(Object.keys(record)).toEqual(nightly);
  expect(sweeps()).toBe(0);
});

test('missed crons run once at startup, and other crons do not run', slow, async () => {
  let began = new Date().toISOString();
  const missed = Object.fromEntries(others.map((name) => [name, daysAgo(2)]));
  await restartedAfter(JSON.stringify({ [sweep]: daysAgo(9), ...missed }));
  const { [sweep]: ran = '' } = await caughtUp(began);
  expect(ran.localeCompare(began)).toBe(1);
  expect(sweeps()).toBe(1);

  began = new Date().toISOString();
  await restartedAfter(JSON.stringify({ [sweep]: ran, ...missed }));
  expect(await caughtUp(began)).toMatchObject({ [sweep]: ran });
  expect(sweeps()).toBe(1);
});

test.each(['', '[]', 'null', '{"content 17 3 * * *": 7, "publishing 29 3 * * *": "yesterday"}'])(
  'starts a new record if the stored one is %j',
  slow,
  async (record) => {
    const began = new Date().toISOString();
    await restartedAfter(record);

    expect(Object.keys(await caughtUp(began)).sort()).toEqual(nightly.toSorted());
    expect(sweeps()).toBe(1);
  },
);
