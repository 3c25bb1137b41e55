import { beforeAll, expect, test } from 'vitest';
import { edit, makePage } from '../../support/content.ts';
import { multiply } from '../../support/multiply.ts';
import { platform, type TestSpace } from '../../support/platform.ts';
import { createPublishedSite } from '../resolution/site-world.ts';
import { measure } from './reads.ts';

const pages = 10_000;
const views = 20;

const server = platform({ countsRows: true });
let space: TestSpace;
let start: string;
let base: string;

const read = (path: string) => measure(server, `${base}/${path}`, {});

async function readCopies() {
  const results = [];
  for (let view = 1; view <= views; view += 1) results.push(await read(`copied-${view * 400}`));
  return results;
}

beforeAll(async () => {
  const organization = await server.makeOrganization();
  space = await server.makeSpace({ organization });
  start = await makePage(space, 'Start', 'First words.\n');
  await makePage(space, 'Copied', 'Words.\n');
  await multiply('versions', pages - 2, `x.branch = '${space.id}' AND x.kind = 'page' AND x.slug = 'copied'`, {
    id: "'page_copy' || i",
    slug: "'copied-' || i",
    position: "x.position || printf('%05d', i)",
  });
  ({ base } = await createPublishedSite({ organization, visibility: 'public', spaces: [space.id] }));
});

test(`after an edit in a site of ${pages} pages, views of other pages render nothing`, async () => {
  await read('');
  const before = await readCopies();

  const document = { markdown: 'Other words.\n' };
  await edit(space, [{ operation: 'update_page', page: start, document }]);
  const after = await readCopies();

  expect(before.map(({ status }) => status)).toEqual(Array(views).fill(200));
  expect(after.map(({ tag, text }) => [tag, text])).toEqual(before.map(({ tag, text }) => [tag, text]));
  // Only the row of the site is read, at most once for each view.
  expect(Math.max(...after.map(({ trips }) => trips))).toBeLessThanOrEqual(1);
  expect((await read('')).text).toContain('Other words.');
});

/** Edits of the tree, each with the path of the edited page and what it shows then. */
const treeEdits: Record<string, { change: () => object; path: string; shown: string }> = {
  'a title is edited': {
    change: () => ({ operation: 'update_page', page: start, title: 'Other title' }),
    path: '',
    shown: 'Other title',
  },
  'a page is inserted': {
    change: () => ({ operation: 'insert_page', title: 'Inserted', document: { markdown: 'New words.\n' } }),
    path: 'inserted',
    shown: 'New words.',
  },
  'a page is moved': {
    change: () => ({ operation: 'update_page', page: 'page_copy5', into: start, at: 0 }),
    path: 'start/copied-5',
    shown: 'Words.',
  },
};

test.each(Object.entries(treeEdits))(
  `after %s in a site of ${pages} pages, views of other pages render no document`,
  async (_, { change, path, shown }) => {
    await readCopies();
    await edit(space, [change()]);
    const response = await read(path);
    const after = await readCopies();

    expect([response.status, response.text.includes(shown)]).toEqual([200, true]);
    expect(after.map(({ text }) => text.includes('<p>Words.</p>'))).toEqual(Array(views).fill(true));
    // A view that reads its page takes at least two round trips. Other writes may let the row of the site be read again.
    expect(after.reduce((sum, { trips }) => sum + trips, 0)).toBeLessThan(views * 1.5);
  },
  60_000,
);
