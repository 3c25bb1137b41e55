import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getTranslations } from './translation-client.ts';

test('returns an existing language, and 404 for other languages', async () => {
  const { make, put, call, path } = await getTranslations();
  const { id } = await make();
  await put(id, 'fr', 'Use vous.');

  expect(await (await call(`/${id}/languages/fr`)).json()).toEqual({
    object: 'translation-language-settings',
    language: 'fr',
    instructions: { markdown: 'Use vous.' },
    urls: { location: `${platform().url}${path}/${id}/languages/fr` },
  });
  for (const language of ['de', 'FR', 'xx', 'fr-ca', '%00']) {
    expect([language, (await call(`/${id}/languages/${language}`)).status]).toEqual([language, 404]);
  }
});
