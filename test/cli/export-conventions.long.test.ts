import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { edit, json } from '../support/content.ts';
import { type Convention, conventions, type Files, png } from './conventions.ts';
import { createCommandLine, createTemporaryFolder, findSpaceId, writeTree } from './octavo.ts';

async function readFolderFiles(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const read = files.map(async (file) => [path.relative(folder, file), await readFile(file, 'latin1')] as const);
  return Object.fromEntries((await Promise.all(read)).sort());
}

const getBytes = (files: Files): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([file, content]) => [file, Buffer.from(content).toString('latin1')]));

interface Page {
  id: string;
  title: string;
  pages?: Page[];
}

async function importAndExport(
  { octavo, token }: Awaited<ReturnType<typeof createCommandLine>>,
  convention: Convention,
) {
  const imported = await octavo('import', await writeTree(convention.files), '--space', 'new');
  const space = { id: findSpaceId(imported.stdout), token };
  const exportSpaceFiles = async () => {
    const out = await createTemporaryFolder();
    const { code, stderr } = await octavo('export', space.id, out);
    expect(code, stderr).toBe(0);
    return { out, stderr, files: await readFolderFiles(out) };
  };
  const untouched = (await exportSpaceFiles()).files;

  const at = `/v1/spaces/${space.id}/content`;
  const list = {
    operation: 'insert_files',
    files: [{ name: 'new.png', base64: png.toString('base64'), contentType: 'image/png' }],
  };
  await json(at, { token, body: { changes: [list] } });
  const { items } = await json<{ items: { id: string; name: string }[] }>(`${at}/files?limit=100`, { token });
  const picture = items.find(({ name }) => name === 'new.png')?.id ?? '';
  const flattenPages = (some: Page[]): Page[] => some.flatMap((page) => [page, ...flattenPages(page.pages ?? [])]);
  const { pages } = await json<{ pages: Page[] }>(`${at}/pages`, { token });
  const guide = flattenPages(pages).find(({ title }) => title === 'Guide' || title === 'guide')?.id ?? '';
  const into = flattenPages(pages).findLast(({ title }) => title === 'Guide')?.id ?? guide;
  await edit(space, [
    { operation: 'insert_page', title: 'Under', document: { markdown: `# Under\n\n![n](/files/${picture})\n` }, into },
    { operation: 'insert_page', title: 'Top', document: { markdown: '# Top\n' } },
  ]);
  const { out, stderr, files } = await exportSpaceFiles();
  const again = [];
  for (let round = 0; round < 2; round += 1) again.push((await octavo('import', out, '--space', space.id)).stdout);
  return { untouched, stderr, files, again };
}

test.each(Object.entries(conventions))(
  '%s is exported byte for byte, and new pages are written to paths that the import finds again',
  async (_name, convention) => {
    const { untouched, stderr, files, again } = await importAndExport(await createCommandLine(), convention);
    expect(untouched).toEqual(getBytes(convention.files));

    const { below, top, picture, address, summary, told, isTitled } = convention;
    const addTitle = (title: string) => (isTitled ? `---\ntitle: ${title}\n---\n\n` : '');
    const { [below]: text, [top]: other, [picture]: image, ...rest } = files;
    expect({ text, other, image: image?.length }).toEqual({
      text: `${addTitle('Under')}# Under\n\n![n](${address})\n`,
      other: `${addTitle('Top')}# Top\n`,
      image: png.length,
    });
    if (summary === undefined) expect(rest).toEqual(getBytes(convention.files));
    else expect(rest[summary]).toContain('top.md');
    expect(again[0]).toMatch(/pages: +0 created, [\s\S]*files: +0 created, [01] updated/);
    expect(again[1]).toContain('No changes');
    if (told === undefined) expect(stderr).not.toContain('warning');
    else expect(stderr).toMatch(new RegExp(`^warning: ${top}: ${told} does not list it`, 'm'));
  },
);
