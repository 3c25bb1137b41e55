import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';

test('creates an organization with the caller as admin', async () => {
  const { makeUser, request, url } = platform();
  const { token } = await makeUser();

  const response = await request('/v1/orgs', { token, body: { title: 'Acme', emailDomains: ['acme.example'] } });
  const organization = (await response.json()) as { id: string; urls: { location: string } };

  expect(response.status).toBe(201);
  expect(response.headers.get('location')).toBe(`${url}/v1/orgs/${organization.id}`);
  expect(organization).toMatchObject({
    object: 'organization',
    id: expect.stringMatching(/^org_\w{20}$/),
    title: 'Acme',
    emailDomains: ['acme.example'],
    type: 'business',
    inviteLinks: true,
    permissions: { view: true, admin: true, createContent: true, ownTeam: false },
    urls: { location: `${url}/v1/orgs/${organization.id}`, app: `${url}/app/orgs/${organization.id}` },
  });
  expect(await json(`/v1/orgs/${organization.id}`, { token })).toEqual(organization);
});

test('records the event with its actor', async () => {
  const { id, user } = await platform().makeOrganization();

  expect(query('SELECT type, actor FROM outbox WHERE organization = ? ORDER BY type', id)).toEqual([
    { type: 'member.added', actor: user },
    { type: 'organization.created', actor: user },
  ]);
});

test.each([
  [undefined],
  [{}],
  [{ title: 'x' }],
  [{ title: 'x'.repeat(256) }],
  [{ title: 'Acme', emailDomains: 'acme.example' }],
  [{ title: 'Acme', emailDomains: ['ACME.example'] }],
  [{ title: 'Acme', emailDomains: ['a b'] }],
  [{ title: 'Acme', emailDomains: Array(101).fill('acme.example') }],
])('rejects %j', async (body) => {
  const { makeUser, request } = platform();
  const { token } = await makeUser();

  expect((await request('/v1/orgs', { token, method: 'POST', body })).status).toBe(400);
  expect(await json('/v1/orgs', { token })).toEqual({ count: 0, items: [] });
});
