import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SiteSection, SiteSectionGroup, SiteSpace, SiteStructure } from '@octavo/schema';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { serveLocally } from '../support/local-server.ts';
import { createCommandLine, createTemporaryFolder, octavo, writeTree } from './octavo.ts';
import { relayRequest } from './relay.ts';

const createSpace = (key: string, fields: string) => `{ type: space, key: ${key}, ${fields} }`;
const english = createSpace('en', 'title: English, path: docs, default: true, content: { directory: ./docs/en }');
const french = createSpace('fr', 'title: Français, path: fr, content: { directory: ./docs/fr }');
const guides = createSpace('guides', 'title: All guides, content: { directory: /guides }');
const changes = createSpace('changes', 'title: Changes, path: changes, content: { directory: changelog }');

const configuration = `site:
  title: Lamp
  structure:
    - type: section
      key: docs
      title: Documentation
      path: documentation
      icon: book
      children: [${french}, ${english}]
    - type: section-group
      key: more
      title: Resources
      children:
        - type: section
          key: all
          title: Guides
          path: guides
          description: How to
          children: [${guides}]
    - ${changes}
`;

const files = {
  'docs.yaml': configuration,
  'README.md': 'About the repository',
  'docs/en/README.md': '# Home\n\n[changes](../../changelog/a.md#one) and [next](next.md)\n',
  'docs/en/next.md': '# Next\n',
  'docs/en/.gitbook.yaml': 'redirects:\n  old: next.md\n',
  'docs/fr/README.md': '# Accueil\n',
  'docs/fr/deux.md': '# Deux\n',
  'docs/fr/.gitbook.yaml': 'redirects:\n  vieux: deux.md\n',
  'guides/README.md': '# Guides\n\n[home](../docs/en/README.md)\n',
  'changelog/a.md': '# A\n\n## One\n',
};

async function publishRepository() {
  const { octavo, token, organization, env } = await createCommandLine();
  const folder = await writeTree(files);
  const publish = async (...options: string[]) => {
    const { code, stdout } = await octavo('publish', folder, ...options, '--json');
    expect(code).toBe(0);
    return JSON.parse(stdout);
  };
  const get = <Body>(at: string) => json<Body>(`/v1/orgs/${organization}${at}`, { token });
  const readStructure = async (site: string) =>
    ((await get<SiteStructure>(`/sites/${site}/structure`)).structure as Item[]).map(describe);
  const call = <Body>(method: string, at: string, body?: object) =>
    json<Body>(`/v1/orgs/${organization}${at}`, { token, method, body });
  return { octavo, folder, publish, get, call, readStructure, env };
}

type Item = SiteSection | SiteSectionGroup | SiteSpace;

/** Describes a part of a site's structure in one line, with the default marked by a star. */
function describe(item: Item): string {
  if (item.object === 'site-space') return `${item.space.title} /${item.path}${item.default ? '*' : ''}`;
  if (item.object === 'site-section-group') return `${item.title} (${item.sections.map(describe).join('; ')})`;
  const { title, icon = '', description = '', path: at } = item;
  const names = [title, icon, description].filter(Boolean).join(' ');
  return `${names} /${at}${item.default ? '*' : ''}: ${item.siteSpaces.map(describe).join(', ')}`;
}

const open = async (address: string) => {
  const response = await fetch(address, { redirect: 'manual' });
  return { status: response.status, to: response.headers.get('location'), text: await response.text() };
};

test('publishes the sections and languages of a GitBook site, and links between its spaces', async () => {
  const { octavo, folder, publish, readStructure } = await publishRepository();
  const dry = await octavo('publish', folder, '--dry-run');
  expect(dry.stdout).toContain('  Documentation / English: docs/en/ into a new space\n');
  expect(dry.stdout).toContain('  Resources / Guides / All guides: guides/ into a new space\n');
  expect(dry.stdout).not.toContain('broken');

  const { site, pages, brokenLinks, problems, spaces } = await publish();
  expect(await readStructure(site.id)).toEqual([
    'Documentation book /documentation*: Français /fr, English /docs*',
    'Resources (Guides How to /guides: All guides /all-guides*)',
    'Changes /changes: Changes /changes*',
  ]);
  expect([site.title, pages.created, brokenLinks.total, spaces.length]).toEqual(['Lamp', 6, 0, 4]);
  expect(problems).toMatchObject([{ path: 'README.md', kind: 'skipped' }]);
  expect((await open(site.url)).text).toMatch(/href="[^"]*\/changes\/a#one"/);
  expect((await open(`${site.url}guides`)).text).toMatch(/<a[^>]*href="[^"]*"[^>]*>home<\/a>/);
  expect(await open(`${site.url}fr`)).toMatchObject({ status: 200, text: expect.stringContaining('Accueil') });
  expect((await open(`${site.url}old`)).to).toBe(`${site.url}next`);
  expect((await open(`${site.url}fr/vieux`)).to).toBe(`${site.url}fr/deux`);

  const again = await publish();
  expect([again.counts.created, again.counts.updated, again.site]).toEqual([0, 0, site]);
  expect(again.spaces).toEqual(spaces.map(({ changeRequest: _, ...each }: { changeRequest: string }) => each));
});

