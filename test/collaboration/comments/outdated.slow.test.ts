import { beforeEach, describe, expect, test } from 'vitest';
import type { SpaceClient } from '../../content/space-client.ts';
import { getClient, insertPage, writePage } from '../../content/space-client.ts';
import { platform } from '../../support/platform.ts';
import { isOfAll } from '../../support/random.ts';

interface Target {
  page?: { id: string; title: string; path: string; outdated: boolean };
  node?: { id: string; preview?: string };
}
interface Block {
  object: string;
  key?: string;
  nodes?: Block[];
}

let space: SpaceClient;
let page: string;

const text = '# Title\n\nThe first text.\n\nThe second text.\n\n* one\n* two\n';

beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
  [page = ''] = await space.change([insertPage('Page', { document: { markdown: text } })]);
});

const getBranchPath = (branch?: string) => (branch === undefined ? '' : `/change-requests/${branch}`);

const listBlocks = (nodes: Block[] = []): Block[] =>
  nodes.flatMap((node) => (node.object === 'block' ? [node, ...listBlocks(node.nodes)] : []));

/** Returns the keys of the innermost blocks that contain the text. */
async function getKeys(words: string, branch?: string): Promise<string[]> {
  const path = `${getBranchPath(branch)}/content/page/${page}?format=document`;
  const { document } = await space.callJson<{ document: { nodes: Block[] } }>(path);
  return listBlocks(document.nodes)
    .filter(({ nodes }) => listBlocks(nodes).length === 0 && JSON.stringify(nodes).includes(words))
    .map(({ key = '' }) => key);
}

const post = (about: object, branch?: string) =>
  space.call<{ id: string; target: Target }>(`${getBranchPath(branch)}/comments`, {
    method: 'POST',
    body: { ...about, body: { markdown: 'A comment' } },
  });

async function comment(about: object, branch?: string): Promise<string> {
  const { status, body } = await post(about, branch);
  expect(status).toBe(200);
  return body.id;
}

async function commentOn(words: string, branch?: string): Promise<string> {
  const [node = ''] = await getKeys(words, branch);
  return comment({ page, node }, branch);
}

async function findTarget(id: string, branch?: string): Promise<Target> {
  const { body, target } = await space.callJson<{ body: object; target: Target }>(
    `${getBranchPath(branch)}/comments/${id}`,
  );
  expect(body).toEqual({ markdown: 'A comment' });
  return target;
}

const write = (markdown: string, branch?: string) => space.change([writePage(page, markdown)], branch);

