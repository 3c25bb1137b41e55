import { ChangeRequestStatus, GitBookAPI, GitBookAPIError } from '@gitbook/api';
import { beforeAll, expect, test } from 'vitest';
import { edit } from '../support/content.ts';
import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

let organization: TestOrganization;
let client: GitBookAPI;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  client = new GitBookAPI({ endpoint: platform().url, authToken: organization.token });
});

const makeSpace = async (title: string) => {
  const { data } = await client.orgs.createSpace(organization.id, { title });
  return data;
};

test('lists the organizations of its user', async () => {
  const { data } = await client.orgs.listOrganizationsForAuthenticatedUser();

  expect(data.items.map(({ id, title, object }) => ({ id, title, object }))).toEqual([
    { id: organization.id, title: organization.title, object: 'organization' },
  ]);
  expect((await client.orgs.getOrganizationById(organization.id)).data).toMatchObject({ id: organization.id });
  expect((await client.user.getAuthenticatedUser()).data).toMatchObject({ object: 'user', id: organization.user });
});

test('gets a space', async () => {
  const { id } = await makeSpace('A space');

  const { data, status } = await client.spaces.getSpaceById(id);

  expect(status).toBe(200);
  expect(data).toMatchObject({ object: 'space', id, title: 'A space', organization: organization.id });
});

test('creates a change request, reads its pages, merges it, and reads the live pages by id and by path', async () => {
  const { id: space, revision } = await makeSpace('Merged');
  const { data: created, status } = await client.spaces.createChangeRequest(space, { subject: 'From the client' });
  expect(status).toBe(201);
  expect(created).toMatchObject({ object: 'change-request', status: ChangeRequestStatus.Draft, revision });

  const owner = { id: space, token: organization.token };
  const document = { markdown: '# Hello\n\nFrom the *client*.\n' };
  const [parent] = await edit(owner, [{ operation: 'insert_page', title: 'Guide', document }], created.id);
  const below = { operation: 'insert_page', title: 'First steps', document, into: parent };
  const [page = ''] = await edit(owner, [below], created.id);

  const { data: tree } = await client.spaces.listPagesInChangeRequest(space, created.id);
  expect(tree.pages).toMatchObject([{ id: parent, title: 'Guide', pages: [{ id: page, path: 'guide/first-steps' }] }]);
  await client.spaces.updateChangeRequestById(space, created.id, { status: ChangeRequestStatus.Open });
  const { data: open } = await client.spaces.listChangeRequestsForSpace(space);
  expect(open.items.map(({ id }) => id)).toEqual([created.id]);

  const { data: merged } = await client.spaces.mergeChangeRequest(space, created.id);
  expect(merged).toMatchObject({ result: 'merge' });
  const { data: after } = await client.spaces.getChangeRequestById(space, created.id);
  expect(after).toMatchObject({ status: ChangeRequestStatus.Merged, revisionMerged: merged.revision });

  const { data: live } = await client.spaces.listPages(space);
  expect(live.pages).toEqual([expect.objectContaining({ id: parent })]);
  const { data: byId } = await client.spaces.getPageById(space, page, { format: 'markdown' });
  expect(byId).toMatchObject({ id: page, type: 'document', markdown: document.markdown });
  const { data: byPath } = await client.spaces.getPageByPath(space, encodeURIComponent('guide/first-steps'), {
    format: 'markdown',
  });
  expect(byPath).toEqual(byId);
  const { data: current } = await client.spaces.getCurrentRevision(space);
  expect(current).toMatchObject({ object: 'revision', id: merged.revision });
});

test('iterates over a list by cursor', async () => {
  const { id: space } = await makeSpace('Paged');
  const created = [];
  for (const subject of ['one', 'two', 'three', 'four', 'five']) {
    created.unshift((await client.spaces.createChangeRequest(space, { subject })).data.id);
  }
  const seen: string[] = [];
  let page: string | undefined;
  do {
    const { data } = await client.spaces.listChangeRequestsForSpace(space, {
      status: ChangeRequestStatus.Draft,
      limit: 2,
      ...(page === undefined ? {} : { page }),
    });
    seen.push(...data.items.map(({ id }) => id));
    page = data.next?.page;
  } while (page !== undefined);

  expect(new Set(seen)).toEqual(new Set(created));
  expect(seen).toHaveLength(5);
});

test("throws its own error class with the server's status and message", async () => {
  const missing = client.spaces.getSpaceById('spc_madeup').catch((error: unknown) => error);
  const unknown = new GitBookAPI({ endpoint: platform().url, authToken: 'octavo_unknown' });
  const refused = unknown.user.getAuthenticatedUser().catch((error: unknown) => error);

  expect(await missing).toBeInstanceOf(GitBookAPIError);
  expect(await missing).toMatchObject({ code: 404, errorMessage: 'Space not found.' });
  expect(await refused).toBeInstanceOf(GitBookAPIError);
  expect(await refused).toMatchObject({ code: 401, errorMessage: expect.stringContaining('token') });
});
