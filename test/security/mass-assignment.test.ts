import { expect, test } from 'vitest';
import { json, makeChangeRequest } from '../support/content.ts';
import { query } from '../support/database.ts';
import { platform } from '../support/platform.ts';
import { makeServiceAccount } from '../support/service-account.ts';

/** Sends a body with fields that clients must not set, and checks that it is rejected with the path of each field. */
async function rejectForeign(path: string, { token, method, body }: { token: string; method: string; body: object }) {
  const response = await platform().request(path, { token, method, body });
  const { error } = (await response.json()) as { error: { issues?: { path: string; message: string }[] } };
  expect([
    path,
    response.status,
    error.issues?.every(({ message }) => message.startsWith('is not a known field')),
  ]).toEqual([...[path, 400, true]]);
}

/** Returns the foreign values of fields that an object has, which an update ignores. */
const selectReadOnlyFields = (object: object) =>
  Object.fromEntries(Object.entries(foreign).filter(([name]) => name in object));

const foreign = {
  object: 'user',
  id: 'usr_mine',
  organization: 'org_mine',
  space: 'spc_mine',
  user: 'usr_mine',
  createdBy: 'usr_mine',
  created_by: 'usr_mine',
  role: 'admin',
  permissions: { admin: true },
  visibility: 'public',
  deletedAt: '2020-01-01T00:00:00.000Z',
  deleted_at: 1,
  createdAt: '2020-01-01T00:00:00.000Z',
  number: 99,
  revision: 'rev_mine',
  revisionInitial: 'rev_mine',
  revisionMerged: 'rev_mine',
  hash: 'x',
  token: 'octavo_mine',
  plan: 'enterprise_2024',
  sso: true,
  type: 'community',
};

test('PATCH of a space only changes allowed fields', async () => {
  const { makeSpace } = platform();
  const { id, token } = await makeSpace();
  const before = await json<object>(`/v1/spaces/${id}`, { token });

  await rejectForeign(`/v1/spaces/${id}`, { token, method: 'PATCH', body: { ...foreign, title: 'Refused' } });
  const after = await json(`/v1/spaces/${id}`, {
    token,
    method: 'PATCH',
    body: { ...selectReadOnlyFields(before), title: 'New' },
  });

  expect(after).toEqual({ ...before, title: 'New', updatedAt: expect.any(String) });
  expect(await json(`/v1/spaces/${id}`, { token })).toEqual(after);
});

test('PATCH of a change request only changes allowed fields', async () => {
  const space = await platform().makeSpace();
  const { id } = await makeChangeRequest(space);
  const path = `/v1/spaces/${space.id}/change-requests/${id}`;
  const before = await json<object>(path, space);

  await rejectForeign(path, { token: space.token, method: 'PATCH', body: { ...foreign, subject: 'Refused' } });
  const body = { ...selectReadOnlyFields(before), subject: 'New' };
  const after = await json(path, { token: space.token, method: 'PATCH', body });

  expect(after).toEqual({ ...before, subject: 'New', updatedAt: expect.any(String) });
  expect(await json(path, space)).toEqual(after);
});

test('a change request cannot be created or updated with the status merged', async () => {
  const space = await platform().makeSpace();
  const path = `/v1/spaces/${space.id}/change-requests`;
  const body = { revision: space.revision, subject: 'x' };
  await rejectForeign(path, { token: space.token, method: 'POST', body: { ...foreign, ...body, status: 'merged' } });
  const created = await json<{ id: string }>(path, { token: space.token, body });

  expect(created).toMatchObject({ status: 'draft', number: 1, space: space.id, revision: space.revision });
  const patched = await platform().request(`${path}/${created.id}`, {
    token: space.token,
    method: 'PATCH',
    body: { status: 'merged' },
  });
  expect(patched.status).toBe(400);
  expect(await json(`${path}/${created.id}`, space)).toEqual(created);
});

test('spaces and organizations are created from declared fields only', async () => {
  const { makeOrganization } = platform();
  const { id, token, user } = await makeOrganization();

  await rejectForeign(`/v1/orgs/${id}/spaces`, { token, method: 'POST', body: foreign });
  await rejectForeign('/v1/orgs', { token, method: 'POST', body: { ...foreign, title: 'Acme' } });
  const space = await json<{ id: string }>(`/v1/orgs/${id}/spaces`, { token, body: {} });
  const organization = await json<{ id: string }>('/v1/orgs', { token, body: { title: 'Acme' } });

  expect(space).toMatchObject({ organization: id, visibility: 'private', defaultLevel: null });
  expect(query('SELECT created_by FROM spaces WHERE id = ?', space.id)).toEqual([{ created_by: user }]);
  expect(organization).toMatchObject({ plan: 'community_2024', type: 'business', sso: false });
  expect(query('SELECT user, role FROM members WHERE organization = ?', organization.id)).toEqual([
    { user, role: 'admin' },
  ]);
});

