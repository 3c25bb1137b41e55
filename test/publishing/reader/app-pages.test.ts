import { describe, expect, test } from 'vitest';
import { edit, makePage } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { audiences, openSite } from '../audiences/open-site.ts';
import { newSite } from '../sites/site-client.ts';
import { read } from './reads.ts';

const app = (path: string) => read(`/app${path}`);

describe('the application URLs in `urls.app`', () => {
  test.each(audiences)('with the visibility %s, redirect to the page only if the site is public', async (audience) => {
    const { ids, base } = await openSite(audience);
    const places = {
      [`/spaces/${ids.spaceId}`]: `${base}/`,
      [`/spaces/${ids.spaceId}/content/page/${ids.pageId}`]: `${base}/start`,
      [`/orgs/${ids.organizationId}/sites/${ids.siteId}`]: `${base}/`,
    };

    for (const [path, address] of Object.entries(places)) {
      const { status, headers, text } = await app(path);
      if (audience === 'public') expect([path, status, headers.get('location')]).toEqual([path, 302, address]);
      else expect([path, status, text.includes(`<code>/v1${path}</code>`)]).toEqual([path, 200, true]);
    }
    if (audience === 'public') expect((await read(`${base}/start`)).status).toBe(200);
  });

  test('return the same response for content that is not public as for a missing page', async () => {
    const site = await newSite({ visibility: 'public' });
    const { id, space: spaceId } = await site.addSpace('Guide').then(({ id, space }) => ({ id, space: space.id }));
    const space = { id: spaceId, token: site.organization.token };
    const condition = 'visitor.claims.staff == true';
    const [shown, hidden] = [await makePage(space, 'Shown'), await makePage(space, 'Hidden')];
    await edit(space, [{ operation: 'update_page', page: hidden, condition }]);
    await site.publish();
    const place = (page: string) => `/spaces/${spaceId}/content/page/${page}`;
    const hides = async (path: string) => {
      const [there, madeUp] = [await app(path), await app(path.replace(/\w+$/, 'pg_x'))];
      expect([there.status, there.text.replace(/pg_\w+/, '')]).toEqual([200, madeUp.text.replace(/pg_\w+/, '')]);
      expect([...there.headers.keys()].toSorted()).toEqual([...madeUp.headers.keys()].toSorted());
    };

    expect((await app(place(shown))).status).toBe(302);
    await hides(place(hidden));
    await hides(`/spaces/${spaceId}/content/page/pg_y`);
    await site.patch(`/site-spaces/${id}`, { condition });
    await hides(place(shown));
    await site.patch(`/site-spaces/${id}`, { condition: null });
    expect((await app(place(shown))).status).toBe(302);
    await site.send('/unpublish', { method: 'POST' });
    await hides(place(shown));
  });

  test('return 404 for unknown paths', async () => {
    for (const path of ['/nothing', '/spaces', '/spaces/a/b/c', '/spaces/%22'])
      expect([path, (await app(path)).status]).toEqual([path, 404]);
    expect((await platform().request('/app/spaces/x', { method: 'HEAD' })).status).toBe(200);
  });
});
