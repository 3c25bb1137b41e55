import { expect, test } from 'vitest';
import { getTranslations } from './translation-client.ts';

test('returns 404 for settings of another organization', async () => {
  const [mine, theirs] = [await getTranslations(), await getTranslations()];
  const { id } = await theirs.make();
  await theirs.put(id, 'fr');

  for (const [below, method, body] of [
    [`/${id}`, 'GET', undefined],
    [`/${id}`, 'PUT', { title: 'Taken over' }],
    [`/${id}`, 'DELETE', undefined],
    [`/${id}/languages`, 'GET', undefined],
    [`/${id}/languages/fr`, 'GET', undefined],
    [`/${id}/languages/fr`, 'PUT', { instructions: { markdown: 'Taken over' } }],
    [`/${id}/languages/de`, 'PUT', { instructions: { markdown: 'Taken over' } }],
    [`/${id}/languages/fr`, 'DELETE', undefined],
  ] as const) {
    expect([method, below, (await mine.call(below, method, body)).status]).toEqual([method, below, 404]);
  }
  expect(await theirs.read(id)).toMatchObject({ title: 'Settings', languages: ['fr'] });
  expect(await (await theirs.call(`/${id}/languages/fr`)).json()).toMatchObject({
    instructions: { markdown: 'Be brief.' },
  });
});
