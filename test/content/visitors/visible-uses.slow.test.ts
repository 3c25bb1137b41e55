import { expect, test } from 'vitest';
import { makeSite } from '../../publishing/sites/site-client.ts';
import { query } from '../../support/database.ts';
import { createMemoryDatabase } from '../../support/memory-database.ts';
import { platform } from '../../support/platform.ts';
import { createFiles, createPixel } from '../files/file-client.ts';
import type { Change, SpaceClient } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import { publishSite, signVisitorToken } from './visitor-client.ts';

// Visitors may read a file or reusable content only if a visible page uses it.

const server = platform({ countsRows: true });
const staff = { condition: 'visitor.claims.staff' };
const createImagePage = (id: string) => ({ document: { markdown: `![](/files/${id})\n` } });
const createInclude = (id: string) => ({ document: { markdown: `{% include "/reusable-contents/${id}" %}\n` } });
const createPage = (title: string, more: object): Change => ({ operation: 'insert_page', title, ...more });

async function insertContent(member: SpaceClient, more: object): Promise<string> {
  await member.change([{ operation: 'insert_reusable_content', title: 'Shared', ...more }]);
  return (await member.head()).reusableContents[0]?.id ?? '';
}

const readStatuses = async (visitor: SpaceClient, file: string, content?: string): Promise<number[]> => {
  const { id: head } = await visitor.head();
  const ofFile = ['/content', `/revisions/${head}`].map((at) => `${at}/files/${file}`);
  const ofContent = [
    `/content/reusable-contents/${content}`,
    `/revisions/${head}/reusable-contents/${content}/document`,
  ];
  const requests = [...ofFile, ...(content === undefined ? [] : ofContent)];
  return Promise.all(requests.map(async (each) => (await visitor.call(each)).status));
};

test('a file and reusable content are visible as long as a visible page uses them', async () => {
  const { member, visit } = await publishSite();
  const [file] = await createFiles(member, [createPixel('a.png')]);
  const id = file?.id ?? '';
  const content = await insertContent(member, createImagePage(id));
  const [secret = ''] = await member.change([
    createPage('Secret', { ...staff, document: { markdown: '' }, ref: 'secret' }),
    createPage('Inside', { into: 'secret', ...createInclude(content) }),
  ]);
  expect(await readStatuses(visit(), id, content)).toEqual([404, 404, 404, 404]);
  expect(await readStatuses(visit({ staff: true }), id, content)).toEqual([200, 200, 200, 200]);

  const branch = await member.open();
  const [open = ''] = await member.change([createPage('Open', createInclude(content))], branch);
  expect(await readStatuses(visit(), id, content)).toEqual([404, 404, 404, 404]);
  await member.merge(branch);
  expect(await readStatuses(visit(), id, content)).toEqual([200, 200, 200, 200]);
  await member.change([{ operation: 'update_page', page: open, document: { markdown: 'Nothing.\n' } }]);
  expect(await readStatuses(visit(), id, content)).toEqual([404, 404, 404, 404]);
  const cover = { ref: { kind: 'file', file: id }, yPos: 0 };
  await member.change([{ operation: 'update_page', page: open, cover }]);
  expect(await readStatuses(visit(), id, content)).toEqual([200, 200, 404, 404]);
  await member.change([{ operation: 'delete_page', page: open }]);
  expect(await readStatuses(visit(), id, content)).toEqual([404, 404, 404, 404]);
  await member.change([{ operation: 'update_page', page: secret, condition: '' }]);
  expect(await readStatuses(visit(), id, content)).toEqual([200, 200, 200, 200]);
});

test('a copy shows files of the source that its visible pages use', async () => {
  const { member, organization } = await publishSite();
  const [file] = await createFiles(member, [createPixel('a.png')]);
  const id = file?.id ?? '';
  const [open = '', secret = ''] = await member.change([
    createPage('Open', createImagePage(id)),
    createPage('Secret', { ...staff, ...createImagePage(id) }),
  ]);
  const { id: copied } = await member.callJson<{ id: string }>('/duplicate', { method: 'POST', body: {} });
  const copy = getClient(server, { id: copied, token: organization.token });
  const site = await makeSite(organization, { spaces: [copied] });
  await site.publish();
  const visitor = getClient(server, { id: copied, token: signVisitorToken(organization.id, site.id) });
  expect(await readStatuses(visitor, id)).toEqual([200, 200]);
  await copy.change([{ operation: 'update_page', page: open, ...staff }]);
  expect(await readStatuses(visitor, id)).toEqual([404, 404]);
  const free = { condition: '', document: { markdown: 'Nothing.\n' } };
  await copy.change([open, secret].map((each) => ({ operation: 'update_page', page: each, ...free })));
  expect(await readStatuses(visitor, id)).toEqual([200, 200]);
});

