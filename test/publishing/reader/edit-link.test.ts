import { beforeAll, expect, test } from 'vitest';
import { edit, json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import type { SiteWorld } from '../resolution/site-world.ts';
import { createPublishedSite, readStatus, resolve } from '../resolution/site-world.ts';
import { getElements, getText, parse } from './html-tree.ts';
import { read } from './reads.ts';

let world: SiteWorld;
let space: { id: string; token: string };

const gitSync = { repository: 'https://github.com/acme/docs', branch: 'main', root: 'docs' };
const setGitSync = (value: object | null) =>
  json(`/v1/spaces/${space.id}`, { token: space.token, method: 'PATCH', body: { gitSync: value } });
const setCustomization = (body: object, path = '') =>
  platform().request(`${world.path}${path}/customization`, {
    ...{ token: space.token, method: path === '' ? 'PUT' : 'PATCH', body },
  });

/** Returns the link for editing a page of the site. */
async function getLink(path: string): Promise<string | undefined> {
  const { text } = await read(`${world.base}/${path}`);
  const links = getElements(parse(text)).filter(({ tagName }) => tagName === 'a');
  const href = links.find((link) => getText(link) === 'Edit this page')?.properties.href;
  return typeof href === 'string' ? href : undefined;
}

/** Returns the information about sources that a visitor gets from the API. */
async function readEditLinks(): Promise<string[]> {
  const { apiToken: token, siteSpace } = await resolve(world.base);
  const paths = [`/v1/spaces/${space.id}`, `/v1/spaces/${space.id}/content`, `${world.path}/published`];
  const texts = await Promise.all(
    paths.map((path) =>
      platform()
        .request(path, { token })
        .then((each) => each.text()),
    ),
  );
  expect(await readStatus(`${world.path}/site-spaces/${siteSpace}/customization`, token)).not.toBe(200);
  return texts.flatMap((text) => text.match(/guides\/install one\.md|github\.com/g) ?? []);
}

beforeAll(async () => {
  const organization = await platform().makeOrganization();
  space = await platform().makeSpace({ organization, title: 'Guide' });
  const document = { markdown: 'Words.' };
  await edit(space, [
    { operation: 'insert_page', title: 'Install', document, git: { path: 'guides/install one.md' } },
    { operation: 'insert_page', title: 'Written here', document },
  ]);
  world = await createPublishedSite({ organization, spaces: [space.id], visibility: 'public' });
});

test('pages link to their source in the synced repository if the customization enables it', async () => {
  await setGitSync(gitSync);
  expect([await getLink('install'), await readEditLinks()]).toEqual([undefined, []]);

  expect((await setCustomization({ git: { showEditLink: true } })).status).toBe(200);
  expect(await getLink('install')).toBe('https://github.com/acme/docs/edit/main/docs/guides/install%20one.md');
  expect(await getLink('written-here')).toBeUndefined();
  expect(new Set(await readEditLinks())).toEqual(new Set(['guides/install one.md', 'github.com']));

  await setGitSync({ ...gitSync, branch: 'next' });
  expect(await getLink('install')).toContain('/edit/next/');
  await setGitSync(null);
  expect(await getLink('install')).toBeUndefined();
});

test("the edit URL of a customization overrides the repository, and that of a site space overrides the site's", async () => {
  await setGitSync(gitSync);
  const editURL = 'https://git.example.com/edit?file={path}';
  await setCustomization({ git: { showEditLink: true, editURL } });
  expect(await getLink('install')).toBe('https://git.example.com/edit?file=guides/install%20one.md');

  const { siteSpace } = await resolve(world.base);
  await setCustomization({ git: { editURL: 'https://own.example.com/{path}' } }, `/site-spaces/${siteSpace}`);
  expect(await getLink('install')).toBe('https://own.example.com/guides/install%20one.md');
  await setCustomization({ git: { showEditLink: false } }, `/site-spaces/${siteSpace}`);
  expect(await getLink('install')).toBeUndefined();
});

test.each([
  'https://{path}/docs',
  'javascript:alert(1)//{path}',
  'https://git.example.com/',
  'https://a/{path}/{path}',
])('rejects the pattern %s', async (editURL) => {
  const response = await setCustomization({ git: { editURL } });

  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('git.editURL')]);
});
