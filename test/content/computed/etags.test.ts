import { beforeEach, expect, test } from 'vitest';
import type { ReferenceSpace } from './reference-space.ts';
import { createLibrary, insertComputed, makeReferenceSpace } from './reference-space.ts';

let reference: ReferenceSpace;

beforeEach(async () => {
  reference = await makeReferenceSpace();
});

async function insert(spec = 'library'): Promise<void> {
  await reference.space.change([insertComputed(spec)]);
}

test('an ETag changes only when the specification gets a new version', async () => {
  await reference.publish('library', createLibrary());
  await insert();
  const getTag = async (path: string) => (await reference.get(path)).headers.get('etag') ?? '';
  const addresses = ['/content/pages', '/content/path/books'];
  const before = await Promise.all(addresses.map(getTag));

  expect(await Promise.all(addresses.map(getTag))).toEqual(before);
  for (const [index, path] of addresses.entries()) {
    expect((await reference.get(path, { 'if-none-match': before[index] ?? '' })).status).toBe(304);
  }
  await reference.publish('library', createLibrary({ info: { title: 'Library', version: '2' } }));
  for (const [index, path] of addresses.entries()) {
    expect((await reference.get(path, { 'if-none-match': before[index] ?? '' })).status).toBe(200);
    expect(await getTag(path)).not.toBe(before[index]);
  }
});

test('an ETag changes when a specification is processed successfully for the first time', async () => {
  await reference.specs.put('broken', { text: 'no specification' });
  await reference.specs.read('broken');
  await insert('broken');
  const etag = (await reference.get('/content/pages')).headers.get('etag') ?? '';
  await reference.publish('broken', createLibrary());

  expect((await reference.get('/content/pages', { 'if-none-match': etag })).status).toBe(200);
});
