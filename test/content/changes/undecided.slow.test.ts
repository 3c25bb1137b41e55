import { beforeEach, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import { conflict, createConflict, createText, resolve } from './clashing-texts.ts';

let space: SpaceClient;

beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

const example = `An example:\n\n\`\`\`\n${conflict('here', 'was', 'live')}\`\`\`\n`;
const writeTwoConflicts = (middle?: string, length?: number) =>
  createText(
    conflict('mine', 'one', 'live', length).trimEnd(),
    conflict('mine 2', 'two', 'live 2', length).trimEnd(),
    middle,
  );
describe('a text that contains conflict markers as content', () => {
  test('can be merged after an edit resolved an actual conflict', async () => {
    const { page, branch } = await createConflict(space, example);
    expect((await space.update(branch)).body.result).toBe('conflicts');
    expect((await space.page(page, branch)).markdown).toBe(writeTwoConflicts(example, 8));
    expect((await space.merge(branch)).status).toBe(409);

    await space.change([writePage(page, createText('both', 'both 2', example))], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).markdown).toBe(createText('both', 'both 2', example));
  });

  test.each([
    ['mine', 'mine 2'],
    ['live', 'live 2'],
  ])('can be merged after an actual conflict was resolved by keeping %s', async (keep, second) => {
    const { page, branch } = await createConflict(space, example);
    await space.update(branch);
    await space.change([resolve(page, keep)], branch);

    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).markdown).toBe(createText(keep, second, example));
  });

  test('can be merged without an update if the change request added the markers', async () => {
    const [page = ''] = await space.change([insertPage('Page', { document: { markdown: createText('one', 'two') } })]);
    const branch = await space.open();
    await space.change([writePage(page, createText('one', 'two', example))], branch);
    await space.change([writePage(page, createText('ONE', 'two'))]);

    expect((await space.update(branch)).body.result).toBe('update');
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).markdown).toBe(createText('ONE', 'two', example));
  });
});

describe('an update with unresolved markers', () => {
  test('starts from the text before the markers, which never nest and show the current live text', async () => {
    const { page, branch } = await createConflict(space);
    await space.update(branch);
    for (const word of ['live 3', 'live 4']) {
      await space.change([writePage(page, createText('live', word))]);
      expect((await space.update(branch)).body).toMatchObject({
        result: 'conflicts',
        conflicts: [{ id: page, field: 'document' }],
      });
      const marked = createText(conflict('mine', 'one', 'live').trimEnd(), conflict('mine 2', 'two', word).trimEnd());
      expect((await space.page(page, branch)).markdown).toBe(marked);
    }
    await space.change([writePage(page, createText('one', 'two'))]);
    expect((await space.update(branch)).body.result).toBe('update');
    expect((await space.page(page, branch)).markdown).toBe(createText('mine', 'mine 2'));
    expect((await space.merge(branch)).body.result).toBe('merge');
  });

  test('leaves a text with a partly edited conflict unchanged, and loses no live change', async () => {
    const [before, after] = ['begin\n\nmiddle\n\nend\n', 'begin\n\nMIDDLE\n\nend\n'];
    const { page, branch } = await createConflict(space, before);
    await space.update(branch);
    const edited = createText('both', conflict('mine 2', 'two', 'live 2').trimEnd(), before);
    await space.change([writePage(page, edited)], branch);
    await space.change([writePage(page, createText('live', 'live 2', after))]);

    expect((await space.update(branch)).body).toMatchObject({ result: 'conflicts', conflicts: [{ id: page }] });
    expect((await space.page(page, branch)).markdown).toBe(edited);
    expect((await space.merge(branch)).status).toBe(409);
    await space.change([writePage(page, createText('both', 'both 2', before))], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).markdown).toBe(createText('both', 'both 2', after));
  });

  test.each(['mine', 'live', 'a text'])(
    'starts from a text resolved by %s if live content changed since the conflict',
    async (by) => {
      const begun = 'begin\n\nmiddle\n\nend\n';
      const { page, branch } = await createConflict(space, begun);
      await space.update(branch);
      const marked = (await space.page(page, branch)).markdown ?? '';
      await space.change([writePage(page, marked.replace('begin', 'BEGIN'))], branch);
      await space.change([writePage(page, createText('live 3', 'live 4', begun))]);
      expect((await space.update(branch)).body.result).toBe('conflicts');

      const decided = createText('both', 'both 2', begun);
      await space.change([by === 'a text' ? writePage(page, decided) : resolve(page, by)], branch);
      const merged = await space.merge(branch);
      if (merged.body.result === 'conflicts') {
        expect((await space.update(branch)).body).toMatchObject({
          result: 'conflicts',
          conflicts: [{ field: 'document' }],
        });
        expect((await space.page(page, branch)).markdown).toContain('live 3');
        expect((await space.update(branch)).body.result).toBe('conflicts');
        await space.change([writePage(page, decided)], branch);
        expect((await space.merge(branch)).body.result).toBe('merge');
      }
      expect((await space.page(page)).markdown).toBe(
        by === 'live' ? createText('live 3', 'live 4', begun.replace('begin', 'BEGIN')) : decided,
      );
    },
  );

  test('keeps a text with a partly edited conflict if main deleted the page', async () => {
    const { page, branch } = await createConflict(space);
    await space.update(branch);
    const edited = createText('both', conflict('mine 2', 'two', 'live 2').trimEnd());
    await space.change([writePage(page, edited)], branch);
    await space.change([{ operation: 'delete_page', page }]);

    expect((await space.update(branch)).body.conflicts).toMatchObject([
      { id: page, field: 'node' },
      { id: page, field: 'document' },
    ]);
    expect((await space.page(page, branch)).markdown).toBe(edited);
    await space.change([resolve(page, 'mine', 'node'), writePage(page, createText('both', 'both 2'))], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).markdown).toBe(createText('both', 'both 2'));
  });

  test('repeated updates give the same result as a single update at the end', async () => {
    const [page = ''] = await space.change([insertPage('Page', { document: { markdown: createText('one', 'two') } })]);
    const [often, once] = [await space.open(), await space.open()];
    for (const branch of [often, once]) await space.change([writePage(page, createText('mine', 'mine 2'))], branch);
    for (const [first, last] of [
      ['live', 'two'],
      ['live', 'live 2'],
      ['live 9', 'live 2'],
    ] as const) {
      await space.change([writePage(page, createText(first, last))]);
      await space.update(often);
    }
    await space.update(once);

    const { markdown } = await space.page(page, once);
    expect(markdown).toContain('live 9');
    expect((await space.page(page, often)).markdown).toBe(markdown);
  });
});

