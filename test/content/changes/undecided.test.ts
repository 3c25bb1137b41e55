import { beforeEach, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { Change, SpaceClient } from '../space-client.ts';
import { clientOf, insertPage, writePage } from '../space-client.ts';

let space: SpaceClient;

beforeEach(async () => {
  const server = platform();
  space = clientOf(server, await server.makeSpace());
});

const conflict = (ours: string, was: string, theirs: string, length = 7) =>
  `${'<'.repeat(length)} change request\n${ours}\n${'|'.repeat(length)} base\n${was}\n${'='.repeat(length)}\n${theirs}\n${'>'.repeat(length)} main\n`;
const example = `An example:\n\n\`\`\`\n${conflict('here', 'was', 'live')}\`\`\`\n`;
const text = (first: string, last: string, middle = 'middle\n') => `${first}\n\n${middle}\n${last}\n`;

/** A page that both sides have changed in its first line and its last. */
async function clashing(middle?: string) {
  const [page = ''] = await space.change([insertPage('Page', { document: { markdown: text('one', 'two', middle) } })]);
  const branch = await space.open();
  await space.change([writePage(page, text('mine', 'mine 2', middle))], branch);
  await space.change([writePage(page, text('live', 'live 2', middle))]);
  return { page, branch };
}

const both = (middle?: string, length?: number) =>
  text(
    conflict('mine', 'one', 'live', length).trimEnd(),
    conflict('mine 2', 'two', 'live 2', length).trimEnd(),
    middle,
  );
const resolve = (page: string, keep: string, field = 'document'): Change => ({
  operation: 'resolve',
  page,
  field,
  keep,
});

describe('a text that holds conflict markers of its own', () => {
  test('merges after a real conflict, by an edit', async () => {
    const { page, branch } = await clashing(example);
    expect((await space.update(branch)).body.result).toBe('conflicts');
    expect((await space.page(page, branch)).markdown).toBe(both(example, 8));
    expect((await space.merge(branch)).status).toBe(409);

    await space.change([writePage(page, text('both', 'both 2', example))], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).markdown).toBe(text('both', 'both 2', example));
  });

  test.each([
    ['mine', 'mine 2'],
    ['live', 'live 2'],
  ])('merges after a real conflict, by keeping %s', async (keep, second) => {
    const { page, branch } = await clashing(example);
    await space.update(branch);
    await space.change([resolve(page, keep)], branch);

    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).markdown).toBe(text(keep, second, example));
  });

  test('that the change request puts into it merges without an update', async () => {
    const [page = ''] = await space.change([insertPage('Page', { document: { markdown: text('one', 'two') } })]);
    const branch = await space.open();
    await space.change([writePage(page, text('one', 'two', example))], branch);
    await space.change([writePage(page, text('ONE', 'two'))]);

    expect((await space.update(branch)).body.result).toBe('update');
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).markdown).toBe(text('ONE', 'two', example));
  });
});

describe('an update while markers are left', () => {
  test('goes on from the text before them: they never nest, and say what is live now', async () => {
    const { page, branch } = await clashing();
    await space.update(branch);
    for (const word of ['live 3', 'live 4']) {
      await space.change([writePage(page, text('live', word))]);
      expect((await space.update(branch)).body).toMatchObject({
        result: 'conflicts',
        conflicts: [{ id: page, field: 'document' }],
      });
      const marked = text(conflict('mine', 'one', 'live').trimEnd(), conflict('mine 2', 'two', word).trimEnd());
      expect((await space.page(page, branch)).markdown).toBe(marked);
    }
    await space.change([writePage(page, text('one', 'two'))]);
    expect((await space.update(branch)).body.result).toBe('update');
    expect((await space.page(page, branch)).markdown).toBe(text('mine', 'mine 2'));
    expect((await space.merge(branch)).body.result).toBe('merge');
  });

  test('leaves a text alone that is being edited, and loses nothing that is live', async () => {
    const [before, after] = ['begin\n\nmiddle\n\nend\n', 'begin\n\nMIDDLE\n\nend\n'];
    const { page, branch } = await clashing(before);
    await space.update(branch);
    const edited = text('both', conflict('mine 2', 'two', 'live 2').trimEnd(), before);
    await space.change([writePage(page, edited)], branch);
    await space.change([writePage(page, text('live', 'live 2', after))]);

    expect((await space.update(branch)).body).toMatchObject({ result: 'conflicts', conflicts: [{ id: page }] });
    expect((await space.page(page, branch)).markdown).toBe(edited);
    expect((await space.merge(branch)).status).toBe(409);
    await space.change([writePage(page, text('both', 'both 2', before))], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).markdown).toBe(text('both', 'both 2', after));
  });

  test('comes to the same as one update at the end', async () => {
    const [page = ''] = await space.change([insertPage('Page', { document: { markdown: text('one', 'two') } })]);
    const [often, once] = [await space.open(), await space.open()];
    for (const branch of [often, once]) await space.change([writePage(page, text('mine', 'mine 2'))], branch);
    for (const [first, last] of [
      ['live', 'two'],
      ['live', 'live 2'],
      ['live 9', 'live 2'],
    ] as const) {
      await space.change([writePage(page, text(first, last))]);
      await space.update(often);
    }
    await space.update(once);

    const { markdown } = await space.page(page, once);
    expect(markdown).toContain('live 9');
    expect((await space.page(page, often)).markdown).toBe(markdown);
  });
});

