import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import type { Audience, OpenSite } from './open-site.ts';
import { audiences, getAuthKey, openSite, vouch } from './open-site.ts';
import { told } from './reads.ts';

const sites = new Map<Audience, OpenSite>();
const others = new Map<Audience, OpenSite>();
const siteFor = (audience: Audience) => sites.get(audience) as OpenSite;

beforeAll(async () => {
  for (const audience of audiences) {
    const site = await openSite(audience);
    sites.set(audience, site);
    others.set(audience, await openSite(audience, site.organization));
  }
}, 60_000);

interface Visit {
  address: string;
  jwtToken?: string;
}

const post = ({ address, jwtToken }: Visit, more: object = {}) =>
  platform().request('/v1/urls/published', {
    body: { url: `${address}/start`, ...more, ...(jwtToken === undefined ? {} : { visitor: { jwtToken } }) },
  });

const get = ({ address, jwtToken }: Visit) => {
  const query = new URLSearchParams({ url: `${address}/start`, ...(jwtToken && { visitorAuthToken: jwtToken }) });
  return platform().request(`/v1/urls/published?${query}`);
};

/** Expects the same response as for a URL that does not exist. */
async function expectNothing(site: OpenSite, visit: Visit) {
  const { jwtToken } = visit;
  const madeUp = { address: `${site.base}-not`, ...(jwtToken === undefined ? {} : { jwtToken }) };
  for (const ask of [post, get, (each: Visit) => post(each, { redirectOnError: true })]) {
    const [refused, nothing] = [await told(await ask(visit), {}), await told(await ask(madeUp), {})];
    expect(refused).toMatchObject({ status: 404 });
    expect(refused).toEqual(nothing);
  }
}

describe.each(audiences)('a URL of a site with the visibility %s', (audience) => {
  test('admits visitors with the right credentials', async () => {
    const { address, visitor, ids } = siteFor(audience);
    for (const ask of [post, get]) {
      const answer = await ask({ address, ...visitor });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ space: ids.spaceId, pathname: '/start', complete: true });
    }
  });

  test.each(['unpublish', 'delete'])('returns the same 404 as a missing site after %s', async (how) => {
    const site = await openSite(audience);
    const options = { token: site.organization.token, method: how === 'delete' ? 'DELETE' : 'POST' };
    const ended = await platform().request(`${site.path}${how === 'delete' ? '' : '/unpublish'}`, options);

    expect(ended.ok).toBe(true);
    await expectNothing(site, { address: site.address, ...site.visitor });
    await expectNothing(site, { address: site.base });
  });
});

const otherKey = () => others.get('share-link')?.shareLink?.key ?? '';

const badKeys: Record<string, (key: string) => string> = {
  'no key': () => '',
  'a made-up key': () => `/${'x'.repeat(22)}`,
  'a key with another end': (key) => `/${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`,
  'a key with another case': (key) => `/${key.toUpperCase()}`,
  'more behind the key': (key) => `/${key}x`,
  "another site's key": () => `/${otherKey()}`,
};

test.each(Object.entries(badKeys))('a site with share links returns 404 with %s', async (_, suffix) => {
  const site = siteFor('share-link');

  await expectNothing(site, { address: `${site.base}${suffix(site.shareLink?.key ?? '')}` });
});

test.each(['off', 'deleted'])('a site with share links returns 404 through a link that is %s', async (how) => {
  const site = await openSite('share-link');
  const { token } = site.organization;
  const path = `${site.path}/share-links/${site.shareLink?.id}`;
  if (how === 'off') await json(path, { token, method: 'PATCH', body: { active: false } });
  else expect((await platform().request(path, { token, method: 'DELETE' })).ok).toBe(true);

  await expectNothing(site, { address: site.address });
});

const hour = 3600;
const now = () => Math.floor(Date.now() / 1000);

const badTokens: Record<string, (key: string) => string | undefined> = {
  'no token': () => undefined,
  'what is no token': () => 'nonsense',
  'an expired token': (key) => vouch(key, { exp: now() - hour }),
  'a token for later': (key) => vouch(key, { nbf: now() + hour }),
  'a token from the future': (key) => vouch(key, { iat: now() + hour }),
  'a token of another key': () => vouch('another key'),
  "another site's token": () => vouch(getAuthKey(others.get('visitor-auth')?.site ?? '')),
  'an unsigned token': (key) => `${vouch(key, {}, { alg: 'none' }).split('.').slice(0, 2).join('.')}.`,
  'a token that says that it is not signed': (key) => vouch(key, {}, { alg: 'none' }),
  'a token of another algorithm': (key) => vouch(key, {}, { alg: 'HS512' }),
  'a token for readers of the API': () => siteFor('visitor-auth').token,
  'a token of a member': () => siteFor('visitor-auth').organization.token,
};

test.each(Object.entries(badTokens))('a site with visitor authentication returns 404 for %s', async (_, make) => {
  const site = siteFor('visitor-auth');
  const jwtToken = make(getAuthKey(site.site));

  await expectNothing(site, { address: site.base, ...(jwtToken === undefined ? {} : { jwtToken }) });
});

test('a site with visitor authentication rejects tokens signed with a replaced key', async () => {
  const site = await openSite('visitor-auth');
  const { token } = site.organization;
  await json(`${site.path}/publishing/auth/regenerate`, { token, method: 'POST' });

  await expectNothing(site, { address: site.base, ...site.visitor });
});
