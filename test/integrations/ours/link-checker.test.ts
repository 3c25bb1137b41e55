import { expect, test, vi } from 'vitest';
import { edit, json, makeChangeRequest } from '../../support/content.ts';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import { installOwnIntegration } from './publish-ours.ts';

interface Posted {
  id: string;
  postedBy: { displayName: string };
  body: { markdown: string };
}

test('posts one comment with the broken links of a change request, and updates it when all links work', async () => {
  const organization = await platform().makeOrganization();
  const site = await serveLocally((request, response) => {
    response.writeHead(request.url === '/gone' ? 404 : 200).end();
  });
  await installOwnIntegration('link-checker', organization, {});
  const space = await platform().makeSpace({ organization });
  const { token } = space;
  const changeRequest = await makeChangeRequest(space);
  const path = `/v1/spaces/${space.id}/change-requests/${changeRequest.id}`;
  const write = (markdown: string, page: object) =>
    edit(space, [{ ...page, document: { markdown } }], changeRequest.id);
  const waitForComment = (text: string) =>
    vi.waitFor(
      async () => {
        const { items } = await json<{ items: Posted[] }>(`${path}/comments?format=markdown`, { token });
        expect(items.map(({ body }) => body.markdown)).toEqual([expect.stringContaining(text)]);
        return items[0];
      },
      { timeout: 30_000, interval: 100 },
    );

  const [page] = await write(`[a](/pages/pg_none) [b](${site}/gone) [c](${site}/there)`, {
    operation: 'insert_page',
    title: 'New',
  });
  const comment = await waitForComment('`/pages/pg_none` in `New`: it does not exist');
  expect(comment?.body.markdown).toContain(`\`${site}/gone\` in \`New\`: it returns 404`);
  expect(comment?.body.markdown).not.toContain('/there');
  expect(comment?.postedBy.displayName).toBe('Link checker');

  await write(`[c](${site}/there)`, { operation: 'update_page', page });
  expect((await waitForComment('All links work now.'))?.id).toBe(comment?.id);
});