test('a token is created for the caller, with a secret and ID from the server', async () => {
  const { makeUser } = platform();
  const [caller, other] = [await makeUser(), await makeUser()];

  const body = { ...foreign, user: other.user, label: 'x' };
  await rejectForeign('/v1/user/tokens', { token: caller.token, method: 'POST', body });
  const newToken = await json<{ token: string }>('/v1/user/tokens', { token: caller.token, body: { label: 'x' } });

  expect(await json('/v1/user', { token: newToken.token })).toMatchObject({ id: caller.user });
});

test('a page cannot be created with an ID, author or time from the client', async () => {
  const space = await platform().makeSpace();
  const changes = [{ operation: 'insert_page', ...foreign, title: 'A page', document: { markdown: 'x' } }];

  await rejectForeign(`/v1/spaces/${space.id}/content`, { token: space.token, method: 'POST', body: { changes } });

  expect(await json(`/v1/spaces/${space.id}/content/pages`, space)).toMatchObject({ pages: [] });
});

test('PATCH of an organization only changes allowed fields', async () => {
  const { id, token } = await platform().makeOrganization();
  const before = await json<object>(`/v1/orgs/${id}`, { token });
  const { sso, ...others } = foreign;
  const more = { trial: { status: 'active' }, billing: {}, blocked: {}, customHostname: 'x' };

  await rejectForeign(`/v1/orgs/${id}`, { token, method: 'PATCH', body: { ...others, ...more, title: 'Refused' } });
  const { sso: ours, ...ignored } = selectReadOnlyFields(before);
  const after = await json(`/v1/orgs/${id}`, { token, method: 'PATCH', body: { ...ignored, title: 'New' } });

  expect([sso, ours]).toEqual([true, true]);
  expect(after).toEqual({ ...before, title: 'New' });
  expect(await json(`/v1/orgs/${id}`, { token })).toEqual(after);
});

test('PATCH of a user only changes allowed fields', async () => {
  const { token, user } = await platform().makeUser();
  const readRow = () => query('SELECT * FROM users WHERE id = ?', user)[0];
  const [before, stored] = [await json<object>('/v1/user', { token }), readRow()];
  const more = { email: 'root@example.test', emailVerified: true, kind: 'service', serviceOf: 'org_mine' };

  const body = { ...foreign, ...more, displayName: 'Refused' };
  await rejectForeign(`/v1/users/${user}`, { token, method: 'PATCH', body });
  const after = await json(`/v1/users/${user}`, {
    token,
    method: 'PATCH',
    body: { ...selectReadOnlyFields(before), displayName: 'New' },
  });

  expect(after).toEqual({ ...before, displayName: 'New' });
  expect(readRow()).toEqual({ ...stored, display_name: 'New' });
});

test('a service account is created from a name and a role, in the organization of the path', async () => {
  const { makeOrganization } = platform();
  const [organization, other] = [await makeOrganization(), await makeOrganization()];
  const body = { ...foreign, organization: other.id, email: 'root@example.test', displayName: 'CI', role: 'read' };

  const path = `/v1/orgs/${organization.id}/service-accounts`;
  const { token } = organization;
  await rejectForeign(path, { token, method: 'POST', body });
  const created = await json<{ id: string }>(path, { token, body: { displayName: 'CI', role: 'read' } });

  expect(created).toMatchObject({ role: 'read', sso: false, disabled: false });
  expect(query('SELECT email, kind, service_of FROM users WHERE id = ?', created.id)).toEqual([
    { email: `${created.id}@service.invalid`, kind: 'service', service_of: organization.id },
  ]);
  expect(query('SELECT organization, role FROM members WHERE user = ?', created.id)).toEqual([
    { organization: organization.id, role: 'read' },
  ]);
});

test('the token of a service account is bound to the organization of the path', async () => {
  const { makeOrganization } = platform();
  const [organization, other] = [await makeOrganization(), await makeOrganization()];
  const { user } = await makeServiceAccount(organization);

  const path = `/v1/orgs/${organization.id}/service-accounts/${user}/tokens`;
  const body = { ...foreign, organization: other.id, user: other.user, lastUsedAt: foreign.createdAt, label: 'x' };
  const { token } = organization;
  await rejectForeign(path, { token, method: 'POST', body });
  const created = await json<{ id: string }>(path, { token, body: { label: 'x' } });

  expect(query('SELECT user, organization, last_used_at FROM tokens WHERE id = ?', created.id)).toEqual([
    { user, organization: organization.id, last_used_at: null },
  ]);
});

test('translation settings are created and renamed in the organization of the path', async () => {
  const { id, token } = await platform().makeOrganization();
  const path = `/v1/orgs/${id}/translations`;
  const settings = { title: 'Old' };
  await rejectForeign(path, { token, method: 'POST', body: { ...foreign, ...settings } });
  const created = await json<{ id: string }>(path, { token, body: settings });
  const body = { ...selectReadOnlyFields(created), ...settings, title: 'New' };
  await rejectForeign(`${path}/${created.id}`, { token, method: 'PUT', body: { ...foreign, ...body } });

  const after = await json(`${path}/${created.id}`, { token, method: 'PUT', body });

  expect(created).toMatchObject({ id: expect.stringMatching(/^trn_\w{20}$/), languages: [] });
  expect(after).toEqual({ ...created, title: 'New', updatedAt: expect.any(String) });
});
