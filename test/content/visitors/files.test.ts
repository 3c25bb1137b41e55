import { beforeAll, expect, test } from 'vitest';
import { writePast } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { newFiles, pixel } from '../files/file-client.ts';
import type { SpaceClient, TestFile } from '../space-client.ts';
import { published } from './visitor-client.ts';

const server = platform();
const get = (address: string) => fetch(address);
const listed = async (visitor: SpaceClient) =>
  (await visitor.ok<{ items: TestFile[] }>('/content/files')).items.map(({ id, downloadURL }) => ({ id, downloadURL }));

type Made = Awaited<ReturnType<typeof published>>;
const withFile = async (made: Made, page: object = {}) => {
  const [file] = await newFiles(made.member, [pixel('a.png')]);
  const document = { markdown: `![](/files/${file?.id})\n` };
  await made.member.change([{ operation: 'insert_page', title: 'P', document, ...page }]);
  return file?.id ?? '';
};

let made: Made;
let file: string;
beforeAll(async () => {
  made = await published();
  file = await withFile(made);
});

test('a file of a public site has a permanent URL while the site and the file exist', async () => {
  const [first] = await listed(made.visit());
  const [second] = await listed(made.visit({ plan: 'pro' }, { expires: Math.floor(Date.now() / 1000) + 60 }));
  expect(second).toEqual(first);
  expect(first?.downloadURL).not.toContain('expires');
  const address = first?.downloadURL ?? '';
  const answer = await get(address);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=3600']);
  const otherSite = (await published()).site.id;
  expect((await get(address.replace(made.site.id, otherSite))).status).toBe(404);

  const other = await published();
  await withFile(other);
  const [kept] = await listed(other.visit());
  await other.site.ok('/unpublish', { method: 'POST' });
  expect((await get(kept?.downloadURL ?? '')).status).toBe(404);
  await other.site.publish();
  expect((await get(kept?.downloadURL ?? '')).status).toBe(200);
  await writePast(server, `UPDATE sites SET visibility = 'visitor-auth' WHERE id = ?`, other.site.id);
  expect((await get(kept?.downloadURL ?? '')).status).toBe(404);
});

test("restricted files have a URL that expires with the token and the site's grants", async () => {
  const closed = await published();
  await withFile(closed);
  await writePast(server, `UPDATE sites SET visibility = 'visitor-auth' WHERE id = ?`, closed.site.id);
  const expires = Math.floor(Date.now() / 1000) + 600;
  const [one] = await listed(closed.visit({}, { expires }));
  expect(await listed(closed.visit({}, { expires }))).toEqual([one]);
  expect(one?.downloadURL).toContain(`expires=${expires}`);
  const answer = await get(one?.downloadURL ?? '');
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, expect.stringMatching(/^private/)]);
  const show = (space: string) =>
    writePast(server, 'UPDATE site_spaces SET space = ? WHERE site = ?', space, closed.site.id);
  await show((await server.makeSpace({ organization: closed.organization })).id);
  expect((await get(one?.downloadURL ?? '')).status).toBe(404);
  await show(closed.space.id);
  expect((await get(one?.downloadURL ?? '')).status).toBe(200);
  await writePast(server, `UPDATE sites SET stamp = 'another' WHERE id = ?`, closed.site.id);
  expect((await get(one?.downloadURL ?? '')).status).toBe(404);
});

test('a file that only a hidden page uses returns 404, and a restricted file has no permanent URL', async () => {
  const both = await published();
  const open = await withFile(both);
  const hidden = await withFile(both, { condition: 'visitor.claims.staff' });
  const guest = both.visit();
  expect((await listed(guest)).map(({ id }) => id)).toEqual([open]);
  expect((await guest.call(`/content/files/${hidden}`)).status).toBe(404);
  expect((await guest.call(`/content/files/${open}`)).status).toBe(200);
  const staff = await listed(both.visit({ staff: true }));
  expect(staff.map(({ id }) => id).toSorted()).toEqual([open, hidden].toSorted());
  for (const { downloadURL } of staff) expect(downloadURL).toContain('expires');
});

test('issues no permanent URL for a file under a condition, and a condition added later revokes the URL', async () => {
  const staff = 'visitor.claims.unsigned.staff == true';
  const under = await published();
  await withFile(under);
  const staffOnly = under.visit({ unsigned: { staff: true } });
  const [open] = await listed(under.visit());
  expect((await get(open?.downloadURL ?? '')).status).toBe(200);
  await writePast(server, 'UPDATE site_spaces SET condition = ? WHERE site = ?', staff, under.site.id);
  expect((await get(open?.downloadURL ?? '')).status).toBe(404);
  const [bound] = await listed(staffOnly);
  expect(bound?.downloadURL).toContain('expires');
  const answer = await get(bound?.downloadURL ?? '');
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, expect.stringMatching(/^private/)]);

  const later = await published();
  await withFile(later);
  const [kept] = await listed(later.visit());
  expect((await get(kept?.downloadURL ?? '')).status).toBe(200);
  const { pages } = await later.member.ok<{ pages: { id: string; title: string }[] }>('/content');
  const page = pages.find(({ title }) => title === 'P')?.id;
  await later.member.change([{ operation: 'update_page', page, condition: staff }]);
  expect((await get(kept?.downloadURL ?? '')).status).toBe(404);
  await later.member.change([{ operation: 'update_page', page, condition: '' }]);
  expect((await get(kept?.downloadURL ?? '')).status).toBe(200);
  const [shownFile] = await listed(later.visit());
  const markdown = `{% if ${staff} %}\n![](/files/${shownFile?.id})\n{% endif %}\n`;
  await later.member.change([{ operation: 'update_page', page, document: { markdown } }]);
  expect((await get(kept?.downloadURL ?? '')).status).toBe(404);
  const [shown] = await listed(later.visit({ unsigned: { staff: true } }));
  expect(shown?.downloadURL).toContain('expires');
});

test('pages the list of files', async () => {
  const many = await published();
  await newFiles(
    many.member,
    ['a', 'b', 'c'].map((name) => pixel(`${name}.png`)),
  );
  const visitor = many.visit();
  const all = (await listed(visitor)).map(({ id }) => id);
  const found: string[] = [];
  for (let next = ''; ; ) {
    const page = await visitor.ok<{ items: TestFile[]; next?: { page: string } }>(`/content/files?limit=1${next}`);
    found.push(...page.items.map(({ id }) => id));
    if (page.next === undefined) break;
    next = `&page=${page.next.page}`;
  }
  expect(found).toEqual(all);
  expect(file).not.toBe('');
});