describe('deciding', () => {
  test('one conflict of a text by hand, and the rest by keeping a side', async () => {
    const { page, branch } = await clashing();
    await space.update(branch);
    await space.change([writePage(page, text('both', conflict('mine 2', 'two', 'live 2').trimEnd()))], branch);
    expect(await space.undecided(branch)).toMatchObject([{ id: page, field: 'document' }]);
    await space.change([resolve(page, 'live')], branch);

    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).markdown).toBe(text('both', 'live 2'));
  });

  test('a text whose markers are not whole is refused, and stays as it is', async () => {
    const { page, branch } = await clashing();
    await space.update(branch);
    const stray = `${text('both', 'both 2')}>>>>>>> main\n`;
    await space.change([writePage(page, stray)], branch);

    const refused = await space.edit([resolve(page, 'mine')], branch);
    expect(refused).toMatchObject({ status: 409, body: { error: { issues: [{ path: 'body.changes.0.keep' }] } } });
    expect((await space.merge(branch)).status).toBe(409);
    expect((await space.page(page, branch)).markdown).toBe(stray);
  });

  test.each<[string, (page: string) => Change, string]>([
    ['the field itself, to what it is', (page) => ({ operation: 'update_page', page, title: 'Mine' }), 'Mine'],
    ['the field itself, to another value', (page) => ({ operation: 'update_page', page, title: 'Both' }), 'Both'],
    ['the frontmatter of a text', (page) => writePage(page, '---\ntitle: Both\n---\ntext\n'), 'Both'],
    ['the whole page', (page) => ({ operation: 'revert_page', page }), 'Live'],
  ])('by a change that sets %s', async (_what, change, title) => {
    const [page = ''] = await space.change([insertPage('Page')]);
    const branch = await space.open();
    await space.change([{ operation: 'update_page', page, title: 'Mine' }], branch);
    await space.change([{ operation: 'update_page', page, title: 'Live' }]);
    await space.update(branch);
    await space.change([{ operation: 'update_page', page, emoji: '1f600' }], branch);
    expect((await space.merge(branch)).status).toBe(409);
    await space.change([change(page)], branch);

    expect(await space.undecided(branch)).toEqual([]);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).title).toBe(title);
  });

  test('by a move', async () => {
    const [page = '', a = '', b = ''] = await space.change([insertPage('Page'), insertPage('A'), insertPage('B')]);
    const branch = await space.open();
    await space.change([{ operation: 'update_page', page, into: a }], branch);
    await space.change([{ operation: 'update_page', page, into: b }]);
    await space.update(branch);
    expect((await space.merge(branch)).status).toBe(409);
    await space.change([{ operation: 'update_page', page, into: null, at: 0 }], branch);

    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.pages()).map(({ id }) => id)).toEqual([page, a, b]);
  });

  test('by deleting the page', async () => {
    const { page, branch } = await clashing();
    await space.update(branch);
    await space.change([{ operation: 'delete_page', page }], branch);

    expect((await space.merge(branch)).body.result).toBe('merge');
    expect(await space.pages()).toEqual([]);
  });

  test('that a page goes is refused while the change request has others below it', async () => {
    const [page = ''] = await space.change([insertPage('Page')]);
    const branch = await space.open();
    const [child = ''] = await space.change([insertPage('Child', { into: page })], branch);
    await space.change([{ operation: 'update_page', page, title: 'Mine' }], branch);
    await space.change([{ operation: 'delete_page', page }]);
    await space.update(branch);

    const refused = await space.edit([resolve(page, 'live', 'node')], branch);
    expect(refused).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining(child) } } });
    await space.change([{ operation: 'update_page', page: child, into: null }, resolve(page, 'live', 'node')], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.pages()).map(({ id }) => id)).toEqual([child]);
  });

  test('what is made below a page that is gone in main: it comes back, or goes with it', async () => {
    for (const [keep, titles] of [
      ['mine', ['Gone', 'New']],
      ['live', []],
    ] as const) {
      const [gone = ''] = await space.change([insertPage('Gone')]);
      const branch = await space.open();
      const [made = ''] = await space.change([insertPage('New', { into: gone })], branch);
      await space.change([{ operation: 'delete_page', page: gone }]);
      expect((await space.update(branch)).body).toMatchObject({ conflicts: [{ id: made, field: 'parent' }] });
      await space.change([resolve(made, keep, 'parent')], branch);
      expect((await space.merge(branch)).body.result).toBe('merge');
      const pages = await space.pages();
      expect(pages.flatMap(({ title, pages: below = [] }) => [title, ...below.map((each) => each.title)])).toEqual(
        titles,
      );
      if (keep === 'mine') await space.change([{ operation: 'delete_page', page: gone }]);
    }
  });

  test('leaves the other fields of a page undecided', async () => {
    const [page = ''] = await space.change([insertPage('Page')]);
    const branch = await space.open();
    const set = (word: string) => ({ operation: 'update_page', page, title: word, slug: word, description: word });
    await space.change([set('mine')], branch);
    await space.change([set('live')]);
    await space.update(branch);
    await space.change([resolve(page, 'mine', 'title'), resolve(page, 'live', 'description')], branch);

    expect((await space.merge(branch)).body.error.conflicts).toMatchObject([{ id: page, field: 'slug' }]);
    await space.change([resolve(page, 'live', 'slug')], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect(await space.page(page)).toMatchObject({ title: 'mine', slug: 'live', description: 'live' });
  });

  test('what is not in conflict is refused, with all of its batch', async () => {
    const { page, branch } = await clashing();
    const refused = async (change: Change, at?: string) =>
      expect(await space.edit([insertPage('New'), change], at)).toMatchObject({
        status: 409,
        body: { error: { issues: [{ path: 'body.changes.1.field' }] } },
      });
    await refused(resolve(page, 'mine'), branch);
    await refused(resolve(page, 'mine'));
    await space.update(branch);
    await refused(resolve(page, 'mine', 'title'), branch);
    await refused(resolve(page, 'mine', 'toString'), branch);
    await refused(resolve('pg_nothing', 'mine'), branch);
    await space.change([resolve(page, 'mine')], branch);
    await refused(resolve(page, 'live'), branch);

    const unnamed = { operation: 'resolve', field: 'title', keep: 'mine' };
    for (const change of [unnamed, { ...unnamed, page, kind: 'page', id: page }, { ...unnamed, page, keep: 'both' }])
      expect((await space.edit([change], branch)).status).toBe(400);
    expect((await space.pages(branch)).map(({ title }) => title)).toEqual(['Page']);
  });
});

