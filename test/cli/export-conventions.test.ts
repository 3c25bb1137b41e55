import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { edit, json } from '../support/content.ts';
import { commandLine, spaceIn, temporaryFolder, writeTree } from './octavo.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

type Files = Record<string, string | Buffer>;

interface Convention {
  files: Files;
  /** Where a page below the guide, one at the top and a picture go; how the picture is written in the first. */
  below: string;
  top: string;
  picture: string;
  address: string;
  /** The summary that says where new pages stand, or what is told of a configuration that does not list them. */
  summary?: string;
  told?: string;
}

/** Pages in a folder: a home, a guide with a part, and a picture that only the site's address leads to. */
const pagesIn = (root: string, index: string): Files => ({
  [`${root}${index}`]: '# Home\n',
  [`${root}guide/${index}`]: '---\nlayout: 7\n---\n\n# Guide\r\n',
  [`${root}guide/start.md`]: '\ufeff# Start\n\nNo final newline',
});

const conventions: Record<string, Convention> = {
  gitbook: {
    files: {
      '.gitbook.yaml': 'root: ./docs/ # of docs\n',
      'docs/SUMMARY.md':
        '# Summary\n\n- [Home](README.md)\n-  [Guide](guide/README.md#top)\n   - [Start](guide/start.md)\n',
      ...pagesIn('docs/', 'README.md'),
      'docs/.gitbook/assets/a b.png': png,
      'docs/.gitbook/includes/part.md': 'A part of [it](../../guide/start.md).\n',
      'docs/.gitbook/vars.yaml': '# kept\nproduct: "Kettle"\n',
    },
    ...{ below: 'docs/guide/under.md', top: 'docs/top.md', picture: 'docs/.gitbook/assets/new.png' },
    address: '../.gitbook/assets/new.png',
    summary: 'docs/SUMMARY.md',
  },
  'gitbook without a summary': {
    files: { '.gitbook.yaml': 'root: ./docs/\n', ...pagesIn('docs/', 'README.md') },
    ...{ below: 'docs/guide/under.md', top: 'docs/top.md', picture: 'docs/.gitbook/assets/new.png' },
    address: '../.gitbook/assets/new.png',
  },
  mdbook: {
    files: {
      'book.toml': '[book]\ntitle = "x"\n',
      'src/SUMMARY.md': '# Summary\n\n[Home](README.md)\n\n- [Guide](guide/README.md)\n    - [Start](guide/start.md)\n',
      ...pagesIn('src/', 'README.md'),
    },
    ...{ below: 'src/guide/under.md', top: 'src/top.md', picture: 'src/files/new.png' },
    address: '../files/new.png',
    summary: 'src/SUMMARY.md',
  },
  docusaurus: {
    files: {
      'docusaurus.config.js':
        "module.exports = { presets: [['classic', { docs: { sidebarPath: './sidebars.js' } }]] };\n",
      'sidebars.js':
        "module.exports = { docs: ['index', { type: 'category', label: 'Guide', link: { type: 'doc', id: 'guide/index' }, items: ['guide/start'] }] };\n",
      ...pagesIn('docs/', 'index.md'),
      'docs/guide/_category_.json': '{ "label": "Not gone by" }\n',
      'blog/authors.yml': 'ann:\n  name: Ann\n',
      'blog/2020-01-02-post.md': '# Post\n\n![p](/img/p.png)\n',
      'static/img/p.png': png,
    },
    ...{ below: 'docs/guide/under.md', top: 'docs/top.md', picture: 'static/new.png', address: '/new.png' },
    told: 'sidebars.js',
  },
  vitepress: {
    files: {
      'docs/.vitepress/config.mts':
        "import { items } from './items'\nexport default { base: '/b/', themeConfig: { sidebar: [{ text: 'Guide', link: '/guide/', items }] } }\n",
      'docs/.vitepress/items.ts': "export const items = [{ text: 'Start', link: '/guide/start' }]\n",
      ...pagesIn('docs/', 'index.md'),
      'docs/public/p.png': png,
    },
    ...{ below: 'docs/guide/under.md', top: 'docs/top.md', picture: 'docs/public/new.png', address: '/new.png' },
    told: 'docs/.vitepress/config.mts',
  },
  starlight: {
    files: {
      'astro.config.mjs': "export default { base: '/b', integrations: [starlight({})] }\n",
      ...pagesIn('src/content/docs/', 'index.md'),
    },
    ...{ below: 'src/content/docs/guide/under.md', top: 'src/content/docs/top.md', picture: 'public/new.png' },
    address: '/b/new.png',
  },
  mkdocs: {
    files: {
      'mkdocs.yml': 'docs_dir: manual\nnav:\n  - index.md\n  - Guide:\n    - guide/index.md\n    - guide/start.md\n',
      ...pagesIn('manual/', 'index.md'),
    },
    ...{ below: 'manual/guide/under.md', top: 'manual/top.md', picture: 'manual/files/new.png' },
    address: '../files/new.png',
    told: 'mkdocs.yml',
  },
  hugo: {
    files: {
      'hugo.toml': 'baseURL = "https://example.com/h"\n',
      ...pagesIn('content/', '_index.md'),
      'static/p.png': png,
    },
    ...{ below: 'content/guide/under.md', top: 'content/top.md', picture: 'static/new.png', address: '/h/new.png' },
  },
  jekyll: {
    files: { '_config.yml': 'baseurl: /j\n', ...pagesIn('', 'index.md'), 'assets/p.png': png },
    ...{ below: 'guide/under.md', top: 'top.md', picture: 'assets/new.png', address: '/j/assets/new.png' },
  },
  folders: {
    files: { ...pagesIn('', 'README.md'), 'files/p.png': png },
    ...{ below: 'guide/under.md', top: 'top.md', picture: 'files/new.png', address: '../files/new.png' },
  },
};

