import type { Endpoint } from '@octavo/schema';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { readInput } from './request.ts';

async function getInputIssues(schema: z.ZodType, value: unknown): Promise<unknown[]> {
  const endpoint = { method: 'POST', body: schema } as unknown as Endpoint;
  const request = new Request('https://api.example.test', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });
  const error = await readInput('create', endpoint, request, new URL(request.url)).catch((thrown: unknown) => thrown);
  return (error as { issues: unknown[] }).issues;
}

test('reports only the first 20 issues', async () => {
  const issues = await getInputIssues(z.array(z.string()), Array(50).fill(7));

  expect(issues).toHaveLength(20);
  expect(issues[19]).toMatchObject({ path: 'body.19' });
});

test('counts the issues inside a union as part of the same limit', async () => {
  const form = z.union([z.object({ a: z.string(), b: z.string() }), z.string()]);

  expect(await getInputIssues(z.array(form), Array(15).fill({ a: 1, b: 2 }))).toHaveLength(20);
});

test('parses each variant of a query once, and returns values that cannot be changed', async () => {
  const query = z.strictObject({ ids: z.string().transform((text) => text.split(',')) });
  const endpoint = { method: 'GET', query } as unknown as Endpoint;
  const read = async (text: string) => {
    const url = new URL(`https://api.example.test/?${text}`);
    return (await readInput('list', endpoint, new Request(url), url)).query as { ids: string[] };
  };
  const first = await read('ids=a,b');

  expect(await read('ids=a,b')).toBe(first);
  expect(await read('ids=a,c')).toEqual({ ids: ['a', 'c'] });
  expect(() => first.ids.push('c')).toThrow(TypeError);
  const long = `ids=${'x'.repeat(100)}`;
  expect(await read(long)).not.toBe(await read(long));
});

test('caches the queries that were used last', async () => {
  const endpoint = { method: 'GET', query: z.strictObject({ word: z.string() }) } as unknown as Endpoint;
  const read = async (word: string) => {
    const url = new URL(`https://api.example.test/?word=${word}`);
    return (await readInput('list', endpoint, new Request(url), url)).query;
  };
  const often = await read('often');
  const once = await read('once');
  for (let count = 0; count < 30; count += 1) {
    await read(`other${count}`);
    expect(await read('often')).toBe(often);
  }

  expect(await read('once')).not.toBe(once);
});
