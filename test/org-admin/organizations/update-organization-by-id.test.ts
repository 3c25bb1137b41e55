import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const patch = ({ id, token }: TestOrganization, body: unknown) =>
  platform().request(`/v1/orgs/${id}`, { token, method: 'PATCH', body });

const read = ({ id, token }: TestOrganization) => json<Record<string, unknown>>(`/v1/orgs/${id}`, { token });

const makeHostname = () => `h${randomUUID().replaceAll('-', '').slice(0, 31)}`;

test.each([
  [{ title: 'Ab' }, { title: 'Ab' }],
  [{ title: 'x'.repeat(255) }, { title: 'x'.repeat(255) }],
  [{ emailDomains: [] }, { emailDomains: [] }],
  [{ emailDomains: ['b.example', 'a.example', 'b.example'] }, { emailDomains: ['b.example', 'a.example'] }],
  [{ defaultRole: 'edit' }, { defaultRole: 'edit' }],
  [{ defaultRole: null }, { defaultRole: null }],
  [{ defaultContent: null }, {}],
  [{ sso: false }, { sso: false }],
  [{ ai: true }, { ai: true }],
  [{ inviteLinks: false }, { inviteLinks: false }],
  [{}, {}],
])('the update %j results in %j and changes nothing else', async (body, expected) => {
  const organization = await platform().makeOrganization();
  const before = await read(organization);

  const response = await patch(organization, body);
  const changed = await response.json();

  expect(response.status).toBe(200);
  expect(changed).toEqual({ ...before, ...expected });
  expect(await read(organization)).toEqual(changed);
});

test.each([
  [{ title: 'x' }],
  [{ title: 'x'.repeat(256) }],
  [{ title: null }],
  [{ emailDomains: 'acme.example' }],
  [{ emailDomains: ['Acme.example'] }],
  [{ emailDomains: ['a'] }],
  [{ emailDomains: Array(101).fill('acme.example') }],
  [{ hostname: 'ab' }],
  [{ hostname: 'x'.repeat(33) }],
  [{ hostname: 'UPPER' }],
  [{ hostname: '-ab' }],
  [{ hostname: 'a.b' }],
  [{ hostname: null }],
  [{ defaultRole: 'owner' }],
  [{ defaultContent: { type: 'site', site: 'site_madeup' } }],
  [{ defaultContent: { type: 'space', space: 'spc_madeup' } }],
  [{ logo: 'no address' }],
  [{ logo: 'javascript:alert(1)' }],
  [{ logo: `https://example.test/${'x'.repeat(2048)}` }],
  [{ sso: 'yes' }],
  [{ ai: null }],
  [{ inviteLinks: 1 }],
  [[]],
])('rejects %j without changing anything, not even valid fields', async (body) => {
  const organization = await platform().makeOrganization();
  const before = await read(organization);

  const response = await patch(
    organization,
    Array.isArray(body) ? body : { ...body, ai: Object.hasOwn(body, 'ai') ? null : true },
  );

  expect(response.status).toBe(400);
  const { error } = (await response.json()) as { error: { type: string; issues: { path: string }[] } };
  expect(error.type).toBe('invalid');
  expect(error.issues.map(({ path }) => path)).toContainEqual(expect.stringMatching(/^body/));
  expect(await read(organization)).toEqual(before);
});

test('rejects a site of another organization, and names it in the error', async () => {
  const response = await patch(await platform().makeOrganization(), {
    defaultContent: { type: 'site', site: 'site_x' },
  });

  expect(await response.json()).toMatchObject({
    error: { issues: [{ path: 'body.defaultContent.site', message: 'must be a site of this organization' }] },
  });
});

test('the logo is a URL, and null removes it', async () => {
  const organization = await platform().makeOrganization();
  const logo = 'https://example.test/logo.png';

  expect(await (await patch(organization, { logo })).json()).toMatchObject({ urls: { logo } });
  const { urls } = (await (await patch(organization, { logo: null })).json()) as { urls: object };

  expect(urls).not.toHaveProperty('logo');
});

test('only one of several organizations that set a hostname concurrently gets it', async () => {
  const { makeOrganization } = platform();
  const hostname = makeHostname();
  const all = await Promise.all(Array.from({ length: 25 }, () => makeOrganization()));

  const responses = await Promise.all(all.map((each) => patch(each, { hostname, title: 'Mine' })));
  const [response] = responses.filter(({ status }) => status === 409);

  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array(24).fill(409)]);
  expect(await response?.json()).toMatchObject({
    error: { type: 'conflict', message: 'The hostname belongs to another organization.' },
  });
  const titles = await Promise.all(all.map(async (each) => (await read(each)).title));
  expect(titles.filter((title) => title === 'Mine')).toHaveLength(1);
  const winner = all[responses.findIndex(({ status }) => status === 200)];
  if (winner !== undefined) expect(await (await patch(winner, { hostname })).json()).toMatchObject({ hostname });
});

test('concurrent changes of different fields are all applied', async () => {
  const organization = await platform().makeOrganization();
  const wanted = { title: 'New', ai: true, inviteLinks: false, defaultRole: 'read', emailDomains: ['a.example'] };

  await Promise.all(Object.entries(wanted).map(([field, value]) => patch(organization, { [field]: value })));

  expect(await read(organization)).toMatchObject(wanted);
});

test('SSO cannot be enforced without a provider', async () => {
  const organization = await platform().makeOrganization();

  const response = await patch(organization, { sso: true, title: 'Locked out' });

  expect(response.status).toBe(412);
  expect(await response.json()).toMatchObject({ error: { type: 'precondition_failed' } });
  expect(await read(organization)).toMatchObject({ sso: false, title: organization.title });
});

test('records a change, but not an update without changes', async () => {
  const organization = await platform().makeOrganization();
  await patch(organization, {});
  await patch(organization, { ai: true });

  expect(
    query("SELECT actor FROM outbox WHERE organization = ? AND type = 'organization.updated'", organization.id),
  ).toEqual([{ actor: organization.user }]);
});
