import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { createCommandLine, createTemporaryFolder, findSpaceId, octavo as octavoOf, writeTree } from './octavo.ts';

const files = { 'README.md': '# Welcome\n\nHello.\n', 'guide/install.md': '# Install\n\nRun it.\n' };
const findAddress = (output: string) =>
  /https?:\S+/.exec(output.split('\n').find((line) => /^Published/.test(line)) ?? '')?.[0] ?? '';
const findSiteId = (output: string) => /site_\w+/.exec(output)?.[0] ?? '';

const resolve = (url: string) =>
  json<{ site: string; space: string; complete: boolean; apiToken: string }>('/v1/urls/published', { body: { url } });

const getMarkdown = async ({ space, apiToken }: { space: string; apiToken: string }, at: string) =>
  (await json<{ markdown: string }>(`/v1/spaces/${space}/content/path/${at}`, { token: apiToken })).markdown;

const listContent = async ({ organization, token }: { organization: string; token: string }) => {
  const list = async (what: string) =>
    (await json<{ items: { id: string; title: string }[] }>(`/v1/orgs/${organization}/${what}`, { token })).items;
  return { sites: await list('sites'), spaces: await list('spaces') };
};

test('publishes a folder as a public site, and updates that site the second time', async () => {
  const { octavo, ...caller } = await createCommandLine();
  const folder = await writeTree(files);
  const first = await octavo('publish', folder);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('created') });
  const address = findAddress(first.stdout);
  const resolved = await resolve(`${address}guide/install`);
  expect(resolved).toMatchObject({ site: findSiteId(first.stdout), space: findSpaceId(first.stdout), complete: true });
  expect(await getMarkdown(resolved, 'guide/install')).toContain('Run it.');

  await writeFile(path.join(folder, 'guide/install.md'), '# Install\n\nJust run it.\n');
  const second = await octavo('publish', folder);
  expect(second.stdout).toContain('0 created, 1 updated');
  expect(findAddress(second.stdout)).toBe(address);
  expect(await getMarkdown(resolved, 'guide/install')).toContain('Just run it.');
  const third = await octavo('publish', folder);
  expect(third.stdout).toContain('No changes');
  expect(findAddress(third.stdout)).toBe(address);

  const title = path.basename(folder);
  expect(await listContent(caller)).toMatchObject({ sites: [{ title }], spaces: [{ title: title.slice(0, 50) }] });
});

const open = async (address: string) => {
  const response = await fetch(address, { redirect: 'manual' });
  await response.body?.cancel();
  return [response.status, response.headers.get('location')];
};

test('removes the page of a deleted file, and redirects the URL of a renamed file with its query', async () => {
  const { octavo } = await createCommandLine();
  const folder = await writeTree({ ...files, 'guide/old.md': '# Old\n', 'faq.md': '# Questions\n\nSome.\n' });
  const dry = await octavo('publish', folder, '--dry-run');
  expect(dry.stdout).toContain('Dry run: nothing was changed. The import into a new space would have:');
  const address = findAddress((await octavo('publish', folder)).stdout);
  expect(await open(`${address}guide/old`)).toEqual([200, null]);

  await rm(path.join(folder, 'guide/old.md'));
  await rename(path.join(folder, 'guide/install.md'), path.join(folder, 'guide/set-up.md'));
  await rename(path.join(folder, 'faq.md'), path.join(folder, 'guide/questions.md'));
  await writeFile(path.join(folder, 'guide/questions.md'), '# Questions\n\nOthers.\n');
  const { code, stdout } = await octavo('publish', folder);

  expect([code, stdout]).toEqual([0, expect.stringContaining('removed: page /guide/old (guide/old.md)')]);
  expect(stdout).toContain('moved: /guide/install, because its file is now guide/set-up.md');
  expect(await open(`${address}guide/old`)).toEqual([404, null]);
  expect(await open(`${address}guide/install?x=1`)).toEqual([308, `${address}guide/set-up?x=1`]);
  expect(await open(`${address}guide/install.md`)).toEqual([308, `${address}guide/set-up.md`]);
  expect(await open(`${address}faq`)).toEqual([308, `${address}guide/questions`]);
  expect((await octavo('publish', folder)).stdout).toContain('No changes');
});

