import { expect } from 'vitest';
import { json, makeChangeRequest } from '../support/content.ts';
import { serveLocally } from '../support/local-server.ts';
import { until } from '../support/own-platform.ts';
import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import type { Ids, Resource, Walk } from './walk.ts';

interface Edited {
  changes: { page: { id: string } }[];
  insertedFiles: { id: string }[];
}

interface Listed {
  items: Resource[];
}

/** Makes a file and a page that links to it, to the web and to a missing page. */
async function insertContent(token: string, path: string): Promise<Ids> {
  const send = (changes: object[]) => json<Edited>(`${path}/content?compat=false`, { token, body: { changes } });
  const files = [{ name: 'notes.txt', base64: 'QQ==', contentType: 'text/plain' }];
  const { insertedFiles } = await send([{ operation: 'insert_files', files }]);
  const fileId = insertedFiles[0]?.id ?? '';
  const markdown = `Otters swim.\n\n[Notes](/files/${fileId}), [gone](gone.md), [web](https://example.test/)\n`;
  const { changes } = await send([{ operation: 'insert_page', title: 'Otters', document: { markdown } }]);
  return { fileId, pageId: changes[0]?.page.id ?? '' };
}

async function readBranch(walk: Walk, ids: Ids, inChangeRequest: boolean): Promise<void> {
  const chooseName = (space: string, changeRequest: string) => (inChangeRequest ? changeRequest : space);
  const call = <Body = Resource>(operation: string, query = '') => walk.call<Body>(operation, { ids, query });
  await call(chooseName('getCurrentRevision', 'getRevisionOfChangeRequestById'));
  const { pages } = await call<{ pages: Resource[] }>(chooseName('listPages', 'listPagesInChangeRequest'));
  expect(pages.map(({ id }) => id)).toContain(ids.pageId);
  const { items } = await call<Listed>(chooseName('listFiles', 'listFilesInChangeRequestById'));
  expect(items.map(({ id }) => id)).toEqual([ids.fileId]);
  await call(chooseName('getFileById', 'getFileInChangeRequestById'));
  const used = await call<Listed>(chooseName('listSpaceFileBacklinks', 'listChangeRequestFileBacklinks'));
  expect(used.items).toMatchObject([{ kind: 'page', page: { id: ids.pageId } }]);
  const page = await call(chooseName('getPageById', 'getPageInChangeRequestById'), '?format=markdown');
  expect(page).toMatchObject({ id: ids.pageId, title: 'Otters', markdown: expect.stringContaining('Otters swim.') });
  const links = await call<Listed>(chooseName('listPageLinksInSpace', 'listPageLinksInChangeRequest'));
  expect(links.items.map(({ status }) => status).sort()).toEqual(['broken', 'ok', 'ok']);
}

async function importBoth(walk: Walk, ids: Ids): Promise<void> {
  const site = await serveLocally((_, response) =>
    response.setHeader('content-type', 'text/html').end('<title>A site</title><main><p>Words.</p></main>'),
  );
  for (const operation of ['importContent', 'importContentInChangeRequest']) {
    const { importedResources } = await walk.call(operation, { ids, body: { url: site, source: 'website' } });
    expect(importedResources).toBe(1);
  }
}

/** Walks the operations on spaces and their content. */
export async function callContentOperations(walk: Walk, organization: TestOrganization, other: string): Promise<void> {
  const { token } = organization;
  const { id: spaceId } = await platform().makeSpace({ organization, title: 'A river' });
  const ids: Ids = { spaceId, ...(await insertContent(token, `/v1/spaces/${spaceId}`)) };
  expect(await walk.call('getSpaceById', { ids })).toMatchObject({ id: spaceId, title: 'A river' });
  const changes = { title: 'A lake', emoji: '🌊', editMode: 'locked', defaultLevel: 'read' };
  expect(await walk.call('updateSpaceById', { ids, body: changes })).toMatchObject(changes);
  await json(`/v1/spaces/${spaceId}`, { token, method: 'PATCH', body: { editMode: 'live' } });
  await readBranch(walk, ids, false);
  const { items } = await walk.call<Listed>('listSpaceLinks', { ids, query: '?status=broken' });
  expect(items).toHaveLength(1);

  const changeRequest = await makeChangeRequest({ id: spaceId, token });
  await readBranch(walk, { ...ids, changeRequestId: changeRequest.id }, true);
  await importBoth(walk, { ...ids, changeRequestId: String(changeRequest.number) });
  await until(async () => {
    const path = `/v1/spaces/${spaceId}/search?query=otters`;
    return (await json<Listed>(path, { token })).items.length > 0 || undefined;
  });
  const searchResult = await walk.call<Listed>('searchSpaceContent', { ids, query: '?query=otters' });
  expect(searchResult.items.map(({ id }) => id)).toEqual([ids.pageId]);
  const everywhere = { ids: { organizationId: organization.id }, query: '?query=otters' };
  const [hit] = (await walk.call<Listed>('searchOrganizationContent', everywhere)).items;
  expect(hit).toMatchObject({ id: spaceId, pages: [{ id: ids.pageId }] });

  const copy = await walk.call('duplicateSpace', { ids });
  const parent = await json<Resource>(`/v1/orgs/${organization.id}/collections`, { token, body: { title: 'Waters' } });
  const moved = await walk.call('moveSpace', { ids: { spaceId: copy.id }, body: { parent: parent.id } });
  expect(moved).toMatchObject({ id: copy.id, parent: parent.id });
  await walk.call('deleteSpaceById', { ids: { spaceId: copy.id } });
  expect(await walk.call('restoreSpace', { ids: { spaceId: copy.id } })).not.toHaveProperty('deletedAt');
  const went = await walk.call('transferSpace', { ids: { spaceId: copy.id }, body: { organization: other } });
  expect(went).toMatchObject({ id: copy.id, organization: other });
}
