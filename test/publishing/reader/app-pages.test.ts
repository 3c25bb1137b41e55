import { describe, expect, test } from 'vitest';
import { edit, makePage } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { audiences, openSite } from '../audiences/open-site.ts';
import { createTestSite } from '../sites/site-client.ts';
import { read } from './reads.ts';

const readAppPage = (path: string) => read(`/app${path}`);

describe('the application URLs in `urls.app`', () => {
  test.each(audiences)('with the visibility %s, redirect to the page only if the site is public', async (audience) => {
    const { ids, base } = await openSite(audience);
    const places = {
      [`/spaces/${ids.spaceId}`]: `${base}/`,
      [`/spaces/${ids.spaceId}/content/page/${ids.pageId}`]: `${base}/start`,
      [`/orgs/${ids.organizationId}/sites/${ids.siteId}`]: `${base}/`,
    };

    for (const [path, address] of Object.entries(places)) {
      const { status, headers } = await readAppPage(path);
      if (audience === 'public') expect([path, status, headers.get('location')]).toEqual([path, 302, address]);
      else
        expect([path, status, headers.get('location')]).toEqual([
          path,
          302,
          `/login?to=${encodeURIComponent(`/app${path}`)}`,
        ]);
    }
    if (audience === 'public') expect((await read(`${base}/start`)).status).toBe(200);
  });

  test('return the same response for content that is not public as for a missing page', async () => {
    const site = await createTestSite({ visibility: 'public' });
    const { id, space: spaceId } = await site.addSpace('Guide').then(({ id, space }) => ({ id, space: space.id }));
    const space = { id: spaceId, token: site.organization.token };
    const condition = 'visitor.claims.staff == true';
    const [visiblePage, hidden] = [await makePage(space, 'Shown'), await makePage(space, 'Hidden')];
    await edit(space, [{ operation: 'update_page', page: hidden, condition }]);
    await site.publish();
    const place = (page: string) => `/spaces/${spaceId}/content/page/${page}`;
    const isHidden = async (path: string) => {
      const [there, madeUp] = [await readAppPage(path), await readAppPage(path.replace(/\w+$/, 'pg_x'))];
      const getLocation = ({ headers }: typeof there) => headers.get('location')?.replace(/pg_\w+/, '');
      expect([there.status, getLocation(there)]).toEqual([302, getLocation(madeUp)]);
      expect(getLocation(there)).toMatch(/^\/login\?to=/);
      expect([...there.headers.keys()].toSorted()).toEqual([...madeUp.headers.keys()].toSorted());
    };

    expect((await readAppPage(place(visiblePage))).status).toBe(302);
    await isHidden(place(hidden));
    await isHidden(`/spaces/${spaceId}/content/page/pg_y`);
    await site.patch(`/site-spaces/${id}`, { condition });
    await isHidden(place(visiblePage));
    await site.patch(`/site-spaces/${id}`, { condition: null });
    expect((await readAppPage(place(visiblePage))).status).toBe(302);
    await site.send('/unpublish', { method: 'POST' });
    await isHidden(place(visiblePage));
  });

  test('redirect to the sign-in page if no public content has the path', async () => {
    for (const path of ['', '/', '/nothing', '/spaces/a/b/c', '/profile?tab=tokens', '/spaces/%22']) {
      const { status, headers } = await readAppPage(path);
      const location = `/login?to=${encodeURIComponent(`/app${path}`)}`;
      expect([path, status, headers.get('location')]).toEqual([path, 302, location]);
    }
    expect((await platform().request('/app/spaces/x', { method: 'HEAD' })).status).toBe(302);
  });
});

describe('the app', () => {
  const cookie = `octavo_session=octavo_${'x'.repeat(40)}.1700000000`;
  const readShell = (path: string) => platform().request(path, { headers: { cookie } });

  test('is served to a browser with a session, and is neither cached nor framed', async () => {
    const response = await readShell('/app/spaces/spc_x');
    const policy = response.headers.get('content-security-policy') ?? '';

    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(await (await readShell('/app')).text()).toBe(await response.text());
  });

  test('runs only scripts of the build, and not those of integrations on the same host', async () => {
    const policy = (await readShell('/app')).headers.get('content-security-policy') ?? '';
    const { origin } = new URL(platform().url);

    for (const directive of ['script-src', 'style-src']) {
      const [, folder, hash, ...others] =
        policy
          .split('; ')
          .find((each) => each.startsWith(directive))
          ?.split(' ') ?? [];
      expect([folder, hash?.slice(0, 8), others]).toEqual([`${origin}/~/assets/`, "'sha256-", []]);
    }
  });

  test('loads only files of its own host that exist and never change', async () => {
    const html = await (await readShell('/app')).text();
    const files = [...html.matchAll(/ (?:src|href|data-diagrams)="(\/~\/[^"]+)"/g)].map(([, file = '']) => file);

    expect(files.length).toBeGreaterThan(4);
    for (const file of files) {
      const response = await platform().request(file);
      expect([file, response.status, response.headers.get('cache-control')]).toEqual([
        file,
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
  });
});
