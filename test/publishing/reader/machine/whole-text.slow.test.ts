import { beforeAll, expect, test } from 'vitest';
import { getCost } from '../../../content/space-client.ts';
import { signVisitorToken } from '../../../content/visitors/visitor-client.ts';
import { json } from '../../../support/content.ts';
import { platform } from '../../../support/platform.ts';
import { drawValues, seed } from '../../../support/random.ts';
import { getAuthKey, signVisitorJwt } from '../../audiences/open-site.ts';
import {
  getPlanClaims,
  type Held,
  isShown,
  makeRandomSite,
  nobody,
  type RandomSite,
  someHeld,
} from '../../audiences/random-site.ts';

interface Shown {
  pages: { id: string; type: string; hidden?: boolean; pages: Shown['pages'] }[];
}

let random: RandomSite;
beforeAll(async () => {
  random = await makeRandomSite(seed);
}, 120_000);

const getDocuments = (pages: Shown['pages']): string[] =>
  pages.flatMap(({ id, type, hidden, pages: below = [] }) =>
    hidden === true ? [] : [...(type === 'document' ? [id] : []), ...getDocuments(below)],
  );

/** Returns the cookies of a visitor with these claims. */
function getHeaders(held: Held): Record<string, string> {
  const { site } = random;
  const { unsigned, ...signed } = getPlanClaims(held);
  const claims = encodeURIComponent(JSON.stringify(unsigned));
  return {
    cookie: `octavo-visitor-${site.id}=${signVisitorJwt(getAuthKey(site.id), signed)}; octavo-claims-${site.id}=${claims}`,
  };
}

test('the full text of a space contains exactly the pages that the visitor can read individually', async () => {
  const { site, spaces, things } = random;
  const visitors = [nobody, ...drawValues(someHeld, 40, seed)];
  let compared = 0;
  for (const [index, held] of visitors.entries()) {
    // Test four visitors, and more until one of them can see a page.
    if (index >= 4 && compared > 0) break;
    const token = signVisitorToken(site.organization.id, site.id, { claims: getPlanClaims(held) });
    const get = (at: string) => platform().request(at, { token });
    for (const { ids } of spaces) {
      const space = await get(`/v1/spaces/${ids.spaceId}`);
      if (space.status === 404) continue;
      const { urls } = (await space.json()) as { urls: { published: string } };
      const folder = urls.published.endsWith('/') ? urls.published : `${urls.published}/`;
      const whole = await (await platform().request(`${folder}llms-full.txt`, { headers: getHeaders(held) })).text();
      const tree = (await (await get(`/v1/spaces/${ids.spaceId}/content/pages`)).json()) as Shown;
      for (const id of getDocuments(tree.pages)) {
        const at = `/v1/spaces/${ids.spaceId}/content/page/${id}?format=markdown&evaluated=deterministic-only&depth=0`;
        const { markdown } = (await (await get(at)).json()) as { markdown: string };
        expect(whole).toContain(markdown.trim());
        compared += 1;
      }
      for (const thing of things.filter((each) => !isShown(each, held)))
        for (const marker of thing.markers) expect([thing.kind, whole.includes(marker)]).toEqual([thing.kind, false]);
    }
  }
  expect(compared).toBeGreaterThan(0);
});

test('the full text of twenty pages takes as many round trips as that of one page', async () => {
  const server = platform({ countsRows: true });
  const organization = await server.makeOrganization();
  const trips: number[] = [];
  for (const count of [1, 20]) {
    const space = await server.makeSpace({ organization, title: `Pages ${count}` });
    const changes = Array.from({ length: count }, (_, index) => ({
      ...{ operation: 'insert_page', title: `Page ${index}`, document: { markdown: 'See [the first](page-0.md).\n' } },
    }));
    await json(`/v1/spaces/${space.id}/content`, { token: space.token, body: { changes } });
    const { token } = organization;
    const site = await json<{ id: string }>(`/v1/orgs/${organization.id}/sites`, {
      ...{ token, body: { visibility: 'public', spaces: [space.id] } },
    });
    const path = `/v1/orgs/${organization.id}/sites/${site.id}/publish`;
    const { urls } = await json<{ urls: { published: string } }>(path, { token, method: 'POST' });
    const response = await server.request(`${urls.published}llms-full.txt`);
    expect(response.status).toBe(200);
    trips.push(getCost(response).trips);
  }
  expect(trips[1]).toBe(trips[0]);
});
