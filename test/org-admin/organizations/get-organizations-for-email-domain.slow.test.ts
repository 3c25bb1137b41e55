import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { makeServiceAccount } from '../../support/service-account.ts';

interface DomainResponse {
  organizations: { id: string; title: string; permissions: Record<string, boolean> }[];
}

const makeDomain = () => `d${randomUUID()}.example`;

const lookUp = (domain: string, token: string) => json<DomainResponse>(`/v1/email-domains/${domain}/orgs`, { token });

const setDomains = ({ id, token }: TestOrganization, emailDomains: string[]) =>
  json(`/v1/orgs/${id}`, { token, method: 'PATCH', body: { emailDomains, ai: true, defaultRole: 'edit' } });

async function createWithDomains(...domains: string[]): Promise<TestOrganization> {
  const organization = await platform().makeOrganization();
  await setDomains(organization, domains);
  return organization;
}

const listIds = async (domain: string, token: string) =>
  (await lookUp(domain, token)).organizations.map(({ id }) => id);

test("returns each organization equal to its single read, the caller's own organizations first", async () => {
  const domain = makeDomain();
  const [first, second] = [await createWithDomains(domain), await createWithDomains('other.example', domain)];
  const third = await createWithDomains(domain);
  const { token } = await platform().makeUser({ organization: second.id, role: 'read' });

  const { organizations } = await lookUp(domain, token);

  expect(organizations.map(({ id }) => id)).toEqual([second.id, first.id, third.id]);
  expect(organizations[0]).toEqual(await json(`/v1/orgs/${second.id}`, { token }));
});

test('hides settings, other domains and permissions from users who are not members', async () => {
  const [domain, secret] = [makeDomain(), makeDomain()];
  const { id, title } = await createWithDomains(secret, domain);
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
      trial: { status: 'notapplicable', count: 0 },
      mergeRules: { type: 'none' },
      urls: { location: `${url}/v1/orgs/${id}`, app: `${url}/app/orgs/${id}` },
      permissions: expect.any(Object),
    },
  ]);
  expect(new Set(Object.values(organizations[0]?.permissions ?? {}))).toEqual(new Set([false]));
  expect((await platform().request(`/v1/orgs/${id}`, { token })).status).toBe(404);
});

test('uses the current domain settings, and matches whole domains, ignoring case', async () => {
  const [old, domain] = [makeDomain(), makeDomain()];
  const organization = await createWithDomains(old);
  await setDomains(organization, [domain]);
  const { token } = organization;

  expect(await listIds(old, token)).toEqual([]);
  expect(await listIds(domain, token)).toEqual([organization.id]);
  expect(await listIds(domain.toUpperCase(), token)).toEqual([organization.id]);
  expect(await listIds(`sub.${domain}`, token)).toEqual([]);
  await json('/v1/orgs', { token, body: { title: 'A newer one', emailDomains: [domain, domain] } });
  expect((await lookUp(domain, token)).organizations.map(({ title }) => title)).toEqual([
    organization.title,
    'A newer one',
  ]);
});

/** Creates `count` organizations of one user that claim the domain. */
async function claimDomain(domain: string, count: number): Promise<string> {
  const { token } = await platform().makeUser();
  for (let nth = 0; nth < count; nth += 10) {
    const some = Array.from({ length: Math.min(10, count - nth) }, (_, index) =>
      json('/v1/orgs', { token, body: { title: `Number ${nth + index}`, emailDomains: [domain] } }),
    );
    await Promise.all(some);
  }
  return token;
}

test("an organization that claims many domains does not displace older ones or the caller's", async () => {
  const domain = makeDomain();
  const real = await createWithDomains(domain);
  const squatter = await claimDomain(domain, 110);
  const late = await createWithDomains(domain);
  const member = await platform().makeUser({ organization: late.id, role: 'read' });
  const oldest = query<{ id: string }>(
    'SELECT organization AS id FROM organization_domains WHERE domain = ? ORDER BY created_at, organization LIMIT 100',
    domain,
  ).map(({ id }) => id);

  expect(oldest[0]).toBe(real.id);
  expect(await listIds(domain, (await platform().makeUser()).token)).toEqual(oldest);
  expect(await listIds(domain, member.token)).toEqual([late.id, ...oldest.slice(0, 99)]);
  const result = await lookUp(domain, squatter);
  expect(result.organizations).toHaveLength(100);
  expect(result.organizations.every(({ permissions }) => permissions.admin)).toBe(true);
});

test('costs the same however many organizations claim the domain', async () => {
  const [few, many] = [makeDomain(), makeDomain()];
  await Promise.all([claimDomain(few, 100), claimDomain(many, 140)]);
  const { token } = await platform().makeUser();
  const getRows = async (domain: string) =>
    getCost(await platform().request(`/v1/email-domains/${domain}/orgs`, { token })).read;
  const rows = await getRows(few);

  expect(await getRows(many)).toBeLessThanOrEqual(rows + 5);
});

test('an organization in which the caller is disabled is not listed first', async () => {
  const domain = makeDomain();
  const [first, second] = [await createWithDomains(domain), await createWithDomains(domain)];
  const { token, user } = await platform().makeUser({ organization: second.id, role: 'read' });
  const disable = { token: second.token, method: 'POST' };
  await json(`/v1/orgs/${second.id}/members/${user}/disable`, disable);

  expect(await listIds(domain, token)).toEqual([first.id, second.id]);
});

test('a bound token sees other organizations like a user who is not a member', async () => {
  const domain = makeDomain();
  const organization = await createWithDomains(domain);
  const { token, user } = await makeServiceAccount(organization, 'admin');
  const other = await createWithDomains(domain);

  const { organizations } = await lookUp(domain, token);

  expect(user).toMatch(/^usr_/);
  expect(organizations.map(({ id, permissions }) => [id, permissions.view, permissions.admin])).toEqual([
    [organization.id, true, true],
    [other.id, false, false],
  ]);
});

test.each(['a', 'a b.example', 'acme.example%2Fx', '%00.example', `${'x'.repeat(250)}.example`, '-a.example'])(
  'returns no organization for the domain %s',
  async (domain) => {
    const { token } = await platform().makeUser();

    expect((await platform().request(`/v1/email-domains/${domain}/orgs`, { token })).status).toBe(404);
  },
);
