import notifications from '@octavo/notifications';
import { expect, test } from 'vitest';
import { json, makeChangeRequest, merge } from '../../support/content.ts';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import { callScript } from './call-script.ts';

/** Serves a chat channel that responds with a status, and a space whose events are posted there. */
async function createChannel(status = 200) {
  const space = await platform().makeSpace();
  const posted: string[] = [];
  const webhook_url = await serveLocally(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    posted.push((JSON.parse(body) as { text: string }).text);
    response.writeHead(status, { location: 'http://127.0.0.1:1' }).end('x');
  });
  const sendEvent = (event: object, configuration: object = {}) =>
    callScript(
      notifications,
      { spaceId: space.id, ...event },
      { token: space.token, configuration: { webhook_url, ...configuration } },
    );
  return { space, posted, tell: sendEvent };
}

const createOpenedEvent = (changeRequest: { id: string }) => ({
  type: 'change_request.created',
  changeRequest: changeRequest.id,
});

test('reports a new change request and its merge with actor, subject and link', async () => {
  const { space, posted, tell } = await createChannel();
  const changeRequest = await makeChangeRequest(space, 'Two words');
  await merge(space, changeRequest.id);

  expect(await tell(createOpenedEvent(changeRequest))).toMatchObject({ status: 204 });
  expect(await tell({ ...createOpenedEvent(changeRequest), type: 'change_request.merged' })).toMatchObject({
    status: 204,
  });

  const link = `<${platform().url}/app/spaces/${space.id}/change-requests/${changeRequest.id}|#${changeRequest.number} Two words>`;
  expect(posted).toEqual([`A tester opened ${link}`, `A tester merged ${link}`]);
});

test('reports comments and replies with their text', async () => {
  const { space, posted, tell } = await createChannel();
  const changeRequest = await makeChangeRequest(space);
  const path = `/v1/spaces/${space.id}/change-requests/${changeRequest.id}/comments`;
  const write = (to: string, markdown: string) =>
    json<{ id: string }>(to, { token: space.token, body: { body: { markdown } } });
  const comment = await write(path, 'First\nsecond');
  const reply = await write(`${path}/${comment.id}/replies`, 'Yes');
  const general = await write(`/v1/spaces/${space.id}/comments`, 'On all');
  const on = { changeRequest: changeRequest.id, comment: comment.id };

  expect(await tell({ type: 'comment.created', ...on })).toMatchObject({ status: 204 });
  expect(await tell({ type: 'comment_reply.created', ...on, reply: reply.id })).toMatchObject({ status: 204 });
  expect(await tell({ type: 'comment.created', comment: general.id })).toMatchObject({ status: 204 });

  expect(posted).toEqual([
    expect.stringMatching(/^A tester commented on <http\S+\|#1 A change>\n> First\n> second$/),
    expect.stringMatching(/^A tester replied on <http\S+\|#1 A change>\n> Yes$/),
    'A tester commented\n> On all',
  ]);
});

test('escapes mentions and links in user text', async () => {
  const { space, posted, tell } = await createChannel();
  await tell(createOpenedEvent(await makeChangeRequest(space, '<!channel> a|b> <http://evil.test|#2> & c')));

  expect(posted[0]?.replace(/^A tester opened <http\S+?\|/, '')).toBe(
    '#1 &lt;!channel&gt; a¦b&gt; &lt;http://evil.test¦#2&gt; &amp; c>',
  );
});

test('ignores disabled events, and explains that the URL is missing', async () => {
  const { space, posted, tell } = await createChannel();
  const event = createOpenedEvent(await makeChangeRequest(space));

  expect(await tell(event, { change_requests: false })).toMatchObject({ status: 204 });
  expect(await tell(event, { webhook_url: undefined })).toMatchObject({
    status: 409,
    text: expect.stringContaining('not configured'),
  });
  expect(await tell({ ...event, type: 'change_request.updated' })).toMatchObject({ status: 406 });
  expect(posted).toEqual([]);
});

test.each([
  [400, 400],
  [404, 400],
  [408, 502],
  [429, 502],
  [500, 502],
  [302, 502],
])('maps a response of %i to %i, so that the event is dropped or retried', async (status, answered) => {
  const { space, tell } = await createChannel(status);

  expect(await tell(createOpenedEvent(await makeChangeRequest(space)))).toEqual({
    status: answered,
    text: `{"error":"The webhook returned ${status}."}`,
  });
});

test('the response does not reveal the URL of an unreachable channel', async () => {
  const { space, tell } = await createChannel();
  const event = createOpenedEvent(await makeChangeRequest(space));

  expect(await tell(event, { webhook_url: 'http://127.0.0.1:1/a-secret' })).toEqual({
    status: 502,
    text: '{"error":"The webhook could not be reached."}',
  });
});
