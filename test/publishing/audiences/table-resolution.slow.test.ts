import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import type { Audience, OpenSite } from './open-site.ts';
import { audiences, getAuthKey, openSite, signVisitorJwt } from './open-site.ts';
import { summarizeResponse } from './reads.ts';

const sites = new Map<Audience, OpenSite>();
const others = new Map<Audience, OpenSite>();
const getSite = (audience: Audience) => sites.get(audience) as OpenSite;

beforeAll(async () => {
  for (const audience of audiences) {
    const site = await openSite(audience);
    sites.set(audience, site);
    others.set(audience, await openSite(audience, site.organization));
  }
});

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
    const [response, nothing] = [
      await summarizeResponse(await ask(visit), {}),
      await summarizeResponse(await ask(madeUp), {}),
    ];
    expect(response).toMatchObject({ status: 404 });
    expect(response).toEqual(nothing);
  }
}

describe.each(audiences)('a URL of a site with the visibility %s', (audience) => {
  test('admits visitors with the right credentials', async () => {
    const { address, visitor, ids } = getSite(audience);
    for (const ask of [post, get]) {
      const response = await ask({ address, ...visitor });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ space: ids.spaceId, pathname: '/start', complete: true });
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

const getOtherKey = () => others.get('share-link')?.shareLink?.key ?? '';

const badKeys: Record<string, (key: string) => string> = {
  'no key': () => '',
  'a made-up key': () => `/${'x'.repeat(22)}`,
  'a key with another end': (key) => `/${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`,
  'a key with another case': (key) => `/${key.toUpperCase()}`,
  'more characters after the key': (key) => `/${key}x`,
  "another site's key": () => `/${getOtherKey()}`,
};

test.each(Object.entries(badKeys))('a site with share links returns 404 with %s', async (_, suffix) => {
  const site = getSite('share-link');

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
const getSeconds = () => Math.floor(Date.now() / 1000);

const badTokens: Record<string, (key: string) => string | undefined> = {
  'no token': () => undefined,
  'a text that is not a token': () => 'nonsense',
  'an expired token': (key) => signVisitorJwt(key, { exp: getSeconds() - hour }),
  'a token that is not valid yet': (key) => signVisitorJwt(key, { nbf: getSeconds() + hour }),
  'a token issued in the future': (key) => signVisitorJwt(key, { iat: getSeconds() + hour }),
  'a token signed with another key': () => signVisitorJwt('another key'),
  "another site's token": () => signVisitorJwt(getAuthKey(others.get('visitor-auth')?.site ?? '')),
  'an unsigned token': (key) => `${signVisitorJwt(key, {}, { alg: 'none' }).split('.').slice(0, 2).join('.')}.`,
  'a token with the algorithm none': (key) => signVisitorJwt(key, {}, { alg: 'none' }),
  'a token with another algorithm': (key) => signVisitorJwt(key, {}, { alg: 'HS512' }),
  'a visitor token of the API': () => getSite('visitor-auth').token,
  'an API token of a member': () => getSite('visitor-auth').organization.token,
};

test.each(Object.entries(badTokens))('a site with visitor authentication returns 404 for %s', async (_, make) => {
  const site = getSite('visitor-auth');
  const jwtToken = make(getAuthKey(site.site));

  await expectNothing(site, { address: site.base, ...(jwtToken === undefined ? {} : { jwtToken }) });
});

test('a site with visitor authentication rejects tokens signed with a replaced key', async () => {
  const site = await openSite('visitor-auth');
  const { token } = site.organization;
  await json(`${site.path}/publishing/auth/regenerate`, { token, method: 'POST' });

  await expectNothing(site, { address: site.base, ...site.visitor });
});
