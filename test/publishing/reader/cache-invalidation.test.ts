import type { List, SiteSection, SiteSpace } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage, merge } from '../../support/content.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getSpecs, getText, petstore } from '../openapi/spec-client.ts';
import { makeSite, type SiteClient } from '../sites/site-client.ts';
import { newVisitor, read } from './reads.ts';

interface World {
  organization: TestOrganization;
  space: TestSpace;
  site: SiteClient;
  siteSpace: string;
  page: string;
  reusable: string;
  address: string;
}

/** Text that no visitor sees, but that makes the page depend on the claim of `newVisitor`. */
const asking = '{% if visitor.claims.unsigned.asked == "never" %}\n\nNever.\n\n{% endif %}\n\n';

async function makeWorld(): Promise<World> {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization, title: 'Guide' });
  const content = await json<{ changes: { reusableContent?: string }[] }>(
    `/v1/spaces/${space.id}/content?compat=false`,
    {
      token: space.token,
      body: {
        changes: [{ operation: 'insert_reusable_content', title: 'Shared', document: { markdown: 'Shared words.\n' } }],
      },
    },
  );
  const reusable = content.changes[0]?.reusableContent ?? '';
  await makePage(space, 'Start', `Words.\n\n${asking}{% include "/reusable-contents/${reusable}" %}\n`);
  const page = await makePage(space, 'Second', 'More words.\n');
  const site = await makeSite(organization, { spaces: [space.id], visibility: 'public' });
  const address = (await site.publish()).urls.published ?? '';
  const { items } = await site.ok<{ items: { id: string }[] }>('/site-spaces');
  return { organization, space, site, siteSpace: items[0]?.id ?? '', page, reusable, address };
}

interface Change {
  change: (world: World) => Promise<unknown>;
  /** Text that the page contains after the change. Unset if the page itself may stay the same. */
  shows?: string;
  status?: number;
}

const own = ({ organization }: World, path: string, method: string, body?: object) =>
  json(`/v1/orgs/${organization.id}${path}`, { token: organization.token, method, ...(body && { body }) });

const ofSpace = ({ space }: World, path: string, method: string, body?: object) =>
  json(`/v1/spaces/${space.id}${path}`, { token: space.token, method, ...(body && { body }) });

async function withSpec({ organization, space }: World) {
  const slug = `api-${space.id.slice(4).toLowerCase()}`;
  await getSpecs(platform(), organization).publish(slug, getText(petstore()));
}

/** Changes that are applied one after another, in a separate organization. */
const changes: Record<string, Change> = {
  'a page is edited': {
    change: ({ space, page }) => edit(space, [{ operation: 'update_page', page, title: 'Renamed page' }]),
    shows: 'Renamed page',
  },
  'a page is inserted': { change: ({ space }) => makePage(space, 'Third page'), shows: 'Third page' },
  'a reusable content is edited': {
    change: (world) => {
      const document = { markdown: 'Other words.\n' };
      const change = { operation: 'update_reusable_content', reusableContent: world.reusable, document };
      return ofSpace(world, '/content?compat=false', 'POST', { changes: [change] });
    },
    shows: 'Other words.',
  },
  'a change request is merged': {
    change: async ({ space, page }) => {
      const { id } = await makeChangeRequest(space);
      await edit(space, [{ operation: 'update_page', page, title: 'Merged page' }], id);
      expect((await merge(space, id)).status).toBe(200);
    },
    shows: 'Merged page',
  },
  'the site has another title': {
    change: ({ site }) => site.patch('', { title: 'Other title' }),
    shows: 'Other title',
  },
  'the site is customized': {
    change: ({ site }) =>
      site.ok('/customization', {
        method: 'PUT',
        body: { styling: { primaryColor: { light: '#123456', dark: '#abcdef' } }, title: 'Customized' },
      }),
    shows: 'Customized',
  },
  'the site space is customized': {
    change: ({ site, siteSpace }) =>
      site.ok(`/site-spaces/${siteSpace}/customization`, {
        method: 'PATCH',
        body: { announcement: { enabled: true, message: 'Hear this', style: 'info' } },
      }),
    shows: 'Hear this',
  },
  'another space is shown': {
    change: ({ site }) => site.addSpace('Deutsch'),
    shows: 'Deutsch',
  },
  'a site space has another path': {
    change: async ({ site }) => {
      const { items } = await site.ok<List<SiteSpace>>('/site-spaces');
      await site.patch(`/site-spaces/${items.at(-1)?.id}`, { path: 'nederlands' });
    },
    shows: 'nederlands',
  },
  'the space has another title': { change: (world) => ofSpace(world, '', 'PATCH', { title: 'New name' }) },
  'the organization has another title': { change: (world) => own(world, '', 'PATCH', { title: 'New name' }) },
  'a specification is processed': { change: withSpec },
  'the user has another name': {
    change: async ({ organization: { token, user } }) =>
      json(`/v1/users/${user}`, { token, method: 'PATCH', body: { displayName: 'Another name' } }),
  },
  'agents are to read none of it': {
    change: ({ site }) => site.patch('', { agentsContext: 'excluded' }),
  },
  'the site is not listed': { change: ({ site }) => site.patch('', { visibility: 'unlisted' }) },
  'the site asks for a key': { change: ({ site }) => site.patch('', { visibility: 'share-link' }), status: 404 },
  'the site is public again': { change: ({ site }) => site.patch('', { visibility: 'public' }), status: 200 },
  'the page is hidden': {
    change: ({ space, page }) => edit(space, [{ operation: 'update_page', page, hidden: true }]),
  },
  'a section is added': {
    change: async ({ site }) =>
      site.ok<SiteSection>('/sections', { body: { spaceId: await site.space('Part'), title: 'Another part' } }),
  },
  'the first section is the default': {
    change: async ({ site }) => {
      const { items } = await site.ok<List<SiteSection>>('/sections');
      await site.patch('', { defaultSiteSection: items.find(({ title }) => title !== 'Another part')?.id });
    },
    status: 200,
  },
  'the site is taken offline': { change: ({ site }) => site.ok('/unpublish', { method: 'POST' }), status: 404 },
  'the site is published again': { change: ({ site }) => site.publish(), status: 200 },
  'the space is deleted': {
    change: ({ space }) => platform().request(`/v1/spaces/${space.id}`, { token: space.token, method: 'DELETE' }),
  },
  'the space is restored': { change: (world) => ofSpace(world, '/restore', 'POST') },
  'the site is deleted': { change: ({ site }) => site.send('', { method: 'DELETE' }), status: 404 },
};

describe('a cached response', () => {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld();
  });

  test.each(Object.entries(changes))('is no longer served when %s', async (_, { change, shows, status }) => {
    const before = await read(world.address);
    expect((await read(world.address)).text).toBe(before.text);
    const tag = before.headers.get('etag');

    await change(world);

    const headers = tag === null ? {} : { 'if-none-match': tag };
    const after = await read(world.address, { headers });
    const drawn = await read(world.address, newVisitor(world.site.id));
    if (status !== undefined) expect(after.status).toBe(status);
    expect(after.status === 304 ? before.text : after.text).toBe(drawn.text);
    if (shows === undefined) return;
    expect(before.text).not.toContain(shows);
    expect([after.status, after.text]).toEqual([200, expect.stringContaining(shows)]);
  });
});
