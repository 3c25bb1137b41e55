import { get } from 'node:http';
import type { LiveMessage, LiveRequest } from '@octavo/schema';
import { WebSocket } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { json, makeChangeRequest, makePage } from '../../support/content.ts';
import { guest, makeMember, makeTeam } from '../../support/people.ts';
import { platform, type TestSpace, type TestUser } from '../../support/platform.ts';
import { readSessionCookie } from '../../support/session-cookies.ts';
import { resignUrl } from '../../support/signed-address.ts';

/** The limit for messages, which can take seconds on a busy machine. */
const waiting = { timeout: 20_000 };

const createUrl = async (space: string, token: string): Promise<string> =>
  (await json<{ url: string }>(`/v1/spaces/${space}/live`, { token, body: {} })).url;

/** A live connection that collects the messages of the server. */
async function connect(space: string, token: string) {
  const socket = new WebSocket(await createUrl(space, token));
  const messages: LiveMessage[] = [];
  const closed = new Promise<number>((resolve) => {
    socket.addEventListener('close', ({ code }) => resolve(code));
  });
  socket.addEventListener('message', ({ data }) => {
    if (data !== 'pong') messages.push(JSON.parse(String(data)) as LiveMessage);
  });
  onTestFinished(() => socket.close());
  const waitFor = (expected: LiveMessage) => vi.waitFor(() => expect(messages).toContainEqual(expected), waiting);
  await waitFor({ type: 'connected' });
  const request = (message: LiveRequest) => socket.send(JSON.stringify(message));
  const listEvents = () => messages.flatMap((message) => (message.type === 'event' ? [message.event] : []));
  return { socket, messages, closed, waitFor, request, listEvents };
}

/** Creates a member with a connection to the space. */
async function connectMember({ id, organization }: TestSpace, role: string) {
  const member = await platform().makeUser({ organization, role });
  return { member, connection: await connect(id, member.token) };
}

const connectReader = (space: TestSpace) => connectMember(space, 'read');
const connectEditor = (space: TestSpace) => connectMember(space, 'edit');

test('sends ids of changes of content, change requests, reviews and comments to a reader of the space', async () => {
  const space = await platform().makeSpace();
  const other = await platform().makeSpace();
  const { connection } = await connectReader(space);
  const { token } = space;

  const page = await makePage(space, 'Secret title');
  await makePage(other, 'Other');
  const changeRequest = (await makeChangeRequest(space, 'Secret subject')).id;
  const path = `/v1/spaces/${space.id}/change-requests/${changeRequest}`;
  const changes = [{ operation: 'update_page', page, title: 'Secret' }];
  await json(`${path}/content`, { token, body: { changes } });
  await json(`${path}/reviews`, { token, body: { status: 'approved' } });
  const comment = await json<{ id: string }>(`${path}/comments`, { token, body: { body: { markdown: 'Secret' } } });
  await json(`${path}/merge`, { token, body: {} });

  await vi.waitFor(() => {
    const events = connection.listEvents();
    const ofContent = events.filter(({ type }) => type === 'revision.created');
    expect(ofContent.map((event) => event.changeRequest).toSorted()).toEqual([changeRequest, undefined, undefined]);
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['change_request.merged', 'change_request.reviewed']),
    );
    expect(events).toContainEqual({ type: 'comment.created', changeRequest, comment: comment.id });
  }, waiting);
  expect(JSON.stringify(connection.messages)).not.toContain('Secret');
});

/** Sends a request to open a WebSocket, and returns the status of the response. */
const requestUpgrade = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' };
    const headers = { connection: 'Upgrade', upgrade: 'websocket', ...key };
    const request = get(url.replace(/^ws/, 'http'), { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode);
    });
  });

test('refuses users without access, changed and expired URLs, and requests without an upgrade', async () => {
  const space = await platform().makeSpace();
  const stranger = await platform().makeUser();
  const other = await platform().makeUser({ organization: space.organization, role: guest });
  const path = `/v1/spaces/${space.id}/live`;
  for (const { token } of [stranger, other])
    expect((await platform().request(path, { token, body: {} })).status).toBe(404);

  const url = await createUrl(space.id, space.token);
  expect((await fetch(url.replace(/^ws/, 'http'))).status).toBe(400);
  expect(await requestUpgrade(url)).toBe(101);
  expect(await requestUpgrade(url.replace(space.id, `${space.id.slice(0, -1)}_`))).toBe(404);
  expect(await requestUpgrade(resignUrl(url, ({ searchParams }) => searchParams.set('expires', '1')))).toBe(403);
});

