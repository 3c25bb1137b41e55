import type { List, SiteSection, SiteSpace } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage, merge } from '../../support/content.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { createPetstoreSpec, getSpecs, getText } from '../openapi/spec-client.ts';
import { makeSite, type SiteClient } from '../sites/site-client.ts';
import { createVisitor, read } from './reads.ts';

interface World {
  organization: TestOrganization;
  space: TestSpace;
  site: SiteClient;
  siteSpace: string;
  page: string;
  reusable: string;
  address: string;
}

/** Text that no visitor sees, but that makes the page depend on the claim of `createVisitor`. */
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
  const { items } = await site.callJson<{ items: { id: string }[] }>('/site-spaces');
  return { organization, space, site, siteSpace: items[0]?.id ?? '', page, reusable, address };
}

interface Change {
  change: (world: World) => Promise<unknown>;
  /** Text that the page contains after the change. Unset if the page itself may stay the same. */
  shows?: string;
  status?: number;
}

const requestAsOwner = ({ organization }: World, path: string, method: string, body?: object) =>
  json(`/v1/orgs/${organization.id}${path}`, { token: organization.token, method, ...(body && { body }) });

const requestOfSpace = ({ space }: World, path: string, method: string, body?: object) =>
  json(`/v1/spaces/${space.id}${path}`, { token: space.token, method, ...(body && { body }) });

async function addSpec({ organization, space }: World) {
  const slug = `api-${space.id.slice(4).toLowerCase()}`;
  await getSpecs(platform(), organization).publish(slug, getText(createPetstoreSpec()));
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
      return requestOfSpace(world, '/content?compat=false', 'POST', { changes: [change] });
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
      site.callJson('/customization', {
        method: 'PUT',
        body: { styling: { primaryColor: { light: '#123456', dark: '#abcdef' } }, title: 'Customized' },
      }),
    shows: 'Customized',
  },
  'the site space is customized': {
    change: ({ site, siteSpace }) =>
      site.callJson(`/site-spaces/${siteSpace}/customization`, {
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
      const { items } = await site.callJson<List<SiteSpace>>('/site-spaces');
      await site.patch(`/site-spaces/${items.at(-1)?.id}`, { path: 'nederlands' });
    },
    shows: 'nederlands',
  },
  'the space has another title': { change: (world) => requestOfSpace(world, '', 'PATCH', { title: 'New name' }) },
  'the organization has another title': {
    change: (world) => requestAsOwner(world, '', 'PATCH', { title: 'New name' }),
  },
  'a specification is processed': { change: addSpec },
  'the user has another name': {
    change: async ({ organization: { token, user } }) =>
      json(`/v1/users/${user}`, { token, method: 'PATCH', body: { displayName: 'Another name' } }),
  },
  'agents may not read the site': {
    change: ({ site }) => site.patch('', { agentsContext: 'excluded' }),
  },
  'the site becomes unlisted': { change: ({ site }) => site.patch('', { visibility: 'unlisted' }) },
  'the site requires a key': { change: ({ site }) => site.patch('', { visibility: 'share-link' }), status: 404 },
  'the site is public again': { change: ({ site }) => site.patch('', { visibility: 'public' }), status: 200 },
  'the page is hidden': {
    change: ({ space, page }) => edit(space, [{ operation: 'update_page', page, hidden: true }]),
  },
  'a section is added': {
    change: async ({ site }) =>
      site.callJson<SiteSection>('/sections', { body: { spaceId: await site.space('Part'), title: 'Another part' } }),
  },
  'the first section is the default': {
    change: async ({ site }) => {
      const { items } = await site.callJson<List<SiteSection>>('/sections');
      await site.patch('', { defaultSiteSection: items.find(({ title }) => title !== 'Another part')?.id });
    },
    status: 200,
  },
  'the site is taken offline': { change: ({ site }) => site.callJson('/unpublish', { method: 'POST' }), status: 404 },
  'the site is published again': { change: ({ site }) => site.publish(), status: 200 },
  'the space is deleted': {
    change: ({ space }) => platform().request(`/v1/spaces/${space.id}`, { token: space.token, method: 'DELETE' }),
  },
  'the space is restored': { change: (world) => requestOfSpace(world, '/restore', 'POST') },
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
    const drawn = await read(world.address, createVisitor(world.site.id));
    if (status !== undefined) expect(after.status).toBe(status);
    expect(after.status === 304 ? before.text : after.text).toBe(drawn.text);
    if (shows === undefined) return;
    expect(before.text).not.toContain(shows);
    expect([after.status, after.text]).toEqual([200, expect.stringContaining(shows)]);
  });
});

const toFile = (file: string, space: string) => ({ kind: 'file', file, space });

test('a page changes with the text of another page if the site links to a file that this text uses', async () => {
  const { space, site, page, address } = await makeWorld();
  const files = [{ name: 'guide.txt', contentType: 'text/plain', base64: Buffer.from('Guide.').toString('base64') }];
  const { insertedFiles } = await json<{ insertedFiles: { id: string }[] }>(
    `/v1/spaces/${space.id}/content?compat=false`,
    { token: space.token, body: { changes: [{ operation: 'insert_files', files }] } },
  );
  const file = insertedFiles[0]?.id ?? '';
  const write = (markdown: string) => edit(space, [{ operation: 'update_page', page, document: { markdown } }]);
  // If a page has a condition, visitors see only files that visible pages use.
  await makePage(space, 'Hidden', 'Hidden words.\n', { condition: 'visitor.claims.unsigned.asked == "never"' });
  await write(`[Guide](/files/${file})\n`);
  const links = [{ title: 'Download', to: toFile(file, space.id), links: [] }];
  await site.callJson('/customization', { method: 'PUT', body: { header: { links } } });
  expect((await read(address)).text).toContain('/guide.txt');

  await write('No link.\n');
  expect((await read(address)).text).not.toContain('/guide.txt');
});

test('a page changes if a heading to which it links is renamed', async () => {
  const { space, page, address } = await makeWorld();
  const write = (heading: string) =>
    edit(space, [{ operation: 'update_page', page, document: { markdown: `## ${heading}\n\nWords.\n` } }]);
  await write('Former heading');
  const markdown = `[Other](/pages/${page}#former-heading)\n`;
  await makePage(space, 'Linking', markdown);
  const linking = new URL('linking', address).href;
  expect((await read(linking)).text).toContain('second#former-heading"');

  await write('Other heading');
  expect((await read(linking)).text).toContain('second#other-heading"');
});

test('a version of a site is not used again if a backup is restored before the next edit', async () => {
  const { space, site, page } = await makeWorld();
  const readShownVersion = () =>
    queryDatabase<{ shown: number }>(platform().dataDir, 'SELECT shown FROM sites WHERE id = ?', site.id)[0]?.shown ??
    0;
  const write = (markdown: string) => edit(space, [{ operation: 'update_page', page, document: { markdown } }]);
  const atBackup = readShownVersion();
  await write('Removed words.\n');
  const beforeRestore = readShownVersion();
  await writeDatabase(platform(), 'UPDATE sites SET shown = ? WHERE id = ?', atBackup, site.id);
  await write('Other words.\n');

  expect(beforeRestore).toBeGreaterThan(atBackup);
  expect(readShownVersion()).toBeGreaterThan(beforeRestore);
});
