import { expect, test } from 'vitest';
import { createVisitRecorder } from './record-visit.ts';

test('sends a page again only after another page', () => {
  const sent: string[] = [];
  const record = createVisitRecorder(async (space, page) => sent.push(`${space} ${page}`));
  for (const page of ['pg_a', 'pg_a', 'pg_b', 'pg_b', 'pg_a']) record('spc_a', page);

  expect(sent).toEqual(['spc_a pg_a', 'spc_a pg_b', 'spc_a pg_a']);
});

test('sends a page again after a failed request', async () => {
  const results = [Promise.reject(new Error('offline')), Promise.resolve()];
  const sent: string[] = [];
  const record = createVisitRecorder((_, page) => results[sent.push(page) - 1] ?? Promise.resolve());
  record('spc_a', 'pg_a');
  await Promise.allSettled(results);
  record('spc_a', 'pg_a');
  record('spc_a', 'pg_a');

  expect(sent).toEqual(['pg_a', 'pg_a']);
});
