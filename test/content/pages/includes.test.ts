import { beforeEach, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { createPage } from '../links/link-client.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';

let space: SpaceClient;
beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

const include = (target: string) => `{% include "${target}" %}\n`;
const insertContent = (name: string, markdown: string) => ({
  operation: 'insert_reusable_content',
  title: name,
  document: { markdown },
  git: { path: `.gitbook/includes/${name}.md` },
});
const readEvaluated = async (page: string) =>
  (await space.callJson<{ markdown: string }>(`/content/page/${page}?evaluated=true`)).markdown;
const getIds = async () =>
  Object.fromEntries((await space.head()).reusableContents.map(({ id, title }) => [title, id])) as Record<
    string,
    string
  >;

test('includes content by its file path, and returns its name', async () => {
  await space.change([insertContent('note', 'Mind **this**.\n')]);
  const page = await createPage(space, {
    ...insertPage('P', { git: { path: 'docs/p.md' } }),
    document: { markdown: `Top\n\n${include('../.gitbook/includes/note.md')}` },
  } as never);
  expect(await readEvaluated(page)).toBe('Top\n\nMind **this**.\n');
  const { note } = await getIds();
  const read = () => space.callJson<{ git?: object }>(`/content/reusable-contents/${note}`);
  expect((await read()).git).toEqual({
    oid: expect.stringMatching(/^[0-9a-f]{40}$/),
    path: '.gitbook/includes/note.md',
  });
  const move = { operation: 'update_reusable_content', reusableContent: note, git: { path: 'elsewhere.md' } };
  await space.change([move]);
  expect((await read()).git).toMatchObject({ path: 'elsewhere.md' });
  expect(await readEvaluated(page)).toBe('Top\n\nMind **this**.\n');
});

test('includes content of five nested levels, each relative to its own file, without another round trip', async () => {
  const chain = [1, 2, 3, 4, 5, 6].map((level) =>
    insertContent(`c${level}`, `level ${level}\n\n${include(`c${level + 1}.md`)}`),
  );
  await space.change([...chain.toReversed(), insertContent('c7', 'too deep\n')]);
  const page = await createPage(space, insertPage('P', { document: { markdown: include('.gitbook/includes/c1.md') } }));
  const text = [1, 2, 3, 4, 5].map((level) => `level ${level}\n\n`).join('');
  expect(await readEvaluated(page)).toBe(`${text}${include('c6.md')}`);
  const plain = await space.call(`/content/page/${page}`);
  const response = await space.call(`/content/page/${page}?evaluated=true`);
  expect(response.cost.trips).toBe(plain.cost.trips);
});

test('leaves a recursive include unchanged', async () => {
  await space.change([insertContent('a', `a\n\n${include('b.md')}`), insertContent('b', `b\n\n${include('a.md')}`)]);
  const page = await createPage(space, insertPage('P', { document: { markdown: include('.gitbook/includes/a.md') } }));
  const { a } = await getIds();
  expect(await readEvaluated(page)).toBe(`a\n\nb\n\n${include('a.md')}`);
  await space.change([
    { operation: 'update_reusable_content', reusableContent: a ?? '', document: { markdown: include('a.md') } },
  ]);
  expect(await readEvaluated(page)).toBe(include('a.md'));
});

test('includes nested and empty content by ID', async () => {
  await space.change([insertContent('empty', 'x\n'), insertContent('outer', 'outer\n')]);
  const { empty, outer } = (await getIds()) as { empty: string; outer: string };
  const write = (id: string, document: object) => ({
    operation: 'update_reusable_content',
    reusableContent: id,
    document,
  });
  await space.change([
    write(empty, {}),
    write(outer, { markdown: `outer\n\n${include(`/reusable-contents/${empty}`)}` }),
  ]);
  const page = await createPage(
    space,
    insertPage('P', { document: { markdown: include(`/reusable-contents/${outer}`) } }),
  );
  expect(await readEvaluated(page)).toBe('outer\n');
  await space.change([write(empty, { markdown: 'now more\n' })]);
  expect(await readEvaluated(page)).toBe('outer\n\nnow more\n');
  await space.change([{ operation: 'delete_reusable_content', reusableContent: empty }]);
  expect(await readEvaluated(page)).toBe(`outer\n\n${include(`/reusable-contents/${empty}`)}`);
});

test('does not include content of another space', async () => {
  const other = getClient(platform(), await platform().makeSpace());
  await other.change([insertContent('theirs', 'secret\n')]);
  const [theirs] = (await other.head()).reusableContents;
  const markdown = include(`/reusable-contents/${theirs?.id}`);
  expect(await readEvaluated(await createPage(space, insertPage('P', { document: { markdown } })))).toBe(markdown);
});

test('a read returns the resolved targets, but omits them if metadata is not requested', async () => {
  const target = await createPage(space, insertPage('Target'));
  const page = await createPage(
    space,
    insertPage('P', { document: { markdown: '[a](target#x) [b](none) <https://a.test>' } }),
  );
  const read = (query: string) => space.callJson<{ links?: object }>(`/content/page/${page}${query}`);
  expect((await read('')).links).toEqual({ target });
  expect((await read('?format=document')).links).toEqual({ target });
  expect((await read('?metadata=false')).links).toBeUndefined();
  expect((await space.pages()).some((each) => 'links' in each)).toBe(false);
});
