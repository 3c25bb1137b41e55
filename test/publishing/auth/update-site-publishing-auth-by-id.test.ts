import { expect, test } from 'vitest';
import { getAuth } from './read-auth.ts';

test('sets and removes the sign-in URL of visitors', async () => {
  const { ask, vouching } = await getAuth();
  const fallbackURL = 'https://login.example.com/?to=docs';
  const patch = (body: unknown) => ask('', { method: 'PATCH', body });

  const { privateKey, ...first } = await patch({ backend: 'custom', fallbackURL });
  expect(first).toEqual({ status: 200, object: 'publishing-auth', backend: 'custom', fallbackURL });
  expect(privateKey).toMatch(/^[\w-]{43}$/);

  const integration = await vouching({ scopes: ['site:visitor:auth'] });
  expect(await patch({ backend: 'integration', integration })).toMatchObject({
    ...{ backend: 'integration', integration, fallbackURL, privateKey: '' },
  });
  const { fallbackURL: none, ...last } = await patch({ backend: 'custom', fallbackURL: null, integration: null });
  expect(none).toBeUndefined();
  expect(await ask()).toEqual(last);
});

test('accepts only an integration that is installed on the site with the scope for visitor authentication', async () => {
  const { call, vouching } = await getAuth();
  const patch = async (body: unknown) => (await call('/publishing/auth', { method: 'PATCH', body })).status;

  expect(await patch({ backend: 'integration' })).toBe(400);
  expect(await patch({ backend: 'integration', integration: 'unknown' })).toBe(400);
  expect(await patch({ integration: await vouching({ scopes: ['site:script:inject'] }) })).toBe(400);
  const elsewhere = await getAuth();
  const other = await elsewhere.vouching({ scopes: ['site:visitor:auth'] });
  expect(await patch({ backend: 'integration', integration: other })).toBe(400);
});

test.each([
  [{ backend: 'none' }],
  [{ fallbackURL: 'javascript:alert(1)' }],
  [{ fallbackURL: '/login' }],
  [{ fallbackURL: `https://example.com/${'x'.repeat(2048)}` }],
])('rejects %j', async (body) => {
  const { call } = await getAuth();

  expect((await call('/publishing/auth', { method: 'PATCH', body })).status).toBe(400);
});

test('changes nothing else of the site', async () => {
  const { call, ask } = await getAuth();
  const patch = async (body: object) => (await call('/publishing/auth', { method: 'PATCH', body })).status;

  expect(await patch({ privateKey: 'mine' })).toBe(200);
  for (const name of ['authKey', 'stamp', 'published'])
    expect([name, await patch({ backend: 'custom', [name]: 'mine' })]).toEqual([name, 400]);
  expect((await ask()).privateKey).toBe('');
  expect(await (await call('')).json()).toMatchObject({ published: false });
});
