import { beforeAll, expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { edit, json, makeChangeRequest, makePage } from '../../support/content.ts';
import { guest } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';
import type { SiteWorld } from '../resolution/site-world.ts';
import { createPublishedSite, makeSpaceWithPages } from '../resolution/site-world.ts';
import { getElements, getText } from './html-tree.ts';
import { read } from './reads.ts';
import { getWithClass } from './reference/reference-site.ts';

const server = platform({ countsRows: true });
let space: Awaited<ReturnType<typeof makeSpaceWithPages>>;
let world: SiteWorld;
let changeRequest: { id: string; number: number };

/** Returns the headers of a browser in which a member previews the site. */
async function readAsMember(token: string) {
  const { url } = await json<{ url: string }>(`${world.path}/publishing/preview`, { token });
  const [, pass] = new URL(url).search.split('=');
  return { headers: { cookie: `octavo-visitor-${world.site.id}=${pass}` } };
}

const getBanner = (html: string) => {
  const [banner] = getWithClass(html, 'preview');
  const links = (banner === undefined ? [] : getElements(banner)).filter(({ tagName }) => tagName === 'a');
  return {
    text: banner === undefined ? '' : getText(banner).replace(/\s+/g, ' '),
    links: links.map((link): [string, string] => [getText(link), String(link.properties.href)]),
  };
};

beforeAll(async () => {
  const organization = await platform().makeOrganization();
  space = await makeSpaceWithPages(organization, 'Guide', ['Start', 'Install', 'Old']);
  world = await createPublishedSite({ organization, spaces: [space.id], visibility: 'public' });
  changeRequest = (await makeChangeRequest(space, 'Herons & <b>more</b>')) as typeof changeRequest;
  await edit(
    space,
    [
      { operation: 'update_page', page: space.pages[1], document: { markdown: 'Changed words.' } },
      { operation: 'insert_page', title: 'Fresh', document: { markdown: 'New words.' } },
      { operation: 'delete_page', page: space.pages[2] },
    ],
    changeRequest.id,
  );
});

test('a preview shows the title of its change request, and lists the changed pages with preview links', async () => {
  const at = `${world.base}/~/changes/${changeRequest.id}`;
  const { status, text: html } = await read(`${at}/install`, await readAsMember(space.token));
  const { text, links } = getBanner(html);

  expect([status, html.includes('Changed words.')]).toEqual([200, true]);
  expect(text).toContain(`Preview of change request #${changeRequest.number} Herons & <b>more</b>`);
  expect(text).toContain('Changed pages (3)');
  expect(text).toContain('OldDeleted');
  expect(links.map(([words, href]) => [words, new URL(href, `${at}/install`).href])).toEqual(
    expect.arrayContaining([
      ['InstallEdited', `${at}/install`],
      ['FreshAdded', `${at}/fresh`],
      ['Exit preview', `${world.base}/install`],
    ]),
  );
  expect(links).toHaveLength(3);
});

test('reads the changed pages once per revision of a change request, without diffs', async () => {
  const count = 40;
  const { id } = await makeChangeRequest(space, 'Many');
  const edits = Array.from({ length: count }, (_, index) => ({
    operation: 'insert_page',
    title: `Leaf ${index}`,
    document: { markdown: `Words ${index}.` },
  }));
  await edit(space, edits, id);
  const { headers } = await readAsMember(space.token);
  const readPreview = async () => {
    const response = await server.request(`${world.base}/~/changes/${id}/leaf-1`, { headers });
    return { ...getCost(response), text: getBanner(await response.text()).text };
  };
  const [first, second] = [await readPreview(), await readPreview()];
  await edit(space, [{ operation: 'delete_page', page: space.pages[2] }], id);
  const edited = await readPreview();

  expect(first.text).toMatch(/Leaf \d+Added/);
  expect(second.text).toBe(first.text);
  // On one machine, the site is read again only if the database has changed.
  expect([2, 3]).toContain(first.trips - second.trips);
  expect(first.read - second.read).toBeGreaterThanOrEqual(count);
  expect(edited.trips).toBe(first.trips);
});

test('the exit link on a page that is not published points to its space', async () => {
  const address = `${world.base}/~/changes/${changeRequest.number}/fresh`;
  const { links } = getBanner((await read(address, await readAsMember(space.token))).text);

  expect(new URL(links.at(-1)?.[1] ?? '', address).href).toBe(`${world.base}/`);
});

test('the exit link on a page below a renamed page points to its space', async () => {
  await makePage(space, 'Child', 'Text.', { into: space.pages[1] });
  const renaming = (await makeChangeRequest(space, 'Rename')) as typeof changeRequest;
  await edit(space, [{ operation: 'update_page', page: space.pages[1], slug: 'setup' }], renaming.id);
  const address = `${world.base}/~/changes/${renaming.number}/setup/child`;
  const { links } = getBanner((await read(address, await readAsMember(space.token))).text);

  expect(new URL(links.at(-1)?.[1] ?? '', address).href).toBe(`${world.base}/`);
});

test('a preview of a revision has a banner too, and a published page has none', async () => {
  const { id } = await json<{ id: string }>(`/v1/spaces/${space.id}/content`, space);
  const member = await readAsMember(space.token);

  const revision = await read(`${world.base}/~/revisions/${id}/start`, member);
  expect(revision.status).toBe(200);
  expect(getBanner(revision.text).text).toMatch(/^Preview/);
  expect(getBanner((await read(`${world.base}/start`, member)).text).text).toBe('');
});

test('readers who cannot view the change request get no information about it', async () => {
  const { user, token } = await platform().makeUser({ organization: world.organization.id, role: guest });
  const permissions = `/v1/spaces/${space.id}/permissions`;
  const admin = { token: space.token };
  await platform().request(permissions, { ...admin, body: { users: [user], role: 'read' } });
  const former = await readAsMember(token);
  await platform().request(`${permissions}/users/${user}`, { ...admin, method: 'DELETE' });

  for (const options of [{}, former])
    for (const name of [changeRequest.id, changeRequest.number]) {
      const { status, text } = await read(`${world.base}/~/changes/${name}/install`, options);
      expect([status, text.includes('Herons'), getBanner(text).text]).toEqual([404, false, '']);
    }
});
