import { beforeAll, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getSample } from '../../support/random.ts';
import type { Change, SpaceClient, TreePage } from '../space-client.ts';
import { getClient } from '../space-client.ts';

let space: SpaceClient;
let branch = '';
beforeAll(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
  branch = await space.open();
});

/** Returns a client for one page, on live content or in a change request. */
function createPageClient(where: string | undefined) {
  let id = '';
  const change = (more: Omit<Change, 'operation'>) =>
    space.change([{ operation: 'update_page', page: id, ...more }], where);
  const read = (): Promise<TreePage> => space.page(id, where);
  return {
    make: async (more: Omit<Change, 'operation'>) => {
      [id = ''] = await space.change([{ operation: 'insert_page', ...more }], where);
      return (await read()).title;
    },
    set: change,
    write: async (markdown: string, more: Omit<Change, 'operation'> = {}) => {
      await change({ document: { markdown }, ...more });
      return (await read()).title;
    },
    /** Reads the text, edits it and writes it back, like an editor. */
    edit: async (edit: (markdown: string) => string) => {
      const { markdown = '' } = await read();
      await change({ document: { markdown: edit(markdown) } });
      return (await read()).title;
    },
    read,
  };
}

const addLine = (markdown: string) => `${markdown}\nOne line more.\n`;

const places: [string, () => string | undefined][] = [
  ['live content', () => undefined],
  ['a change request', () => branch],
];