describe('text that a line-based merge would corrupt', () => {
  test('crossing tags become one conflict between both sides', async () => {
    const lines = ['one', '', 'two', '', 'three', '', 'four', ''];
    const wrapLines = (open: string, close: string, [from, to]: [number, number]) =>
      [...lines.slice(0, from), open, ...lines.slice(from, to), close, ...lines.slice(to)].join('\n');
    const [page = ''] = await space.change([insertPage('Page', { document: { markdown: lines.join('\n') } })]);
    const branch = await space.open();
    const mine = wrapLines('{% hint style="info" %}', '{% endhint %}', [0, 5]);
    await space.change([writePage(page, mine)], branch);
    await space.change([writePage(page, wrapLines('{% tabs %}', '{% endtabs %}', [2, 7]))]);

    expect((await space.merge(branch)).body).toMatchObject({ result: 'conflicts', conflicts: [{ field: 'document' }] });
    await space.update(branch);
    await space.change([resolve(page, 'mine')], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).markdown).toBe(mine);
  });
});

test('25 concurrent updates and merges do not resolve a conflict, and its resolution is merged once', async () => {
  const { page, branch } = await createConflict(space);
  const runTogether = <Value>(call: () => Promise<Value>) => Promise.all(Array.from({ length: 25 }, call));
  const updates = await runTogether(() => space.update(branch));
  expect(new Set(updates.map(({ body }) => body.result))).toEqual(new Set(['conflicts']));
  const early = await runTogether(() => space.merge(branch));
  expect(new Set(early.map(({ status }) => status))).toEqual(new Set([409]));
  expect((await space.page(page, branch)).markdown).toBe(writeTwoConflicts());

  await space.change([resolve(page, 'mine')], branch);
  const mixed = await Promise.all(
    Array.from({ length: 25 }, (_, index) => (index % 2 === 0 ? space.merge(branch) : space.update(branch))),
  );
  const merged = mixed.filter(({ body }) => body.result === 'merge').map(({ body }) => body.revision);
  expect(new Set(merged).size).toBe(1);
  expect((await space.page(page)).markdown).toBe(createText('mine', 'mine 2'));
  const { parents } = await space.head();
  expect(parents).toHaveLength(2);
});
