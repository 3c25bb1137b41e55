import { describe, expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import { getClient } from '../space-client.ts';
import { createHtml, importState, serveSite, startImport, waitForImport } from './site.ts';

const makeSpaceClient = async () => getClient(platform(), await platform().makeSpace());
type Space = Awaited<ReturnType<typeof makeSpaceClient>>;

const getImports = (space: Space) => query('SELECT * FROM imports WHERE space = ?', space.space);

/** Starts an import that is rejected, checks that nothing was written, and returns the errors. */
async function importAndReadErrors(space: Space, body: { url: string; source?: string }) {
  const before = await space.head();
  const response = await startImport(space, body);
  expect(getImports(space)).toEqual([]);
  expect(await space.head()).toEqual(before);
  return { status: response.status, issues: response.body.error.issues };
}

test.each(['docx', 'html', 'confluence', 'github-wiki', 'dropbox-paper', 'notion', 'quip', 'google-docs'])(
  'rejects the source %s and names the supported ones',
  async (source) => {
    const message = 'must be one of: website, markdown, zip';

    expect(await importAndReadErrors(await makeSpaceClient(), { url: 'https://example.test/', source })).toEqual({
      status: 400,
      issues: [{ path: 'body.source', message }],
    });
  },
);

test.each(['ftp://example.test/', 'file:///etc/passwd', 'a text that is not a URL', 'javascript:alert(1)'])(
  '%s is not an importable URL',
  async (url) => {
    const { status, issues } = await importAndReadErrors(await makeSpaceClient(), { url });

    expect(status).toBe(400);
    expect(issues?.map(({ path }) => path)).toEqual(['body.url']);
  },
);

describe('the response of the first URL', () => {
  const endless = '<p>'.repeat(1_000_000);
  const bad = Uint8Array.from([0x3c, 0x70, 0x3e, 0xff, 0xfe, 0xff]);

  test.each<[what: string, path: string, source: string, message: RegExp]>([
    ['nothing', '/gone', 'website', /returned 404/],
    ['a server that returns an error', '/broken', 'website', /returned 503/],
    ['a response that is not a page', '/data.json', 'website', /is not an HTML page/],
    ['redirects in a circle', '/circle', 'website', /redirects more than 5 times/],
    ['refreshes in a circle', '/refresh-a', 'website', /redirects more than 5 times/],
    ['a page of more than 5 MB', '/large', 'website', /is larger than 5000000 bytes/],
    ['a page with too many elements', '/deep', 'website', /cannot be read|nests/],
    ['a web page in place of a markdown file', '/page', 'markdown', /must be markdown/],
    ['markdown that is not text', '/bad.md', 'markdown', /UTF-8/],
    ['a file that is not an archive', '/page', 'zip', /zip archive/],
  ])('%s: returns 400 and writes nothing', async (_, path, source, message) => {
    const createRefreshPage = (to: string) =>
      createHtml('Away', '', `<meta http-equiv="refresh" content="0;url=${to}">`);
    const { url } = await serveSite({
      '/broken': { status: 503 },
      '/data.json': { body: '{}', type: 'application/json' },
      '/circle': { status: 302, headers: { location: '/circle' } },
      '/refresh-a': createRefreshPage('/refresh-b'),
      '/refresh-b': createRefreshPage('/refresh-a'),
      '/large': createHtml('Large', 'x'.repeat(5_000_001)),
      '/deep': createHtml('Deep', endless),
      '/page': createHtml('Page'),
      '/bad.md': { body: bad, type: 'text/markdown' },
    });

    expect(await importAndReadErrors(await makeSpaceClient(), { url: `${url}${path}`, source })).toEqual({
      status: 400,
      issues: [{ path: 'body.url', message: expect.stringMatching(message) }],
    });
  });
});

test('skips hostile pages, sitemaps and robots.txt files, and imports the other pages', {
  timeout: 180_000,
}, async () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>`;
  const nested = `${'<div>'.repeat(10_000)}Deep${'</div>'.repeat(10_000)}`;
  const { url } = await serveSite({
    '/robots.txt': { body: `${'Disallow: /*a*b*c*\n'.repeat(10_000)}\u0000`, type: 'text/plain' },
    '/sitemap.xml': { body: bomb, type: 'application/xml' },
    '/': createHtml('Start', '<a href="/large">L</a><a href="/deep">D</a><a href="/bad">B</a><a href="/loop">O</a>'),
    '/large': createHtml('Large', 'x'.repeat(10_000_000)),
    '/deep': createHtml('Deep', nested),
    '/bad': {
      body: Buffer.concat([Buffer.from('<h1>Bad</h1><p>'), Buffer.from([0xff, 0xc3, 0x28])]),
      type: 'text/html',
    },
    '/loop': { status: 302, headers: { location: '/loop' } },
  });
  const space = await makeSpaceClient();

  const { body } = await startImport(space, { url });
  const state = await waitForImport(space, body.id);

  expect(state.status).toBe('completed');
  expect(state.failures.map((each) => new URL(each.url).pathname)).toEqual(expect.arrayContaining(['/large', '/loop']));
  expect((await space.pages()).map(({ title }) => title)).toEqual(expect.arrayContaining(['Start', 'Bad']));
});

test('returns 412 for live content of a locked space', async () => {
  const space = await makeSpaceClient();
  await space.callJson('', { method: 'PATCH', body: { editMode: 'locked' } });
  const { url } = await serveSite({ '/': createHtml('Start') });

  const { status, body } = await startImport(space, { url });
  const branch = await space.open();

  expect({ status, type: body.error.type }).toEqual({ status: 412, type: 'precondition_failed' });
  expect((await startImport(space, { url }, branch)).status).toBe(201);
});

test('returns 409 for a merged change request', async () => {
  const space = await makeSpaceClient();
  const branch = await space.open();
  await space.merge(branch);
  const { url } = await serveSite({ '/': createHtml('Start') });

  expect(await startImport(space, { url }, branch)).toMatchObject({
    status: 409,
    body: { error: { type: 'conflict' } },
  });
});

/** Serves a site that stops responding after some pages until `release` is called. */
async function serveSlowSite(): Promise<{ url: string; release: () => void }> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const many = Array.from({ length: 40 }, (_, index) => `<a href="/p${index}">${index}</a>`).join(' ');
  const url = await serveLocally(async (request, response) => {
    if (Number(/^\/p(\d+)$/.exec(request.url ?? '')?.[1]) > 30) await held;
    const status = request.url === '/' || request.url?.startsWith('/p') ? 200 : 404;
    response.writeHead(status, { 'content-type': 'text/html' }).end(createHtml(`Page ${request.url}`, many));
  });
  return { url, release };
}

test('fails without changes if the space is locked during the import', {
  timeout: 180_000,
}, async () => {
  const { url, release } = await serveSlowSite();
  const space = await makeSpaceClient();
  await space.change([{ operation: 'insert_page', title: 'Ours', document: { markdown: 'x' } }]);
  const before = await space.revision((await space.head()).id);

  const { body } = await startImport(space, { url });
  await space.callJson('', { method: 'PATCH', body: { editMode: 'locked' } });
  release();
  const state = await waitForImport(space, body.id);

  expect(state).toMatchObject({ status: 'failed', error: expect.stringContaining('locked') });
  expect(await space.revision((await space.head()).id)).toEqual(before);
});

test('fails without changes if the caller is removed during the import', async () => {
  const { url, release } = await serveSlowSite();
  const { makeSpace, makeUser, request } = platform();
  const newSpace = await makeSpace();
  const writer = await makeUser({ organization: newSpace.organization, role: 'edit' });
  const space = getClient(platform(), newSpace);

  const { body } = await startImport(getClient(platform(), { id: newSpace.id, token: writer.token }), { url });
  const member = `/v1/orgs/${newSpace.organization}/members/${writer.user}`;
  expect((await request(member, { method: 'DELETE', token: newSpace.token })).ok).toBe(true);
  release();

  expect(await waitForImport(space, body.id)).toMatchObject({ error: expect.stringContaining('can no longer edit') });
  expect(await space.pages()).toEqual([]);
});

test('a cancelled import changes nothing and leaves no data behind', {
  timeout: 180_000,
}, async () => {
  const { url, release } = await serveSlowSite();
  const newSpace = await platform().makeSpace();
  const space = getClient(platform(), newSpace);
  await space.change([{ operation: 'insert_page', title: 'Ours', document: { markdown: 'x' } }]);
  const before = await space.revision((await space.head()).id);

  const { body } = await startImport(space, { url });
  const path = `/content/import/${body.id}`;
  const { token } = newSpace;
  const cancelled = await platform().request(`/v1/spaces/${space.space}${path}`, { method: 'DELETE', token });
  release();

  expect(cancelled.status).toBe(205);
  expect(await importState(space, body.id)).toMatchObject({ status: 'cancelled', revision: before.id });
  expect(await space.revision((await space.head()).id)).toEqual(before);
  expect(await space.call(path, { method: 'DELETE' })).toMatchObject({ status: 409 });
  await expect
    .poll(
      () =>
        query<{ left: number }>(
          `SELECT (SELECT COUNT(*) FROM versions WHERE branch = ?) + (SELECT COUNT(*) FROM revisions WHERE branch = ?)
            + (SELECT COUNT(*) FROM import_addresses WHERE import = ?) AS left`,
          body.id,
          body.id,
          body.id,
        )[0]?.left,
      { timeout: 90_000 },
    )
    .toBe(0);
});

test('an import into a change request can be cancelled only through this change request', {
  timeout: 180_000,
}, async () => {
  const { url, release } = await serveSlowSite();
  const newSpace = await platform().makeSpace();
  const space = getClient(platform(), newSpace);
  const branch = await space.open();
  const { body } = await startImport(space, { url }, branch);
  const remove = (place: string) =>
    platform().request(`/v1/spaces/${newSpace.id}${place}/content/import/${body.id}`, {
      method: 'DELETE',
      token: newSpace.token,
    });

  const elsewhere = await remove('');
  const other = await remove(`/change-requests/${await space.open()}`);
  const here = await remove(`/change-requests/${branch}`);
  release();

  expect([elsewhere.status, other.status, here.status]).toEqual([404, 404, 205]);
  expect(await importState(space, body.id, branch)).toMatchObject({ status: 'cancelled' });
  expect(await space.pages(branch)).toEqual([]);
});
