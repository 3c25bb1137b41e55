import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { RequestOptions } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { isSignedWith, receive } from './receiver.ts';
import type { ShownWebhook } from './webhook-client.ts';
import { getWebhooks, inAnHour, makeDeliveriesDue, makeDisabledWebhook } from './webhook-client.ts';

const server = platform();
const nowhere = 'http://127.0.0.1:9/';

/** Returns the status of an error response and the field of each issue. */
async function getFaults(response: Response): Promise<[number, string[]]> {
  const { error } = (await response.json()) as { error: { issues?: { path: string }[] } };
  return [response.status, (error.issues ?? []).map(({ path }) => path)];
}

test('creates a webhook with the given settings, logs it, and hides its secret afterwards', async () => {
  const organization = await server.makeOrganization();
  const space = await server.makeSpace({ organization });
  const hooks = getWebhooks(organization);
  const settings = {
    description: 'Ours',
    events: ['space.created', 'space.updated'],
    spaces: [space.id],
    active: false,
  };
  const { secret, ...made } = await hooks.create(nowhere, settings);

  expect(made).toMatchObject({ url: nowhere, ...settings, object: 'webhook', createdBy: organization.user });
  expect(secret).toMatch(/^whsec_.{30,}$/);
  expect(await hooks.get(made.id)).toEqual(made);
  expect((await hooks.list()).items).toEqual([made]);
  expect(await hooks.update(made.id, { spaces: null, events: ['*'] })).toMatchObject({ events: ['*'] });
  expect(await hooks.get(made.id)).not.toHaveProperty('spaces');
});

test.each<[string, (foreign: string) => object]>([
  ['body.url', () => ({ url: 'ftp://example.com/' })],
  ['body.url', () => ({ url: 'https://ann:secret@example.com/' })],
  ['body.url', () => ({ url: 'no address' })],
  ['body.events', () => ({ events: [] })],
  ['body.event', () => ({ event: ['space.created'] })],
  ['body.events.0', () => ({ events: ['space.vanished'] })],
  ['body.events.0', () => ({ events: ['content.changed'] })],
  ['body.spaces', (foreign) => ({ spaces: [foreign] })],
  ['body.description', () => ({ description: 'two\nlines' })],
  ['body.active', () => ({ active: 'yes' })],
])('rejects invalid %s, on creation and change, and writes nothing', async (at, make) => {
  const [organization, other] = [await server.makeOrganization(), await server.makeOrganization()];
  const { id: foreign } = await server.makeSpace({ organization: other });
  const hooks = getWebhooks(organization);
  const { secret: _, ...before } = await hooks.create(nowhere, { active: false });
  const { token } = organization;
  const body = { url: nowhere, ...make(foreign) };

  expect(await getFaults(await server.request(hooks.path, { token, body }))).toEqual([400, [at]]);
  const response = server.request(`${hooks.path}/${before.id}`, { token, method: 'PATCH', body });
  expect(await getFaults(await response)).toEqual([400, [at]]);
  expect((await hooks.list()).items).toEqual([before]);
});

test('an organization can have at most twenty webhooks, also with concurrent requests, and the list returns each once', async () => {
  const organization = await server.makeOrganization();
  const hooks = getWebhooks(organization);
  for (let index = 0; index < 17; index += 1) await hooks.create(nowhere, { active: false });
  const body = { url: nowhere, active: false };
  const responses = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(() => server.request(hooks.path, { token: organization.token, body })),
  );
  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409, 409]);

  const ids: string[] = [];
  for (let page: string | undefined = ''; page !== undefined; ) {
    const cursor: string = page === '' ? '' : `&page=${encodeURIComponent(page)}`;
    const list: { items: ShownWebhook[]; next?: { page: string } } = await json(`${hooks.path}?limit=7${cursor}`, {
      token: organization.token,
    });
    ids.push(...list.items.map(({ id }) => id));
    page = list.next?.page;
  }
  expect([ids.length, new Set(ids).size]).toEqual([20, 20]);
  expect((await hooks.remove(ids[0] ?? '')).status).toBe(205);
  await hooks.create(nowhere, { active: false });
});

const operations: [string, string, RequestOptions][] = [
  ['get', '', {}],
  ['update', '', { method: 'PATCH', body: { description: 'Theirs' } }],
  ['delete', '', { method: 'DELETE' }],
  ['test', '/test', { method: 'POST' }],
  ['rotate', '/secret', { method: 'POST' }],
  ['list deliveries', '/deliveries', {}],
  ['get delivery', '/deliveries/DELIVERY', {}],
  ['redeliver', '/deliveries/DELIVERY/redeliver', { method: 'POST' }],
  ['redeliver all', '/redeliver', { body: { since: '2020-01-01T00:00:00.000Z' } }],
];

