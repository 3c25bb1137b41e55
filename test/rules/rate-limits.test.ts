import { readFileSync } from 'node:fs';
import path from 'node:path';
import { defaultRateLimits, getOperationName, ratePeriodSeconds, readRateLimits } from '@octavo/schema';
import { expect, test } from 'vitest';
import { operations } from '../support/endpoints.ts';
import { getSources } from '../support/sources.ts';

const sources = getSources('workers');

/** Returns the source of an operation, up to the next export. */
function getText(id: string): string {
  const start = `export const ${id} = handler(`;
  const text = sources.find((source) => source.text.includes(start))?.text ?? '';
  return text.slice(text.indexOf(start)).split(/\n(?=export )/, 1)[0] ?? '';
}

/** Functions whose calls start long work for each request. */
const beginsWork = /\b(?:startImport|exportPdf|requestMails|storeSource|postEvent)\(|'space\.duplicated'/;

test.each([
  ['jobs', (id: string) => beginsWork.test(getText(id))],
  ['searches', (id: string) => /^(?:search|suggest|getEmbed)/.test(id)],
] as const)('exactly the expected operations count towards the limit of %s', (kind, takes) => {
  const counted = operations.filter(({ endpoint }) => endpoint.rate === kind).map(({ id }) => id);
  const meant = operations.filter(({ id, endpoint }) => takes(getOperationName(id, endpoint))).map(({ id }) => id);

  expect(counted.sort()).toEqual(meant.sort());
  expect(counted.length).toBeGreaterThan(1);
});

test('the same operation counts equally on live content, change requests and revisions', () => {
  const rates = new Map<string, Set<string | undefined>>();
  for (const { endpoint } of operations) {
    const place = endpoint.path.replace(/\/(?:change-requests\/:changeRequestId|revisions\/:revisionId)(?=\/)/, '');
    const key = `${endpoint.method} ${place}`;
    rates.set(key, (rates.get(key) ?? new Set()).add(endpoint.rate));
  }

  expect([...rates].filter(([, each]) => each.size > 1).map(([key]) => key)).toEqual([]);
});

test('the limits on Cloudflare match those on one machine', () => {
  const file = path.resolve(import.meta.dirname, '../../build/manifest.json');
  const { workers } = JSON.parse(readFileSync(file, 'utf8')) as {
    workers: { name: string; options: { ratelimits?: Record<string, { simple: object }> } }[];
  };
  const { ratelimits = {} } = workers.find(({ name }) => name === 'gateway')?.options ?? {};
  const limits = Object.entries(ratelimits).map(([name, { simple }]) => [name, simple]);
  const { requests: _, ...limited } = defaultRateLimits;
  const expected = Object.entries(limited).map(([kind, limit]) => [
    `LIMIT_${kind.replace('-', '_').toUpperCase()}`,
    { limit, period: ratePeriodSeconds },
  ]);

  expect(Object.fromEntries(limits)).toEqual(Object.fromEntries(expected));
});

test('the setting replaces the limits that it names, and `off` disables all limits', () => {
  expect(readRateLimits('')).toEqual(defaultRateLimits);
  expect(readRateLimits(' searches = 3,sign-ins=0 ')).toEqual({ ...defaultRateLimits, searches: 3, 'sign-ins': 0 });
  expect(new Set(Object.values(readRateLimits('off')))).toEqual(new Set([0]));
});

test.each(['search=3', 'searches', 'searches=-1', 'searches=1.5', 'off, searches=3', 'searches=3,', '__proto__=1'])(
  'rejects the setting %j, and lists the valid settings',
  (setting) => {
    expect(() => readRateLimits(setting)).toThrow(
      /is not a rate limit. Use off, or limits per minute such as searches=300 for/,
    );
  },
);