describe.each(getSample(places, 2))('in %s', (_where, at) => {
  test.each([
    ['a heading', '# Of the text\n\nWords.\n'],
    ['frontmatter', '---\ntitle: Of the text\n---\n\nWords.\n'],
    ['frontmatter and a heading', '---\ntitle: Of the text\n---\n\n# Another\n'],
    ['nothing', 'Words.\n'],
  ])('a title set by field stays when a text with its title in %s is edited', async (_name, markdown) => {
    const page = createPageClient(at());
    await page.make({ document: { markdown } });
    await page.set({ title: 'By field' });

    expect(await page.edit(addLine)).toBe('By field');
    expect(await page.edit((text) => text.replace(/^# /m, '# Still '))).toBe('By field');
    expect(await page.write('No word of it.\n')).toBe('By field');
  });

  test('a title from the heading follows the heading, and stays when the heading is removed', async () => {
    const page = createPageClient(at());

    expect(await page.make({ document: { markdown: '# First\n' } })).toBe('First');
    expect(await page.edit((text) => text.replace('First', 'Second'))).toBe('Second');
    expect(await page.write('Words alone.\n')).toBe('Second');
    expect(await page.write('# Third\n')).toBe('Second');
  });

  test('a page without a title gets a title from the first text written to it', async () => {
    const page = createPageClient(at());

    expect(await page.make({ document: {} })).toBe('Untitled');
    expect(await page.write('# Found\n')).toBe('Found');
  });

  test('a new frontmatter title takes precedence over a field', async () => {
    const page = createPageClient(at());
    await page.make({ title: 'By field', document: { markdown: '# Heading\n' } });

    expect(await page.write('---\ntitle: Written\n---\n\n# Heading\n')).toBe('Written');
    expect(await page.write('---\ntitle: Rewritten\n---\n', { title: 'Asked' })).toBe('Rewritten');
    expect(await page.edit((text) => `${text}# Below\n`)).toBe('Rewritten');
    expect(await page.write('# Below\n')).toBe('Below');
  });

  test('applies a title that is set together with the text', async () => {
    const page = createPageClient(at());
    await page.make({ document: { markdown: '---\ntitle: Written\n---\n\n# Heading\n' } });
    const { markdown = '' } = await page.read();

    expect(await page.write(addLine(markdown), { title: 'Asked' })).toBe('Asked');
    expect(await page.edit(addLine)).toBe('Asked');
  });

  test('applies other new frontmatter fields', async () => {
    const page = createPageClient(at());
    const said = 'slug: said\ndescription: Said\nhidden: true\nnoIndex: false';
    await page.make({ title: 'Fields', document: { markdown: `---\n${said}\n---\n` } });
    const title = at() === undefined ? 'live' : 'proposed';
    await page.set({ slug: `set-${title}`, description: 'Set', hidden: false, noIndex: true });
    const set = { slug: `set-${title}`, description: 'Set', hidden: false, noIndex: true };
    const readFields = async () => {
      const { slug, description, hidden = false, noIndex = false } = await page.read();
      return { slug, description, hidden, noIndex };
    };
    expect(await readFields()).toEqual(set);

    await page.edit(addLine);
    expect(await readFields()).toEqual(set);
    await page.edit((text) =>
      text.replace('description: Said', 'description: Said anew').replace('slug: said', `slug: new-${title}`),
    );
    expect(await readFields()).toEqual({ ...set, description: 'Said anew', slug: `new-${title}` });
  });

  test('resets removed fields, except values set by a field and restrictions of visibility', async () => {
    const page = createPageClient(at());
    const said = 'description: Said\nicon: book\nlayout:\n  title: false\n  width: wide\nhidden: true';
    await page.make({ title: 'Fields', document: { markdown: `---\n${said}\n---\nText\n` } });
    await page.set({ icon: 'pen' });

    await page.write('Text\n');

    const now = await page.read();
    expect(now).toMatchObject({ icon: 'pen', hidden: true, layout: { title: true, width: 'default' } });
    expect(now).not.toHaveProperty('description');
  });

  test.each(['title: a: b\nlayout:\n  width: wide', 'layout: wide'])(
    'invalid frontmatter does not remove fields: %j',
    async (unread) => {
      const page = createPageClient(at());
      await page.make({ title: 'Wide', document: { markdown: '---\nlayout:\n  width: wide\n---\nText\n' } });

      await page.write(`---\n${unread}\n---\nText\n`);

      expect(await page.read()).toMatchObject({ layout: { width: 'wide' } });
    },
  );

  test.each([
    ['description', 'Said', 'By field'],
    ['icon', 'book', 'book'],
  ])('%s stays set if the same change removes it from the text and sets it by field', async (key, said, asked) => {
    const page = createPageClient(at());
    await page.make({ document: { markdown: `---\n${key}: ${said}\n---\nText\n` } });

    await page.set({ [key]: asked, document: { markdown: 'Text\n' } });

    expect(await page.read()).toMatchObject({ [key]: asked });
  });

  test('compares each text of a batch with the previous text', async () => {
    const page = { operation: 'update_page', page: 'new' };
    const [id = ''] = await space.change(
      [
        { operation: 'insert_page', ref: 'new', document: { markdown: '# One\n' } },
        { ...page, document: { markdown: '# Two\n' } },
        { ...page, title: 'By field' },
        { ...page, document: { markdown: '# Three\n' } },
      ],
      at(),
    );

    expect((await space.page(id, at())).title).toBe('By field');
  });

  test('reverting a block restores the title that the block contains', async () => {
    const page = createPageClient(at());
    await page.make({ document: { markdown: '# As it was\n\nWords.\n' } });
    const before = (await space.head(at())).id;
    await page.write('# As it is\n\nWords.\n');
    const { id } = await page.read();
    const { document } = await space.callJson<{ document: { data: { title: { key: string } } } }>(
      `${at() === undefined ? '' : `/change-requests/${at()}`}/content/page/${id}?format=document`,
    );
    await space.change(
      [{ operation: 'revert_page', page: id, revision: before, block: [document.data.title.key] }],
      at(),
    );

    expect(await page.read()).toMatchObject({ title: 'As it was', markdown: '# As it was\n\nWords.\n' });
  });

  test('reusable content keeps its title field, whatever its text contains', async () => {
    const markdown = '---\ntitle: Of the text\n---\n\n# Heading\n';
    const readContents = async () => (await space.head(at())).reusableContents;
    const known = new Set((await readContents()).map(({ id }) => id));
    await space.change([{ operation: 'insert_reusable_content', title: 'By field', document: { markdown } }], at());
    const newPage = (await readContents()).find(({ id }) => !known.has(id));
    await space.change(
      [
        {
          operation: 'update_reusable_content',
          reusableContent: newPage?.id,
          document: { markdown: addLine(markdown) },
        },
      ],
      at(),
    );

    expect((await readContents()).find(({ id }) => id === newPage?.id)?.title).toBe('By field');
  });
});
