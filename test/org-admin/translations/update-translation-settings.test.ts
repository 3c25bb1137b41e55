import { expect, test } from 'vitest';
import { getTranslations } from './translation-client.ts';

test('renames the settings and updates the timestamp', async () => {
  const { make, put, read, call } = await getTranslations();
  const { id } = await make('Old');
  await put(id, 'fr');
  const before = await read(id);

  const response = await call(`/${id}`, 'PUT', { title: 'New' });
  const changed = (await response.json()) as { updatedAt: string };

  expect(response.status).toBe(200);
  expect(changed).toEqual({ ...before, title: 'New', updatedAt: expect.any(String) });
  expect(Date.parse(changed.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
  expect(await read(id)).toEqual(changed);
});

test.each([[undefined], [{}], [{ title: '' }], [{ title: 'x'.repeat(101) }]])('rejects %j', async (body) => {
  const { make, read, call } = await getTranslations();
  const before = await make();

  expect((await call(`/${before.id}`, 'PUT', body)).status).toBe(400);
  expect(await read(before.id)).toEqual(before);
});
