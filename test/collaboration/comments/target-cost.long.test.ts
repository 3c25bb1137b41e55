import { expect, test } from 'vitest';
import type { SpaceClient } from '../../content/space-client.ts';
import { getClient, insertPage, writePage } from '../../content/space-client.ts';
import { platform } from '../../support/platform.ts';

const server = platform({ countsRows: true });

interface Listed {
  items: { target: { page: { outdated: boolean }; node: { id: string; preview: string } } }[];
}

const makeClient = async () => getClient(server, await server.makeSpace());

async function commentOnLast(space: SpaceClient, page: string): Promise<void> {
  const { document } = await space.callJson<{ document: { nodes: { key: string }[] } }>(
    `/content/page/${page}?format=document`,
  );
  const node = document.nodes.at(-1)?.key;
  await space.callJson('/comments', { method: 'POST', body: { page, node, body: { markdown: 'A comment' } } });
}

/** Returns the previews of the blocks that the comments refer to, and checks that no comment is outdated. */
async function getPreviews(space: SpaceClient, limit: number): Promise<string[]> {
  const { items } = await space.callJson<Listed>(`/comments?limit=${limit}`);
  expect(items.map(({ target }) => target.page.outdated)).toEqual(items.map(() => false));
  return items.map(({ target }) => target.node.preview);
}

const createLargeText = (words: string): string => `${words.padEnd(998, '.')}\n\n`.repeat(900);

test('follows blocks in changed pages of 1 MB up to the response limit, and returns further targets as stored', async () => {
  const space = await makeClient();
  for (let index = 0; index < 6; index += 1) {
    const [page = ''] = await space.change([
      insertPage(`Page ${index}`, { document: { markdown: `${createLargeText(`Text ${index}`)}The end.\n` } }),
    ]);
    await commentOnLast(space, page);
    await space.change([writePage(page, `${createLargeText(`Text ${index}`)}The end, edited.\n`)]);
  }
  expect(await getPreviews(space, 6)).toEqual([...Array(4).fill('The end, edited.'), ...Array(2).fill('The end.')]);
  expect(await getPreviews(space, 3)).toEqual(Array(3).fill('The end, edited.'));
});

test('compares a page of 1 MB with its earlier texts only up to the response limit', async () => {
  const space = await makeClient();
  const [page = ''] = await space.change([insertPage('Page')]);
  for (let index = 0; index < 24; index += 1) {
    await space.change([writePage(page, `Once ${index}\n\nThe end.\n`)]);
    await commentOnLast(space, page);
  }
  await space.change([writePage(page, `${createLargeText('Now')}The end, edited.\n`)]);
  const previews = await getPreviews(space, 24);
  const followed = previews.indexOf('The end.');
  expect(followed).toBeGreaterThan(10);
  expect(followed).toBeLessThan(24);
  expect(new Set(previews.slice(0, followed))).toEqual(new Set(['The end, edited.']));
});

test('reading comment targets costs the same, whatever the number of pages and versions in the space', async () => {
  const getCost = async (pages: number, versions: number) => {
    const space = await makeClient();
    const ids: string[] = [];
    for (let from = 0; from < pages; from += 50)
      ids.push(...(await space.change(Array.from({ length: 50 }, (_, index) => insertPage(`Page ${from + index}`)))));
    const shown = ids.slice(0, 10);
    for (const page of shown) await commentOnLast(space, page);
    for (let version = 0; version < versions; version += 1)
      await space.change(shown.map((page) => writePage(page, `Page, edited ${version}\n`)));
    const { cost, body } = await space.call<Listed>('/comments?limit=10');
    expect(new Set(body.items.map(({ target }) => target.node.preview))).toEqual(
      new Set([`Page, edited ${versions - 1}`]),
    );
    return cost;
  };
  const [few, many] = [await getCost(50, 1), await getCost(400, 12)];
  expect(many.trips).toBe(few.trips);
  expect(many.read - few.read).toBeLessThanOrEqual(20);
});