test('an interrupted publish leaves no spaces outside the site, and the next one imports into them', async () => {
  const { folder, publish, get, readStructure, env } = await publishRepository();
  const { site } = await publish();
  const more = createSpace('more', 'title: More, path: further, content: { directory: more }');
  const last = createSpace('last', 'title: Last, path: last, content: { directory: last }');
  const section = `{ type: section, key: new, title: New, path: new-section, children: [${last}] }`;
  await writeFile(
    path.join(folder, 'docs.yaml'),
    `${configuration.replace(english, `${english}, ${more}`)}    - ${section}\n`,
  );
  for (const name of ['more', 'last']) {
    await mkdir(path.join(folder, name));
    await writeFile(path.join(folder, name, 'README.md'), `# About ${name}\n`);
  }
  const readTitles = async () => (await get<{ items: { title: string }[] }>('/spaces')).items.map(({ title }) => title);

  // The import into the second new space fails.
  let changes = 0;
  const url = await serveLocally(async (request, response) => {
    if (request.method === 'POST' && request.url?.endsWith('/change-requests')) changes += 1;
    if (changes < 2) await relayRequest(request, response);
    else response.writeHead(400).end('{}');
  });
  const interrupted = await octavo({ ...env, OCTAVO_URL: url }, 'publish', folder, '--site', 'Lamp');
  const structure = await readStructure(site.id);
  const titles = await readTitles();
  const { spaces } = await publish();

  expect(interrupted.code).toBe(1);
  expect(structure).toEqual([
    'Documentation book /documentation*: Français /fr, English /docs*, More /further',
    'Resources (Guides How to /guides: All guides /all-guides*)',
    'Changes /changes: Changes /changes*',
    'New /new-section: Last /last*',
  ]);
  expect(titles.toSorted()).toEqual(['All guides', 'Changes', 'English', 'Français', 'Last', 'More']);
  expect(await readTitles()).toEqual(titles);
  expect(spaces).toHaveLength(6);
  expect(await readStructure(site.id)).toEqual(structure);
});

const getIds = (each: { title: string; id: string }[]) => new Map(each.map(({ title, id }) => [title, id]));

test('applies changes of a GitBook site to the same spaces, and removes former spaces and emptied groups', async () => {
  const { octavo, folder, publish, get, call, readStructure } = await publishRepository();
  const first = await publish();
  await rename(path.join(folder, 'guides'), path.join(folder, 'how-to'));
  await rm(path.join(folder, 'docs/fr'), { recursive: true });
  await writeFile(
    path.join(folder, 'docs.yaml'),
    `site:
  structure:
    - { type: section, key: all, title: How to, path: how-to, children: [${guides.replace('/guides', 'how-to')}] }
    - { type: section, key: docs, title: Docs, path: docs, children: [${english}, ${changes}] }
`,
  );
  const before = getIds(first.spaces);
  const french = { title: 'Français', id: before.get('Français') };
  await call('POST', `/sites/${first.site.id}/section-groups`, { title: 'Planned' });
  const structure = await readStructure(first.site.id);
  const { code, stderr } = await octavo('publish', folder, '--site', 'Lamp');
  expect([code, stderr]).toEqual([1, expect.stringContaining(`Français (${french.id}). Nothing was changed.`)]);
  expect(await readStructure(first.site.id)).toEqual(structure);
  const dry = await octavo('publish', folder, '--site', 'Lamp', '--dry-run');
  expect([dry.code, dry.stdout]).toEqual([
    0,
    expect.stringContaining('would be removed from the site, not deleted: F'),
  ]);
  const { removedSpaces, spaces, site, vanished } = await publish('--site', 'Lamp', '--yes');

  expect(site).toEqual(first.site);
  expect(await readStructure(site.id)).toEqual([
    'Planned ()',
    'How to /how-to*: All guides /all-guides*',
    'Docs /docs: English /docs*, Changes /changes',
  ]);
  expect(getIds(spaces)).toEqual(new Map([...before].filter(([title]) => title !== 'Français')));
  expect(removedSpaces).toEqual([french]);
  expect(vanished).toEqual(['/fr', '/fr/README', '/fr/deux']);
  expect((await get<{ items: object[] }>('/spaces')).items).toHaveLength(4);
  expect((await open(`${site.url}docs`)).text).toMatch(/href="[^"]*\/docs\/changes\/a#one"/);
});

