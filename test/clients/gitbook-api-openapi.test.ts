import * as usual from '@gitbook/api';
import * as newest from 'gitbook-api-202';
import { expect, test, vi } from 'vitest';
import { createPetstoreSpec } from '../publishing/openapi/spec-client.ts';
import { serveLocally } from '../support/local-server.ts';
import { platform } from '../support/platform.ts';

test('a client of version 0.130.0 manages a specification from creation to deletion', async () => {
  const { id, token } = await platform().makeOrganization();
  const { orgs } = new usual.GitBookAPI({ endpoint: platform().url, authToken: token });
  const site = await serveLocally((_, response) => response.end(JSON.stringify(createPetstoreSpec())));

  const { data: made } = await orgs.createOpenApiSpec(id, { slug: 'pets', source: { url: `${site}/openapi.json` } });
  expect(made).toMatchObject({ object: 'openapi-spec', processingState: 'pending' });
  const read = await vi.waitFor(async () => {
    const { data } = await orgs.getOpenApiSpecBySlug(id, 'pets');
    expect(data.processingState).toBe(usual.OpenAPISpecProcessingState.Complete);
    return data;
  }, 20_000);
  const { data: version } = await orgs.getLatestOpenApiSpecVersion(id, 'pets');
  expect(version.id).toBe(read.lastVersion);
  expect((await orgs.listOpenApiSpecVersions(id, 'pets')).data.items).toEqual([version]);
  expect((await orgs.getOpenApiSpecVersionById(id, 'pets', version.id)).data).toEqual(version);
  const { data: content } = await orgs.getLatestOpenApiSpecVersionContent(id, 'pets');
  expect(content).toMatchObject({ filesystem: [{ specification: createPetstoreSpec() }], url: `${site}/openapi.json` });
  expect((await orgs.getOpenApiSpecVersionContentById(id, 'pets', version.id)).data).toEqual(content);

  const visibility = usual.OpenAPISpecVisibility.Public;
  expect((await orgs.updateOpenApiSpecBySlug(id, 'pets', { visibility })).data.urls.published).toBeDefined();
  const { data: changed } = await orgs.createOrUpdateOpenApiSpecBySlug(id, 'pets', {
    source: { text: 'openapi: 3.1.0' },
  });
  expect([changed.id, changed.urls.app]).toEqual([made.id, expect.stringContaining('/openapi/pets')]);
  expect((await orgs.listOpenApiSpecs(id)).data.items.map(({ slug }) => slug)).toEqual(['pets']);
  expect((await orgs.deleteOpenApiSpecBySlug(id, 'pets')).status).toBe(205);
});

test('a client of version 0.202.0 reads the raw text and errors', async () => {
  const { id, token } = await platform().makeOrganization();
  const { orgs } = new newest.GitBookAPI({ endpoint: platform().url, authToken: token });
  const text = JSON.stringify(createPetstoreSpec());
  const read = async () =>
    vi.waitFor(async () => {
      const { data } = await orgs.getOpenApiSpecBySlug(id, 'pets');
      expect(data.processingState).toBe('complete');
      return data;
    }, 20_000);

  await orgs.createOpenApiSpec(id, { slug: 'pets', source: { text } });
  expect((await read()).lastProcessedErrorCount).toBe(0);
  expect((await orgs.getLatestOpenApiSpecVersionContentRaw(id, 'pets')).data).toEqual({ text, format: 'json' });
  const { data: content } = await orgs.getLatestOpenApiSpecVersionContent(id, 'pets');
  expect(content.urls).toEqual({ source: expect.stringContaining('/versions/'), public: null });

  await orgs.createOrUpdateOpenApiSpecBySlug(id, 'pets', { source: { text: 'openapi: [' } });
  expect(await read()).toMatchObject({
    lastProcessedErrorCount: 1,
    lastProcessedErrors: [{ code: 'PARSE_ERROR', message: expect.stringContaining('line 1') }],
  });
});
