import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';

interface Edited {
  type: string;
  page: { id: string };
  attributes: { document: { before: string; after: string; added?: number; removed?: number; truncated?: true } };
}

const pageCount = 11;
const bytes = 1_000_000;

test('omits line differences of documents beyond 8 MiB of changes', async () => {
  const server = platform();
  const space = getClient(server, await server.makeSpace());
  const pages = await space.change(Array.from({ length: pageCount }, (_, index) => insertPage(`Page ${index}`)));
  const branch = await space.open();
  for (const [index, page] of pages.entries()) {
    await space.change([writePage(page, `one\ntwo ${index}\n${'x'.repeat(bytes)}`)], branch);
  }

  const { changes, more } = await space.callJson<{ changes: Edited[]; more?: number }>(
    `/change-requests/${branch}/changes`,
  );

  expect(more).toBeUndefined();
  expect(changes.map(({ type, page }) => [type, page.id])).toEqual(pages.map((page) => ['page_edited', page]));
  const documents = changes.map(({ attributes }) => attributes.document);
  for (const { before, after } of documents) expect([before, after]).toEqual([expect.any(String), expect.any(String)]);
  const compared = Math.floor((8 * 1024 * 1024) / (bytes + 20));
  expect(documents.map(({ added, removed }) => [added, removed])).toEqual(
    pages.map((_, index) => (index < compared ? [3, 1] : [undefined, undefined])),
  );
  // The diff has a line of a megabyte, so it is truncated even for the compared documents.
  expect(documents.every(({ truncated }) => truncated)).toBe(true);
});
