import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { createCommandLine, createTemporaryFolder, findSpaceId, getOutline, writeTree } from './octavo.ts';
import { getZip } from './zip.ts';

const pixel = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');
const tree = {
  'SUMMARY.md':
    '- [Home](README.md)\n- [Guide](guide/README.md)\n  - [Old](guide/old.md)\n\n## Links\n\n- [Out](https://example.com)\n',
  'README.md': '# Home\n\n![](used.gif)\n',
  'guide/README.md': '# Guide\n',
  'guide/old.md': '# Old\n\nA text.\n',
  'used.gif': pixel,
  'gone.gif': Uint8Array.from([...pixel, 0]),
};

const listPaths = async ({ token }: { token: string }, space: string): Promise<string[]> => {
  const { items } = await json<{ items: { git?: { path: string } }[] }>(`/v1/spaces/${space}/content/files`, { token });
  return items.map(({ git }) => git?.path ?? '').sort();
};

const edit = ({ token }: { token: string }, space: string, changes: object[]) =>
  json(`/v1/spaces/${space}/content`, { token, body: { changes } });

test('removes pages, groups, links and files that were deleted from the folder, but keeps pages written in Octavo', async () => {
  const { octavo, ...caller } = await createCommandLine();
  const folder = await writeTree(tree);
  const space = findSpaceId((await octavo('import', folder, '--space', 'new')).stdout);
  const { pages } = await json<{ pages: { id: string; title: string }[] }>(`/v1/spaces/${space}/content/pages`, caller);
  const guide = pages.find(({ title }) => title === 'Guide')?.id;
  await edit(caller, space, [{ operation: 'insert_page', title: 'Written here', into: guide, document: {} }]);
  await rm(path.join(folder, 'guide'), { recursive: true });
  await rm(path.join(folder, 'gone.gif'));
  await writeFile(path.join(folder, 'SUMMARY.md'), '- [Home](README.md)\n');

  const dry = await octavo('import', folder, '--space', space, '--dry-run');
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('Dry run: nothing was changed.') });
  expect(dry.stdout).toContain('4 removed');
  expect(dry.stdout).toContain('removed: page /guide/old (guide/old.md)');
  expect(await getOutline(caller, space)).toContain('Guide');

  const removed = await octavo('import', folder, '--space', space, '--json');
  expect(removed.code).toBe(0);
  const report = JSON.parse(removed.stdout);
  expect(report).toMatchObject({ pages: { removed: 4 }, files: { removed: 1, updated: 1 }, counts: { removed: 5 } });
  expect(await getOutline(caller, space)).toEqual(['Home', 'Written here']);
  expect(await listPaths(caller, space)).toEqual(['SUMMARY.md', 'used.gif']);
  const { id } = report.removed.find(({ path: at }: { path: string }) => at === 'guide/old.md');
  const former = `/v1/spaces/${space}/revisions/${report.formerRevision}/page/${id}`;
  expect(await json(former, caller)).toMatchObject({ markdown: tree['guide/old.md'] });

  expect((await octavo('import', folder, '--space', space)).stdout).toContain('No changes');
  expect((await octavo('import', folder, '--space', space, '--mirror')).stdout).toContain(
    'removed: page /written-here',
  );
  expect(await getOutline(caller, space)).toEqual(['Home']);
});

test('removes nothing imported from another source; a new version of an archive is the same source', async () => {
  const { octavo, ...caller } = await createCommandLine();
  const beside = await writeTree({ 'faq.md': '# Faq\n' });
  const space = findSpaceId((await octavo('import', beside, '--space', 'new')).stdout);
  const files = ['a', 'b', 'c'].map((name) => ({ name: `${name}.md`, content: `# ${name}\n` }));
  const folder = await createTemporaryFolder();
  const archive = async (name: string, entries: typeof files) => {
    const file = path.join(folder, name);
    await writeFile(file, getZip(entries));
    return octavo('import', file, '--space', space);
  };
  await archive('docs-1.0.zip', files);
  const { stdout, stderr } = await archive('docs-1.1.zip', files.slice(0, 2));

  expect(stdout).toContain('removed: page /c (c.md)');
  expect(stderr).toContain(`skipped: ${path.basename(beside)}: Pages from this other source that stay`);
  expect(await getOutline(caller, space)).toEqual(['a', 'b', 'Faq']);
});

test('two folders with one page in common are different sources, in either order', async () => {
  const { octavo, ...caller } = await createCommandLine();
  const createPage = (name: string) => ({ [`${name}.md`]: `# ${name}\n` });
  const small = {
    ...createPage('README'),
    ...createPage('a'),
    'SUMMARY.md': '- [README](README.md)\n- [a](a.md)\n- [Draft]()\n',
  };
  const large = { ...createPage('README'), ...createPage('b'), ...createPage('c'), ...createPage('d') };
  for (const [first, second, staying] of [
    [small, large, 2],
    [large, small, 3],
  ] as const) {
    const former = await writeTree(first);
    const space = findSpaceId((await octavo('import', former, '--space', 'new')).stdout);
    const { stdout, stderr } = await octavo('import', await writeTree(second), '--space', space);
    expect(stdout).not.toContain('removed: page');
    expect(stderr).toContain(
      `skipped: ${path.basename(former)}: Pages from this other source that stay in the space: ` +
        `${staying}. To remove them, pass --mirror. Pages from it whose text was replaced by a file with the same path: 1.`,
    );
    expect((await getOutline(caller, space)).toSorted()).toEqual(['Draft', 'README', 'a', 'b', 'c', 'd']);
  }
});

test('refuses an empty folder, a damaged archive, and a folder without most of its former pages', async () => {
  const { octavo, ...caller } = await createCommandLine();
  const names = Array.from({ length: 24 }, (_, index) => `page-${index}.md`);
  const folder = await writeTree(Object.fromEntries(names.map((name) => [name, `# ${name}\n`])));
  const space = findSpaceId((await octavo('import', folder, '--space', 'new')).stdout);
  const before = await getOutline(caller, space);
  for (const name of names.slice(0, 14)) await rm(path.join(folder, name));
  const damaged = path.join(await createTemporaryFolder(), `${path.basename(folder)}.zip`);
  await writeFile(damaged, getZip([{ name: 'a.md', content: '# A\n' }]).subarray(0, 40));

  const attempts: [string, string][] = [
    [await createTemporaryFolder(), 'contains no markdown files. Nothing was changed.'],
    [damaged, 'The archive'],
    [folder, 'no longer has 14 of the 24 pages in the space. Nothing was changed.'],
  ];
  for (const [source, message] of attempts) {
    const { code, stderr } = await octavo('import', source, '--space', space);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  }
  expect(await getOutline(caller, space)).toEqual(before);
  expect((await octavo('import', folder, '--space', space, '--yes')).stdout).toContain('14 removed');
});