async function filesIn(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const read = files.map(async (file) => [path.relative(folder, file), await readFile(file, 'latin1')] as const);
  return Object.fromEntries((await Promise.all(read)).sort());
}

const bytesOf = (files: Files): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([file, content]) => [file, Buffer.from(content).toString('latin1')]));

interface Page {
  id: string;
  title: string;
  pages?: Page[];
}

async function inAndOut({ octavo, token }: Awaited<ReturnType<typeof commandLine>>, given: Convention) {
  const imported = await octavo('import', await writeTree(given.files), '--space', 'new');
  const space = { id: spaceIn(imported.stdout), token };
  const exported = async () => {
    const out = await temporaryFolder();
    const { code, stderr } = await octavo('export', space.id, out);
    expect(code, stderr).toBe(0);
    return { out, stderr, files: await filesIn(out) };
  };
  const untouched = (await exported()).files;

  const at = `/v1/spaces/${space.id}/content`;
  const list = {
    operation: 'insert_files',
    files: [{ name: 'new.png', base64: png.toString('base64'), contentType: 'image/png' }],
  };
  await json(at, { token, body: { changes: [list] } });
  const { items } = await json<{ items: { id: string; name: string }[] }>(`${at}/files?limit=100`, { token });
  const picture = items.find(({ name }) => name === 'new.png')?.id ?? '';
  const all = (some: Page[]): Page[] => some.flatMap((page) => [page, ...all(page.pages ?? [])]);
  const { pages } = await json<{ pages: Page[] }>(`${at}/pages`, { token });
  const guide = all(pages).find(({ title }) => title === 'Guide' || title === 'guide')?.id ?? '';
  const into = all(pages).findLast(({ title }) => title === 'Guide')?.id ?? guide;
  await edit(space, [
    { operation: 'insert_page', title: 'Under', document: { markdown: `# Under\n\n![n](/files/${picture})\n` }, into },
    { operation: 'insert_page', title: 'Top', document: { markdown: '# Top\n' } },
  ]);
  const { out, stderr, files } = await exported();
  const again = [];
  for (let round = 0; round < 2; round += 1) again.push((await octavo('import', out, '--space', space.id)).stdout);
  return { untouched, stderr, files, again };
}

test.each(Object.entries(conventions))(
  '%s comes back byte for byte, and what is new stands where it is found again',
  async (_name, given) => {
    const { untouched, stderr, files, again } = await inAndOut(await commandLine(), given);
    expect(untouched).toEqual(bytesOf(given.files));

    const { below, top, picture, address, summary, told } = given;
    const { [below]: text, [top]: other, [picture]: image, ...rest } = files;
    expect({ text, other, image: image?.length }).toEqual({
      text: `# Under\n\n![n](${address})\n`,
      other: '# Top\n',
      image: png.length,
    });
    if (summary === undefined) expect(rest).toEqual(bytesOf(given.files));
    else expect(rest[summary]).toContain('top.md');
    expect(again[0]).toMatch(/pages: +0 created, [\s\S]*files: +0 created, [01] updated/);
    expect(again[1]).toContain('Nothing has changed');
    if (told === undefined) expect(stderr).not.toContain('warning');
    else expect(stderr).toMatch(new RegExp(`^warning: ${top}: It is in no list of ${told}`, 'm'));
  },
);
