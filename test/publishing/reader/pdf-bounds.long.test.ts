import { callOperator } from '@octavo/platform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { type OwnPlatform, startOwnPlatform, until } from '../../support/own-platform.ts';
import type { TestSpace } from '../../support/platform.ts';
import { waitForPdf } from './reader-pdf.ts';

const day = 24 * 3_600_000;
let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform();
});
afterAll(() => server?.remove());

interface World {
  site: string;
  space: TestSpace;
  /** The published URL with a trailing slash, and with a share key if the site needs one. */
  base: string;
  send(path: string, method: string, body?: object): Promise<unknown>;
}

/** Creates a published site with a page and PDF export enabled. */
async function makeWorld(visibility = 'public'): Promise<World> {
  const organization = await server.makeOrganization();
  const { token } = organization;
  const space = await server.makeSpace({ organization, title: 'Guide' });
  await insert(space, ['First', 'Second']);
  const sites = `/v1/orgs/${organization.id}/sites`;
  const { id } = await json<{ id: string }>(sites, { token, body: { visibility, spaces: [space.id] } }, server);
  const send = <Result>(path: string, method: string, body?: object) =>
    json<Result>(`${sites}/${id}${path}`, { token, method, ...(body && { body }) }, server);
  await send('/customization', 'PUT', { pdf: { enabled: true } });
  const site = await send<{ urls: { published: string } }>('/publish', 'POST');
  const { urls } =
    visibility === 'share-link'
      ? await send<{ urls: { published: string } }>('/share-links', 'POST', { name: 'Partners' })
      : site;
  return { site: id, space, base: urls.published.replace(/\/?$/, '/'), send };
}

const insert = ({ id, token }: TestSpace, titles: string[]) =>
  json(
    `/v1/spaces/${id}/content`,
    {
      token,
      body: {
        changes: titles.map((title) => ({ operation: 'insert_page', title, document: { markdown: 'Words.\n' } })),
      },
    },
    server,
  );

interface Row {
  id: string;
  state: string;
  error: string | null;
  visitor: string | null;
}

const getRows = ({ site }: World) => queryDatabase<Row>(server.dataDir, 'SELECT * FROM pdfs WHERE site = ?', site);

async function getRow(world: World): Promise<Row> {
  const [row] = getRows(world);
  if (row === undefined) throw new Error('Nobody asked for a PDF.');
  return row;
}

/** Sets the job of a rendered PDF back to waiting, runs it again and returns the resulting row. */
async function runAgain(world: World, change: () => Promise<unknown>): Promise<Row> {
  expect((await waitForPdf(`${world.base}~/pdf`, {}, server)).status).toBe(200);
  const { id, visitor: kept } = await getRow(world);
  expect(kept).toBeNull();
  const [site] = queryDatabase(server.dataDir, 'SELECT organization, stamp FROM sites WHERE id = ?', world.site);
  const [link] = queryDatabase(server.dataDir, 'SELECT id FROM site_share_links WHERE site = ?', world.site);
  const token = { ...site, site: world.site, claims: {}, expires: 0, ...(link && { shareLink: link.id }) };
  const visitor = JSON.stringify({ token, address: world.base });
  await change();
  await writeDatabase(server, "UPDATE pdfs SET state = 'waiting', visitor = ? WHERE id = ?", visitor, id);
  await writeDatabase(
    server,
    "UPDATE outbox SET done_at = NULL, attempts = 0, sent_at = 0 WHERE type = 'render_pdf' AND data->>'pdf' = ?",
    id,
  );
  await callOperator(server.dataDir, '/cron', { worker: 'publishing', cron: '* * * * *' });
  return until(async () => {
    const row = await getRow(world);
    return row.state === 'waiting' ? undefined : row;
  });
}

