import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { makeServiceAccount } from '../../support/service-account.ts';

interface Found {
  organizations: { id: string; title: string; permissions: Record<string, boolean> }[];
}

const newDomain = () => `d${randomUUID()}.example`;

const lookUp = (domain: string, token: string) => json<Found>(`/v1/email-domains/${domain}/orgs`, { token });

const setDomains = ({ id, token }: TestOrganization, emailDomains: string[]) =>
  json(`/v1/orgs/${id}`, { token, method: 'PATCH', body: { emailDomains, ai: true, defaultRole: 'edit' } });

async function makeWith(...domains: string[]): Promise<TestOrganization> {
  const organization = await platform().makeOrganization();
  await setDomains(organization, domains);
  return organization;
}

const idsFor = async (domain: string, token: string) => (await lookUp(domain, token)).organizations.map(({ id }) => id);

test('shows members their organizations as reading them alone does, the newest first', async () => {
  const domain = newDomain();
  const [first, second] = [await makeWith(domain), await makeWith('other.example', domain)];
  const { token } = await platform().makeUser({ organization: first.id, role: 'read' });

  const { organizations } = await lookUp(domain, token);

  expect(organizations.map(({ id }) => id)).toEqual([second.id, first.id]);
  expect(organizations[1]).toEqual(await json(`/v1/orgs/${first.id}`, { token }));
});

test('shows others no settings, no other domains and no rights', async () => {
  const [domain, secret] = [newDomain(), newDomain()];
  const { id, title } = await makeWith(secret, domain);
  const { token } = await platform().makeUser();
  const { url } = platform();

  const { organizations } = await lookUp(domain, token);

  expect(organizations).toEqual([
    {
      object: 'organization',
      id,
      title,
      createdAt: expect.any(String),
      emailDomains: [domain],
      type: 'business',
      sso: false,
      inviteLinks: true,
      plan: 'community_2024',
      trial: { status: 'notapplicable' },
      urls: { location: `${url}/v1/orgs/${id}`, app: `${url}/app/orgs/${id}` },
      permissions: expect.any(Object),
    },
  ]);
  expect(Object.values(organizations[0]?.permissions ?? {})).toEqual(Array(10).fill(false));
  expect((await platform().request(`/v1/orgs/${id}`, { token })).status).toBe(404);
});

test('follows the settings, finds whole domains alone, and in any case', async () => {
  const [old, domain] = [newDomain(), newDomain()];
  const organization = await makeWith(old);
  await setDomains(organization, [domain]);
  const { token } = organization;

  expect(await idsFor(old, token)).toEqual([]);
  expect(await idsFor(domain, token)).toEqual([organization.id]);
  expect(await idsFor(domain.toUpperCase(), token)).toEqual([organization.id]);
  expect(await idsFor(`sub.${domain}`, token)).toEqual([]);
  await json('/v1/orgs', { token, body: { title: 'A newer one', emailDomains: [domain, domain] } });
  expect((await lookUp(domain, token)).organizations.map(({ title }) => title)).toEqual([
    'A newer one',
    organization.title,
  ]);
});

test('gives at most 100, the newest, at the cost of those', async () => {
  const domain = newDomain();
  const { token } = await platform().makeUser();
  for (let made = 0; made < 110; made += 10) {
    const some = Array.from({ length: 10 }, (_, index) =>
      json('/v1/orgs', { token, body: { title: `Number ${made + index}`, emailDomains: [domain] } }),
    );
    await Promise.all(some);
  }

  const { organizations } = await lookUp(domain, token);
  const newest = query<{ id: string }>(
    'SELECT organization AS id FROM organization_domains WHERE domain = ? ORDER BY created_at DESC, organization DESC LIMIT 100',
    domain,
  );

  expect(organizations.map(({ id }) => id)).toEqual(newest.map(({ id }) => id));
});

test('39: through a token of one organization, the others are those of a stranger', async () => {
  const domain = newDomain();
  const organization = await makeWith(domain);
  const { token, user } = await makeServiceAccount(organization, 'admin');
  const other = await makeWith(domain);

  const { organizations } = await lookUp(domain, token);

  expect(user).toMatch(/^usr_/);
  expect(organizations.map(({ id, permissions }) => [id, permissions.view, permissions.admin])).toEqual([
    [other.id, false, false],
    [organization.id, true, true],
  ]);
});

test.each(['a', 'a b.example', 'acme.example%2Fx', '%00.example', `${'x'.repeat(250)}.example`, '-a.example'])(
  'there is nothing at the domain %s',
  async (domain) => {
    const { token } = await platform().makeUser();

    expect((await platform().request(`/v1/email-domains/${domain}/orgs`, { token })).status).toBe(404);
  },
);