interface AccessToEnd {
  token: string;
  /** The API path of the request that ends the access. */
  path: string;
  method?: string;
  /** The token of that request. Defaults to the admin's token. */
  by?: string;
}

/** Creates a space in a collection, with an editor for each way in which access ends. */
async function makeEditors() {
  const organization = await platform().makeOrganization();
  const { id, token } = organization;
  const collection = await json<{ id: string }>(`/v1/orgs/${id}/collections`, { token, body: { title: 'Shared' } });
  const space = await json<{ id: string }>(`/v1/orgs/${id}/spaces`, {
    token,
    body: { title: 'Shared', parent: collection.id },
  });
  const [removed, disabled, ofToken, ofSession, granted, inTeam] = (await Promise.all(
    ['edit', 'edit', 'edit', 'edit', guest, guest].map((role) => makeMember(organization, role)),
  )) as [TestUser, TestUser, TestUser, TestUser, TestUser, TestUser];
  const team = await makeTeam(organization, { members: [inTeam.user] });
  const grants = `/v1/collections/${collection.id}/permissions`;
  for (const subjects of [{ users: [granted.user] }, { teams: [team.id] }])
    await platform().request(grants, { token, body: { ...subjects, role: 'edit' } });
  const deletable = await json<{ id: string; token: string }>('/v1/user/tokens', {
    token: ofToken.token,
    body: { label: 'x' },
  });
  const signedIn = await platform().request('/login/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token: ofSession.token }).toString(),
  });
  const { token: secret = '' } = readSessionCookie(signedIn);
  const { items } = await json<{ items: { id: string }[] }>('/v1/user/sessions', { token: secret });
  const editors: AccessToEnd[] = [
    { token: removed.token, path: `/v1/orgs/${id}/members/${removed.user}` },
    { token: disabled.token, path: `/v1/orgs/${id}/members/${disabled.user}/disable`, method: 'POST' },
    { token: granted.token, path: `${grants}/users/${granted.user}` },
    { token: inTeam.token, path: `/v1/orgs/${id}/teams/${team.id}/members/${inTeam.user}` },
    { token: deletable.token, path: `/v1/user/tokens/${deletable.id}`, by: ofToken.token },
    { token: secret, path: `/v1/user/sessions/${items[0]?.id}`, by: ofSession.token },
  ];
  return { space: { id: space.id, token }, editors };
}

type TestConnection = Awaited<ReturnType<typeof connect>>;

/** Whether the server has not started to close the connection. The closing handshake can take some seconds. */
const isOpen = ({ socket }: TestConnection): boolean => socket.readyState === WebSocket.OPEN;

const makeComment = ({ id, token }: Pick<TestSpace, 'id' | 'token'>) =>
  json(`/v1/spaces/${id}/comments`, { token, body: { body: { markdown: 'A comment' } } });
const sendPresence = (connection: TestConnection, block = 0) =>
  connection.request({ type: 'presence', presence: { changeRequest: 'cr_a', page: 'pg_a', block } });

test.each<[string, (space: Pick<TestSpace, 'id' | 'token'>, admin: TestConnection) => unknown]>([
  ['an event', (space) => makeComment(space)],
  ['a presence', (_space, admin) => sendPresence(admin)],
])('%s ends each connection whose member, guest, team, token or session has no access any more', async (_name, act) => {
  const { space, editors } = await makeEditors();
  const { token, id } = space;
  const admin = await connect(id, token);
  const connections = await Promise.all(editors.map((editor) => connect(id, editor.token)));
  for (const connection of connections) sendPresence(connection);
  sendPresence(admin);
  await makeComment(space);
  const expected = expect.arrayContaining(['event', 'presence']);
  for (const { messages } of [admin, ...connections])
    await vi.waitFor(() => expect(messages.map(({ type }) => type)).toEqual(expected), waiting);

  for (const { path, method = 'DELETE', by = token } of editors)
    expect((await platform().request(path, { token: by, method })).ok, path).toBe(true);
  await vi.waitFor(
    async () => {
      await act(space, admin);
      expect(connections.map(isOpen)).toEqual(editors.map(() => false));
    },
    { ...waiting, interval: 350 },
  );
  expect(isOpen(admin)).toBe(true);
});