const revocations: [string, string, (world: World) => Promise<unknown>, string][] = [
  ['nothing has changed', 'share-link', async () => undefined, 'ready'],
  ['the site is not published any more', 'public', ({ send }) => send('/unpublish', 'POST'), 'failed'],
  [
    'the site has another audience',
    'public',
    ({ send }) => send('', 'PATCH', { visibility: 'visitor-auth' }),
    'failed',
  ],
  [
    'the share link is revoked',
    'share-link',
    async ({ site, send }) => {
      const [link] = queryDatabase(server.dataDir, 'SELECT id FROM site_share_links WHERE site = ?', site);
      return send(`/share-links/${link?.id}`, 'PATCH', { active: false });
    },
    'failed',
  ],
];

test.each(revocations)(
  'if %s before the PDF of %s is rendered, the job checks access again',
  async (_, of, revoke, state) => {
    const world = await makeWorld(of);

    const row = await runAgain(world, () => revoke(world));

    expect([row.state, row.error]).toEqual([state, state === 'ready' ? null : 'The content is no longer published.']);
  },
);

const copies = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
  INSERT INTO pdfs (id, organization, space, revision, page, title, state, site, visit, created_at, asked_at)
  SELECT id || '_' || i, organization, space, revision, page, title, ?, site, visit || i, ?, asked_at FROM pdfs, n
  WHERE site = ?`;

test.each<[string, (world: World) => Promise<void>]>([
  ['the maximum per hour', ({ site }) => writeDatabase(server, copies, 239, 'failed', Date.now(), site)],
  ['the maximum of waiting PDFs', ({ site }) => writeDatabase(server, copies, 20, 'waiting', Date.now() - day, site)],
  [
    'the maximum of stored bytes',
    ({ site }) => writeDatabase(server, 'UPDATE pdfs SET bytes = 1 << 30 WHERE site = ?', site),
  ],
])('a site that reached its limit of %s renders no more PDFs, and serves existing ones', async (_, fill) => {
  const world = await makeWorld();
  expect((await waitForPdf(`${world.base}~/pdf`, {}, server)).status).toBe(200);
  await fill(world);
  const before = getRows(world).length;
  const [page] = queryDatabase(
    server.dataDir,
    "SELECT id FROM versions WHERE branch = ? AND kind = 'page'",
    world.space.id,
  );

  const response = await server.request(`${world.base}~/pdf?page=${page?.id}`);

  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '600']);
  expect(await response.text()).toContain('The PDF is not available right now');
  expect(getRows(world)).toHaveLength(before);
  expect((await server.request(`${world.base}~/pdf`)).status).toBe(200);
});

test('deletes a PDF that was not requested for a day, and renders it again on request', async () => {
  const world = await makeWorld();
  const address = `${world.base}~/pdf`;
  expect((await waitForPdf(address, {}, server)).status).toBe(200);
  const { id } = await getRow(world);
  await writeDatabase(
    server,
    'UPDATE pdfs SET asked_at = ?, created_at = asked_at WHERE id = ?',
    Date.now() - 2 * day,
    id,
  );

  await callOperator(server.dataDir, '/cron', { worker: 'publishing', cron: '29 3 * * *' });

  expect(getRows(world)).toEqual([]);
  expect((await waitForPdf(address, {}, server)).status).toBe(200);
  expect((await getRow(world)).id).not.toBe(id);
});

test("rejects a visitor's PDF with too many pages once, for all visitors", async () => {
  const world = await makeWorld();
  for (let start = 0; start < 1000; start += 50)
    await insert(
      world.space,
      Array.from({ length: 50 }, (_, index) => `Page ${start + index}`),
    );
  const address = `${world.base}~/pdf`;

  const response = await waitForPdf(address, {}, server);

  expect([response.status, await response.text()]).toEqual([413, expect.stringContaining('too large for a PDF')]);
  expect((await server.request(address)).status).toBe(413);
  expect(getRows(world)).toMatchObject([{ state: 'refused', error: 'The PDF would have more than 1000 pages.' }]);
});