test('serves a file if only the last of many pages that use it is visible', async () => {
  const { member, visit } = await publishSite();
  const [file] = await createFiles(member, [createPixel('a.png')]);
  const id = file?.id ?? '';
  const users = (
    await Promise.all(
      [0, 1].map(() => member.change(Array.from({ length: 45 }, () => createPage('P', createImagePage(id))))),
    )
  )
    .flat()
    .toSorted();
  const hide = (pages: string[]) =>
    member.change(pages.map((each) => ({ operation: 'update_page', page: each, ...staff })));
  await hide(users.slice(0, 45));
  await hide(users.slice(45, -1));
  expect(await readStatuses(visit(), id)).toEqual([200, 200]);
  expect((await visit().call(`/content/files/${id}`)).cost.trips).toBe(2);
  await hide(users.slice(-1));
  expect(await readStatuses(visit(), id)).toEqual([404, 404]);
});

test('the cost of a file or reusable content for a visitor does not depend on the size of the space', async () => {
  const { member, visit } = await publishSite();
  const [file] = await createFiles(member, [createPixel('a.png')]);
  const id = file?.id ?? '';
  const content = await insertContent(member, createImagePage(id));
  await member.change([
    createPage('Open', createInclude(content)),
    createPage('Secret', { ...staff, document: { markdown: '' } }),
  ]);
  const measureRead = async () => {
    const responses = [`/content/files/${id}`, `/content/reusable-contents/${content}`].map((each) =>
      visit().call(each),
    );
    return (await Promise.all(responses)).map(({ cost }) => cost);
  };
  const small = await measureRead();
  for (let made = 0; made < 400; made += 50)
    await member.change(Array.from({ length: 50 }, (_, index) => insertPage(`Page ${made + index}`)));
  const large = await measureRead();
  expect(large.map(({ trips }) => trips)).toEqual([1, 1]);
  for (const [index, { read }] of large.entries()) expect(read - (small[index]?.read ?? 0)).toBeLessThan(6);
});

const derived = `
  SELECT v.branch, l.value AS used, v.until, v.kind, v.id, v.since FROM versions v CROSS JOIN json_each(v.data, '$.links') l
    WHERE v.kind IN ('page', 'reusable-content') AND (l.value GLOB 'file_*' OR l.value GLOB 'rc_*')
  UNION SELECT v.branch, json_extract(v.data, '$.fields.cover.ref.file'), v.until, v.kind, v.id, v.since FROM versions v
    WHERE v.kind = 'page' AND json_extract(v.data, '$.fields.cover.ref.file') IS NOT NULL
  UNION SELECT v.branch, '', v.until, v.kind, v.id, v.since FROM versions v
    WHERE v.document IN (SELECT hash FROM document_links WHERE conditions IS NOT NULL)`;
const kept = 'SELECT branch, used, until, kind, id, since FROM version_uses';

test('the table of uses matches the versions after edits, a merge and an update', async () => {
  const { member } = await publishSite();
  const [file] = await createFiles(member, [createPixel('a.png')]);
  const id = file?.id ?? '';
  const content = await insertContent(member, createImagePage(id));
  const markdown = `{% if visitor.claims.a %}\n![](/files/${id})\n{% endif %}\n`;
  const [first = ''] = await member.change([
    createPage('A', createInclude(content)),
    createPage('B', { document: { markdown } }),
  ]);
  const branch = await member.open();
  await member.change([{ operation: 'update_page', page: first, document: { markdown } }], branch);
  await member.change([{ operation: 'update_page', page: first, title: 'Live' }]);
  await member.update(branch);
  await member.merge(branch);
  const of = `WHERE branch = '${member.space}' OR branch = '${branch}'`;
  const rows = query(`SELECT * FROM (${kept}) ${of}`);
  expect(rows.length).toBeGreaterThan(5);
  expect(query(`SELECT * FROM (${kept}) ${of} EXCEPT SELECT * FROM (${derived}) ${of}`)).toEqual([]);
  expect(query(`SELECT * FROM (${derived}) ${of} EXCEPT SELECT * FROM (${kept}) ${of}`)).toEqual([]);
});

test('triggers record the files and content that each version uses', () => {
  const links = { links: { a: 'file_1', b: 'rc_1', c: 'pg_1' } };
  const cover = { ref: { kind: 'file', file: 'file_2' }, refDark: { kind: 'url', url: 'https://a.example' } };
  const data = { ...links, fields: { cover, target: { kind: 'file', file: 'file_3' } } };
  const insertions = `
    INSERT INTO document_links (hash, ordinal, relation, kind, target, conditions) VALUES ('h', 0, 'reference', 'internal', 'a', '[]');
    INSERT INTO versions (branch, kind, id, since, until, data, document) VALUES ('spc_a', 'page', 'pg_a', 1, 5, '${JSON.stringify(data)}', 'h'),
      ('spc_a', 'reusable-content', 'rc_a', 1, 5, '${JSON.stringify(links)}', NULL), ('spc_a', 'file', 'file_1', 1, 5, '{}', NULL);`;
  const database = createMemoryDatabase();
  database.exec(insertions);
  expect(
    database
      .prepare(kept)
      .all()
      .map(({ used }) => used),
  ).toEqual(['', 'file_1', 'file_1', 'file_2', 'file_3', 'rc_1', 'rc_1']);
  database.exec('UPDATE versions SET until = 3');
  expect(database.prepare('SELECT COUNT(*) AS count FROM version_uses WHERE until = 3').get()).toEqual({ count: 7 });
  database.exec('DELETE FROM versions');
  expect(database.prepare(kept).all()).toEqual([]);
});
