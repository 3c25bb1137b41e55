import { beforeAll, expect, test } from 'vitest';
import { readIndexedPages } from '../../content/search/stored-index.ts';
import { json } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();
let from: TestOrganization;
let to: TestOrganization;
let space: TestSpace;

const write = (statement: string, ...values: (string | number)[]) => writeDatabase(server, statement, ...values);

async function searchTitles({ id, token }: TestOrganization, words: string): Promise<string[]> {
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
  [from, to] = [await server.makeOrganization(), await server.makeOrganization()];
  space = await server.makeSpace({ organization: from });
  await insert('First', 'a badger');
  await until(async () => (await searchTitles(from, 'badger'))[0]);
});

test('search does not find a space in the trash until it is restored', async () => {
  const of = { token: from.token };
  expect((await server.request(`/v1/spaces/${space.id}`, { ...of, method: 'DELETE' })).status).toBe(205);
  expect(await searchTitles(from, 'badger')).toEqual([]);
  expect((await server.request(`/v1/spaces/${space.id}/restore`, { ...of, method: 'POST' })).status).toBe(200);
  expect(await searchTitles(from, 'badger')).toEqual(['First']);
});

test('search finds a transferred space only in its new organization, with its later content', async () => {
  const member = "INSERT INTO members (organization, user, role, joined_at) VALUES (?, ?, 'admin', 1)";
  await write(member, to.id, from.user);
  const transfer = { token: from.token, body: { organization: to.id } };
  expect((await server.request(`/v1/spaces/${space.id}/transfer`, transfer)).status).toBe(200);

  expect(await searchTitles(from, 'badger')).toEqual([]);
  expect(await until(async () => (await searchTitles(to, 'badger'))[0])).toBe('First');
  await until(() => readIndexedPages(server, from.id).length === 0 || undefined);
  from = to;
  await insert('Second', 'a badger');
  const both = await until(async () => {
    const each = await searchTitles(to, 'badger');
    return each.length === 2 ? each : undefined;
  });
  expect(both.sort()).toEqual(['First', 'Second']);
  const indexed = readIndexedPages(server, to.id).map(({ title, sections }) => [title, sections[0]?.text]);
  expect(indexed.sort()).toEqual([
    ['First', 'a badger'],
    ['Second', 'a badger'],
  ]);
});
