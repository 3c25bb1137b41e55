import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { getTargetsByText, listPageLinks } from '../content/links/link-client.ts';
import { getClient, type SpaceClient } from '../content/space-client.ts';
import { downloadPdf } from '../publishing/pdf/pdf-client.ts';
import { readPdf } from '../publishing/pdf/read-pdf.ts';
import { platform } from '../support/platform.ts';
import { createCommandLine, createTemporaryFolder, findSpaceId, readMarkdown, writeTree } from './octavo.ts';

const names = { page: 'guide.md', file: '.gitbook/assets/pixel.gif', content: '.gitbook/includes/note.md' };
const home =
  `# Home\n\n[the guide](${names.page}) and [how](${names.page}#use)\n\n![the picture](${names.file})\n\n` +
  `{% include "${names.content}" %}\n`;
const pixel = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAAA', 'base64');
const others = {
  [names.page]: '# Guide\n\n## Use\n\nAnother text.\n',
  [names.file]: Buffer.concat([pixel, Buffer.from([0])]),
  [names.content]: 'A second note, see [the guide](../../guide.md).\n',
};

interface World extends Pick<Awaited<ReturnType<typeof createCommandLine>>, 'octavo'> {
  folder: string;
  space: SpaceClient;
  id: string;
}

interface Item {
  id: string;
  git?: { path: string };
}

/** Returns the IDs of the pages, the file and the reusable content. */
async function getIds(space: SpaceClient) {
  const head = await space.callJson<Record<'pages' | 'files' | 'reusableContents', Item[]>>('/content');
  const findId = (items: Item[], name: string) => items.find(({ git }) => git?.path === name)?.id ?? '';
  return {
    home: findId(head.pages, 'README.md'),
    page: findId(head.pages, names.page),
    file: findId(head.files, names.file),
    content: findId(head.reusableContents, names.content),
  };
}

type Changes = Parameters<SpaceClient['change']>[0];

async function writeChanges(space: SpaceClient): Promise<[deletions: Changes, insertions: Changes]> {
  const { page, file, content } = await getIds(space);
  const deletions = [
    { operation: 'delete_page', page },
    { operation: 'delete_file', file },
    { operation: 'delete_reusable_content', reusableContent: content },
  ];
  const [text, bytes, note] = Object.values(others) as [string, Buffer, string];
  const picture = {
    name: 'pixel.gif',
    base64: bytes.toString('base64'),
    contentType: 'image/gif',
    git: { path: names.file },
  };
  const insertions = [
    { operation: 'insert_page', title: 'Guide', document: { markdown: text }, git: { path: names.page } },
    { operation: 'insert_files', files: [picture] },
    { operation: 'insert_reusable_content', title: 'note', document: { markdown: note }, git: { path: names.content } },
  ];
  return [deletions, insertions];
}

const sendFolder =
  (...command: string[]) =>
  async ({ octavo, folder, id }: World): Promise<void> => {
    const [name = '', ...options] = command;
    const send = async () => expect(await octavo(name, folder, ...options, '--space', id)).toMatchObject({ code: 0 });
    for (const file of Object.values(names)) await rm(path.join(folder, file));
    await send();
    for (const [file, text] of Object.entries(others)) await writeFile(path.join(folder, file), text);
    await send();
  };

const ways: Record<string, (world: World) => Promise<void>> = {
  publish: sendFolder('publish', '--site', 'Replaced'),
  import: sendFolder('import'),
  'live edits': async ({ space }) => {
    for (const changes of await writeChanges(space)) await space.change(changes);
  },
  'a merged change request': async ({ space }) => {
    const branch = await space.open();
    for (const changes of await writeChanges(space)) await space.change(changes, branch);
    await space.callJson(`/change-requests/${branch}/merge`, { method: 'POST' });
  },
};

test.each(Object.keys(ways))(
  'links point to the content at their paths after a page, a file and a text were replaced by %s; the file keeps its ID',
  async (way) => {
    const { octavo, token } = await createCommandLine();
    const folder = await writeTree({
      ...others,
      'README.md': home,
      [names.content]: 'A first note.\n',
      [names.file]: pixel,
    });
    const first = await octavo('publish', folder, '--site', 'Replaced');
    const address = /Published.* (https?:\S+)/.exec(first.stdout)?.[1] ?? '';
    const id = findSpaceId(first.stdout);
    const space = getClient(platform(), { id, token });
    const before = await getIds(space);
    await ways[way]?.({ octavo, folder, space, id });
    const ids = await getIds(space);
    for (const kind of ['page', 'content'] as const) expect([kind, ids[kind]]).not.toEqual([kind, before[kind]]);
    expect(ids.file).toBe(before.file);

    expect(getTargetsByText(await listPageLinks(space, ids.home))).toEqual({
      [names.page]: ids.page,
      [`${names.page}#use`]: `${ids.page}#use`,
      [names.file]: ids.file,
      [names.content]: ids.content,
    });
    const read = async (query: string) => JSON.stringify(await space.callJson(`/content/page/${ids.home}?${query}`));
    for (const format of ['format=document', 'format=markdown&format.markdown.refs=stable']) {
      const text = await read(format);
      for (const target of [ids.page, ids.file])
        expect([format, text]).toEqual([format, expect.stringContaining(target)]);
      expect(text.split('"links"')[0]).not.toContain(before.page);
    }
    expect(await read('evaluated=true')).toContain('A second note');
    const html = await (await fetch(address)).text();
    expect(html).toMatch(/href="[^"]*guide"[^>]*>the guide/);
    expect(html.slice(html.indexOf('<article'))).toContain(`file=${ids.file}`);
    expect(html).toMatch(/A second note, see <a href="[^"]*guide"/);
    expect(await (await fetch(`${address}llms-full.txt`)).text()).toContain('A second note');
    const { texts, jumps } = await readPdf(await downloadPdf(platform(), { id, token }));
    // The table of contents contains two more internal links.
    expect([texts.join(''), jumps.length]).toEqual([expect.stringContaining('A second note'), 2 + 3]);
    const out = await createTemporaryFolder();
    expect(await octavo('export', id, out)).toMatchObject({ code: 0 });
    expect(await readMarkdown(out)).toMatchObject({ 'README.md': home, [names.page]: others[names.page] });
  },
);
