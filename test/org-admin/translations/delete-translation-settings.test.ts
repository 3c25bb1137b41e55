import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { getTranslations } from './translation-client.ts';

test('deletes the settings with their languages, once', async () => {
  const { make, put, call } = await getTranslations();
  const { id } = await make();
  const other = await make();
  await put(id, 'fr');
  await put(other.id, 'fr');

  const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await call(`/${id}`, 'DELETE')).status));

  expect(statuses.toSorted()).toEqual([205, ...Array(9).fill(404)]);
  expect((await call(`/${id}`)).status).toBe(404);
  expect((await call(`/${id}/languages/fr`)).status).toBe(404);
  expect(query('SELECT settings FROM translation_languages WHERE settings IN (?, ?)', id, other.id)).toEqual([
    { settings: other.id },
  ]);
});

test('deleting settings also deletes a language that is added concurrently', async () => {
  const { make, put, call } = await getTranslations();
  const all = await Promise.all(Array.from({ length: 10 }, () => make()));

  const responses = await Promise.all(
    all.flatMap(({ id }) => [put(id, 'fr'), call(`/${id}`, 'DELETE'), put(id, 'de')]),
  );

  for (const { status } of responses) expect([200, 205, 404]).toContain(status);
  for (const { id } of all) {
    expect(query('SELECT language FROM translation_languages WHERE settings = ?', id)).toEqual([]);
  }
});
