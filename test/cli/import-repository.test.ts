import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { createCommandLine, writeTree } from './octavo.ts';

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const files = {
  '.gitbook.yaml': 'root: ./docs/\nredirects:\n  old/guide: guide.mdx#use\n  blog: https://example.com/blog\n',
  '.gitbook/vars.yaml': 'product: Kettle\nmajor: 3\n',
  '.gitbook/includes/a-first.md': '# First\n\n{% include "z-last.md" %}\n',
  '.gitbook/includes/z-last.md': '---\ntitle: Of the end\n---\n\nThe end of [A](../../docs/a.md).\n',
  '.gitbook/assets/a pixel (1).png': pixel,
  'docs/README.md': '# Home\n\n![A pixel](<../.gitbook/assets/a pixel (1).png>) and [no page](none.md).\n',
  'docs/a.md': '---\nlayout: home\nhidden: "yes"\n---\n\n# A\n\n[The guide](guide.mdx#how)\n',
  'docs/guide.mdx': '# Guide\n\n## How\n\n{% include "../.gitbook/includes/a-first.md" %}\n',
  'tools/build.sh': 'true\n',
};

interface ImportOutput {
  space: string;
  problems: { kind: string; path: string; message: string }[];
  site: { id: string };
}

const createCounts = (created: number, updated: number, unchanged: number) => ({
  created,
  updated,
  unchanged,
  failed: 0,
});

test('imports and reports everything in a repository, and imports only the differences the second time', async () => {
  const { octavo, organization, token } = await createCommandLine();
  const folder = await writeTree(files);
  const publish = async () => {
    const { code, stdout, stderr } = await octavo('publish', folder, '--json', '--site', 'Kettle');
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout) as ImportOutput;
  };

  const first = await publish();
  expect(first).toMatchObject({
    convention: { name: 'gitbook' },
    pages: createCounts(3, 0, 0),
    files: createCounts(3, 0, 0),
    reusableContents: createCounts(2, 0, 0),
    variables: createCounts(2, 0, 0),
    redirects: createCounts(2, 0, 0),
    counts: { created: 12, failed: 0 },
    brokenLinks: {
      total: 1,
      reasons: { 'no-file': 1 },
      links: [{ target: 'none.md', reason: 'no-file', places: ['docs/README.md'], locations: 1 }],
    },
  });
  const problems = first.problems.map((problem) => `${problem.kind} ${problem.path}`);
  expect(problems).toEqual(expect.arrayContaining(['warning docs/a.md', 'skipped tools/build.sh']));
  const at = `/v1/spaces/${first.space}/content`;
  const shown = await json<{ id: string; markdown: string }>(`${at}/path/guide?dereferenced=true`, { token });
  expect(shown.markdown).toContain('# First');
  expect(shown.markdown).toContain('The end of [A](');
  const site = `/v1/orgs/${organization}/sites/${first.site.id}`;
  const { items } = await json<{ items: { source: string }[] }>(`${site}/redirects`, { token });
  expect(items.toSorted((one, other) => one.source.localeCompare(other.source))).toMatchObject([
    { source: '/blog', draft: false, destination: { kind: 'external', url: 'https://example.com/blog' } },
    { source: '/old/guide', draft: false, destination: { kind: 'site-page', pageId: shown.id, anchor: 'use' } },
  ]);

  expect(await publish()).toMatchObject({
    pages: createCounts(0, 0, 3),
    files: createCounts(0, 0, 3),
    reusableContents: createCounts(0, 0, 2),
    variables: createCounts(0, 0, 2),
    redirects: createCounts(0, 0, 2),
  });
  await writeFile(path.join(folder, '.gitbook/includes/z-last.md'), 'Another end.\n');
  await writeFile(path.join(folder, '.gitbook/vars.yaml'), 'product: Pot\nmajor: 3\nminor: 1\n');
  expect(await publish()).toMatchObject({
    pages: createCounts(0, 0, 3),
    reusableContents: createCounts(0, 1, 1),
    variables: createCounts(1, 1, 1),
  });
  expect((await json<{ markdown: string }>(`${at}/path/guide?dereferenced=true`, { token })).markdown).toContain(
    'Another end.',
  );
  const { variables } = await json<{ variables: object }>(at, { token });
  expect(variables).toEqual({ product: 'Pot', major: 3, minor: 1 });
});

test('prints the report as a table, and skipped files to standard error', async () => {
  const { octavo } = await createCommandLine();
  const { code, stdout, stderr } = await octavo('import', await writeTree(files), '--space', 'new');
  expect(code).toBe(0);
  expect(stderr.match(/^warning: docs\/a\.md: .*hidden.*$/gm)).toHaveLength(1);
  expect(stderr).toMatch(/^skipped: \.gitbook\.yaml: Its 2 redirects were not imported: .+$/m);
  expect(stdout.split('\n').slice(1)).toEqual([
    '  pages:             3 created, 0 updated, 0 unchanged, 0 failed',
    '  files:             3 created, 0 updated, 0 unchanged, 0 failed',
    '  reusable contents: 2 created, 0 updated, 0 unchanged, 0 failed',
    '  variables:         2 created, 0 updated, 0 unchanged, 0 failed',
    expect.stringMatching(/^ {2}\d skipped, \d warnings?$/),
    '1 broken link in the space:',
    '  1: the file is not in the import',
    '    none.md in docs/README.md',
    '',
  ]);
});

test('reports which links --base would fix, and warns about an empty space with the same title', async () => {
  const { octavo, organization, token } = await createCommandLine();
  const response = await platform().request(`/v1/orgs/${organization}/spaces`, { token, body: { title: 'Served' } });
  const { id } = (await response.json()) as { id: string };
  const links = ['a', 'b', 'c', 'none'].map((name) => `[x](/help/help/guide/${name})`).join(' ');
  const guides = Object.fromEntries(['a', 'b', 'c'].map((name) => [`guide/${name}.md`, `# ${name}\n`]));
  const folder = await writeTree({ 'README.md': `${links} [y](none.md)\n`, ...guides });
  const { stdout, stderr } = await octavo('import', folder, '--space', 'new', '--title', 'Served');
  expect(stderr).toContain(`warning: ${id}: This empty space has the same title.`);
  expect(stdout).toContain('  If the site is served at /help/help/, import with --base /help/help/ to fix 3 of them');

  const again = await octavo('import', folder, '--space', id, '--base', '/help/help/');
  expect(again.stderr).not.toContain(id);
  expect(again.stdout).toContain('2 broken links');
  expect(again.stdout).not.toContain('--base');
  const elsewhere = await octavo('import', folder, '--space', 'new', '--title', 'Other', '--base', '/docs/');
  expect(elsewhere.stdout).toContain('5 broken links');
  expect(elsewhere.stdout).not.toContain('--base');
});
