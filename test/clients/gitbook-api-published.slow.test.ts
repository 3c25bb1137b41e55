import { GitBookAPI } from '@gitbook/api';
import { beforeAll, expect, test } from 'vitest';
import { createPetstoreSpec } from '../publishing/openapi/spec-client.ts';
import { edit } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import type { RenderedSite } from './rendered-site.ts';
import { getPreview, getStatus, known, listTypes, makeRenderedSite, readComplete, waitFor } from './rendered-site.ts';

const text = expect.stringMatching(/./);
const address = expect.stringMatching(/^https?:\/\//);
const colors = { light: expect.stringMatching(/^#/), dark: expect.stringMatching(/^#/) };

let world: RenderedSite;
beforeAll(async () => {
  world = await makeRenderedSite();
});

const resolve = (url: string) =>
  readComplete(
    'resolvePublishedContentByUrl',
    new GitBookAPI({ endpoint: platform().url }).urls.resolvePublishedContentByUrl({
      url,
      visitor: { unsignedClaims: {} },
    }),
  );

test('resolves all prefixes of a page URL, with the same token and expiry', async () => {
  const { site, ids } = world;
  const paths = ['/', '/everything', '/everything/below', '/everything/below/it'];
  const all = await Promise.all(paths.map((path) => resolve(`${site.base}${path}`)));
  const tokens = all.map((each) => ('apiToken' in each ? each.apiToken : ''));
  const [, payload = ''] = tokens[0]?.split('.') ?? [];
  const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number };

  for (const each of all)
    expect(each).toMatchObject({
      ...{ site: site.site, siteSpace: ids.siteSpaceId, space: ids.spaceId, organization: ids.organizationId },
      ...{ apiToken: text, canonicalUrl: address, complete: expect.any(Boolean) },
      ...{ pathname: expect.stringMatching(/^\//), basePath: expect.stringMatching(/^\/.*\/$/) },
      siteBasePath: expect.stringMatching(/^\/.*\/$/),
    });
  expect(new Set(tokens).size).toBe(1);
  expect(exp * 1000).toBeGreaterThan(Date.now() + 120_000);
  expect(all.map((each) => 'complete' in each && each.complete)).toEqual([true, true, false, false]);
});

test('reads the site data that surrounds a page', async () => {
  const { inSite, usual, ids } = world;
  const site = await readComplete('getPublishedContentSite', usual.orgs.getPublishedContentSite(...inSite));
  const look = {
    styling: {
      ...{ primaryColor: colors, successColor: colors, warningColor: colors, dangerColor: colors },
      ...{ font: text, codeTheme: { default: { light: text, dark: text }, openapi: { light: text, dark: text } } },
    },
    ...{ favicon: expect.any(Object), header: { links: [] }, footer: { groups: [] } },
    ...{ themes: { default: text, toggeable: expect.any(Boolean) }, feedback: { enabled: expect.any(Boolean) } },
    ...{ ai: { mode: text }, trademark: { enabled: expect.any(Boolean) }, externalLinks: { target: text } },
    ...{ pagination: { enabled: expect.any(Boolean) }, pageActions: { items: expect.any(Array) } },
    ...{ privacyPolicy: expect.any(Object), socialPreview: expect.any(Object), socialAccounts: [] },
  };

  expect(site.site.urls).toEqual({ location: address, app: address, published: address });
  expect(site.structure).toMatchObject({
    type: 'siteSpaces',
    structure: [{ id: ids.siteSpaceId, space: { id: ids.spaceId, urls: { location: address, app: address } } }],
  });
  expect(site.customizations).toMatchObject({ site: look, siteSpaces: { [ids.siteSpaceId ?? '']: look } });
});

test('reads the space, and the tree and files of its revision without documents', async () => {
  const { at, usual, ids, everything } = world;
  const space = await readComplete('getSpaceById', usual.spaces.getSpaceById(ids.spaceId ?? ''));
  const revision = await readComplete('getRevisionById', usual.spaces.getRevisionById(...at, { metadata: true }));
  const page = { type: 'document', path: text, pages: [], layout: { coverSize: text }, tags: [] };

  expect(space).toMatchObject({ revision: at[1], urls: { location: address, app: address, published: address } });
  expect(revision.urls.app).toEqual(address);
  expect(revision.pages.map(({ id }) => id)).toEqual([ids.pageId, expect.any(String), everything]);
  for (const each of revision.pages) expect(each).toMatchObject(page);
  expect(revision.pages[2]).toMatchObject({ path: 'everything', emoji: '1f4d6' });
  expect(revision.files).toMatchObject([{ id: ids.fileId, contentType: 'image/png', downloadURL: address }]);
  expect(revision.reusableContents).toMatchObject([{ id: ids.reusableContentId }]);
  expect(JSON.stringify(revision)).not.toContain('"document":');
  const file = await fetch(revision.files[0]?.downloadURL ?? '');
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
});

test('reads documents with included content, evaluated conditions and resolved links', async () => {
  const { at, visitor, usual, everything, ids } = world;
  const query = { evaluated: 'deterministic-only', dereferenced: 'reusable-contents' } as const;
  const read = visitor.spaces.getPageDocumentInRevisionById(...at, everything, query);
  const document = await readComplete('getPageDocumentInRevisionById', read);
  const older = await readComplete(
    'getPageDocumentInRevisionById',
    usual.spaces.getPageDocumentInRevisionById(...at, everything, { evaluated: true }),
  );
  const content = await readComplete(
    'getReusableContentDocumentInRevisionById',
    visitor.spaces.getReusableContentDocumentInRevisionById(...at, ids.reusableContentId ?? '', query),
  );
  const said = JSON.stringify(document);

  expect(listTypes(document.nodes).length).toBeGreaterThan(30);
  for (const each of [document, older, content]) {
    expect(each).toMatchObject({ object: 'document', data: {}, nodes: expect.any(Array) });
    expect(listTypes(each.nodes).filter((type) => !known.has(type))).toEqual([]);
    expect(JSON.stringify(each)).not.toMatch(/Unseen words|visitor\.claims/);
  }
  expect(JSON.stringify(content)).toContain('Shared words.');
  expect(said).toContain('Shared words.');
  expect(said).toContain(JSON.stringify({ kind: 'page', page: ids.pageId }));
  expect(said).toContain(JSON.stringify({ kind: 'file', file: ids.fileId }));
});

test('reads ancestors, embeds, and a specification as a list of files', async () => {
  const { at, visitor, usual, everything, ids, organization } = world;
  const links = await readComplete(
    'listRevisionPageMetaLinks',
    visitor.spaces.listRevisionPageMetaLinks(...at, everything),
  );
  const url = 'https://gist.github.com/ann/0123456789abcdef0123';
  const embed = await readComplete('getEmbedByUrlInSpace', usual.spaces.getEmbedByUrlInSpace(at[0], { url }));
  const latest = usual.orgs.getLatestOpenApiSpecVersionContent(organization.id, ids.specSlug ?? '');
  const content = await readComplete('getLatestOpenAPISpecVersionContent', latest);

  expect(links).toEqual({ alternates: expect.any(Array) });
  expect(embed).toMatchObject({ type: 'link', title: text, site: 'GitHub Gist' });
  expect(content.filesystem).toEqual([
    {
      isEntrypoint: true,
      specification: createPetstoreSpec(),
      filename: text,
      dir: expect.any(String),
      references: [],
    },
  ]);
  expect(content).toMatchObject({ url: address, urls: { source: address } });
});

test('reads pages as markdown, by any spelling of their path, and by search', async () => {
  const { at, usual, visitor, everything, inSite, space } = world;
  await edit(space, [
    { operation: 'insert_page', title: 'Below', into: everything, document: { markdown: 'Deep.\n' } },
  ]);
  const { revision } = (await usual.spaces.getSpaceById(space.id)).data;
  const stable = { format: 'markdown', 'format.markdown.refs': 'stable' } as const;
  const page = await readComplete(
    'getPageInRevisionById',
    visitor.spaces.getPageInRevisionById(...at, everything, stable),
  );
  const pages = await Promise.all(
    ['everything/below', 'everything%2Fbelow', 'everything%2fbelow'].map((path) =>
      readComplete('getPageInRevisionByPath', usual.spaces.getPageInRevisionByPath(space.id, revision, path)),
    ),
  );

  expect(page).toMatchObject({ markdown: expect.stringContaining('](/pages/') });
  expect(page).not.toMatchObject({ markdown: expect.stringContaining('Unseen words') });
  expect(new Set(pages.map(({ id }) => id)).size).toBe(1);
  await waitFor(async () => {
    const old = { query: 'deep', mode: 'all' } as const;
    const hits = await readComplete('searchSiteContent', usual.orgs.searchSiteContent(...inSite, old));
    const scoped = { query: 'deep', scope: { mode: 'all' } } as const;
    expect(hits.items).toMatchObject([{ id: space.id, pages: [{ title: 'Below', path: 'everything/below' }] }]);
    expect((await visitor.orgs.searchSiteContent(...inSite, scoped)).data.items).toEqual(hits.items);
  });
});

test('redirects from a former path, and returns the same 404 for hidden and missing pages', async () => {
  const { inSite, usual, site, at } = world;
  const was = usual.orgs.getSiteRedirectBySource(...inSite, { source: '/begin', shareKey: '' });
  expect(await readComplete('getSiteRedirectBySource', was)).toMatchObject({ target: `${site.base}/start` });
  const none = usual.orgs.getSiteRedirectBySource(...inSite, { source: '/nowhere', shareKey: '' });
  expect(await getStatus(none)).toBe(404);
  expect(await getStatus(usual.spaces.getPageInRevisionByPath(...at, 'nowhere'))).toBe(404);
});

test('previews a change request and a revision with their changes, which visitors do not see', async () => {
  const { space, everything, ids, at, usual } = world;
  const changeRequest = ids.changeRequestId ?? '';
  const changed = { operation: 'update_page', page: ids.pageId, document: { markdown: 'Other words.\n' } };
  await edit(space, [changed], changeRequest);
  const { found, client } = await getPreview(world, `changes/${changeRequest}/start`);
  const request = await readComplete(
    'getChangeRequestById',
    client.spaces.getChangeRequestById(space.id, changeRequest),
  );
  const limit = { limit: 100 };
  const ofRequest = client.spaces.getChangeRequestChanges(space.id, changeRequest, limit);
  const { changes } = await readComplete('getChangeRequestChanges', ofRequest);
  const preview = await getPreview(world, `revisions/${at[1]}/everything`);
  const quickly = { computed: false, metadata: false, ...limit };
  const ofRevision = preview.client.spaces.getRevisionSemanticChanges(...at, quickly);

  expect(found).toMatchObject({ changeRequest, space: space.id, complete: true });
  expect(request).toMatchObject({ id: changeRequest, revision: text, urls: { app: address } });
  expect(changes).toMatchObject([{ page: { id: ids.pageId } }]);
  expect(preview.found).toMatchObject({ revision: at[1], complete: true });
  expect((await readComplete('getRevisionSemanticChanges', ofRevision)).changes).toMatchObject([
    { page: { id: everything } },
  ]);
  expect(await getStatus(usual.spaces.getChangeRequestById(space.id, changeRequest))).toBe(404);
  expect(await getStatus(usual.spaces.getChangeRequestChanges(space.id, changeRequest, limit))).toBe(404);
  expect(await getStatus(usual.spaces.getRevisionSemanticChanges(...at, quickly))).toBe(404);
});

test('accepts requests without a body, with or without a content type', async () => {
  const { site, organization } = world;
  const { token } = organization;
  const type = { 'content-type': 'application/json' };
  for (const headers of [{}, type]) {
    const send = (path: string, method: string) =>
      platform().request(`${site.path}${path}`, { token, method, headers });
    const link = { token, body: { name: 'Key' } };
    const { id } = (await (await platform().request(`${site.path}/share-links`, link)).json()) as { id: string };

    expect((await send('/publish', 'POST')).status).toBe(200);
    expect((await send('/published', 'GET')).status).toBe(200);
    expect((await send(`/share-links/${id}`, 'DELETE')).status).toBe(205);
  }
});
