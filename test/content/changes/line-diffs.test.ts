import { beforeEach, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';

interface ListedChange {
  type: string;
  page: { id: string; title: string };
  attributes?: {
    document?: { before?: string; after?: string; added?: number; removed?: number; diff?: string; truncated?: true };
  };
}

let space: SpaceClient;

beforeEach(async () => {
  space = getClient(platform(), await platform().makeSpace());
});

const getChanges = async (branch: string, query = '') =>
  (await space.callJson<{ changes: ListedChange[] }>(`/change-requests/${branch}/changes${query}`)).changes;

const createNumberedLines = (count: number, word: string) =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`).join('');

test('returns line diffs of edited documents, and the whole text of new and deleted ones', async () => {
  const text = createNumberedLines(12, 'line');
  const [edited = '', gone = '', renamed = ''] = await space.change([
    { operation: 'insert_page', title: 'Edited', document: { markdown: text } },
    insertPage('Gone'),
    insertPage('Renamed'),
  ]);
  const branch = await space.open();
  await space.change(
    [
      writePage(edited, text.replace('line 6\n', 'line six\nand more\n')),
      { operation: 'delete_page', page: gone },
      { operation: 'update_page', page: renamed, title: 'Other' },
      insertPage('New'),
      { operation: 'insert_page', title: 'Empty', document: { markdown: '' } },
      { operation: 'insert_group', title: 'Group' },
    ],
    branch,
  );

  const changes = await getChanges(branch);
  const getDocument = (title: string) => changes.find(({ page }) => page.title === title)?.attributes?.document;

  expect(getDocument('Edited')).toEqual({
    before: expect.any(String),
    after: expect.any(String),
    added: 2,
    removed: 1,
    diff: '@@ -3,7 +3,8 @@\n line 3\n line 4\n line 5\n-line 6\n+line six\n+and more\n line 7\n line 8\n line 9\n',
  });
  const { before, after } = getDocument('Edited') ?? {};
  const undiffed = (await getChanges(branch, '?diffs=false')).find(({ page }) => page.id === edited);
  expect(undiffed?.attributes).toEqual({ document: { before, after } });
  expect(getDocument('Gone')).toEqual({
    before: expect.any(String),
    added: 0,
    removed: 1,
    diff: '@@ -1,1 +0,0 @@\n-Gone\n',
  });
  expect(getDocument('New')).toMatchObject({ added: 1, removed: 0, diff: '@@ -0,0 +1,1 @@\n+New\n' });
  expect(getDocument('Empty')).toMatchObject({ added: 0, removed: 0, diff: '' });
  expect(getDocument('Other')).toBeUndefined();
  expect(changes.find(({ page }) => page.title === 'Group')).not.toHaveProperty('attributes');
});

test('limits line differences to 512 KiB per response, and counts the lines beyond', async () => {
  const large = createNumberedLines(60_000, 'a line');
  const [first = '', second = '', third = ''] = await space.change(
    ['One', 'Two', 'Three'].map((each) => insertPage(each)),
  );
  const branch = await space.open();
  await space.change([writePage(first, 'small\n')], branch);
  await space.change([writePage(second, large)], branch);
  await space.change([writePage(third, 'small too, with ünïcode\n')], branch);

  const changes = await getChanges(branch);

  expect(changes.map(({ attributes }) => attributes?.document)).toEqual([
    expect.objectContaining({ diff: '@@ -1,1 +1,1 @@\n-One\n+small\n' }),
    { before: expect.any(String), after: expect.any(String), added: 60_000, removed: 1, truncated: true },
    expect.objectContaining({ added: 1, diff: expect.stringContaining('+small too') }),
  ]);
});
