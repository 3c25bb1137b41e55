import type { SiteSection } from '@octavo/schema';
import { expect, test } from 'vitest';
import { edit, makePage } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { resolve } from '../resolution/site-world.ts';
import { createContentRedirect, createVisitorBody, makeSectionedSite, type Sectioned } from './sectioned-site.ts';

/** Hides a section whose path was previously the path of a page. */
async function createHiddenSection(hide: (section: SiteSection, world: Sectioned) => Promise<unknown>) {
  const world = await makeSectionedSite();
  const { patch, addSection, home, guides, space, base, token } = world;
  const owner = { id: home.siteSpaces[0]?.space.id ?? '', token };
  await makePage({ id: space, token }, 'Page', '', { slug: 'page' });
  for (const path of ['beta', 'guides']) await patch(`/sections/${guides.id}`, { path });
  expect(await resolve(`${base}/beta/page`)).toEqual(createContentRedirect(`${base}/guides/page`));
  const hidden = await addSection('Beta');
  await hide(hidden, world);
  const above = await makePage(owner, 'Above', '', { slug: 'beta' });
  const page = await makePage(owner, 'Page', '', { into: above, slug: 'page' });
  await edit(owner, [{ operation: 'update_page', page, slug: 'moved' }]);
  return { ...world, hidden };
}

test('content that only some visitors can see does not affect redirects of other visitors', async () => {
  const { base } = await createHiddenSection((section, { patch }) =>
    patch(`/sections/${section.id}`, { condition: 'visitor.claims.unsigned.beta' }),
  );

  expect(await resolve(`${base}/beta/page`)).toEqual(createContentRedirect(`${base}/beta/moved`));
});

test('content that a member cannot open does not block URLs of visible content', async () => {
  const { base, organization, send, patch, hidden, lookUp } = await createHiddenSection(({ siteSpaces }, { token }) =>
    platform().request(`/v1/spaces/${siteSpaces[0]?.space.id}`, {
      ...{ token, method: 'PATCH' },
      body: { defaultLevel: 'none' },
    }),
  );
  await patch(`/sections/${hidden.id}`, { path: 'gamma' });
  const member = await platform().makeUser({ organization: organization.id, role: 'read' });
  const { url } = (await (await send('/publishing/preview', { token: member.token })).json()) as { url: string };
  const preview = { visitor: { jwtToken: new URL(url).searchParams.get('jwt_token') } };

  expect(await resolve(`${base}/beta/page`, preview)).toEqual(createContentRedirect(`${base}/beta/moved`));
  expect((await lookUp('/beta/page', member.token)).target).toBe(`${base}/beta/moved`);
});

test.each(['the page', 'an ancestor'])(
  'a hidden page does not block the former URL of another page if %s is hidden',
  async (at) => {
    const { patch, home, guides, space, base, token, lookUp } = await makeSectionedSite();
    const own = { id: home.siteSpaces[0]?.space.id ?? '', token };
    const above = await makePage(own, 'Above', '', { slug: 'beta' });
    const page = await makePage(own, 'Page', '', { into: above, slug: 'page' });
    await patch(`/sections/${guides.id}`, { path: 'beta' });
    await makePage({ id: space, token }, 'Install', '', { slug: 'page' });
    await patch(`/sections/${guides.id}`, { path: 'guides' });
    await edit(own, [{ operation: 'update_page', page, slug: 'moved' }]);
    const top = await makePage(own, 'Once', '', { slug: 'once' });
    await edit(own, [{ operation: 'update_page', page: top, slug: 'now' }]);
    const secret = await makePage(own, 'Secret', '', { into: above, slug: 'page' });
    const other = await makePage(own, 'Secret', '', { slug: 'once' });
    const there = [`${base}/beta/page`, `${base}/once`];
    for (const address of there) expect(await resolve(address)).toMatchObject({ complete: true });
    const condition = 'visitor.claims.unsigned.staff';
    const hidden = at === 'the page' ? [secret, other] : [above, other];
    await edit(
      own,
      hidden.map((each) => ({ operation: 'update_page', page: each, condition })),
    );
    const { apiToken } = await resolve(base);

    const targets = [at === 'the page' ? `${base}/beta/moved` : `${base}/guides/page`, `${base}/now`];
    for (const [index, address] of there.entries()) {
      expect(await resolve(address)).toEqual(createContentRedirect(targets[index] ?? ''));
      expect((await lookUp(address.slice(base.length), apiToken)).target).toBe(targets[index]);
      expect(await resolve(address, createVisitorBody({ staff: true }))).toMatchObject({ complete: true });
    }
  },
);
