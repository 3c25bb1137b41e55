import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getTranslations } from './translation-client.ts';

test('creates settings without languages', async () => {
  const { call, read, path, owner } = await getTranslations();

  const response = await call('', 'POST', { title: 'Docs' });
  const settings = (await response.json()) as { id: string };

  expect(response.status).toBe(201);
  expect(response.headers.get('location')).toBe(`${platform().url}${path}/${settings.id}`);
  expect(settings).toEqual({
    object: 'translation-settings',
    id: expect.stringMatching(/^trn_\w{20}$/),
    title: 'Docs',
    languages: [],
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    permissions: { view: true, edit: true },
    urls: { location: `${platform().url}${path}/${settings.id}` },
  });
  expect(await read(settings.id)).toEqual(settings);
  expect(
    query('SELECT type, actor, organization FROM outbox WHERE data = ?', `{"translation":"${settings.id}"}`),
  ).toEqual([{ type: 'translation.created', actor: owner.user, organization: owner.id }]);
});

test.each([[undefined], [{}], [{ title: '' }], [{ title: 'x'.repeat(101) }], [{ title: null }]])(
  'rejects %j',
  async (body) => {
    const { call } = await getTranslations();

    expect((await call('', 'POST', body)).status).toBe(400);
    expect(await (await call()).json()).toEqual({ count: 0, items: [] });
  },
);