describe.each([
  ['live content', false],
  ['a change request', true],
])('a comment on %s', (_name, isInside) => {
  const getBranch = async () => (isInside ? space.open() : undefined);

  test('follows a renamed and moved page', async () => {
    const branch = await getBranch();
    const id = await comment({ page }, branch);
    const [above] = await space.change([insertPage('Above')], branch);
    await space.change([{ operation: 'update_page', page, title: 'New', slug: 'new', into: above }], branch);

    expect((await findTarget(id, branch)).page).toMatchObject({ title: 'New', path: 'above/new', outdated: false });
  });

  test('follows a block edited in place, and is outdated when the block is deleted', async () => {
    const branch = await getBranch();
    const id = await commentOn('second', branch);
    await write(`Before.\n\n${text.replace('The second text.', 'The second text, edited.')}`, branch);
    const [key] = await getKeys('edited', branch);
    expect(await findTarget(id, branch)).toMatchObject({
      page: { outdated: false },
      node: { id: key, preview: 'The second text, edited.' },
    });

    await write(text.replace('The second text.\n\n', ''), branch);
    const gone = await findTarget(id, branch);
    expect(gone).toMatchObject({ page: { id: page, outdated: true }, node: { preview: 'The second text.' } });
  });

  test('is outdated but readable when its page is deleted, and current when the page is restored', async () => {
    const branch = await getBranch();
    const { id: revision } = await space.head(branch);
    const ids = [await comment({ page }, branch), await commentOn('second', branch)];
    await space.change([{ operation: 'delete_page', page }], branch);
    for (const id of ids)
      expect((await findTarget(id, branch)).page).toMatchObject({
        id: page,
        title: 'Page',
        path: 'page',
        outdated: true,
      });

    await space.change([{ operation: 'revert_page', page, ...(isInside ? {} : { revision }) }], branch);
    for (const id of ids) expect((await findTarget(id, branch)).page?.outdated).toBe(false);
  });

  test('follows a list item, and each of two equal blocks', async () => {
    const branch = await getBranch();
    await write(`same\n\n${text}\nsame\n`, branch);
    const [first, second] = await getKeys('same', branch);
    const ids = [
      await commentOn('two', branch),
      await comment({ page, node: first }, branch),
      await comment({ page, node: second }, branch),
    ];
    await write(`${text.replace('* two', '* zero\n* two, edited')}\nsame\n`, branch);
    const targets = await Promise.all(ids.map((id) => findTarget(id, branch)));

    expect(targets.map(({ page: about }) => about?.outdated)).toEqual([false, true, false]);
    expect(targets.map(({ node }) => node?.preview)).toEqual(['two, edited', 'same', 'same']);
  });

  test('requires an existing target', async () => {
    const branch = await getBranch();
    expect((await post({ page: 'pg_unknown' }, branch)).status).toBe(404);
    expect((await post({ page, node: 'unknown' }, branch)).status).toBe(404);
    expect((await post({ node: 'unknown' }, branch)).status).toBe(400);
  });
});

test('in a change request follows its block through an update and a merge', async () => {
  const branch = await space.open();
  await write(text.replace('first', '1st'), branch);
  const inside = await commentOn('second', branch);
  const outside = await commentOn('second');
  await write(text.replace('second text', 'second text of all'));
  expect((await findTarget(inside, branch)).node?.preview).toBe('The second text.');

  expect((await space.update(branch)).body.result).toBe('update');
  expect((await findTarget(inside, branch)).node?.preview).toBe('The second text of all.');
  expect((await space.merge(branch)).body.result).toBe('merge');
  expect(await findTarget(inside, branch)).toMatchObject({ page: { outdated: false } });
  expect(await findTarget(outside)).toMatchObject({
    page: { outdated: false },
    node: { preview: 'The second text of all.' },
  });
});

test('follows a block in a long page', async () => {
  const large = Array.from(
    { length: isOfAll ? 10_000 : 2500 },
    (_, index) => `Paragraph ${index} ${'of the text '.repeat(7)}\n\n`,
  );
  await write(large.join(''));
  const id = await commentOn('Paragraph 2000 ');
  large[2000] = 'Paragraph 2000 edited of the text\n\n';
  await write(`Before.\n\n${large.join('')}`);

  expect(await findTarget(id)).toMatchObject({
    page: { outdated: false },
    node: { preview: 'Paragraph 2000 edited of the text' },
  });
});

test('a target in another space is not found', async () => {
  const server = platform();
  const other = getClient(server, await server.makeSpace());
  const [foreign = ''] = await other.change([insertPage('Foreign')]);

  expect((await post({ page: foreign })).status).toBe(404);
});

test('a list of comments takes the same round trips, however many pages they are on', async () => {
  const getCost = async (count: number) => {
    const server = platform();
    const own = getClient(server, await server.makeSpace());
    const pages = await own.change(Array.from({ length: count }, (_, index) => insertPage(`Page ${index}`)));
    for (const id of pages)
      await own.callJson('/comments', { method: 'POST', body: { page: id, body: { markdown: 'A comment' } } });
    const { body, cost } = await own.call<{ items: { target: Target }[] }>('/comments');
    expect(body.items.map(({ target }) => target.page?.id)).toEqual(pages.toReversed());
    return cost.trips;
  };

  expect(await getCost(12)).toBe(await getCost(2));
});
