import { TranslationLanguage } from '@octavo/schema';
import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { getTranslations } from './translation-client.ts';

test('adds a language, changes its instructions, and updates the timestamp', async () => {
  const { make, put, read, call } = await getTranslations();
  const { id } = await make();
  const times = [(await read(id)).updatedAt];

  for (const markdown of ['Use vous.', 'Use tu.']) {
    const response = await put(id, 'fr', markdown);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ language: 'fr', instructions: { markdown } });
    expect(await (await call(`/${id}/languages/fr`)).json()).toMatchObject({ instructions: { markdown } });
    times.push((await read(id)).updatedAt);
  }

  expect(times).toEqual([...new Set(times)].sort());
  expect((await read(id)).languages).toEqual(['fr']);
  expect(query('SELECT type FROM outbox WHERE data = ? ORDER BY created_at', `{"translation":"${id}"}`)).toHaveLength(
    3,
  );
});

test('accepts all languages concurrently', async () => {
  const { make, put, read } = await getTranslations();
  const { id } = await make();

  const responses = await Promise.all(TranslationLanguage.options.map((language) => put(id, language)));

  expect(responses.map(({ status }) => status)).toEqual(Array(36).fill(200));
  expect((await read(id)).languages).toEqual(TranslationLanguage.options.toSorted());
});

test('stores a document tree of instructions unchanged', async () => {
  const { make, call } = await getTranslations();
  const { id } = await make();
  const instructions = { object: 'document', data: {}, nodes: [{ object: 'block', type: 'paragraph' }] };

  expect((await call(`/${id}/languages/ja`, 'PUT', { instructions })).status).toBe(200);
  expect(await (await call(`/${id}/languages/ja`)).json()).toMatchObject({ instructions });
});

test.each([
  [{}],
  [{ instructions: null }],
  [{ instructions: 'Use vous.' }],
  [{ instructions: {} }],
  [{ instructions: { object: 'page' } }],
  [{ instructions: { markdown: 'x'.repeat(100_001) } }],
  [{ instructions: { object: 'document', text: 'x'.repeat(100_001) } }],
])('rejects %j', async (body) => {
  const { make, read, call } = await getTranslations();
  const before = await make();

  expect((await call(`/${before.id}/languages/fr`, 'PUT', body)).status).toBe(400);
  expect(await read(before.id)).toEqual(before);
});
