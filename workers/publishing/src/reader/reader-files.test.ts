import { afterEach, expect, test, vi } from 'vitest';
import type { PublishingEnvironment } from '../environment.ts';
import { sweepReaderFiles } from './reader-files.ts';

const day = 24 * 3_600_000;

afterEach(() => void vi.useRealTimers());

/** Creates a bucket with these stored files, and a function that runs the sweep of a build on a day. */
function createBucket(names: string[]) {
  const objects = new Map(names.map((name) => [`assets/${name}`, '']));
  const RENDERED = {
    list: async ({ prefix }: { prefix: string }) => ({
      objects: [...objects.keys()].filter((key) => key.startsWith(prefix)).map((key) => ({ key })),
      truncated: false,
    }),
    get: async (key: string) => {
      const text = objects.get(key);
      return text === undefined ? null : { json: async () => JSON.parse(text) as unknown };
    },
    put: async (key: string, text: string) => void objects.set(key, text),
    delete: async (keys: string[]) => keys.forEach((key) => void objects.delete(key)),
  };
  async function sweep(build: string[], days: number) {
    vi.useFakeTimers({ now: days * day, toFake: ['Date'] });
    const FILES = { fetch: async () => Response.json(build) };
    await sweepReaderFiles({ FILES, RENDERED, OCTAVO_ONE_ISOLATE: '' } as unknown as PublishingEnvironment);
    return [...objects.keys()].filter((key) => key.startsWith('assets/')).map((key) => key.slice('assets/'.length));
  }
  return { sweep };
}

test('deletes a file 60 days after the last build with it', async () => {
  const { sweep } = createBucket(['old.css', 'app.js']);

  expect(await sweep(['old.css', 'app.js'], 1)).toEqual(['old.css', 'app.js']);
  expect(await sweep(['app.js'], 100)).toEqual(['old.css', 'app.js']);
  expect(await sweep(['app.js'], 159)).toEqual(['old.css', 'app.js']);
  expect(await sweep(['app.js'], 160)).toEqual(['app.js']);
});

test('a build that has the file again starts the time again', async () => {
  const { sweep } = createBucket(['old.css']);
  for (const [build, time] of [
    [[], 1],
    [['old.css'], 59],
    [[], 60],
  ] as const)
    await sweep([...build], time);

  expect(await sweep([], 119)).toEqual(['old.css']);
  expect(await sweep([], 120)).toEqual([]);
});

test('deletes at most 1,000 files in one run', async () => {
  const { sweep } = createBucket(Array.from({ length: 1500 }, (_, index) => `${index}.js`));
  await sweep([], 0);

  expect(await sweep([], 60)).toHaveLength(500);
  expect(await sweep([], 61)).toEqual([]);
});
