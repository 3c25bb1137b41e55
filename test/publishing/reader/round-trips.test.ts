import { beforeAll, describe, expect, test, vi } from 'vitest';
import { edit, json, makePage } from '../../support/content.ts';
import { platform, type RequestOptions } from '../../support/platform.ts';
import { createPublishedSite, makeSpaceWithPages, type SiteWorld } from '../resolution/site-world.ts';
import { measure, signClaims } from './reads.ts';

const server = platform({ countsRows: true });

interface World extends SiteWorld {
  space: Awaited<ReturnType<typeof makeSpaceWithPages>>;
  visitor: RequestOptions;
  /** The number of edits so far. */
  edits: number;
}

const visitors: Record<string, (world: SiteWorld) => Promise<RequestOptions>> = {
  public: async () => ({}),
  'visitor-auth': async ({ path, site, organization }) => {
    const options = { token: organization.token, method: 'POST' };
    const { privateKey } = await json<{ privateKey: string }>(`${path}/publishing/auth/regenerate`, options);
    const claims = encodeURIComponent(JSON.stringify({ plan: 'pro' }));
    const token = signClaims(privateKey, { group: 'staff' });
    return { headers: { cookie: `octavo-visitor-${site.id}=${token}; octavo-claims-${site.id}=${claims}` } };
  },
};

describe.each(Object.keys(visitors))('a page of a site with the visibility %s', (visibility) => {
  let world: World;

  const read = (path: string) => measure(server, `${world.base}${path}`, world.visitor);
  const change = async () => {
    world.edits += 1;
    const markdown = `Herons, edit ${world.edits}.\n`;
    await edit(world.space, [{ operation: 'update_page', page: world.space.pages[1], document: { markdown } }]);
  };

  beforeAll(async () => {
    const organization = await server.makeOrganization();
    const space = await makeSpaceWithPages(organization, 'Guide', ['Start', 'Second', 'Third']);
    await makePage(space, 'Claims', '{% if visitor.claims.unsigned.plan == "pro" %}\n\nFor pros.\n\n{% endif %}\n');
    const site = await createPublishedSite({ organization, visibility, spaces: [space.id] });
    world = { ...site, space, visitor: (await visitors[visibility]?.(site)) ?? {}, edits: 0 };
  });

  test.each(['/', '/second', '/claims'])('takes 3 sequential round trips at %s after an edit', async (path) => {
    await change();
    const cost = await read(path);

    expect([cost.status, cost.sequential]).toEqual([200, 3]);
    expect(cost.trips).toBeLessThanOrEqual(5);
  });

  test('takes at most 3 sequential round trips for a further page', async () => {
    await read('/second');
    const cost = await read('/third');

    expect([cost.status, cost.sequential]).toEqual([200, cost.trips]);
    expect(cost.trips).toBeLessThanOrEqual(3);
  });

  test('takes at most one round trip if it is cached', async () => {
    await read('/second');
    const cost = await read('/second');

    expect(cost.status).toBe(200);
    expect(cost.trips).toBeLessThanOrEqual(1);
  });

  test('is not read again after an edit of the text of another page', async () => {
    const paths = ['/', '/third', '/claims'];
    const before = await Promise.all(paths.map(read));
    await change();
    // The claims on which the texts depend are read once after an edit.
    const [first, ...others] = [await read('/'), await read('/third'), await read('/claims')];
    const after = [first, ...others];

    expect(Math.max(...others.map(({ trips }) => trips))).toBeLessThanOrEqual(1);
    expect(after.map(({ tag }) => tag)).toEqual(before.map(({ tag }) => tag));
    expect((await read('/second')).text).toContain(`Herons, edit ${world.edits}.`);
  });

  test('takes 3 sequential round trips to search the site', async () => {
    await vi.waitFor(async () => expect((await read('/~/search?q=herons')).text).toContain('Second'), 30_000);
    for (const path of ['/~/search?q=heron', '/~/search.json?q=second']) {
      const cost = await read(path);

      expect([cost.status, cost.text]).toEqual([200, expect.stringContaining('Second')]);
      expect(cost.sequential).toBeLessThanOrEqual(3);
    }
  });
});