test("requires an admin of the webhook's organization for every operation", async () => {
  const [organization, other] = [await server.makeOrganization(), await server.makeOrganization()];
  const member = await server.makeUser({ organization: organization.id, role: 'create' });
  const webhook = await makeDisabledWebhook(organization);
  const own = await makeDisabledWebhook(other);
  const [delivery] = (await getWebhooks(organization).deliveries(webhook)).items;
  const readState = () => [
    query('SELECT * FROM subscriptions WHERE id = ?', webhook),
    query('SELECT * FROM deliveries WHERE subscription = ?', webhook),
  ];
  const before = readState();
  const getPath = (id: string, of: string, below: string) =>
    `/v1/orgs/${id}/webhooks/${of}${below.replace('DELIVERY', delivery?.id ?? '')}`;

  for (const [name, below, options] of operations) {
    const call = async (token: string, address: string) =>
      (await server.request(address, { ...options, token })).status;
    const statuses = [
      await call(member.token, getPath(organization.id, webhook, below)),
      await call(other.token, getPath(organization.id, webhook, below)),
      await call(other.token, getPath(other.id, webhook, below)),
      below.includes('DELIVERY') ? await call(other.token, getPath(other.id, own, below)) : 404,
    ];
    expect([name, ...statuses]).toEqual([name, 403, 404, 404, 404]);
  }
  expect(readState()).toEqual(before);
});

test('after a rotation, both secrets sign for a day, then only the new one', async () => {
  const organization = await server.makeOrganization();
  const hooks = getWebhooks(organization);
  const receiver = await receive();
  const { id, secret: first } = await hooks.create(receiver.url, { events: ['space.created'] });
  const { secret: second, previousSecretUntil } = await hooks.rotate(id);
  const findSigningKeys = async () => {
    const before = receiver.received.length;
    await hooks.ping(id);
    const [got] = receiver.received.slice(before);
    return got && [first, second].map((secret) => isSignedWith(secret, got));
  };

  expect(second).not.toBe(first);
  expect(Date.parse(previousSecretUntil) - Date.now()).toBeGreaterThan(86_300_000);
  expect(await hooks.get(id)).toMatchObject({ previousSecretUntil });
  expect(await findSigningKeys()).toEqual([true, true]);
  await server.makeSpace({ organization });
  const [sent] = (await receiver.got('space.created')).filter(({ type }) => type === 'space.created');
  expect(sent && [first, second].map((secret) => isSignedWith(secret, sent))).toEqual([true, true]);
  await writeDatabase(server, 'UPDATE subscriptions SET previous_until = ? WHERE id = ?', Date.now() - 1, id);
  expect(await findSigningKeys()).toEqual([false, true]);
  const { secret: third } = await hooks.rotate(id);
  expect(await findSigningKeys()).toEqual([false, true]);
  expect(third).not.toBe(second);
});

test('a test sends a signed ping at once, returns the result, and creates no delivery', async () => {
  const organization = await server.makeOrganization();
  const hooks = getWebhooks(organization);
  const receiver = await receive((_, response) => response.writeHead(418).end('a teapot'));
  const { id, secret } = await hooks.create(receiver.url, { active: false });

  expect(await hooks.ping(id)).toMatchObject({
    delivered: false,
    status: 418,
    error: 'returned 418',
    answer: 'a teapot',
  });
  expect(receiver.received[0]).toMatchObject({ type: 'ping', body: { type: 'ping', data: { webhook: id } } });
  expect(receiver.received.every((each) => isSignedWith(secret, each))).toBe(true);
  expect((await hooks.deliveries(id)).items).toEqual([]);
  await hooks.update(id, { url: nowhere });
  expect(await hooks.ping(id)).toMatchObject({ delivered: false, error: 'could not be reached' });
});

test('a webhook limited to spaces receives only events of these spaces, and none of the organization', async () => {
  const organization = await server.makeOrganization();
  const [named, other] = [await server.makeSpace({ organization }), await server.makeSpace({ organization })];
  const receiver = await receive();
  await getWebhooks(organization).create(receiver.url, { spaces: [named.id] });
  const rename = (space: string) =>
    json(`/v1/spaces/${space}`, { token: organization.token, method: 'PATCH', body: { title: 'Other' } });
  await rename(other.id);
  await json(`/v1/orgs/${organization.id}`, { token: organization.token, method: 'PATCH', body: { title: 'Other' } });
  await rename(named.id);
  await receiver.got('space.updated');

  expect(receiver.received.map(({ type, body }) => [type, body.space])).toEqual([['space.updated', named.id]]);
});

test('a paused webhook receives nothing until it resumes, and a deleted one nothing at all', async () => {
  const organization = await server.makeOrganization();
  const hooks = getWebhooks(organization);
  let isDown = true;
  const receiver = await receive((_, response) => {
    if (isDown) response.writeHead(500, inAnHour).end();
    else response.end();
  });
  const { id } = await hooks.create(receiver.url, { events: ['space.created', 'organization.updated'] });
  const { id: waiting } = await server.makeSpace({ organization });
  await until(async () => ((await hooks.deliveries(id)).items[0]?.attempts ? true : undefined));
  await hooks.update(id, { active: false });
  isDown = false;
  await server.makeSpace({ organization });
  const paused = receiver.received.length;
  await hooks.update(id, { active: true });
  await makeDeliveriesDue(id);
  const { id: after } = await server.makeSpace({ organization });
  const listReceivedSpaces = () => receiver.received.slice(paused).map(({ body }) => body.space);
  await receiver.until(() => [waiting, after].every((space) => listReceivedSpaces().includes(space)));
  expect(listReceivedSpaces().toSorted()).toEqual([waiting, after].toSorted());

  expect((await hooks.remove(id)).status).toBe(205);
  await server.makeSpace({ organization });
  expect((await server.request(`${hooks.path}/${id}`, { token: organization.token })).status).toBe(404);
  await until(() =>
    query('SELECT 1 FROM feed WHERE organization = ?', organization.id).length === 0 ? true : undefined,
  );
  expect(listReceivedSpaces()).toHaveLength(2);
});
