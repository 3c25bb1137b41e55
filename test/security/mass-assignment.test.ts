import { expect, test } from 'vitest';
import { json, makeChangeRequest } from '../support/content.ts';
import { query } from '../support/database.ts';
import { platform } from '../support/platform.ts';
import { makeServiceAccount } from '../support/service-account.ts';

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

  const after = await json(`/v1/spaces/${id}`, { token, method: 'PATCH', body: { ...foreign, title: 'New' } });

  expect(after).toEqual({ ...before, title: 'New', updatedAt: expect.any(String) });
  expect(await json(`/v1/spaces/${id}`, { token })).toEqual(after);
});

test('PATCH of a change request only changes allowed fields', async () => {
  const space = await platform().makeSpace();
  const { id } = await makeChangeRequest(space);
  const path = `/v1/spaces/${space.id}/change-requests/${id}`;
  const before = await json<object>(path, space);

  const after = await json(path, { token: space.token, method: 'PATCH', body: { ...foreign, subject: 'New' } });

  expect(after).toEqual({ ...before, subject: 'New', updatedAt: expect.any(String) });
  expect(await json(path, space)).toEqual(after);
});

test('a change request cannot be created as merged or set to it', async () => {
  const space = await platform().makeSpace();
  const path = `/v1/spaces/${space.id}/change-requests`;
  const body = { ...foreign, revision: space.revision, subject: 'x', status: 'merged' };
  const made = await json<{ id: string }>(path, { token: space.token, body });

  expect(made).toMatchObject({ status: 'draft', number: 1, space: space.id, revision: space.revision });
  const patched = await platform().request(`${path}/${made.id}`, { token: space.token, method: 'PATCH', body });
  expect(patched.status).toBe(400);
  expect(await json(`${path}/${made.id}`, space)).toEqual(made);
});

test('spaces and organizations are created from declared fields only', async () => {
  const { makeOrganization } = platform();
  const { id, token, user } = await makeOrganization();

  const space = await json<{ id: string }>(`/v1/orgs/${id}/spaces`, {
    token,
    body: { ...foreign, defaultLevel: 'admin' },
  });
  const organization = await json<{ id: string }>('/v1/orgs', { token, body: { ...foreign, title: 'Acme' } });

  expect(space).toMatchObject({ organization: id, visibility: 'private', defaultLevel: null });
  expect(space.id).not.toBe(foreign.id);
  expect(query('SELECT created_by FROM spaces WHERE id = ?', space.id)).toEqual([{ created_by: user }]);
  expect(organization).toMatchObject({ plan: 'community_2024', type: 'business', sso: false });
  expect(organization.id).not.toBe(foreign.id);
  expect(query('SELECT user, role FROM members WHERE organization = ?', organization.id)).toEqual([
    { user, role: 'admin' },
  ]);
});

test('a token is created for the caller, with a secret and ID from the server', async () => {
  const { makeUser } = platform();
  const [caller, other] = [await makeUser(), await makeUser()];

  const made = await json<{ id: string; token: string }>('/v1/user/tokens', {
    token: caller.token,
    body: { ...foreign, user: other.user, label: 'x' },
  });

  expect(made.id).not.toBe(foreign.id);
  expect(made.token).not.toBe(foreign.token);
  expect(await json('/v1/user', { token: made.token })).toMatchObject({ id: caller.user });
});

test('a page accepts no ID, author or time from the client', async () => {
  const space = await platform().makeSpace();
  const changes = [{ operation: 'insert_page', ...foreign, title: 'A page', document: { markdown: 'x' } }];

  const { changes: done } = await json<{ changes: { page: { id: string } }[] }>(`/v1/spaces/${space.id}/content`, {
    token: space.token,
    body: { changes },
  });
  const page = await json<{ createdAt: string }>(`/v1/spaces/${space.id}/content/page/${done[0]?.page.id}`, space);

  expect(done[0]?.page.id).not.toBe(foreign.id);
  expect(page.createdAt).not.toBe(foreign.createdAt);
});

test('PATCH of an organization only changes allowed fields', async () => {
  const { id, token } = await platform().makeOrganization();
  const before = await json<object>(`/v1/orgs/${id}`, { token });
  const { sso, ...others } = foreign;

  const after = await json(`/v1/orgs/${id}`, {
    token,
    method: 'PATCH',
    body: { ...others, trial: { status: 'active' }, billing: {}, blocked: {}, customHostname: 'x', title: 'New' },
  });

  expect(sso).toBe(true);
  expect(after).toEqual({ ...before, title: 'New' });
  expect(await json(`/v1/orgs/${id}`, { token })).toEqual(after);
});

test('PATCH of a user only changes allowed fields', async () => {
  const { token, user } = await platform().makeUser();
  const row = () => query('SELECT * FROM users WHERE id = ?', user)[0];
  const [before, stored] = [await json<object>('/v1/user', { token }), row()];
  const more = { email: 'root@example.test', emailVerified: true, kind: 'service', serviceOf: 'org_mine' };

  const after = await json(`/v1/users/${user}`, {
    token,
    method: 'PATCH',
    body: { ...foreign, ...more, displayName: 'New' },
  });

  expect(after).toEqual({ ...before, displayName: 'New' });
  expect(row()).toEqual({ ...stored, display_name: 'New' });
});

test('a service account is created from a name and a role, in the organization of the path', async () => {
  const { makeOrganization } = platform();
  const [organization, other] = [await makeOrganization(), await makeOrganization()];
  const body = { ...foreign, organization: other.id, email: 'root@example.test', displayName: 'CI', role: 'read' };

  const made = await json<{ id: string }>(`/v1/orgs/${organization.id}/service-accounts`, {
    token: organization.token,
    body,
  });

  expect(made).toMatchObject({ role: 'read', sso: false, disabled: false });
  expect(query('SELECT email, kind, service_of FROM users WHERE id = ?', made.id)).toEqual([
    { email: `${made.id}@service.invalid`, kind: 'service', service_of: organization.id },
  ]);
  expect(query('SELECT organization, role FROM members WHERE user = ?', made.id)).toEqual([
    { organization: organization.id, role: 'read' },
  ]);
});

test('the token of a service account is bound to the organization of the path', async () => {
  const { makeOrganization } = platform();
  const [organization, other] = [await makeOrganization(), await makeOrganization()];
  const { user } = await makeServiceAccount(organization);

  const made = await json<{ id: string; token: string }>(
    `/v1/orgs/${organization.id}/service-accounts/${user}/tokens`,
    {
      token: organization.token,
      body: { ...foreign, organization: other.id, user: other.user, lastUsedAt: foreign.createdAt, label: 'x' },
    },
  );

  expect(made.token).not.toBe(foreign.token);
  expect(query('SELECT user, organization, last_used_at FROM tokens WHERE id = ?', made.id)).toEqual([
    { user, organization: organization.id, last_used_at: null },
  ]);
});

test('translation settings are created and renamed in the organization of the path', async () => {
  const { id, token } = await platform().makeOrganization();
  const path = `/v1/orgs/${id}/translations`;
  const made = await json<{ id: string }>(path, { token, body: { ...foreign, languages: ['fr'], title: 'Old' } });

  const after = await json(`${path}/${made.id}`, {
    token,
    method: 'PUT',
    body: { ...foreign, languages: ['fr'], title: 'New' },
  });

  expect(made).toMatchObject({ id: expect.stringMatching(/^trn_\w{20}$/), languages: [] });
  expect(after).toEqual({ ...made, title: 'New', updatedAt: expect.any(String) });
});
