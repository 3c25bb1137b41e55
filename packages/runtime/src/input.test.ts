import type { Endpoint } from '@octavo/schema';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { readInput } from './request.ts';

async function issuesOf(schema: z.ZodType, value: unknown): Promise<unknown[]> {
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
  const issues = await issuesOf(z.array(z.string()), Array(50).fill(7));

  expect(issues).toHaveLength(20);
  expect(issues[19]).toMatchObject({ path: 'body.19' });
});

test('counts the issues inside a union as part of the same limit', async () => {
  const form = z.union([z.object({ a: z.string(), b: z.string() }), z.string()]);

  expect(await issuesOf(z.array(form), Array(15).fill({ a: 1, b: 2 }))).toHaveLength(20);
});
