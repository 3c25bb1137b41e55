import { beforeAll, expect, test } from 'vitest';
import { writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { createFiles, createPixel } from '../files/file-client.ts';
import type { SpaceClient, TestFile } from '../space-client.ts';
import { publishSite } from './visitor-client.ts';

const server = platform();
const get = (address: string) => fetch(address);
const listFiles = async (visitor: SpaceClient) =>
  (await visitor.callJson<{ items: TestFile[] }>('/content/files')).items.map(({ id, downloadURL }) => ({
    id,
    downloadURL,
  }));

type SiteWorld = Awaited<ReturnType<typeof publishSite>>;
const createSpaceWithFile = async (siteWorld: SiteWorld, page: object = {}) => {
  const [file] = await createFiles(siteWorld.member, [createPixel('a.png')]);
  const document = { markdown: `![](/files/${file?.id})\n` };
  await siteWorld.member.change([{ operation: 'insert_page', title: 'P', document, ...page }]);
  return file?.id ?? '';
};

let publishedWorld: SiteWorld;
let file: string;
beforeAll(async () => {
  publishedWorld = await publishSite();
  file = await createSpaceWithFile(publishedWorld);
});

test('a file of a public site has a permanent URL while the site and the file exist', async () => {
  const [first] = await listFiles(publishedWorld.visit());
  const [second] = await listFiles(
    publishedWorld.visit({ plan: 'pro' }, { expires: Math.floor(Date.now() / 1000) + 60 }),
  );
  expect(second).toEqual(first);
  expect(first?.downloadURL).not.toContain('expires');
  const address = first?.downloadURL ?? '';
  const response = await get(address);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=3600']);
  const otherSite = (await publishSite()).site.id;
  expect((await get(address.replace(publishedWorld.site.id, otherSite))).status).toBe(404);

  const other = await publishSite();
  await createSpaceWithFile(other);
  const [visibleFile] = await listFiles(other.visit());
  await other.site.callJson('/unpublish', { method: 'POST' });
  expect((await get(visibleFile?.downloadURL ?? '')).status).toBe(404);
  await other.site.publish();
  expect((await get(visibleFile?.downloadURL ?? '')).status).toBe(200);
  await writeDatabase(server, `UPDATE sites SET visibility = 'visitor-auth' WHERE id = ?`, other.site.id);
  expect((await get(visibleFile?.downloadURL ?? '')).status).toBe(404);
});

test("restricted files have a URL that expires with the token and the site's grants", async () => {
  const closed = await publishSite();
  await createSpaceWithFile(closed);
  await writeDatabase(server, `UPDATE sites SET visibility = 'visitor-auth' WHERE id = ?`, closed.site.id);
  const expires = Math.floor(Date.now() / 1000) + 600;
  const [one] = await listFiles(closed.visit({}, { expires }));
  expect(await listFiles(closed.visit({}, { expires }))).toEqual([one]);
  expect(one?.downloadURL).toContain(`expires=${expires}`);
  const response = await get(one?.downloadURL ?? '');
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, expect.stringMatching(/^private/)]);
  const show = (space: string) =>
    writeDatabase(server, 'UPDATE site_spaces SET space = ? WHERE site = ?', space, closed.site.id);
  await show((await server.makeSpace({ organization: closed.organization })).id);
  expect((await get(one?.downloadURL ?? '')).status).toBe(404);
  await show(closed.space.id);
  expect((await get(one?.downloadURL ?? '')).status).toBe(200);
  await writeDatabase(server, `UPDATE sites SET stamp = 'another' WHERE id = ?`, closed.site.id);
  expect((await get(one?.downloadURL ?? '')).status).toBe(404);
});

test('a file that only a hidden page uses returns 404, and a restricted file has no permanent URL', async () => {
  const both = await publishSite();
  const open = await createSpaceWithFile(both);
  const hidden = await createSpaceWithFile(both, { condition: 'visitor.claims.staff' });
  const guest = both.visit();
  expect((await listFiles(guest)).map(({ id }) => id)).toEqual([open]);
  expect((await guest.call(`/content/files/${hidden}`)).status).toBe(404);
  expect((await guest.call(`/content/files/${open}`)).status).toBe(200);
  const staff = await listFiles(both.visit({ staff: true }));
  expect(staff.map(({ id }) => id).toSorted()).toEqual([open, hidden].toSorted());
  for (const { downloadURL } of staff) expect(downloadURL).toContain('expires');
});

test('issues no permanent URL for a file under a condition, and a condition added later revokes the URL', async () => {
  const staff = 'visitor.claims.unsigned.staff == true';
  const under = await publishSite();
  await createSpaceWithFile(under);
  const staffOnly = under.visit({ unsigned: { staff: true } });
  const [open] = await listFiles(under.visit());
  expect((await get(open?.downloadURL ?? '')).status).toBe(200);
  await writeDatabase(server, 'UPDATE site_spaces SET condition = ? WHERE site = ?', staff, under.site.id);
  expect((await get(open?.downloadURL ?? '')).status).toBe(404);
  const [bound] = await listFiles(staffOnly);
  expect(bound?.downloadURL).toContain('expires');
  const response = await get(bound?.downloadURL ?? '');
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, expect.stringMatching(/^private/)]);

  const later = await publishSite();
  await createSpaceWithFile(later);
  const [visibleFile] = await listFiles(later.visit());
  expect((await get(visibleFile?.downloadURL ?? '')).status).toBe(200);
  const { pages } = await later.member.callJson<{ pages: { id: string; title: string }[] }>('/content');
  const page = pages.find(({ title }) => title === 'P')?.id;
  await later.member.change([{ operation: 'update_page', page, condition: staff }]);
  expect((await get(visibleFile?.downloadURL ?? '')).status).toBe(404);
  await later.member.change([{ operation: 'update_page', page, condition: '' }]);
  expect((await get(visibleFile?.downloadURL ?? '')).status).toBe(200);
  const [shownFile] = await listFiles(later.visit());
  const markdown = `{% if ${staff} %}\n![](/files/${shownFile?.id})\n{% endif %}\n`;
  await later.member.change([{ operation: 'update_page', page, document: { markdown } }]);
  expect((await get(visibleFile?.downloadURL ?? '')).status).toBe(404);
  const [shown] = await listFiles(later.visit({ unsigned: { staff: true } }));
  expect(shown?.downloadURL).toContain('expires');
});

test('paginates the list of files', async () => {
  const many = await publishSite();
  await createFiles(
    many.member,
    ['a', 'b', 'c'].map((name) => createPixel(`${name}.png`)),
  );
  const visitor = many.visit();
  const all = (await listFiles(visitor)).map(({ id }) => id);
  const fileNames: string[] = [];
  for (let next = ''; ; ) {
    const page = await visitor.callJson<{ items: TestFile[]; next?: { page: string } }>(
      `/content/files?limit=1${next}`,
    );
    fileNames.push(...page.items.map(({ id }) => id));
    if (page.next === undefined) break;
    next = `&page=${page.next.page}`;
  }
  expect(fileNames).toEqual(all);
  expect(file).not.toBe('');
});
