import { beforeEach, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import { createPage, getTargetsByText, insertLinkingPage, listPageLinks } from './link-client.ts';

let space: SpaceClient;
beforeEach(async () => {
  space = getClient(platform(), await platform().makeSpace());
});

test('returns the links of a page in the change request, including those that the change request broke', async () => {
  const gone = await createPage(space, insertPage('Gone'));
  const page = await createPage(space, insertLinkingPage('Page', ['/gone', '/never']));
  const branch = await space.open();
  const added = await createPage(space, insertPage('New'), branch);
  await space.change([writePage(page, '[a](/gone) [b](/never) [c](/new)')], branch);
  await space.change([{ operation: 'delete_page', page: gone }], branch);

  const links = await listPageLinks(space, page, branch);
  expect(getTargetsByText(links)).toEqual({ '/gone': 'broken', '/never': 'broken', '/new': added });
  expect(links.stats).toEqual({ total: 3, broken: { total: 2, changeRequest: 1 } });
  expect(links.items[2]?.locationReferences).toMatchObject([
    { kind: 'page', page: { id: page }, versionContext: { type: 'changeRequest', changeRequest: { id: branch } } },
  ]);
  expect(getTargetsByText(await listPageLinks(space, page))).toEqual({ '/gone': gone, '/never': 'broken' });
});

test('requires access to the change request', async () => {
  const page = await createPage(space, insertLinkingPage('Page', ['/a']));
  const branch = await space.open();
  const path = `/v1/spaces/${space.space}/change-requests/${branch}/content/page/${page}/links`;
  expect((await platform().request(path, await platform().makeUser({}))).status).toBe(404);
  expect((await space.call(`/change-requests/cr_none/content/page/${page}/links`)).status).toBe(404);
  expect((await space.call(`/change-requests/${branch}/content/page/pg_none/links`)).status).toBe(404);
});
