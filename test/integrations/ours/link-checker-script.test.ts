import linkChecker from '@octavo/link-checker';
import { expect, test } from 'vitest';
import { edit, json, makeChangeRequest, type TestChangeRequest } from '../../support/content.ts';
import { serveLocally } from '../../support/local-server.ts';
import { platform, type TestSpace } from '../../support/platform.ts';
import { callScript } from './call-script.ts';

interface Posted {
  id: string;
  body: { markdown: string };
}

const listComments = async (space: TestSpace, { id }: TestChangeRequest) =>
  (
    await json<{ items: Posted[] }>(`/v1/spaces/${space.id}/change-requests/${id}/comments?format=markdown`, {
      token: space.token,
    })
  ).items;

/** Creates a change request with a page of this text, and a function that runs the checker on it. */
async function checkLinks(markdown: string) {
  const space = await platform().makeSpace();
  const changeRequest = await makeChangeRequest(space);
  const write = (text: string, title = 'A page') =>
    edit(space, [{ operation: 'insert_page', title, document: { markdown: text } }], changeRequest.id);
  await write(markdown);
  const check = (event: object = { type: 'change_request.updated', changeRequest: changeRequest.id }, more = {}) =>
    callScript(linkChecker, { spaceId: space.id, ...event }, { token: space.token, configuration: more });
  return { space, changeRequest, check, write, comments: () => listComments(space, changeRequest) };
}

/** Serves a web site whose paths determine its response status, and records the requests. */
async function serveWebsite() {
  const requests: string[] = [];
  const url = await serveLocally((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const status = Number(/\d{3}/.exec(request.url ?? '')?.[0] ?? 200);
    const isHead = request.method === 'HEAD';
    response.writeHead(request.url?.startsWith('/no-head') && isHead ? 405 : status).end();
  });
  return { url, requests };
}

test('reports a broken link once per revision, and updates the comment when the link is fixed', async () => {
  const { space, changeRequest, check, comments } = await checkLinks(
    '[a](/pages/page_none) [b](/pages/page_none_either)',
  );

  expect(await check()).toMatchObject({ status: 204 });
  expect(await check()).toMatchObject({ status: 204 });
  const [first, ...others] = await comments();
  expect(others).toEqual([]);
  expect(first?.body.markdown).toContain('`/pages/page_none` in `A page`: it does not exist');
  expect(first?.body.markdown).toContain('`/pages/page_none_either`');

  const path = `/v1/spaces/${space.id}/change-requests/${changeRequest.id}`;
  const { pages } = await json<{ pages: { id: string }[] }>(`${path}/content/pages`, { token: space.token });
  const page = pages[0]?.id;
  await edit(space, [{ operation: 'update_page', page, document: { markdown: 'None.' } }], changeRequest.id);
  await check({ type: 'revision.created', branch: changeRequest.id, revision: 'x' });
  expect(await comments()).toEqual([
    expect.objectContaining({
      id: first?.id,
      body: expect.objectContaining({ markdown: expect.stringContaining('All links work now.') }),
    }),
  ]);
});

test('posts no comment if no link is broken', async () => {
  const { url, requests } = await serveWebsite();
  const { check, write, comments } = await checkLinks(`[site](${url}/200#part) [again](${url}/200) <mailto:a@b.test>`);
  const [page] = await write('', 'Beside it');
  await write(`[page](/pages/${page})`, 'Another');

  expect(await check()).toMatchObject({ status: 204 });
  expect(await comments()).toEqual([]);
  expect(requests).toEqual(['HEAD /200']);
});

test('limits requests to other sites, and treats inconclusive responses as working links', async () => {
  const { url, requests } = await serveWebsite();
  const paths = ['/404', '/410', '/no-head-200', '/no-head-404', '/401', '/403', '/429', '/500', '/503'];
  const links = [...paths.map((path) => `[x](${url}${path})`), '[y](http://127.0.0.1:1/closed)'];
  const { check, comments } = await checkLinks(links.join('\n\n'));

  expect(await check()).toMatchObject({ status: 204 });
  const [comment] = await comments();
  const brokenLinks = [...(comment?.body.markdown.matchAll(/^\* `([^`]+)` in `A page`: (.*)$/gm) ?? [])].map(
    ([, target = '', reason]) => [target.replace(url, ''), reason],
  );
  expect(brokenLinks).toEqual([
    ['/404', 'it returns 404'],
    ['/410', 'it returns 410'],
    ['/no-head-404', 'it returns 404'],
    ['http://127.0.0.1:1/closed', 'it could not be reached'],
  ]);
  expect(requests).toContain('GET /no-head-200');
  // A revision that was already reported is not checked again.
  const once = requests.length;
  await check();
  expect(requests).toHaveLength(once);

  const many = await checkLinks(Array.from({ length: 60 }, (_, index) => `[x](${url}/many/${index})`).join('\n\n'));
  requests.length = 0;
  await many.write('[x](/pages/page_none)', 'Broken');
  expect(await many.check()).toMatchObject({ status: 204 });
  expect(requests.length).toBe(40);
  expect((await many.comments())[0]?.body.markdown).toContain('20 more links were not checked');
});

test('does not check links to other sites if configured not to', async () => {
  const { url, requests } = await serveWebsite();
  const { check, comments } = await checkLinks(`[x](${url}/404)`);

  expect(await check(undefined, { external: false })).toMatchObject({ status: 204 });
  expect([requests, await comments()]).toEqual([[], []]);
});

test('does not check merged or deleted change requests and live content, and keeps the comments of others', async () => {
  const { space, changeRequest, check, comments } = await checkLinks('[a](/pages/page_none)');
  const path = `/v1/spaces/${space.id}/change-requests/${changeRequest.id}`;
  const member = await platform().makeUser({ organization: space.organization, role: 'admin' });
  const body = { markdown: 'Mine.\n\nChecked: `rev_1`' };
  await json(`${path}/comments`, { token: member.token, body: { body } });

  expect(await check({ type: 'revision.created', branch: space.id, revision: 'x' })).toMatchObject({ status: 204 });
  expect(await check({ type: 'change_request.updated', changeRequest: 'none' })).toMatchObject({ status: 204 });
  expect(await comments()).toHaveLength(1);
  await check();
  expect((await comments()).map((comment) => comment.body.markdown.includes('Mine.'))).toEqual(
    expect.arrayContaining([true, false]),
  );

  const archived = await checkLinks('[a](/pages/page_none)');
  const patch = { method: 'PATCH', body: { status: 'archived' }, token: archived.space.token };
  await json(`/v1/spaces/${archived.space.id}/change-requests/${archived.changeRequest.id}`, patch);
  expect(await archived.check()).toMatchObject({ status: 204 });
  expect(await archived.comments()).toEqual([]);
});
