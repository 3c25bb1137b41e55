import { beforeAll, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { createPetstoreSpec, getSpecs, getText, type Spec, type SpecClient } from './spec-client.ts';

let specs: SpecClient;
beforeAll(async () => {
  specs = getSpecs(platform(), await platform().makeOrganization());
});

const make = (slug: string, visibility: string) =>
  specs.call<Spec>(`/${slug}`, { method: 'PATCH', body: { visibility } });

test('a public specification can be read by anyone until it is made private', async () => {
  await specs.publish('open', getText(createPetstoreSpec()));

  const { body } = await make('open', 'public');
  const address = body.urls.published ?? '';
  const response = await fetch(address);

  expect([body.visibility, response.status]).toEqual(['public', 200]);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toEqual(createPetstoreSpec());
  const tag = response.headers.get('etag') ?? '';
  expect((await fetch(address, { headers: { 'if-none-match': tag } })).status).toBe(304);
  expect((await fetch(address, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  expect((await specs.content('open')).urls.public).toBe(address);
  expect((await make('open', 'private')).body.urls).not.toHaveProperty('published');
  expect((await fetch(address)).status).toBe(404);
});

test('a private specification has no public URL', async () => {
  const { id } = await specs.publish('closed', getText(createPetstoreSpec()));

  expect((await fetch(`${platform().url}/openapi/${id}/openapi.json`)).status).toBe(404);
  expect((await specs.content('closed')).urls.public).toBeNull();
});

test('rejects another visibility', async () => {
  await specs.put('refused', getText(createPetstoreSpec()));

  expect((await make('refused', 'unlisted')).status).toBe(400);
  expect((await make('nothing', 'public')).status).toBe(404);
});