describe('text that a merge by lines would spoil', () => {
  test('crossing tags are one conflict of both sides', async () => {
    const lines = ['one', '', 'two', '', 'three', '', 'four', ''];
    const within = (open: string, close: string, [from, to]: [number, number]) =>
      [...lines.slice(0, from), open, ...lines.slice(from, to), close, ...lines.slice(to)].join('\n');
    const [page = ''] = await space.change([insertPage('Page', { document: { markdown: lines.join('\n') } })]);
    const branch = await space.open();
    const mine = within('{% hint style="info" %}', '{% endhint %}', [0, 5]);
    await space.change([writePage(page, mine)], branch);
    await space.change([writePage(page, within('{% tabs %}', '{% endtabs %}', [2, 7]))]);

    expect((await space.merge(branch)).body).toMatchObject({ result: 'conflicts', conflicts: [{ field: 'document' }] });
    await space.update(branch);
    await space.change([resolve(page, 'mine')], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).markdown).toBe(mine);
  });
});

test('25 updates and merges at once decide nothing, and one decision is merged once', async () => {
  const { page, branch } = await clashing();
  const many = <Value>(call: () => Promise<Value>) => Promise.all(Array.from({ length: 25 }, call));
  const updates = await many(() => space.update(branch));
  expect(new Set(updates.map(({ body }) => body.result))).toEqual(new Set(['conflicts']));
  const early = await many(() => space.merge(branch));
  expect(new Set(early.map(({ status }) => status))).toEqual(new Set([409]));
  expect((await space.page(page, branch)).markdown).toBe(both());

  await space.change([resolve(page, 'mine')], branch);
  const mixed = await Promise.all(
    Array.from({ length: 25 }, (_, index) => (index % 2 === 0 ? space.merge(branch) : space.update(branch))),
  );
  const merged = mixed.filter(({ body }) => body.result === 'merge').map(({ body }) => body.revision);
  expect(new Set(merged).size).toBe(1);
  expect((await space.page(page)).markdown).toBe(text('mine', 'mine 2'));
  const { parents } = await space.head();
  expect(parents).toHaveLength(2);
});
