import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { createFiles, createPixel } from '../files/file-client.ts';
import { getClient } from '../space-client.ts';
import { createPage, insertLinkingPage } from './link-client.ts';

interface Backlinks {
  items: { page?: { id: string }; versionContext?: { type: string } }[];
}

test('returns where a change request uses a file', async () => {
  const space = getClient(platform(), await platform().makeSpace());
  const branch = await space.open();
  const [file] = await createFiles(space, [createPixel('p.png')], branch);
  const page = await createPage(space, insertLinkingPage('P', [`/files/${file?.id}`]), branch);
  const path = `/content/files/${file?.id}/backlinks`;
  expect((await space.callJson<Backlinks>(`/change-requests/${branch}${path}`)).items).toMatchObject([
    { page: { id: page }, versionContext: { type: 'changeRequest', changeRequest: { id: branch } } },
  ]);
  expect((await space.call(path)).status).toBe(404);
  const stranger = await platform().makeUser({});
  const whole = `/v1/spaces/${space.space}/change-requests/${branch}${path}`;
  expect((await platform().request(whole, stranger)).status).toBe(404);
});
