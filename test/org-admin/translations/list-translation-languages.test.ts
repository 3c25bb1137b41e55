import { expect, test } from 'vitest';
import { expectPaging } from '../../support/paging.ts';
import { getTranslations } from './translation-client.ts';

test('returns each language equal to its single read, ordered by code', async () => {
  const { make, put, call } = await getTranslations();
  const { id } = await make();
  for (const language of ['sl', 'ar', 'de']) await put(id, language, `For ${language}`);

  const { items } = (await (await call(`/${id}/languages`)).json()) as { items: { language: string }[] };

  expect(items.map(({ language }) => language)).toEqual(['ar', 'de', 'sl']);
  for (const item of items) {
    expect(item).toEqual(await (await call(`/${id}/languages/${item.language}`)).json());
  }
});

test('paginates by cursor', async () => {
  const { make, put, path, owner } = await getTranslations();
  const { id } = await make();
  for (const language of ['fr', 'de', 'es', 'it']) await put(id, language);
  const later = ['en', 'pt', 'zh', 'ar'];

  await expectPaging(`${path}/${id}/languages`, owner.token, () => put(id, later.pop() ?? 'ko'));
});
