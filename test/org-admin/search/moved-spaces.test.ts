import { afterAll, beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { writePast } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { ownPlatform, until } from '../../support/own-platform.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';

let server: OwnPlatform;
let from: TestOrganization;
let to: TestOrganization;
let space: TestSpace;

const write = (statement: string, ...values: (string | number)[]) => writePast(server.dataDir, statement, ...values);

async function titles({ id, token }: TestOrganization, words: string): Promise<string[]> {
  const path = `/v1/orgs/${id}/search?query=${words}`;
  const { items } = await json<{ items: { pages: { title: string }[] }[] }>(path, { token }, server);
  return items.flatMap(({ pages }) => pages.map(({ title }) => title));
}

const insert = (title: string, markdown: string) =>
  json(
    `/v1/spaces/${space.id}/content`,
    { token: from.token, body: { changes: [{ operation: 'insert_page', title, document: { markdown } }] } },
    server,
  );

beforeAll(async () => {
  server = await ownPlatform();
  [from, to] = [await server.makeOrganization(), await server.makeOrganization()];
  space = await server.makeSpace({ organization: from });
  await insert('First', 'a badger');
  await until(async () => (await titles(from, 'badger'))[0]);
});
afterAll(() => server?.remove());

test('27: a space in the trash is not found, and is again when it comes back', async () => {
  write('UPDATE spaces SET deleted_at = 1 WHERE id = ?', space.id);
  expect(await titles(from, 'badger')).toEqual([]);
  write('UPDATE spaces SET deleted_at = NULL WHERE id = ?', space.id);
  expect(await titles(from, 'badger')).toEqual(['First']);
});

test('27, 39: a space that was transferred is found in its new organization alone, with what is written there', async () => {
  write('UPDATE spaces SET organization = ? WHERE id = ?', to.id, space.id);

  expect(await titles(from, 'badger')).toEqual([]);
  expect(await titles(to, 'badger')).toEqual(['First']);
  from = to;
  await insert('Second', 'a badger');
  const both = await until(async () => {
    const each = await titles(to, 'badger');
    return each.length === 2 ? each : undefined;
  });
  expect(both.sort()).toEqual(['First', 'Second']);
  // FTS5 checks its index against the table that it stands for, and fails where the two differ.
  write("INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)");
});
