import { expect, test } from 'vitest';
import { edit, json, makePage } from '../../support/content.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { isSignedWith, receive } from './receiver.ts';
import { getWebhooks } from './webhook-client.ts';

test("a webhook receives the organization's events, signed and with the same data as the audit log", async () => {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  const receiver = await receive();
  const webhook = await hooks.create(receiver.url, { description: 'Ours' });
  const space = await platform().makeSpace({ organization });
  await receiver.got('webhook.created', 'space.created');

  expect(webhook).toMatchObject({
    events: ['*'],
    active: true,
    description: 'Ours',
    secret: expect.stringMatching(/^whsec_/),
  });
  expect(receiver.received.filter((each) => !isSignedWith(webhook.secret, each))).toEqual([]);
  const created = receiver.received.find(({ type }) => type === 'space.created');
  expect(created?.body).toEqual({
    id: expect.stringMatching(/^evt_/),
    type: 'space.created',
    createdAt: expect.any(String),
    organization: organization.id,
    space: space.id,
    actor: organization.user,
    data: {},
  });
  expect(
    receiver.received.every(({ signature, body }) => signature !== '' && body.organization === organization.id),
  ).toBe(true);
});

test('events of one object arrive in order', async () => {
  const organization = await platform().makeOrganization();
  const receiver = await receive();
  await getWebhooks(organization).create(receiver.url, { events: ['revision.created', 'space.updated'] });
  const space = await platform().makeSpace({ organization });
  const page = await makePage({ id: space.id, token: organization.token }, 'A page');
  for (let index = 0; index < 20; index += 1)
    await edit({ id: space.id, token: organization.token }, [
      { operation: 'update_page', page, document: { markdown: `Words ${index}.\n` } },
    ]);
  await json(`/v1/spaces/${space.id}`, { token: organization.token, method: 'PATCH', body: { title: 'Other' } });
  await receiver.got('space.updated');
  await receiver.until((all) => all.length >= 22);

  const ids = receiver.received
    .map(({ body }) => body.id)
    .filter((_, index) => receiver.received[index]?.type === 'revision.created');
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

test("the webhook's log contains the deliveries with their responses", async () => {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  const receiver = await receive((_, response) => response.end(`thanks\n${'x'.repeat(3000)}`));
  const { id } = await hooks.create(receiver.url, { events: ['space.created'] });
  const space = await platform().makeSpace({ organization });
  const [delivery] = await until(async () => {
    const { items } = await hooks.deliveries(id);
    return items[0]?.status === 'delivered' ? items : undefined;
  });

  expect(delivery).toMatchObject({ event: { type: 'space.created' }, attempts: 1, answered: 200 });
  const details = await hooks.delivery(id, delivery?.id ?? '');
  expect(details.payload).toMatchObject({ type: 'space.created', space: space.id });
  expect(details.log).toEqual([
    {
      number: 1,
      at: expect.any(String),
      milliseconds: expect.any(Number),
      status: 200,
      answer: expect.stringMatching(/^thanks x+$/),
    },
  ]);
  expect(details.log[0]?.answer).toHaveLength(1024);
  expect(receiver.received[0]?.delivery).toBe(delivery?.id);
});