test('a reader shares no presence, and receives none', async () => {
  const space = await platform().makeSpace();
  const [editor, { connection: reader }] = [await connectEditor(space), await connectReader(space)];
  sendPresence(editor.connection);
  sendPresence(reader);
  const other = await connectEditor(space);
  sendPresence(other.connection);
  await vi.waitFor(
    () => expect(other.connection.messages).toContainEqual(expect.objectContaining({ user: editor.member.user })),
    waiting,
  );
  expect(other.connection.messages.filter(({ type }) => type === 'presence')).toHaveLength(1);
  expect(reader.messages).toEqual([{ type: 'connected' }]);
});

test('shows who edits which page to the others in the change request, until the connection ends', async () => {
  const space = await platform().makeSpace();
  const [first, second, third] = [await connectEditor(space), await connectEditor(space), await connectEditor(space)];
  const presence = { changeRequest: 'cr_a', page: 'pg_a', block: 3 };
  first.connection.request({ type: 'presence', presence });
  third.connection.request({ type: 'presence', presence: { ...presence, changeRequest: 'cr_b' } });
  second.connection.request({ type: 'presence', presence: { changeRequest: 'cr_a', page: 'pg_b' } });

  const seen = await vi.waitFor(() => {
    const message = second.connection.messages.find(({ type }) => type === 'presence');
    expect(message).toMatchObject({ user: first.member.user, presence });
    return message;
  }, waiting);
  await vi.waitFor(
    () => expect(first.connection.messages).toContainEqual(expect.objectContaining({ user: second.member.user })),
    waiting,
  );
  first.connection.socket.close();
  await second.connection.waitFor({ ...(seen as LiveMessage & { type: 'presence' }), presence: null });
  expect(third.connection.messages.map(({ type }) => type)).toEqual(['connected']);
});

test.each([
  ['an unknown message', '{"type":"other"}', 1008],
  ['a text that is not JSON', 'hello', 1008],
  ['a long message', JSON.stringify({ type: 'presence', presence: null, more: 'x'.repeat(3000) }), 1009],
])('ends the connection after %s', async (_name, text, code) => {
  const { id, token } = await platform().makeSpace();
  const { socket, closed } = await connect(id, token);
  socket.send(text);
  expect(await closed).toBe(code);
});

test('limits the messages of a connection', async () => {
  const { id, token } = await platform().makeSpace();
  const connection = await connect(id, token);
  for (let sent = 0; sent <= 50; sent += 1) connection.request({ type: 'presence', presence: null });
  expect(await connection.closed).toBe(1008);
});

test('the twenty-first connection of a user replaces the oldest', async () => {
  const { id, token } = await platform().makeSpace();
  const oldest = await connect(id, token);
  const others = await Promise.all(Array.from({ length: 20 }, () => connect(id, token)));
  await vi.waitFor(() => expect(isOpen(oldest)).toBe(false), waiting);
  expect(others.filter(isOpen)).toHaveLength(20);
});

test('ignores a presence that follows another one at once', async () => {
  const space = await platform().makeSpace();
  const [first, second] = [await connectEditor(space), await connectEditor(space)];
  sendPresence(second.connection);
  for (let block = 0; block < 40; block += 1) sendPresence(first.connection, block);
  first.connection.request({ type: 'presence', presence: null });
  const listPresences = () =>
    second.connection.messages.flatMap((message) => (message.type === 'presence' ? [message.presence] : []));
  await vi.waitFor(() => expect(listPresences().at(-1)).toBe(null), waiting);
  expect(listPresences().length).toBeLessThan(10);
});

test('responds to a ping', async () => {
  const { id, token } = await platform().makeSpace();
  const { socket } = await connect(id, token);
  const pong = new Promise((resolve) => {
    socket.addEventListener('message', ({ data }) => data === 'pong' && resolve(data));
  });
  socket.send('ping');
  expect(await pong).toBe('pong');
});
