import { describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { getSample } from '../../support/random.ts';
import type { Audience, OpenSite } from './open-site.ts';
import { audiences, openSite } from './open-site.ts';
import { read, summarizeResponse, visited } from './reads.ts';

const send = (site: OpenSite, path: string, method: string, body?: object) =>
  platform().request(`${site.path}${path}`, { token: site.organization.token, method, ...(body ? { body } : {}) });

/** An operation that revokes the visitor tokens of a site. */
interface Revocation {
  of: Audience[];
  revoke: (site: OpenSite) => Promise<Response>;
}

const getOtherAudiences = (audience: Audience) => audiences.filter((each) => each !== audience);

const revocations: Record<string, Revocation> = {
  'the site is unpublished': { of: [...audiences], revoke: (site) => send(site, '/unpublish', 'POST') },
  'the site is deleted': { of: [...audiences], revoke: (site) => send(site, '', 'DELETE') },
  ...Object.fromEntries(
    audiences.map((visibility): [string, Revocation] => [
      `the site becomes ${visibility}`,
      { of: getOtherAudiences(visibility), revoke: (site) => send(site, '', 'PATCH', { visibility }) },
    ]),
  ),
  'the share link is switched off': {
    of: ['share-link'],
    revoke: (site) => send(site, `/share-links/${site.shareLink?.id}`, 'PATCH', { active: false }),
  },
  'the share link is deleted': {
    of: ['share-link'],
    revoke: (site) => send(site, `/share-links/${site.shareLink?.id}`, 'DELETE'),
  },
  'the key of the site is regenerated': {
    of: ['visitor-auth'],
    revoke: (site) => send(site, '/publishing/auth/regenerate', 'POST'),
  },
};

const revoked = Object.entries(revocations).flatMap(([name, { of, revoke }]) =>
  of.map((audience) => ({ name, audience, revoke })),
);
const cases = revoked.map((each, index) => ({ ...each, index }));

/** Whether files keep their URLs, because the site stays open to everyone. */
const isStillValid = (audience: Audience, name: string) =>
  name === `the site becomes ${audience === 'public' ? 'unlisted' : 'public'}` && /public|unlisted/.test(audience);

interface Listed {
  items: { downloadURL: string }[];
}

describe.each(cases)('a site with the visibility $audience, when $name', ({ name, audience, revoke, index }) => {
  test('no read reveals which content exists', async () => {
    const site = await openSite(audience);
    const { token, ids } = site;
    const files = await json<Listed>(`/v1/spaces/${ids.spaceId}/content/files`, { token });
    const address = files.items[0]?.downloadURL ?? '';
    expect([address, (await fetch(address)).status]).toEqual([address, 200]);
    expect((await revoke(site)).ok).toBe(true);

    for (const operation of getSample(visited, 8, index)) {
      const there = await summarizeResponse(await read(operation, ids, token), ids);
      const madeUp = await summarizeResponse(await read(operation, {}, token), {});
      expect([operation.id, there.status]).toEqual([operation.id, 404]);
      expect([operation.id, there]).toEqual([operation.id, madeUp]);
    }
    expect([address, (await fetch(address)).status]).toEqual([address, isStillValid(audience, name) ? 200 : 404]);
  });
});