test('redirects the URL of a file renamed with its title, and lists the URLs without a redirect', async () => {
  const { octavo } = await createCommandLine();
  const createWords = (start: number) => Array.from({ length: 60 }, (_, index) => `word${start + index}`).join(' ');
  const alike = `Copy the key of your account. ${createWords(500)}\n`;
  const folder = await writeTree({
    'README.md': '# Home\n',
    'install.md': `---\ndescription: How\n---\n# Install\n\n${createWords(0)}\n\nRun it.\n`,
    'one.md': `# One\n\n${alike}`,
    'two.md': `# Two\n\n${alike}`,
  });
  const address = findAddress((await octavo('publish', folder)).stdout);
  for (const name of ['install', 'one', 'two']) await rm(path.join(folder, `${name}.md`));
  await mkdir(path.join(folder, 'start'));
  await writeFile(
    path.join(folder, 'start/set-up.md'),
    `# Set up your machine\n\n${createWords(0)} and\n\nRun it now.\n`,
  );
  await writeFile(path.join(folder, 'three.md'), `# Three\n\n${alike}`);
  const { code, stdout } = await octavo('publish', folder);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('moved: /install, because its file is now start/set-up.md'),
  ]);
  expect(await open(`${address}install`)).toEqual([308, `${address}start/set-up`]);
  expect(stdout.match(/no longer exists: \S+/g)).toEqual(['no longer exists: /one', 'no longer exists: /two']);
  expect(stdout).toMatch(/add a redirect: POST \/v1\/orgs\/\w+\/sites\/\w+\/redirects {"source": "\/one"/);
});

test('redirects former URLs of an mdBook, with and without its base path', async () => {
  const { octavo } = await createCommandLine();
  const folder = await writeTree({
    'book.toml': '[book]\ntitle = "Lamp"\n[output.html]\nsite-url = "/book/"\n',
    'src/SUMMARY.md': '- [Home](home.md)\n- [Expressions]()\n  - [Loops](parts/loops.md)\n',
    'src/home.md': '# Home\n',
    'src/parts/loops.md': '# Loops\n',
  });
  const { code, stdout } = await octavo('publish', folder);
  const address = findAddress(stdout);

  expect([code, stdout]).toEqual([0, expect.stringMatching(/redirects: +5 created/)]);
  expect(await open(`${address}parts/loops.html?x=1`)).toEqual([308, `${address}expressions/loops?x=1`]);
  expect(await open(`${address}book/parts/loops.html`)).toEqual([308, `${address}parts/loops.html`]);
  expect((await open(`${address}index.html`))[0]).toBe(308);
  expect((await octavo('publish', folder)).stdout).toMatch(/redirects: +0 created, 0 updated, 5 unchanged/);
});

test('creates no redirect from the former URL of a page if another page has that URL now', async () => {
  const { octavo } = await createCommandLine();
  const folder = await writeTree({
    'mkdocs.yml': 'nav:\n  - index.md\n  - Start:\n    - guide/setup.md\n  - Guide:\n    - setup.md\n',
    'docs/index.md': '# Home\n',
    'docs/guide/setup.md': '# First\n',
    'docs/setup.md': '# Second\n',
  });
  const { code, stdout } = await octavo('publish', folder, '--site', 'Moved');
  const address = findAddress(stdout);

  expect([code, stdout]).toEqual([0, expect.stringMatching(/redirects: +1 created/)]);
  expect(await open(`${address}setup`)).toEqual([308, `${address}guide/setup`]);
  expect(await open(`${address}guide/setup`)).toEqual([200, null]);
});

test('publishes pages with the same alias, with one redirect and a warning', async () => {
  const { octavo } = await createCommandLine();
  const createPage = (title: string) => `---\ntitle: ${title}\naliases: [/old/thing]\n---\n`;
  const folder = await writeTree({
    'hugo.toml': 'title = "Lamp"\n',
    'content/_index.md': '# Home\n',
    'content/docs/setup.md': createPage('Setup'),
    'content/docs/use.md': createPage('Use'),
  });
  const { code, stdout, stderr } = await octavo('publish', folder, '--site', 'Lamp');

  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^warning: content\/docs\/use\.md: The redirect from .*skipped/m),
  ]);
  expect((await open(`${findAddress(stdout)}old/thing`))[0]).toBe(308);
});

test.each<[string, Record<string, string>, string]>([
  ['docs', { 'docs/a.md': '# A\n' }, ''],
  ['docs', { 'docs/a.md': '# A\n', 'mkdocs.yml': 'theme: x\nsite_name: "The Tool" # ours\n' }, 'The Tool'],
  ['book/src', { 'book/src/a.md': '# A\n', 'book/book.toml': '[book]\ntitle = "A Book"\n' }, 'A Book'],
  ['docs', { 'docs/a.md': '# A\n', 'docs/.vitepress/config.mts': 'export default { title: `Vite` }\n' }, 'Vite'],
  ['docs', { 'docs/a.md': '# A\n', 'astro.config.mjs': 'starlight({ title: "Stars" })\n' }, 'Stars'],
  ['tool', { 'tool/a.md': '# A\n', 'mkdocs.yml': 'site_name: Other\n' }, 'tool'],
])('the folder %s gives the site its title', async (name, tree, title) => {
  const { octavo, ...caller } = await createCommandLine();
  const folder = await writeTree(tree);
  const { code } = await octavo('publish', path.join(folder, name));

  expect(code).toBe(0);
  expect((await listContent(caller)).sites).toMatchObject([{ title: title || path.basename(folder) }]);
});