test('keeps the spaces of folders without pages and of other repositories', async () => {
  const { octavo, folder, publish, readStructure } = await publishRepository();
  const { site } = await publish();
  const structure = await readStructure(site.id);
  await rm(path.join(folder, 'docs/fr'), { recursive: true });
  const { removedSpaces, spaces, problems } = await publish();

  expect([removedSpaces, spaces.length]).toEqual([undefined, 3]);
  expect(problems).toContainEqual(expect.objectContaining({ message: expect.stringContaining('has no pages') }));
  expect(await readStructure(site.id)).toEqual(structure);
  expect((await open(`${site.url}fr/deux`)).status).toBe(200);

  // Publishing another repository whose folder has the same name also removes no spaces.
  const other = path.join(await createTemporaryFolder(), path.basename(folder));
  await cp(folder, other, { recursive: true });
  const only = createSpace('api', 'title: Interface, path: api, content: { directory: guides }');
  await writeFile(path.join(other, 'docs.yaml'), `site:\n  structure: [${only}]\n`);
  const { code, stderr } = await octavo('publish', other, '--site', 'Lamp');
  expect([code, stderr]).toEqual([1, expect.stringMatching(/English \(\w+\).*All guides.*rename the folder/)]);
  expect(await readStructure(site.id)).toEqual(structure);
});

test('redirects the addresses of a site that was published as one space, and reports the others', async () => {
  const { octavo, folder, publish, readStructure } = await publishRepository();
  await rename(path.join(folder, 'docs.yaml'), path.join(folder, 'docs.txt'));
  const { site, space } = await publish('--site', 'Lamp');
  for (const at of ['', 'docs/en/next', 'guides']) expect((await open(`${site.url}${at}`)).status).toBe(200);
  await rename(path.join(folder, 'docs.txt'), path.join(folder, 'docs.yaml'));
  await rm(path.join(folder, 'docs/fr/deux.md'));
  const { code, stderr } = await octavo('publish', folder);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`(${space}). Nothing was changed.`)]);
  expect((await open(`${site.url}docs/en/next`)).status).toBe(200);

  const { removedSpaces, vanished } = await publish('--yes');
  expect(removedSpaces).toMatchObject([{ id: space }]);
  expect(await readStructure(site.id)).toHaveLength(3);
  expect(await open(`${site.url}docs/en/next`)).toMatchObject({ status: 308, to: `${site.url}next` });
  expect((await open(`${site.url}docs/fr`)).to).toBe(`${site.url}fr/README`);
  expect(vanished).toEqual(['/docs/fr/deux']);
});

test('publishes no space if one loses most of its pages, or if there are too many spaces', async () => {
  const { octavo, folder, publish } = await publishRepository();
  const names = Array.from({ length: 12 }, (_, index) => path.join(folder, `changelog/${index}.md`));
  for (const [index, name] of names.entries()) await writeFile(name, `# Change ${index}\n`);
  const { site } = await publish();
  for (const name of names) await rm(name);
  await writeFile(path.join(folder, 'docs/en/next.md'), '# Next\n\nChanged.\n');
  const { code, stderr } = await octavo('publish', folder);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/changelog\/ in .* no longer has 12 .* Nothing was changed/),
  ]);

  const spaces = Array.from({ length: 201 }, (_, index) =>
    createSpace(`${index}`, `content: { directory: s${index} }`),
  );
  await writeFile(path.join(folder, 'docs.yaml'), `site:\n  structure: [${spaces.join(', ')}]\n`);
  const many = await octavo('publish', folder, '--site', 'Lamp', '--yes');
  expect([many.code, many.stderr]).toEqual([
    1,
    expect.stringContaining('has 201 spaces, but a site can have at most 200'),
  ]);
  expect((await open(`${site.url}next`)).text).not.toContain('Changed.');
});
