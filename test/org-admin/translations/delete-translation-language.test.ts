import { expect, test } from 'vitest';
import { getTranslations } from './translation-client.ts';

test('deletes a language once, and updates the timestamp', async () => {
  const { make, put, read, call } = await getTranslations();
  const { id } = await make();
  for (const language of ['fr', 'de']) await put(id, language);
  const before = await read(id);

  const statuses = await Promise.all(
    Array.from({ length: 10 }, async () => (await call(`/${id}/languages/fr`, 'DELETE')).status),
  );
  const after = await read(id);

  expect(statuses.toSorted()).toEqual([205, ...Array(9).fill(404)]);
  expect(after).toEqual({ ...before, languages: ['de'], updatedAt: expect.any(String) });
  expect(Date.parse(after.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
  expect((await call(`/${id}/languages/fr`)).status).toBe(404);
  expect((await call(`/${id}/languages/xx`, 'DELETE')).status).toBe(404);
});
