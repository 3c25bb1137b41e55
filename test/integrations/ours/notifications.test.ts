import { expect, test, vi } from 'vitest';
import { json, makeChangeRequest, merge } from '../../support/content.ts';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import { installOwnIntegration } from './publish-ours.ts';

test('a channel gets a change request, a comment, a reply and the merge', async () => {
  const organization = await platform().makeOrganization();
  const posted: string[] = [];
  const webhook_url = await serveLocally(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    posted.push((JSON.parse(body) as { text: string }).text);
    response.end('ok');
  });
  await installOwnIntegration('notifications', organization, { webhook_url });
  const space = await platform().makeSpace({ organization });
  const { token } = space;

  const changeRequest = await makeChangeRequest(space, 'Say hello');
  const comments = `/v1/spaces/${space.id}/change-requests/${changeRequest.id}/comments`;
  const comment = await json<{ id: string }>(comments, { token, body: { body: { markdown: 'Why?' } } });
  await json(`${comments}/${comment.id}/replies`, { token, body: { body: { markdown: 'Because' } } });
  await merge(space, changeRequest.id);

  await vi.waitFor(() => expect(posted).toHaveLength(4), { timeout: 30_000, interval: 100 });
  const link = `<${platform().url}/app/spaces/${space.id}/change-requests/${changeRequest.id}|#1 Say hello>`;
  expect(posted.toSorted()).toEqual([
    `A tester commented on ${link}\n> Why?`,
    `A tester merged ${link}`,
    `A tester opened ${link}`,
    `A tester replied on ${link}\n> Because`,
  ]);
});