test('visitors see a file that was removed and published again, also if pages have conditions', async () => {
  const { octavo } = await createCommandLine();
  const data = { 'table.csv': 'a,b\n' };
  const folder = await writeTree({
    'README.md': '# Home\n\n[The data](table.csv)\n',
    'secret.md': '---\ncondition: visitor.claims.beta\n---\n# Secret\n',
    ...data,
  });
  const address = findAddress((await octavo('publish', folder)).stdout);
  const findLink = async () =>
    /<a[^>]*href="([^"]*)"[^>]*>The data/.exec(await (await fetch(address)).text())?.[1]?.replaceAll('&amp;', '&');
  expect(await findLink()).toContain('table.csv');
  await rm(path.join(folder, 'table.csv'));
  await octavo('publish', folder);
  expect(await findLink()).toBeUndefined();

  await writeFile(path.join(folder, 'table.csv'), data['table.csv']);
  const { stdout } = await octavo('publish', folder);
  expect(stdout).toMatch(/pages: +0 created, 0 updated, 2 unchanged/);
  const file = await fetch(new URL((await findLink()) ?? '', address));
  expect([file.status, await file.text()]).toEqual([200, data['table.csv']]);
  expect((await octavo('publish', folder)).stdout).toContain('No changes');
});

test('selects a site by title or ID, and a space of the site by ID', async () => {
  const { octavo, ...caller } = await createCommandLine();
  const folder = await writeTree(files);
  const result = await octavo('publish', folder, '--site', 'Handbook', '--organization', caller.organization);
  const site = findSiteId(result.stdout);
  const beside = await writeTree({ 'faq.md': '# Faq\n' });
  const added = await octavo('publish', beside, '--site', site, '--space', 'new');
  expect(added.code).toBe(0);
  const space = findSpaceId(added.stdout);
  expect(space).not.toBe(findSpaceId(result.stdout));
  const again = await octavo('publish', beside, '--site', 'Handbook', '--space', space);

  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes') });
  expect((await listContent(caller)).sites).toMatchObject([{ id: site, title: 'Handbook', siteSpaces: 2 }]);
});

test('finds a site by its title, ignoring case', async () => {
  const { octavo, ...caller } = await createCommandLine();
  const folder = await writeTree(files);
  await octavo('publish', folder, '--site', 'Handbook');
  expect((await octavo('publish', folder, '--site', 'handbook')).stdout).toContain('No changes');
  expect((await listContent(caller)).sites).toMatchObject([{ title: 'Handbook' }]);
});

test('publishes the documentation of this repository without warnings or broken links', async () => {
  const { octavo } = await createCommandLine();
  const docs = path.resolve(import.meta.dirname, '../../docs');
  const { code, stdout, stderr } = await octavo('publish', docs, '--site', 'Docs', '--json');

  expect([code, stderr]).toEqual([0, expect.not.stringContaining('warning')]);
  expect(JSON.parse(stdout)).toMatchObject({ problems: [], brokenLinks: { total: 0 } });
});

test('explains why something cannot be published, and creates nothing', async () => {
  const { octavo, ...caller } = await createCommandLine();
  const folder = await writeTree(files);
  const empty = await createTemporaryFolder();
  const { token, organization } = caller;
  for (const _ of [1, 2]) await json(`/v1/orgs/${organization}/sites`, { token, body: { title: 'Twice' } });
  const before = await listContent(caller);

  const attempts: [string[], string, number][] = [
    [[empty], 'contains no markdown files', 1],
    [[path.join(empty, 'gone')], 'The folder or archive', 1],
    [[folder, '--site', 'site_unknown'], 'The organization has no site site_unknown', 1],
    [[folder, '--site', 'Twice'], 'Several sites are named Twice', 2],
    [[folder, '--site', 'x'], 'x is too short', 2],
    [[folder, '--space', 'spc_unknown'], 'The space in `body.spaces.0` was not found', 1],
    [[folder, '--organization', 'org_unknown'], 'Organization not found', 1],
  ];
  for (const [typed, sentence, code] of attempts) {
    const { stderr, ...result } = await octavo('publish', ...typed);
    expect([typed, result.code, stderr]).toEqual([typed, code, expect.stringContaining(sentence)]);
    expect(stderr.trim().split('\n').at(-1)).toContain('octavo: ');
  }
  expect(await listContent(caller)).toEqual(before);
});

test('reports that the user cannot create sites', async () => {
  const { organization } = await createCommandLine();
  const { token } = await platform().makeUser({ organization, role: 'read' });
  const folder = await writeTree(files);
  const { code, stderr } = await octavoOf({ OCTAVO_URL: platform().url, OCTAVO_TOKEN: token }, 'publish', folder);

  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('You are not allowed to create spaces in any of your organizations.'),
  ]);
});
