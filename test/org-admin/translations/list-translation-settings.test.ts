import { expect, test } from 'vitest';
import { expectPaging } from '../../support/paging.ts';
import { getTranslations } from './translation-client.ts';

test('returns the settings of the organization, each equal to its single read, newest first', async () => {
  const { call, make, put, read } = await getTranslations();
  await (await getTranslations()).make('Not mine');
  const [one, two] = [await make('One'), await make('Two')];
  for (const language of ['sl', 'ar', 'de']) await put(one.id, language);

  const { items } = (await (await call()).json()) as { items: { id: string; languages: string[] }[] };

  expect(items).toEqual([await read(two.id), await read(one.id)]);
  expect(items[1]?.languages).toEqual(['ar', 'de', 'sl']);
});

test('paginates by cursor', async () => {
  const { path, owner, make } = await getTranslations();
  for (const title of ['One', 'Two', 'Three', 'Four']) await make(title);

  await expectPaging(path, owner.token, () => make('Later'));
});
